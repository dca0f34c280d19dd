//! Every operation on limbs as large as its type allows, against the field.

use super::*;
use crate::field::Field;
use crate::secp256k1::Fp;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;

/// The element that it stands for.
fn value<const M: u64>(x: &Coordinate<M>) -> Fp {
    let limb = Fp::from(1 << LIMB_BITS);
    x.0.iter().rev().fold(Fp::ZERO, |high, low| high * limb + Fp::from(*low))
}

/// Limbs at random, all as large as M allows, zeros, and p.
fn samples<const M: u64>(rng: &mut ChaCha20Rng) -> Vec<Coordinate<M>> {
    let largest = [LIMB_MASK, LIMB_MASK, LIMB_MASK, LIMB_MASK, TOP_MASK].map(|l| 2 * M * l);
    let random = |rng: &mut ChaCha20Rng| largest.map(|most| rng.random_range(0..=most));
    let mut samples: Vec<_> = (0..30).map(|_| Coordinate(random(rng))).collect();
    samples.extend([largest, [0; 5], P].map(Coordinate));
    for i in 0..5 {
        let mut one = [0; 5];
        one[i] = largest[i];
        samples.push(Coordinate(one));
    }
    samples
}

fn is_normal(x: &Coordinate) -> bool {
    x.0[..4].iter().all(|limb| *limb <= LIMB_MASK) && x.0[4] <= 2 * TOP_MASK
}

#[test]
fn every_operation_on_the_largest_limbs() {
    let mut rng = ChaCha20Rng::seed_from_u64(90);
    let (large, small) = (samples::<16>(&mut rng), samples::<1>(&mut rng));
    let (middle, other) = (samples::<8>(&mut rng), samples::<12>(&mut rng));
    for i in 0..large.len() {
        let (x, y) = (large[i], large[(7 * i + 1) % large.len()]);
        let (product, square) = (x.times(&y), x.square());
        assert_eq!(value(&product), value(&x) * value(&y));
        assert_eq!(value(&square), value(&x) * value(&x));
        assert!(is_normal(&product) && is_normal(&square));
        // Sums of products as large as they may be: 16 * 8 + 8 * 16 and 16 * 8 + 2 * 8 * 8 are 16 * 16.
        let (z, w, v) = (middle[i], other[i], middle[(7 * i + 1) % middle.len()]);
        let sum = Coordinate::sum_of_products(&x, &z, &z, &y);
        assert_eq!(value(&sum), value(&z) * (value(&x) + value(&y)));
        assert!(is_normal(&sum));
        let sum = Coordinate::product_and_square::<8, 8, 2>(&x, &z, &v);
        let square = value(&v).square();
        assert_eq!(value(&sum), value(&x) * value(&z) + square.double());
        assert!(is_normal(&sum));
        let difference: Coordinate<21> = z.minus(&w);
        assert_eq!(value(&difference), value(&z) - value(&w));
        let sum: Coordinate<20> = z.plus(&w);
        assert_eq!(value(&sum), value(&z) + value(&w));
        assert_eq!(value(&small[i].small::<8, 8>()), Fp::from(8) * value(&small[i]));
    }
}

#[test]
fn every_form_of_zero_is_zero_and_nothing_else() {
    let mut rng = ChaCha20Rng::seed_from_u64(91);
    for x in samples::<7>(&mut rng) {
        assert_eq!(x.is_zero(), value(&x) == Fp::ZERO);
        let zero: Coordinate<15> = x.minus(&x);
        assert!(zero.is_zero());
        for limb in 0..5 {
            let mut nearly = zero;
            nearly.0[limb] += 1;
            assert!(!nearly.is_zero());
        }
    }
    for multiple in 0..32 {
        assert!(Coordinate::<16>(P.map(|limb| multiple * limb)).is_zero());
    }
}
