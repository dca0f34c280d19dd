//! Verification of many proofs with one key by one product of pairings: with random r_i,
//!
//! ```text
//! product of e(r_i A_i, B_i) = e(alpha, beta)^s e(sum of r_i x_i, gamma) e(sum of r_i C_i, delta)      s: the sum of r_i
//! ```
//!
//! (Bellare, Garay, Rabin, *Fast Batch Verification for Modular Exponentiation and Digital Signatures*, EUROCRYPT 1998, the small exponents
//! test.) All values are in groups of prime order, so an invalid proof passes with a probability of at most 2^-128: the r_i are secret, fresh
//! and chosen after the proofs. If a batch does not pass, its halves are checked.

use proofmill_algebra::Isa;
use proofmill_algebra::batch::Batched;
use proofmill_algebra::curve::{Affine, Projective};
use proofmill_algebra::encoding::{Coordinate, pair};
use proofmill_algebra::field::{Field, PrimeField};
use proofmill_algebra::msm::affine_sum_vartime;
use proofmill_algebra::tower::Fp12;

use super::{Key, OnCurve, Points, PreparedVerifyingKey};
use crate::groth16::suite::{ScalarOf, Suite, no_point, require_curve};
use crate::groth16::{Proof, Scalar};
use crate::halves::numbered;
use crate::{Result, bisection, halves};

impl PreparedVerifyingKey {
    /// Returns the indices of the invalid proofs in ascending order. Each is judged as by [`PreparedVerifyingKey::verify`], with one final
    /// exponentiation if all are valid, and a Miller loop of one pair for each. Runs in the caller's rayon pool.
    ///
    /// Returns an error for malformed input, with the index of the proof, or if the system returns no random bytes.
    pub fn find_invalid(&self, proofs: &[(&[Scalar], &Proof)]) -> Result<Vec<usize>> {
        for (at, (_, proof)) in proofs.iter().enumerate() {
            require_curve("proof", proof.curve, self.curve).map_err(|error| numbered(error, at))?;
        }
        match &self.on {
            OnCurve::Bn254(key) => key.find_invalid(proofs),
            OnCurve::Bls12_381(key) => key.find_invalid(proofs),
        }
    }
}

/// A well-formed proof with its public inputs.
pub(super) struct Claim<'a, E: Suite> {
    pub public_inputs: &'a [Scalar],
    pub a: Affine<E::G1>,
    pub b: Affine<E::G2>,
    pub c: Affine<E::G1>,
}

/// Decodes the points of each proof.
fn points_of_each<E: Suite>(isa: Isa, proofs: &[(&[Scalar], &Proof)]) -> Vec<Result<Points<E>>> {
    let a = each_point::<E::G1>(isa, "A", proofs.iter().map(|(_, proof)| &proof.a[..]));
    let b = each_point::<E::G2>(isa, "B", proofs.iter().map(|(_, proof)| &proof.b[..]));
    let c = each_point::<E::G1>(isa, "C", proofs.iter().map(|(_, proof)| &proof.c[..]));
    let points = a.into_iter().zip(b).zip(c);
    points.map(|((a, b), c)| Ok((a?, b?, c?))).collect()
}

fn each_point<'a, C: Batched<Base: Coordinate>>(
    isa: Isa,
    name: &str,
    bytes: impl Iterator<Item = &'a [u8]>,
) -> Vec<Result<Affine<C>>> {
    let bytes: Vec<_> = bytes.collect();
    let points = pair::decode_each::<C>(isa, &bytes).into_iter();
    points.map(|point| point.map_err(|problem| no_point("proof", name, problem))).collect()
}

impl<E: Suite> Key<E> {
    fn find_invalid(&self, proofs: &[(&[Scalar], &Proof)]) -> Result<Vec<usize>> {
        let isa = self.pairings.isa();
        let points = halves::each(proofs, |proofs| points_of_each::<E>(isa, proofs));
        let claims =
            proofs.iter().zip(points).enumerate().map(|(at, ((public_inputs, _), points))| {
                let claim = || {
                    let (a, b, c) = points?;
                    self.check_public_inputs(public_inputs)?;
                    Ok(Claim { public_inputs, a, b, c })
                };
                claim().map_err(|error| numbered(error, at))
            });
        let claims: Vec<_> = claims.collect::<Result<_>>()?;
        bisection::find_invalid(claims.len(), |some| self.hold(&claims[some]))
    }

    /// Returns whether all claims are true.
    pub(super) fn hold(&self, claims: &[Claim<E>]) -> Result<bool> {
        let isa = self.pairings.isa();
        let factors = halves::random_factors::<E::G1>(claims.len())?;
        let places: Vec<_> = (0..claims.len()).collect();
        let a = halves::each(&places, |places| {
            let a: Vec<_> = places.iter().map(|&place| claims[place].a).collect();
            factors.of(places).times_each_vartime(isa, &a)
        });
        let pairs: Vec<_> = a.into_iter().zip(claims).map(|(a, claim)| (a, claim.b)).collect();
        let c: Vec<_> = claims.iter().map(|claim| claim.c).collect();
        let c = Affine::from(factors.sum_vartime(isa, &c));
        let (sum, x) = self.statements(claims, factors.values());
        // A multiple of alpha takes less time than a power of e(alpha, beta).
        let alpha = Affine::from(Projective::from(self.alpha).times_vartime(&sum));
        let rest = [(-alpha, &self.beta), (-x, &self.gamma), (-c, &self.delta)];
        Ok(self.pairings.product_with(&pairs, &rest)? == Fp12::ONE)
    }

    /// Computes the sum of r_i, and those of r_i x_i: the coefficients of IC_0 and of each public input's IC.
    fn statements(
        &self,
        claims: &[Claim<E>],
        factors: &[ScalarOf<E>],
    ) -> (ScalarOf<E>, Affine<E::G1>) {
        let sum = |terms: &dyn Fn(usize) -> ScalarOf<E>| {
            (0..claims.len()).fold(ScalarOf::<E>::ZERO, |sum, i| sum + terms(i))
        };
        let constant = sum(&|i| factors[i]);
        let value = |i: usize, j: usize| {
            let x = ScalarOf::<E>::from_le_bytes(&claims[i].public_inputs[j]);
            factors[i] * x.expect("each was looked at")
        };
        let values = (0..self.ic.len() - 1).map(|j| sum(&|i| value(i, j)));
        let scalars: Vec<_> = [constant].into_iter().chain(values).collect();
        let scalars: Vec<_> = scalars.iter().map(bytes::<E>).collect();
        let x = affine_sum_vartime::<E::G1>(self.pairings.isa(), &self.ic, &scalars);
        (constant, x.expect("scalars are below r").into())
    }
}

fn bytes<E: Suite>(scalar: &ScalarOf<E>) -> Scalar {
    scalar.to_le_bytes().as_ref().try_into().expect("32 bytes")
}
