//! Equations of opening proofs, alone and in batches.
//!
//! ```text
//! e(left, [tau]) = e(right, [1])
//! ```
//!
//! Both sides are sums of multiples of points. For many proofs, each with a random factor of 128 bits, both sides are summed (Bellare, Garay,
//! Rabin, EUROCRYPT 1998, the small exponents test): one product of two pairings in all. An invalid proof passes with a probability of at most
//! 2^-128, since all values are in groups of a larger prime order. If a batch does not pass, its halves are checked.

use proofmill_algebra::curve::{Affine, Curve as _, Projective};
use proofmill_algebra::field::{Field, PrimeField};
use proofmill_algebra::msm::affine_sum_vartime;
use proofmill_algebra::tower::Fp12;

use super::Scalar;
use crate::groth16::suite::{ScalarOf, Suite};
use crate::pairings::Known;
use crate::{Pairings, Result, bisection, halves};

/// The points that the equations of a key have in common.
#[derive(Clone, Debug)]
pub struct Openings<E: Suite> {
    pairings: Pairings,
    shared: Vec<Affine<E::G1>>,
    tau: Known<E>,
    one: Known<E>,
}

/// The equation of a proof.
pub struct Claim<E: Suite> {
    /// The points of the left side with their factors; as many in every claim of a key.
    pub left: Vec<(Affine<E::G1>, ScalarOf<E>)>,
    /// The points of the right side that are the proof's.
    pub right: Vec<(Affine<E::G1>, ScalarOf<E>)>,
    /// The factors of the shared points on the right side.
    pub shared: Vec<ScalarOf<E>>,
}

/// The points and the factors of a sum.
type Terms<E> = (Vec<Affine<<E as proofmill_algebra::pairing::Pairing>::G1>>, Vec<ScalarOf<E>>);

impl<E: Suite> Openings<E> {
    /// Prepares tau in G2 and the points of the key.
    pub fn new(pairings: Pairings, shared: Vec<Affine<E::G1>>, tau: Affine<E::G2>) -> Self {
        let (tau, one) = (Known::fixed(tau), Known::fixed(E::G2::GENERATOR));
        Self { pairings, shared, tau, one }
    }

    /// Returns whether a claim holds; `None` is a proof that no equation describes.
    pub fn hold(&self, claim: Option<Claim<E>>) -> Result<bool> {
        claim.map_or(Ok(false), |claim| self.all_hold(&[claim], &[ScalarOf::<E>::ONE]))
    }

    /// Returns the indices of the invalid proofs in ascending order. `claim` returns the equation of a proof, or `None` if it is invalid; its
    /// errors get the index of the proof.
    pub fn find_invalid<P: Sync>(
        &self,
        proofs: &[(&[Scalar], &P)],
        claim: impl Fn(&[Scalar], &P) -> Result<Option<Claim<E>>> + Sync,
    ) -> Result<Vec<usize>> {
        let claims = halves::each(proofs, |proofs| {
            proofs.iter().map(|(public_inputs, proof)| claim(public_inputs, proof)).collect()
        });
        let (mut invalid, mut places, mut made) = (Vec::new(), Vec::new(), Vec::new());
        for (at, claim) in claims.into_iter().enumerate() {
            match claim.map_err(|error| halves::numbered(error, at))? {
                Some(claim) => {
                    places.push(at);
                    made.push(claim);
                }
                None => invalid.push(at),
            }
        }
        let found = bisection::find_invalid(made.len(), |some| {
            let factors = halves::random_factors::<E::G1>(some.len())?;
            self.all_hold(&made[some], factors.values())
        })?;
        invalid.extend(found.into_iter().map(|at| places[at]));
        invalid.sort_unstable();
        Ok(invalid)
    }

    /// Returns whether the sum of the claims, each times its factor, holds.
    fn all_hold(&self, claims: &[Claim<E>], factors: &[ScalarOf<E>]) -> Result<bool> {
        let numbered: Vec<_> = claims.iter().zip(factors).collect();
        let sums = halves::each(&numbered, |some| vec![self.sums(some)]);
        let (left, mut right) = sums.into_iter().fold(
            (Projective::<E::G1>::default(), Projective::<E::G1>::default()),
            |(left, right), (more_left, more_right)| (left + more_left, right + more_right),
        );
        let mut shared = vec![ScalarOf::<E>::ZERO; self.shared.len()];
        for (claim, factor) in numbered {
            let terms = shared.iter_mut().zip(&claim.shared);
            terms.for_each(|(sum, term)| *sum += *term * *factor);
        }
        right += self.sum(&(self.shared.clone(), shared));
        let pairs = [(Affine::from(left), &self.tau), (-Affine::from(right), &self.one)];
        Ok(self.pairings.product_with(&[], &pairs)? == Fp12::ONE)
    }

    /// Returns the sums of both sides over the points of the proofs.
    fn sums(&self, claims: &[(&Claim<E>, &ScalarOf<E>)]) -> (Projective<E::G1>, Projective<E::G1>) {
        let (mut left, mut right) = (Terms::<E>::default(), Terms::<E>::default());
        for (claim, factor) in claims {
            for (terms, side) in [(&mut left, &claim.left), (&mut right, &claim.right)] {
                terms.0.extend(side.iter().map(|(point, _)| *point));
                terms.1.extend(side.iter().map(|(_, term)| *term * **factor));
            }
        }
        (self.sum(&left), self.sum(&right))
    }

    fn sum(&self, (points, factors): &Terms<E>) -> Projective<E::G1> {
        let bytes = |factor: &ScalarOf<E>| -> Scalar {
            factor.to_le_bytes().as_ref().try_into().expect("32 bytes")
        };
        let factors: Vec<_> = factors.iter().map(bytes).collect();
        let sum = affine_sum_vartime::<E::G1>(self.pairings.isa(), points, &factors);
        sum.expect("scalars are below r")
    }
}
