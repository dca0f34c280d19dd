//! Multi-scalar multiplication by Pippenger's buckets, in the extended coordinates, on one thread.
//!
//! 1. A scalar becomes signed digits of c bits, so that a window has 2^(c-1) buckets.
//! 2. In every window each point, or its negative, is added into the bucket of its digit: 7 multiplications. A short scalar
//!    has no digits in the upper windows.
//! 3. The sum of d times bucket d is that of running sums.
//! 4. The windows' sums are added up by doublings, highest first.

use super::{Affine, Extended, Fr, Precomputed};
use crate::field::PrimeField;

/// The widest windows: digits are kept in 16 bits.
const WIDEST: usize = 14;

/// Multiplications for an addition into a bucket.
const INTO_BUCKET: usize = 7;
/// Multiplications for a bucket in the end: two additions of running sums.
const BUCKET: usize = 18;

/// Computes the sum of k_i P_i. The scalars, as many as points, are integers below r: points may have any order. The time
/// depends on points and scalars, and is less for scalars of fewer bits.
///
/// # Panics
///
/// If the numbers of points and scalars differ.
pub fn sum_vartime(points: &[Affine], scalars: &[Fr]) -> Extended {
    assert_eq!(points.len(), scalars.len(), "a scalar a point");
    let points: Vec<_> = points.iter().map(Affine::precompute).collect();
    let integers: Vec<_> = scalars.iter().map(limbs).collect();
    let bits = cheapest_window(integers.iter().map(length).sum());
    let windows = windows(bits);
    let mut digits = vec![0; windows * points.len()];
    for (i, k) in integers.iter().enumerate() {
        cut(k, bits, digits.iter_mut().skip(i).step_by(points.len()));
    }
    let mut buckets = vec![Extended::IDENTITY; 1 << (bits - 1)];
    (0..windows).rev().fold(Extended::IDENTITY, |sum, window| {
        let digits = &digits[window * points.len()..][..points.len()];
        let shifted = (0..bits).fold(sum, |sum, _| sum.double());
        shifted + window_sum(&points, digits, &mut buckets)
    })
}

/// The sum of each point times its digit.
fn window_sum(points: &[Precomputed], digits: &[i16], buckets: &mut [Extended]) -> Extended {
    buckets.fill(Extended::IDENTITY);
    for (point, &digit) in points.iter().zip(digits) {
        if digit != 0 {
            let bucket = &mut buckets[usize::from(digit.unsigned_abs()) - 1];
            let point = if digit < 0 { -*point } else { *point };
            *bucket = bucket.add_precomputed(&point);
        }
    }
    let (mut running, mut sum) = (Extended::IDENTITY, Extended::IDENTITY);
    for bucket in buckets.iter().rev().skip_while(|bucket| bucket.is_identity()) {
        running += *bucket;
        sum += running;
    }
    sum
}

/// Bits of the windows that take the fewest multiplications for scalars with so many bits in total.
fn cheapest_window(total_bits: usize) -> usize {
    let cost =
        |bits: &usize| INTO_BUCKET * total_bits / bits + windows(*bits) * (BUCKET << (bits - 1));
    (2..=WIDEST).min_by_key(cost).expect("widths")
}

/// The number of windows: the highest one has a bit more than r, for the carry.
fn windows(bits: usize) -> usize {
    Fr::BITS as usize / bits + 1
}

fn limbs(k: &Fr) -> [u64; 4] {
    k.to_canonical()
}

/// The number of bits up to the highest 1.
fn length(k: &[u64; 4]) -> usize {
    let highest = (0..4).rev().find(|&i| k[i] != 0);
    highest.map_or(0, |i| 64 * i + k[i].ilog2() as usize + 1)
}

/// Cuts an integer into digits from -2^(bits - 1) + 1 to 2^(bits - 1), lowest first.
fn cut<'a>(k: &[u64; 4], bits: usize, digits: impl Iterator<Item = &'a mut i16>) {
    let mut carry = 0;
    for (window, place) in digits.enumerate() {
        let (limb, shift) = (window * bits / 64, window * bits % 64);
        let above = u128::from(k.get(limb + 1).copied().unwrap_or(0));
        let both = above << 64 | u128::from(k[limb]);
        let digit = ((both >> shift) as i32 & ((1 << bits) - 1)) + carry;
        carry = i32::from(digit > 1 << (bits - 1));
        *place = (digit - (carry << bits)) as i16;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Field;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha20Rng;

    fn scalars(count: usize) -> Vec<Fr> {
        let mut rng = ChaCha20Rng::seed_from_u64(25);
        let edges = [Fr::ZERO, Fr::ONE, -Fr::ONE, Fr::from(u64::MAX), Fr::from(1 << 63)];
        let random = (0..count).map(|i| {
            let mut wide = rng.random::<[u8; 64]>();
            // Every other one is short.
            wide[if i % 2 == 0 { 16 } else { 64 }..].fill(0);
            Fr::reduce_wide_le(&wide)
        });
        edges.into_iter().chain(random).collect()
    }

    #[test]
    fn digits_make_the_scalar() {
        for k in scalars(100) {
            for bits in 2..=WIDEST {
                let mut digits = vec![0; windows(bits)];
                cut(&limbs(&k), bits, digits.iter_mut());
                let sum = digits.iter().rev().fold(Fr::ZERO, |sum, &digit| {
                    assert!(usize::from(digit.unsigned_abs()) <= 1 << (bits - 1));
                    let size = Fr::from(u64::from(digit.unsigned_abs()));
                    let shifted = (0..bits).fold(sum, |sum, _| sum.double());
                    if digit < 0 { shifted - size } else { shifted + size }
                });
                assert_eq!(sum, k, "{bits} bits");
            }
        }
    }

    /// Against doublings and additions one by one; among the points all small orders, and equal and opposite ones.
    #[test]
    fn sums_are_those_of_one_by_one() {
        let g = Extended::from(Affine::GENERATOR);
        for count in [0, 1, 2, 5, 40, 300] {
            let scalars = &scalars(count)[..count];
            let mut points = vec![];
            let mut multiple = times(g, &limbs(&-Fr::ONE)) + g;
            for i in 0..count {
                points.push(multiple.to_affine());
                match i {
                    0..9 => multiple += times(g, Fr::MODULUS.try_into().unwrap()),
                    9 => multiple = g,
                    20 | 30 => multiple = (-multiple.to_affine()).into(),
                    21 => {}
                    _ => multiple += g,
                }
            }
            let each = points.iter().zip(scalars);
            let expected = each.map(|(point, k)| times((*point).into(), &limbs(k)));
            let expected = expected.fold(Extended::IDENTITY, |sum, term| sum + term);
            assert_eq!(sum_vartime(&points, scalars), expected, "{count} points");
        }
    }

    fn times(point: Extended, k: &[u64; 4]) -> Extended {
        (0..length(k)).rev().fold(Extended::IDENTITY, |sum, bit| {
            let twice = sum.double();
            if k[bit / 64] >> (bit % 64) & 1 == 1 { twice + point } else { twice }
        })
    }
}
