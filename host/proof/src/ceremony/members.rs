//! Membership of the subgroup for the points of a section.
//!
//! Where every prime factor of the cofactor is large, as in G2 of BN254, sums with random factors of 16 bits are tested instead of
//! points. A point outside the subgroup has an order divisible by such a prime l, so that a sum is inside with a probability of
//! at most 1/l + 2^-16; as many sums are tested as make that at most 2^-128.

use proofmill_algebra::Isa;
use proofmill_algebra::batch::{Batched, are_in_subgroup_vartime};
use proofmill_algebra::curve::Affine;
use proofmill_algebra::msm::{short_sum_vartime, stored};
use proofmill_op::process::parallel_map;

use super::equations::read_points;
use crate::Result;
use crate::random::fill;
use crate::snarkjs::PointSection;

/// Bits of a random factor.
const BITS: u32 = 16;
/// Points that a thread tests at a time.
const PIECE: usize = 1 << 13;
/// Above this number of sums, tests of single points in lanes are faster.
const MAX_SUMS: u32 = 16;

/// Returns the number of the first point outside the subgroup. Runs in the caller's rayon pool.
pub fn first_outside<C: Batched>(isa: Isa, section: &PointSection) -> Result<Option<usize>> {
    if C::COFACTOR == [1] {
        return Ok(None);
    }
    let sums = sums(C::COFACTOR);
    let piece = |i: usize| -> Result<_> {
        let start = i * PIECE;
        let count = PIECE.min(section.count() - start);
        let points = read_points::<C>(&section.range(start, count))?;
        if sums <= MAX_SUMS && are_together::<C>(isa, &points, sums)? {
            return Ok(None);
        }
        let are = are_in_subgroup_vartime(isa, &points);
        Ok(are.iter().position(|is| !is).map(|at| start + at))
    };
    for found in parallel_map(section.count().div_ceil(PIECE), &piece) {
        if let Some(number) = found? {
            return Ok(Some(number));
        }
    }
    Ok(None)
}

/// Tests sums of the points.
fn are_together<C: Batched>(isa: Isa, points: &[Affine<C>], sums: u32) -> Result<bool> {
    // Without the identity, which is the point of every variable that a matrix does not contain.
    let others: Vec<_> =
        points.iter().filter(|point| !bool::from(point.is_identity())).copied().collect();
    let points = stored(isa, &others);
    let mut random = vec![[0; 2]; points.len()];
    for _ in 0..sums {
        fill(random.as_flattened_mut())?;
        let factors: Vec<_> =
            random.iter().map(|bytes| i128::from(u16::from_le_bytes(*bytes))).collect();
        let sum = short_sum_vartime::<C>(isa, &points, &factors, BITS);
        if !bool::from(C::is_in_subgroup(&sum)) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns the number of sums to test, for a cofactor in limbs.
fn sums(cofactor: &[u64]) -> u32 {
    let least = (2..1 << BITS).find(|l| remainder(cofactor, *l) == 0).unwrap_or(1 << BITS);
    let probability = 1.0 / least as f64 + f64::from(1 << BITS).recip();
    if probability >= 1.0 { u32::MAX } else { (128.0 / -probability.log2()).ceil() as u32 }
}

fn remainder(number: &[u64], divisor: u64) -> u64 {
    number.iter().rev().fold(0, |rest, limb| {
        ((u128::from(rest) << 64 | u128::from(*limb)) % u128::from(divisor)) as u64
    })
}

#[cfg(test)]
mod tests {
    use proofmill_algebra::curve::Curve;
    use proofmill_algebra::{bls12_381, bn254};

    use super::*;

    #[test]
    fn the_least_factors_are_those_of_the_literature() {
        assert_eq!(remainder(bn254::G2::COFACTOR, 10069), 0);
        assert!((2..10069).all(|l| remainder(bn254::G2::COFACTOR, l) != 0));
        assert_eq!(remainder(bls12_381::G1::COFACTOR, 3), 0);
        assert_eq!(sums(bn254::G2::COFACTOR), 10);
        assert!(sums(bls12_381::G1::COFACTOR) > MAX_SUMS);
        assert!(sums(bls12_381::G2::COFACTOR) > MAX_SUMS);
    }
}
