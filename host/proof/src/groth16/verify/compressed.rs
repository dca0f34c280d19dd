//! Proofs in the compressed form of Zcash, such as those in blocks.

use std::ops::Range;

use proofmill_algebra::Isa;
use proofmill_algebra::batch::{Batched, Roots};
use proofmill_algebra::curve::Affine;
use proofmill_algebra::encoding::EncodingError;
use proofmill_algebra::encoding::zcash::{Zcash, decode_each_compressed};
use proofmill_algebra::pairing::Bls12381;

use super::batch::Claim;
use super::{Key, OnCurve, Points, PreparedVerifyingKey};
use crate::groth16::Scalar;
use crate::halves::numbered;
use crate::{Error, Result, bisection, halves};

/// The reason why a proof is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Invalid {
    /// A point has no valid encoding.
    #[error("{point} is {problem}")]
    Encoding {
        /// The point: A, B or C.
        point: &'static str,
        /// The problem.
        problem: EncodingError,
    },
    /// A point is the identity, which the provers of bellman never return and its verifiers refuse.
    #[error("{point} is the identity")]
    Identity {
        /// The point: A, B or C.
        point: &'static str,
    },
    /// The points are no proof for the public inputs.
    #[error("the equation does not hold")]
    Equation,
}

/// Bytes of a compressed proof over BLS12-381: A, B and C.
pub const COMPRESSED_BYTES: usize = 192;

impl PreparedVerifyingKey {
    /// Returns the indices of the invalid proofs in ascending order, with the reasons, for proofs over BLS12-381 in the compressed form of Zcash:
    /// A, B and C of 48, 96 and 48 bytes. One batch, as [`PreparedVerifyingKey::find_invalid`], of those whose points are valid.
    ///
    /// Returns an error for public inputs that are not below r or of another number than the key's, for a key on another curve, or if the
    /// system returns no random bytes.
    pub fn find_invalid_compressed(
        &self,
        proofs: &[(&[Scalar], &[u8; COMPRESSED_BYTES])],
    ) -> Result<Vec<(usize, Invalid)>> {
        match &self.on {
            OnCurve::Bls12_381(key) => key.find_invalid_compressed(proofs),
            OnCurve::Bn254(_) => {
                Err(Error::argument("proofs", "compressed ones are on bls12_381, the key on bn254"))
            }
        }
    }
}

/// Decodes the points of each proof.
fn decompressed(
    isa: Isa,
    proofs: &[(&[Scalar], &[u8; COMPRESSED_BYTES])],
) -> Vec<std::result::Result<Points<Bls12381>, Invalid>> {
    fn each<C: Zcash<Base: Roots> + Batched>(
        isa: Isa,
        point: &'static str,
        bytes: Vec<&[u8]>,
    ) -> Vec<std::result::Result<Affine<C>, Invalid>> {
        let points = decode_each_compressed::<C>(isa, &bytes).into_iter();
        let checked = points.map(|decoded| match decoded {
            Err(problem) => Err(Invalid::Encoding { point, problem }),
            Ok(decoded) if decoded.is_identity().into() => Err(Invalid::Identity { point }),
            Ok(decoded) => Ok(decoded),
        });
        checked.collect()
    }
    let part =
        |range: Range<usize>| proofs.iter().map(|(_, proof)| &proof[range.clone()]).collect();
    let a = each(isa, "A", part(0..48));
    let b = each(isa, "B", part(48..144));
    let c = each(isa, "C", part(144..192));
    a.into_iter().zip(b).zip(c).map(|((a, b), c)| Ok((a?, b?, c?))).collect()
}

impl Key<Bls12381> {
    fn find_invalid_compressed(
        &self,
        proofs: &[(&[Scalar], &[u8; COMPRESSED_BYTES])],
    ) -> Result<Vec<(usize, Invalid)>> {
        let isa = self.pairings.isa();
        let points = halves::each(proofs, |proofs| decompressed(isa, proofs));
        let (mut claims, mut places, mut invalid) = (vec![], vec![], vec![]);
        for (at, (&(public_inputs, _), points)) in proofs.iter().zip(points).enumerate() {
            self.check_public_inputs(public_inputs).map_err(|error| numbered(error, at))?;
            match points {
                Ok((a, b, c)) => {
                    claims.push(Claim { public_inputs, a, b, c });
                    places.push(at);
                }
                Err(problem) => invalid.push((at, problem)),
            }
        }
        let wrong = bisection::find_invalid(claims.len(), |some| self.hold(&claims[some]))?;
        invalid.extend(wrong.into_iter().map(|at| (places[at], Invalid::Equation)));
        invalid.sort_unstable_by_key(|(at, _)| *at);
        Ok(invalid)
    }
}
