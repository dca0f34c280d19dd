//! The header of a key, with its six points.

use proofmill_algebra::Isa;
use proofmill_op::msm::{Group, Instance};
use proofmill_op::ntt::MAX_LOG_SIZE;

use crate::snarkjs::container::{Container, Part};
use crate::snarkjs::curve::{Facts, Prime};
use crate::snarkjs::group::decode;
use crate::{FileError, Result};

/// Numbers of the protocols in snarkjs.
const PROTOCOLS: [(u32, &str); 3] = [(GROTH16, "groth16"), (PLONK, "plonk"), (FFLONK, "fflonk")];
pub(in crate::snarkjs) const GROTH16: u32 = 1;
pub(in crate::snarkjs) const PLONK: u32 = 2;
pub(in crate::snarkjs) const FFLONK: u32 = 10;

/// Sections 1 and 2. 0 <= public_inputs < variables, and the domain has 2^domain_log points with a root of unity of twice that
/// order. The points are of the groups and not the identity.
#[derive(Clone, Debug)]
pub(super) struct Header {
    pub facts: &'static Facts,
    pub variables: u32,
    pub public_inputs: u32,
    pub domain_log: u32,
    pub alpha_g1: Vec<u8>,
    pub beta_g1: Vec<u8>,
    pub beta_g2: Vec<u8>,
    pub gamma_g2: Vec<u8>,
    pub delta_g1: Vec<u8>,
    pub delta_g2: Vec<u8>,
}

impl Header {
    pub fn read(isa: Isa, container: &Container) -> Result<Self> {
        protocol(container.section(1)?, &[GROTH16])?;
        let mut part = container.section(2)?;
        let facts = curve(&mut part)?;
        let start = part.at();
        let variables = part.u32("the number of variables")?;
        let public_inputs = part.u32("the number of public values")?;
        if public_inputs >= variables {
            let problem =
                format!("{public_inputs} public values and a constant in {variables} variables");
            return Err(part.wrong(start, problem).into());
        }
        let domain_log = domain(&mut part, facts, 1)?;
        let mut point =
            |group, what| point(isa, &mut part, Instance::new(facts.curve, group), what);
        let alpha_g1 = point(Group::G1, "alpha in G1")?;
        let beta_g1 = point(Group::G1, "beta in G1")?;
        let beta_g2 = point(Group::G2, "beta in G2")?;
        let gamma_g2 = point(Group::G2, "gamma in G2")?;
        let delta_g1 = point(Group::G1, "delta in G1")?;
        let delta_g2 = point(Group::G2, "delta in G2")?;
        part.finish()?;
        Ok(Self {
            facts,
            variables,
            public_inputs,
            domain_log,
            alpha_g1,
            beta_g1,
            beta_g2,
            gamma_g2,
            delta_g1,
            delta_g2,
        })
    }
}

/// Reads the number of the protocol, which must be one of these.
pub(in crate::snarkjs) fn protocol(mut part: Part<'_>, expected: &[u32]) -> Result<u32> {
    let start = part.at();
    let number = part.u32("the protocol")?;
    if !expected.contains(&number) {
        let name = |number| {
            let known = PROTOCOLS.iter().find(|(known, _)| *known == number);
            known.map_or_else(|| format!("number {number}"), |(_, name)| (*name).to_owned())
        };
        let expected = expected.iter().map(|&number| name(number)).collect::<Vec<_>>().join(" or ");
        let problem = format!("a key of protocol {}, not of {expected}", name(number));
        return Err(part.wrong(start, problem).into());
    }
    part.finish().map(|()| number)
}

/// Reads the primes of the curve, with which every header of a protocol begins.
pub(in crate::snarkjs) fn curve(part: &mut Part<'_>) -> Result<&'static Facts> {
    let facts = Facts::read(part, Prime::Base)?;
    let start = part.at();
    let other = Facts::read(part, Prime::Scalar)?;
    if other.curve != facts.curve {
        let problem = format!("coordinates of {} and scalars of {}", facts.name, other.name);
        return Err(part.wrong(start, problem).into());
    }
    Ok(facts)
}

/// Reads log2 of the domain's size. The field has a root of unity of 2^`extra` times that order.
pub(in crate::snarkjs) fn domain(part: &mut Part<'_>, facts: &Facts, extra: u32) -> Result<u32> {
    let start = part.at();
    let size = part.u32("the size of the domain")?;
    let most = (facts.two_adicity - extra).min(MAX_LOG_SIZE);
    if !size.is_power_of_two() || size.ilog2() > most {
        let problem = format!("a domain of {size} points, not of a power of two up to 2^{most}");
        return Err(part.wrong(start, problem).into());
    }
    Ok(size.ilog2())
}

/// Reads a point other than the identity.
pub(in crate::snarkjs) fn point(
    isa: Isa,
    part: &mut Part<'_>,
    instance: Instance,
    what: &str,
) -> Result<Vec<u8>> {
    let start = part.at();
    let point = any_point(isa, part, instance, what)?;
    match point.iter().all(|&byte| byte == 0) {
        true => Err(part.wrong(start, format!("{what} is the identity")).into()),
        false => Ok(point),
    }
}

/// Reads a point of the group.
pub(in crate::snarkjs) fn any_point(
    isa: Isa,
    part: &mut Part<'_>,
    instance: Instance,
    what: &str,
) -> Result<Vec<u8>> {
    let start = part.at();
    let encoding = part.take(instance.point_bytes(), what)?;
    let wrong = |problem: &str| -> FileError { part.wrong(start, format!("{what} is {problem}")) };
    Ok(decode(isa, instance, &encoding).map_err(|error| wrong(&error.to_string()))?)
}
