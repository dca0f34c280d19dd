//! Compares halves and digits with the numbers that they represent.

use super::*;
use crate::curve::Curve;
use crate::field::{Field, PrimeField};
use crate::secp256k1::ecdsa::generator;
use crate::secp256k1::{Fn, Secp256k1};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;

/// A half's sign and absolute value.
fn signed(Half(k): Half) -> (bool, [u64; 3]) {
    if k[2] >> 63 == 1 { (true, less([0; 3], 1, &k)) } else { (false, k) }
}

fn element(half: Half) -> Fn {
    let (negative, [k0, k1, k2]) = signed(half);
    let magnitude = Option::<Fn>::from(Fn::from_canonical([k0, k1, k2, 0])).unwrap();
    if negative { -magnitude } else { magnitude }
}

/// d 2^bit.
fn at(bit: usize, magnitude: u64, negative: bool) -> Fn {
    let value = Fn::from(magnitude) * Fn::from(2).pow_vartime(&[bit as u64]);
    if negative { -value } else { value }
}

/// Small numbers, powers of two, lambda, 1 / 2, random ones, and negatives, images and neighbours of all; and numbers
/// at the corners of the halves' range, (v1 ± v2) / 2 of the basis, as near as integers come.
fn scalars() -> Vec<Fn> {
    let mut rng = ChaCha20Rng::seed_from_u64(93);
    let lambda = Secp256k1::SPLIT.lambda;
    let mut scalars: Vec<_> = (0..40).map(Fn::from).collect();
    scalars.extend((0..256).map(|bit| at(bit, 1, false)));
    scalars.extend((0..200).map(|_| Fn::reduced(rng.random())));
    scalars.push(Fn::from(2).invert().unwrap());
    let [v1, v2] = BASIS.map(|vector| {
        // Half of each coordinate, rounded down.
        vector.map(|[x0, x1, x2]| {
            let half = [x0 >> 1 | x1 << 63, x1 >> 1 | x2 << 63, (x2.cast_signed() >> 1) as u64];
            element(Half(half))
        })
    });
    let number = |[a, b]: [Fn; 2]| a + b * lambda;
    scalars.extend([number(v1), number(v2), number(v1) + number(v2), number(v1) - number(v2)]);
    let images = scalars.clone().into_iter().flat_map(|k| [k, -k, k * lambda, -k * lambda]);
    images.flat_map(|k| [k - Fn::ONE, k, k + Fn::ONE]).collect()
}

#[test]
fn halves_are_odd_and_short_and_make_the_scalar() {
    for k in scalars() {
        let halves = split(&k.to_canonical());
        for half in halves {
            let (_, magnitude) = signed(half);
            assert!(magnitude[0] & 1 == 1 && magnitude[2] < 2, "{magnitude:x?}");
        }
        let [k1, k2] = halves.map(element);
        assert_eq!(k1 + k2 * Secp256k1::SPLIT.lambda, k);
    }
}

/// The halves of all scalars, and the extremes of what a half may be.
fn halves() -> impl Iterator<Item = Half> {
    let extremes = [[1, 0, 0], [u64::MAX, u64::MAX, 1], [1, 0, 1], [3, 0, 0], [u64::MAX, 0, 0]];
    let both = extremes.into_iter().flat_map(|k| [Half(k), Half(less([0; 3], 1, &k))]);
    both.chain(scalars().into_iter().flat_map(|k| split(&k.to_canonical())))
}

#[test]
fn digits_that_are_never_0_make_the_half() {
    for width in [5, generator::WINDOW] {
        for half in halves() {
            let windows = half.windows();
            let mut sum = Fn::ZERO;
            for bit in (0..BITS).step_by(width as usize) {
                let Digit { index, negative } = windows.digit(bit, width);
                assert!(index < 1 << (width - 1));
                sum += at(bit as usize, 2 * index as u64 + 1, negative);
            }
            assert_eq!(sum, element(half), "{half:x?}");
        }
    }
}

#[test]
fn the_non_adjacent_form_makes_the_half() {
    for width in [5, generator::WINDOW + 1, 16] {
        for half in halves() {
            let digits = half.non_adjacent(width);
            let mut sum = Fn::ZERO;
            for (bit, &digit) in digits.iter().enumerate().filter(|(_, digit)| **digit != 0) {
                assert!(digit % 2 != 0 && digit.unsigned_abs() < 1 << (width - 1));
                let behind = &digits[bit + 1..digits.len().min(bit + width as usize)];
                assert!(behind.iter().all(|digit| *digit == 0));
                sum += at(bit, digit.unsigned_abs().into(), digit < 0);
            }
            assert_eq!(sum, element(half), "{half:x?}");
        }
    }
}
