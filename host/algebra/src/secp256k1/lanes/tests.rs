//! The lanes' arithmetic against the scalar field, on every backend.

use super::sum::Sum;
use super::{AT_ONCE, Element, Ordinates};
use crate::field::{Field, PrimeField};
use crate::lanes::{Backend, Kernel, WIDTH, all_vectors, choose, run};
use crate::secp256k1::Fp;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;

/// Numbers below 2^256, p and those around it among them.
fn numbers(seed: u64) -> [[u64; 4]; WIDTH] {
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    let p: [u64; 4] = Fp::MODULUS.try_into().unwrap();
    let special = [p, [p[0] - 1, p[1], p[2], p[3]], [u64::MAX; 4], [0; 4], [1, 0, 0, 0]];
    std::array::from_fn(|_| match rng.random_range(0..3) {
        0 => special[rng.random_range(0..special.len())],
        _ => rng.random(),
    })
}

/// k x, without carries.
#[inline(always)]
fn times<B: Backend>(x: Element<B>, k: usize) -> Sum<B> {
    let mut sum = x.sum();
    for _ in 1..k {
        sum = sum + x;
    }
    sum
}

/// Everything that formulas do, in a few expressions.
struct Expressions([[[u64; 4]; WIDTH]; 3]);

impl Kernel for Expressions {
    type Output = Vec<[[u64; 4]; WIDTH]>;

    #[inline(always)]
    fn run<B: Backend>(self, b: B) -> Self::Output {
        let [x, y, z] = self.0;
        let (x, y, z) = (Element::load(b, &x), Element::load(b, &y), Element::load(b, &z));
        // As large as a factor can be, and as far below 0 as a sum can be.
        let (large, least) = (times(x, 15).element(), times(x, 15).negative().element());
        let difference = (x - y - z - z).element();
        let odd_lanes = x.sum().negate(0b1010_1010).element();
        vec![
            (x * y).store(),
            x.square().store(),
            large.store(),
            least.store(),
            (large * least).store(),
            large.square().store(),
            least.square().store(),
            difference.store(),
            // With 17 sixteenths of p for x, 255 * 136 + 255 * 119 and 255 * 102 + 8 * 68 * 68 are nearly 256 * 256.
            Element::sum_of_products(large, times(x, 8).element(), large, times(x, 7).element())
                .store(),
            Element::product_and_eight_squares(large, times(x, 6).element(), times(x, 4).element())
                .store(),
            Element::sum_of_products(difference, x, y, z).store(),
            Element::product_and_eight_squares(difference, x, y).store(),
            x.sum().negative().element().store(),
            odd_lanes.store(),
        ]
    }
}

fn expected([x, y, z]: [Fp; 3], lane: usize) -> Vec<Fp> {
    let times = |k: u64| Fp::from(k) * x;
    let (large, square) = (times(15), times(15).square());
    let difference = x - y - z - z;
    vec![
        x * y,
        x.square(),
        large,
        -large,
        -square,
        square,
        square,
        difference,
        square,
        large * times(6) + times(4).square() * Fp::from(8),
        difference * x + y * z,
        difference * x + y.square() * Fp::from(8),
        -x,
        if lane % 2 == 1 { -x } else { x },
    ]
}

#[test]
fn expressions_on_every_backend() {
    for seed in 0..200 {
        let operands = [numbers(3 * seed), numbers(3 * seed + 1), numbers(3 * seed + 2)];
        let [first, others @ ..] = &all_vectors()[..] else { panic!("there are no vectors") };
        let found = run(*first, Expressions(operands));
        for vectors in others {
            assert_eq!(run(*vectors, Expressions(operands)), found, "the same bits");
        }
        for lane in 0..WIDTH {
            let scalars = operands.map(|numbers| Fp::reduced(numbers[lane]));
            for (i, expected) in expected(scalars, lane).into_iter().enumerate() {
                assert_eq!(Fp::reduced(found[i][lane]), expected, "seed {seed}, {i}");
            }
        }
    }
}

struct Zeros([[u64; 4]; WIDTH]);

impl Kernel for Zeros {
    type Output = [u8; 2];

    #[inline(always)]
    fn run<B: Backend>(self, b: B) -> [u8; 2] {
        let x = Element::load(b, &self.0);
        [x.is_zero(), (x + x - x.square() - x - x + x.square()).element().is_zero()]
    }
}

#[test]
fn every_form_of_zero_is_zero() {
    for seed in 0..100 {
        let numbers = numbers(1000 + seed);
        let zeros = numbers.iter().enumerate().fold(0, |mask, (lane, number)| {
            mask | u8::from(Fp::reduced(*number) == Fp::ZERO) << lane
        });
        for vectors in all_vectors() {
            assert_eq!(run(vectors, Zeros(numbers)), [zeros, 0xff]);
        }
    }
}

#[test]
fn ordinates_are_those_of_the_scalar_root() {
    let mut rng = ChaCha20Rng::seed_from_u64(92);
    let xs: [[u64; 4]; AT_ONCE] = std::array::from_fn(|_| rng.random());
    for vectors in all_vectors() {
        for (x, y) in xs.iter().zip(choose(vectors.into(), Ordinates(&xs))) {
            let x = Fp::reduced(*x);
            let right = x.square() * x + Fp::from(7);
            assert_eq!(y.is_some(), bool::from(right.sqrt().is_some()));
            assert!(y.is_none_or(|y| Fp::reduced(y).square() == right));
        }
    }
}
