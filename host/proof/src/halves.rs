//! Batches: one equation, a sum with random factors, checks many claims.

use proofmill_algebra::Isa;
use proofmill_algebra::batch::{FACTOR_BYTES, Factors};
use proofmill_algebra::curve::Curve;
use proofmill_algebra::pairing::{self, Pair, Pairing};
use proofmill_algebra::tower::Fp12;
use proofmill_op::process::parallel_map;

use crate::deep::deep;
use crate::random::fill;
use crate::{Error, Result};

/// Returns fresh random numbers from the system's generator, or an error if it has none.
pub fn random_numbers(count: usize) -> Result<Vec<[u8; FACTOR_BYTES]>> {
    let mut numbers = vec![[0; FACTOR_BYTES]; count];
    fill(numbers.as_flattened_mut())?;
    Ok(numbers)
}

/// Returns fresh random factors of 128 bits: an invalid claim passes with a probability of at most 2^-128, if all values are in groups of a larger
/// prime order.
pub fn random_factors<C: Curve>(count: usize) -> Result<Factors<C::Scalar>> {
    Ok(Factors::new::<C>(&random_numbers(count)?))
}

/// Adds the index of the proof to an error.
pub fn numbered(error: Error, at: usize) -> Error {
    match error {
        Error::Argument { argument, problem } => {
            Error::argument(argument, format!("of proof {at}: {problem}"))
        }
        other => other,
    }
}

/// Items of a thread at a time: enough to fill the lanes and to share inversions.
const AT_A_TIME: usize = 128;

/// Applies a function to slices of items on the threads of the caller's rayon pool and concatenates the results.
pub fn each<T: Sync, U: Send>(items: &[T], of: impl Fn(&[T]) -> Vec<U> + Sync) -> Vec<U> {
    let parts: Vec<_> = items.chunks(AT_A_TIME).collect();
    parallel_map(parts.len(), &|i| of(parts[i])).into_iter().flatten().collect()
}

/// Pairs of points of a thread at a time: a multiple of the pairs that a Miller loop processes in parallel.
const PAIRS: usize = 64;

/// Computes the product of Miller values. Runs in the caller's rayon pool.
pub fn miller_product<E: Pairing>(isa: Isa, pairs: &[Pair<E>]) -> Fp12<E::Tower> {
    let parts: Vec<_> = pairs.chunks(PAIRS).collect();
    let part = |i: usize| deep(|| pairing::miller_product::<E>(isa, parts[i], &[]));
    parallel_map(parts.len(), &part).into_iter().fold(Fp12::ONE, |left, right| left * right)
}
