//! The chain of contributions. Each multiplies delta by a factor x, proves that its author knows x, and commits to the contributions
//! before it (Bowe, Gabizon, Miers, ePrint 2017/1050, sections 5 and 6, with the hashes of snarkjs).
//!
//! ```text
//! transcript = BLAKE2b(circuit hash, public keys before, s, s x)      sp = point of G2 drawn from the transcript
//! e(s, sp x) = e(s x, sp)        the factor of s x is that of sp x
//! e(delta, sp x) = e(delta', sp) and it is delta's
//! ```

use proofmill_algebra::curve::{Affine, Curve};
use sha2::{Digest as _, Sha256};

use super::Finding;
use super::draws::Draws;
use super::equations::{Curves, Equations};
use crate::groth16::suite::{ScalarOf, point};
use crate::snarkjs::contributions::{big_endian, hasher};
use crate::snarkjs::{Contribution, Contributions, Kind};
use crate::{Error, Result};

/// The default limit of a beacon's iterations, 2^30: about a minute with the SHA-256 instructions of a processor.
pub const MAX_LOG_ITERATIONS: u8 = 30;

/// Checks all contributions.
pub fn check<E: Curves>(
    contributions: &Contributions,
    equations: &Equations<'_>,
    max_log_iterations: u8,
) -> Result<Finding> {
    let mut transcript = hasher();
    transcript.update(&contributions.circuit_hash);
    let mut delta = <E::G1 as Curve>::GENERATOR;
    for (number, contribution) in (1..).zip(&contributions.list) {
        let link = Link::<E>::read(contribution)?;
        let problem = link.problem(contribution, transcript.clone(), delta, equations)?;
        let problem = match (problem, &contribution.kind) {
            (None, Kind::Beacon { hash, log_iterations }) => {
                if *log_iterations > max_log_iterations {
                    let problem = format!(
                        "contribution {number} is a beacon of 2^{log_iterations} iterations: more than 2^{max_log_iterations}"
                    );
                    return Err(Error::argument("key", problem));
                }
                link.problem_of_beacon(hash, *log_iterations)
            }
            (problem, _) => problem,
        };
        if let Some(problem) = problem {
            let name = contribution.name.as_deref().unwrap_or_default().escape_debug();
            return Ok(Some(format!("contribution {number} \"{name}\": {problem}")));
        }
        contribution.add_public_key(&mut transcript);
        delta = link.delta;
    }
    Ok(None)
}

/// The points of a contribution.
struct Link<E: Curves> {
    delta: Affine<E::G1>,
    s: Affine<E::G1>,
    s_x: Affine<E::G1>,
    sp_x: Affine<E::G2>,
}

impl<E: Curves> Link<E> {
    fn read(contribution: &Contribution) -> Result<Self> {
        let g1 = |name, bytes| point::<E::G1>("contribution", name, bytes);
        Ok(Self {
            delta: g1("delta", &contribution.delta_after)?,
            s: g1("s", &contribution.s)?,
            s_x: g1("s x", &contribution.s_x)?,
            sp_x: point::<E::G2>("contribution", "sp x", &contribution.sp_x)?,
        })
    }

    /// Checks the transcript, given the state of its hash, and the proof of knowledge.
    fn problem(
        &self,
        contribution: &Contribution,
        mut transcript: blake2b_simd::State,
        before: Affine<E::G1>,
        equations: &Equations<'_>,
    ) -> Result<Option<&'static str>> {
        transcript.update(&big_endian(&contribution.s)).update(&big_endian(&contribution.s_x));
        if *transcript.finalize().as_array() != contribution.transcript {
            return Ok(Some("its transcript is not the hash of what went before"));
        }
        let sp = Draws::new(&contribution.transcript).point::<E::G2>().into();
        if !equations.equal::<E>((self.s, self.sp_x), (self.s_x, sp))? {
            return Ok(Some("its proof of knowledge is invalid"));
        }
        if !equations.equal::<E>((before, self.sp_x), (self.delta, sp))? {
            return Ok(Some("delta after it is not delta before it times its factor"));
        }
        Ok(None)
    }

    /// Recomputes s and s x.
    fn problem_of_beacon(&self, hash: &[u8], log_iterations: u8) -> Option<&'static str> {
        let mut digest = Sha256::digest(hash);
        for _ in 1..1_u64 << log_iterations {
            digest = Sha256::digest(digest);
        }
        let mut draws = Draws::new(&digest);
        let factor = draws.element::<ScalarOf<E>>();
        let s = draws.point::<E::G1>();
        let is_same =
            Affine::from(s) == self.s && Affine::from(s.times_vartime(&factor)) == self.s_x;
        (!is_same).then_some("its key is not that of its beacon")
    }
}
