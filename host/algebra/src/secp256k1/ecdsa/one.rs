//! One claim at a time: one sequence of doublings, with the halves of both scalars in non-adjacent form.
//!
//! As for eight claims, Q's odd multiples have one denominator z, and all is computed on the curve y^2 = x^3 + 7 z^6 on
//! which they are affine. Equal and opposite points are met where they occur.

use super::Claim;
use super::digits::{self, BITS};
use super::generator::{self, generator};
use super::point::{Affine, Jacobian};
use crate::curve::spec::secp256k1::endomorphism::BETA;
use crate::field::prefetch;
use crate::secp256k1::coordinate::Coordinate;

/// Width of the form of the key's scalar.
const KEY_WIDTH: u32 = 5;
/// Odd multiples of the key.
const MULTIPLES: usize = 1 << (KEY_WIDTH - 2);

/// y^2 = x^3 + 7 for the key?
pub fn is_on_curve(claim: &Claim) -> bool {
    let [x, y] = [claim.qx, claim.qy].map(|words| Coordinate::new(&words));
    let right = x.square().times(&x).plus(&Coordinate::new(&[7, 0, 0, 0]));
    y.square().minus(&right).is_zero()
}

/// u1 G + u2 Q for canonical scalars and a key that is on the curve; none if it is the identity.
pub fn multiple(claim: &Claim, u1: &[u64; 4], u2: &[u64; 4]) -> Option<Jacobian> {
    let key = Affine { x: Coordinate::new(&claim.qx), y: Coordinate::new(&claim.qy) };
    let (multiples, z) = odd_multiples(&key);
    let beta = Coordinate::new(&BETA);
    let images = multiples.map(|point| Affine { x: point.x.times(&beta), ..point });
    let of_key = digits::split(u2).map(|half| half.non_adjacent(KEY_WIDTH));
    let of_generator = digits::split(u1).map(|half| half.non_adjacent(generator::WINDOW + 1));
    let generator = generator();
    // Their lines come while Q is doubled.
    for (digits, multiples) in of_generator.iter().zip(&generator.multiples) {
        for digit in digits.iter().filter(|digit| **digit != 0) {
            prefetch(&multiples[usize::from(digit.unsigned_abs() / 2)]);
        }
    }

    let mut sum: Option<Jacobian> = None;
    for bit in (0..=BITS as usize).rev() {
        sum = sum.map(|sum| sum.double());
        for (digits, multiples) in of_key.iter().zip([&multiples, &images]) {
            let digit = digits[bit];
            if digit != 0 {
                let point = multiples[usize::from(digit.unsigned_abs() / 2)].signed(digit);
                sum = match sum {
                    None => Some(point.into()),
                    Some(sum) => sum.plus(&sum.Z, &point),
                };
            }
        }
        for (digits, multiples) in of_generator.iter().zip(&generator.multiples) {
            let digit = digits[bit];
            if digit != 0 {
                let point = &multiples[usize::from(digit.unsigned_abs() / 2)];
                let point = Affine::from(point).signed(digit);
                sum = match sum {
                    None => Some(point.scaled(&z).into()),
                    Some(sum) => sum.plus(&sum.Z.times(&z), &point),
                };
            }
        }
    }
    sum.map(|sum| Jacobian { Z: sum.Z.times(&z), ..sum })
}

/// Q, 3 Q, 5 Q, ..., each coordinate with the same denominators z^2 and z^3, and z.
fn odd_multiples(key: &Affine) -> ([Affine; MULTIPLES], Coordinate) {
    let twice = Jacobian::from(*key).double();
    // On the curve where 2 Q is affine.
    let step = twice.numerators();
    let mut sum = Jacobian::from(key.scaled(&twice.Z));
    let mut multiples = [(sum, Coordinate::ONE); MULTIPLES];
    for multiple in multiples.iter_mut().skip(1) {
        let ratio;
        (sum, ratio) = sum.plus_other(&step);
        *multiple = (sum, ratio);
    }
    // Backwards, each with the denominators of the last.
    let mut ratio = Coordinate::ONE;
    let mut table = [*key; MULTIPLES];
    for (entry, (point, next)) in table.iter_mut().zip(&multiples).rev() {
        *entry = point.numerators().scaled(&ratio);
        ratio = ratio.times(next);
    }
    (table, sum.Z.times(&twice.Z))
}
