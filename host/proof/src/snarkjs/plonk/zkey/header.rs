//! The header of a key, with its nine points.

use proofmill_algebra::Isa;
use proofmill_algebra::field::{Bls12381Fr, Bn254Fr, PrimeField};
use proofmill_op::msm::{Curve, Group, Instance};

use super::elements::from_montgomery;
use crate::Result;
use crate::plonk::{Scalar, VerifyingKey};
use crate::snarkjs::container::{Container, Part};
use crate::snarkjs::curve::{Facts, Prime, SCALAR_BYTES};
use crate::snarkjs::zkey::header::{PLONK, any_point, domain, point, protocol, scalars};

/// log2 of the smallest domain: the quotient has 3n + 6 coefficients, which are fewer than 4n from there on.
const MIN_DOMAIN_LOG: u32 = 3;

/// Sections 1 and 2. 1 + public_inputs <= variables - additions, public_inputs <= constraints <= n, and the field has a root of unity of order
/// 4n. The points are of the groups, and X_2 is not the identity.
#[derive(Clone, Debug)]
pub(super) struct Header {
    pub facts: &'static Facts,
    pub variables: u32,
    pub public_inputs: u32,
    pub domain_log: u32,
    pub additions: u32,
    pub constraints: u32,
    k: [Scalar; 2],
    /// Qm, Ql, Qr, Qo, Qc, S1, S2, S3.
    points: [Vec<u8>; 8],
    x_g2: Vec<u8>,
}

impl Header {
    pub fn read(isa: Isa, container: &Container) -> Result<Self> {
        const POINTS: [&str; 8] = ["Qm", "Ql", "Qr", "Qo", "Qc", "S1", "S2", "S3"];
        protocol(container.section(1)?, &[PLONK])?;
        let mut part = container.section(2)?;
        let facts = Facts::read(&mut part, Prime::Base)?;
        scalars(&mut part, facts)?;
        let start = part.at();
        let variables = part.u32("the number of variables")?;
        let public_inputs = part.u32("the number of public values")?;
        let domain_at = part.at();
        let domain_log = domain(&mut part, facts, 2)?;
        if domain_log < MIN_DOMAIN_LOG {
            let problem = format!("a domain of 2^{domain_log} points, below 2^{MIN_DOMAIN_LOG}");
            return Err(part.wrong(domain_at, problem).into());
        }
        let additions_at = part.at();
        let additions = part.u32("the number of additions")?;
        if additions > variables || variables - additions <= public_inputs {
            let problem = format!(
                "{public_inputs} public values, a constant and {additions} sums in {variables} variables"
            );
            return Err(part.wrong(start, problem).into());
        }
        let constraints = part.u32("the number of constraints")?;
        if constraints < public_inputs || u64::from(constraints) > 1 << domain_log {
            let problem = format!(
                "{constraints} constraints, {public_inputs} of them of public values, in 2^{domain_log} rows"
            );
            return Err(part.wrong(additions_at + 4, problem).into());
        }
        let k = [scalar(&mut part, facts, "k1")?, scalar(&mut part, facts, "k2")?];
        let g1 = Instance::new(facts.curve, Group::G1);
        let mut points = [const { Vec::new() }; 8];
        for (point, name) in points.iter_mut().zip(POINTS) {
            *point = any_point(isa, &mut part, g1, name)?;
        }
        let x_g2 = point(isa, &mut part, Instance::new(facts.curve, Group::G2), "X_2")?;
        part.finish()?;
        Ok(Self {
            facts,
            variables,
            public_inputs,
            domain_log,
            additions,
            constraints,
            k,
            points,
            x_g2,
        })
    }

    pub fn verifying_key(&self) -> VerifyingKey {
        let [q_m, q_l, q_r, q_o, q_c, s1, s2, s3] = self.points.clone();
        let [k1, k2] = self.k;
        VerifyingKey {
            curve: self.facts.curve,
            public_inputs: self.public_inputs as usize,
            domain_log: self.domain_log,
            k1,
            k2,
            q_m,
            q_l,
            q_r,
            q_o,
            q_c,
            s1,
            s2,
            s3,
            x_g2: self.x_g2.clone(),
        }
    }
}

/// Reads a scalar in Montgomery form.
fn scalar(part: &mut Part<'_>, facts: &Facts, what: &str) -> Result<Scalar> {
    let start = part.at();
    let bytes = part.take(SCALAR_BYTES, what)?.try_into().expect("so many were taken");
    let found = match facts.curve {
        Curve::Bn254 => canonical::<Bn254Fr>(bytes),
        Curve::Bls12_381 => canonical::<Bls12381Fr>(bytes),
        _ => unreachable!("a curve without files"),
    };
    found.ok_or_else(|| part.wrong(start, format!("{what} is not below r")).into())
}

fn canonical<F: PrimeField>(bytes: &Scalar) -> Option<Scalar> {
    let element: F = from_montgomery(bytes)?;
    Some(element.to_le_bytes().as_ref().try_into().expect("32 bytes"))
}
