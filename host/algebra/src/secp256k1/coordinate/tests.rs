//! Every operation on numbers around 0, p and 2^256, against the field.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;

use super::*;
use crate::field::Field;
use crate::secp256k1::Fp;

/// Returns the element that it represents.
fn value(x: &Coordinate) -> Fp {
    Fp::reduced(x.0)
}

/// Every combination of words at the edges, and numbers at random.
fn samples() -> Vec<Coordinate> {
    let words = [0, 1, C - 1, C, u64::MAX - C, P[0], P[0] - 1, u64::MAX];
    let edges = (0..4096).map(|i| std::array::from_fn(|j| words[i >> (3 * j) & 7]));
    let mut rng = ChaCha20Rng::seed_from_u64(90);
    edges.chain((0..4096).map(|_| std::array::from_fn(|_| rng.random()))).map(Coordinate).collect()
}

#[test]
fn every_operation_is_that_of_the_field() {
    let samples = samples();
    for (i, x) in samples.iter().enumerate() {
        assert_eq!(value(&x.square()), value(x).square(), "{x:x?}");
        assert_eq!(value(&x.double()), value(x).double(), "{x:x?}");
        assert_eq!(value(&x.half()).double(), value(x), "{x:x?}");
        assert_eq!(value(&x.negative()), -value(x), "{x:x?}");
        for step in [1, 2, 7, 8, 63, 511, 4095] {
            let y = &samples[(i + step) % samples.len()];
            assert_eq!(value(&x.times(y)), value(x) * value(y), "{x:x?} {y:x?}");
            assert_eq!(value(&x.plus(y)), value(x) + value(y), "{x:x?} {y:x?}");
            assert_eq!(value(&x.minus(y)), value(x) - value(y), "{x:x?} {y:x?}");
        }
    }
}

#[test]
fn both_forms_of_zero_are_zero_and_nothing_else() {
    for x in samples() {
        assert_eq!(x.is_zero(), value(&x) == Fp::ZERO, "{x:x?}");
        assert!(x.minus(&x).is_zero());
        assert!(x.plus(&x.negative()).is_zero());
    }
    assert!(Coordinate(P).is_zero() && Coordinate::ZERO.is_zero());
}
