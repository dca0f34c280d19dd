//! The beginning of the header of a key: curve, sizes, and the shifts of cosets.

use proofmill_algebra::field::{Bls12381Fr, Bn254Fr};
use proofmill_op::msm::Curve;

use super::elements::canonical;
use crate::Result;
use crate::plonk::Scalar;
use crate::snarkjs::container::Part;
use crate::snarkjs::curve::Facts;
use crate::snarkjs::zkey::header::{curve, domain};

/// log2 of the smallest domain: the quotient of PLONK has 3n + 6 coefficients, which are fewer than 4n from there on.
const MIN_DOMAIN_LOG: u32 = 3;

/// 1 + public_inputs <= variables - additions, public_inputs <= constraints <= n, and the field has a root of unity of order 4n.
#[derive(Clone, Debug)]
pub(in crate::snarkjs) struct Sizes {
    pub facts: &'static Facts,
    pub variables: u32,
    pub public_inputs: u32,
    pub domain_log: u32,
    pub additions: u32,
    pub constraints: u32,
    /// The shifts of the second and third coset, k1 and k2.
    pub k: [Scalar; 2],
}

impl Sizes {
    /// Reads curve, sizes and shifts. The last `free_rows` rows of the domain have no constraints.
    pub(super) fn read(part: &mut Part<'_>, free_rows: u32) -> Result<Self> {
        let facts = curve(part)?;
        let start = part.at();
        let variables = part.u32("the number of variables")?;
        let public_inputs = part.u32("the number of public values")?;
        let domain_at = part.at();
        let domain_log = domain(part, facts, 2)?;
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
        let rows = (1_u64 << domain_log) - u64::from(free_rows);
        if constraints < public_inputs || u64::from(constraints) > rows {
            let rows = match free_rows {
                0 => format!("2^{domain_log} rows"),
                _ => format!("2^{domain_log} - {free_rows} rows"),
            };
            let problem = format!(
                "{constraints} constraints, {public_inputs} of them of public values, in {rows}"
            );
            return Err(part.wrong(additions_at + 4, problem).into());
        }
        let k = [scalar(part, facts, "k1")?, scalar(part, facts, "k2")?];
        Ok(Self { facts, variables, public_inputs, domain_log, additions, constraints, k })
    }
}

/// Reads a scalar in Montgomery form.
pub(in crate::snarkjs) fn scalar(part: &mut Part<'_>, facts: &Facts, what: &str) -> Result<Scalar> {
    let start = part.at();
    let bytes = &part.array(what)?;
    let found = match facts.curve {
        Curve::Bn254 => canonical::<Bn254Fr>(bytes),
        Curve::Bls12_381 => canonical::<Bls12381Fr>(bytes),
        _ => unreachable!("a curve without files"),
    };
    found.ok_or_else(|| part.wrong(start, format!("{what} is not below r")).into())
}
