//! Batches: many claims checked by one equation, a sum of theirs with random factors, and the wrong ones found by halves.

use std::ops::Range;

use proofmill_algebra::Isa;
use proofmill_algebra::batch::{FACTOR_BYTES, Factors};
use proofmill_algebra::curve::Curve;
use proofmill_algebra::pairing::{self, Pair, Pairing};
use proofmill_algebra::tower::Fp12;
use proofmill_op::process::parallel;
use rayon::prelude::*;

use crate::deep::deep;
use crate::{Error, Result};

/// As many random factors of 128 bits, fresh from the system: wrong claims pass together with a chance of 2^-128 at most, where all values lie in groups of a prime order
/// above that.
pub fn random_factors<C: Curve>(count: usize) -> Result<Factors<C::Scalar>> {
    let mut random = vec![[0; FACTOR_BYTES]; count];
    getrandom::fill(random.as_flattened_mut()).map_err(|error| Error::Random(error.to_string()))?;
    Ok(Factors::new::<C>(&random))
}

/// What one thread does at a time: enough to fill the lanes, and for inversions that are shared.
const AT_A_TIME: usize = 128;

/// What a function makes of all items, of so many on each thread of the caller's rayon pool.
pub fn each<T: Sync, U: Send>(items: &[T], of: impl Fn(&[T]) -> Vec<U> + Send + Sync) -> Vec<U> {
    let parts: Vec<_> = parallel(|| items.par_chunks(AT_A_TIME).map(of).collect());
    parts.into_iter().flatten().collect()
}

/// Pairs of points for one thread at a time: a multiple of what goes through the loop side by side.
const PAIRS: usize = 64;

/// The product of Miller values, on the threads of the caller's rayon pool.
pub fn miller_product<E: Pairing>(isa: Isa, pairs: &[Pair<E>]) -> Fp12<E::Tower> {
    let part = |pairs| deep(|| pairing::miller_product::<E>(isa, pairs, &[]));
    let parts = pairs.par_chunks(PAIRS).map(part);
    parallel(|| parts.reduce(|| Fp12::ONE, |left, right| left * right))
}

/// Which claims do not hold, the first one first, when it can be asked of any of them whether they all do.
pub fn find_invalid(
    count: usize,
    mut all_hold: impl FnMut(Range<usize>) -> Result<bool>,
) -> Result<Vec<usize>> {
    let mut invalid = vec![];
    search(0..count, false, &mut all_hold, &mut invalid)?;
    Ok(invalid)
}

/// Looks at claims, of which it may be known that not all hold.
fn search(
    claims: Range<usize>,
    known: bool,
    all_hold: &mut impl FnMut(Range<usize>) -> Result<bool>,
    invalid: &mut Vec<usize>,
) -> Result<()> {
    if claims.is_empty() || !known && all_hold(claims.clone())? {
        return Ok(());
    }
    if claims.len() == 1 {
        invalid.push(claims.start);
        return Ok(());
    }
    let middle = claims.start + claims.len() / 2;
    let before = invalid.len();
    search(claims.start..middle, false, all_hold, invalid)?;
    let left_is_good = invalid.len() == before;
    search(middle..claims.end, left_is_good, all_hold, invalid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_wrong_one_is_found_and_few_questions_are_asked() {
        for count in 0..9 {
            for wrong in 0..1_usize << count {
                let is_wrong = |at: usize| wrong >> at & 1 == 1;
                let mut asked = 0;
                let found = find_invalid(count, |claims| {
                    asked += 1;
                    Ok(!claims.into_iter().any(is_wrong))
                });
                let wanted: Vec<_> = (0..count).filter(|at| is_wrong(*at)).collect();
                assert_eq!(found.unwrap(), wanted);
                assert!(asked <= 2 * count.max(1), "{asked} of {count}");
                assert!(wrong != 0 || asked <= 1);
            }
        }
        let failing = find_invalid(3, |_| Err(Error::DoesNotVerify));
        assert!(matches!(failing, Err(Error::DoesNotVerify)));
    }
}
