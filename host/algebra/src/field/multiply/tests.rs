//! The processor's multiplication and selection against the portable ones: the same bits.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;

use super::super::limbs::{below, sub_mod};
use super::super::{constants, spec};
use super::*;

const ROUNDS: usize = 5_000;

/// Random limbs, many of which are 0 or all ones.
fn limbs<const N: usize>(rng: &mut ChaCha20Rng) -> [u64; N] {
    std::array::from_fn(|_| match rng.random_range(0..4) {
        0 => 0,
        1 => u64::MAX,
        _ => rng.random(),
    })
}

/// Random limbs of a number below p.
fn reduced<const N: usize>(rng: &mut ChaCha20Rng, p: &[u64; N]) -> [u64; N] {
    loop {
        let mut number = limbs(rng);
        number[N - 1] &= u64::MAX >> p[N - 1].leading_zeros();
        if below(&number, p) == 1 {
            return number;
        }
    }
}

/// Products, and products in quadratic extensions, by the processor, if it has code for them, and by the portable file.
fn same_bits<const N: usize>(p: [u64; N]) {
    let r = Reduction::new(p);
    let mut rng = ChaCha20Rng::seed_from_u64(64);
    let p_less_one = sub(&p, &std::array::from_fn(|i| u64::from(i == 0))).0;
    for round in 0..ROUNDS {
        let any = if round == 0 { [u64::MAX; N] } else { limbs(&mut rng) };
        let mut numbers: [[[u64; N]; 2]; 3] =
            std::array::from_fn(|_| std::array::from_fn(|_| reduced(&mut rng, &p)));
        match round {
            0 => numbers = [[p_less_one; 2]; 3],
            1 => numbers = [[[0; N]; 2]; 3],
            // x - y is as large, and as small, as it gets.
            2 => numbers = [[p_less_one; 2], [[0; N]; 2], [p_less_one; 2]],
            3 => numbers = [[[0; N]; 2], [p_less_one; 2], [p_less_one; 2]],
            _ => {}
        }
        let [x, y, b] = numbers;
        let portable = constants::product(&any, &b[0], &r);
        assert_eq!(product(&any, &b[0], &r), portable, "{any:x?} {b:x?}");
        if r.fits(1) {
            let expected = constants::product(&sub_mod(&x[0], &y[0], &p), &b[0], &r);
            assert_eq!(product_of_difference(&x[0], &y[0], &b[0], &r), expected, "{x:x?} {y:x?}");
        }
        for n in [1, 2, 3, 5, 7] {
            same_quadratic_bits(&x, &y, &b, n, &r);
        }
    }
}

fn same_quadratic_bits<const N: usize>(
    x: &[[u64; N]; 2],
    y: &[[u64; N]; 2],
    b: &[[u64; N]; 2],
    n: u32,
    r: &Reduction<N>,
) {
    let portable = |a: &[[u64; N]; 2], b: &[[u64; N]; 2]| {
        let product = |i: usize, j: usize| constants::product(&a[i], &b[j], r);
        let less = (0..n).fold(product(0, 0), |sum, _| sub_mod(&sum, &product(1, 1), &r.p));
        [less, add_mod(&product(0, 1), &product(1, 0), &r.p)]
    };
    if r.fits(n.max(2) as usize) {
        assert_eq!(quadratic_product(x, b, n, r), portable(x, b), "{n} {x:x?} {b:x?}");
    }
    if r.fits(2 * n as usize + 1) {
        let difference = [sub_mod(&x[0], &y[0], &r.p), sub_mod(&x[1], &y[1], &r.p)];
        let product = quadratic_product_of_difference(x, y, b, n, r);
        assert_eq!(product, portable(&difference, b), "{n} {x:x?} {y:x?} {b:x?}");
        if n % 2 == 1 {
            assert_eq!(quadratic_square(x, n, r), portable(x, x), "{n} {x:x?}");
        }
    }
}

#[test]
fn the_processor_and_the_portable_file_give_the_same_bits() {
    same_bits(spec::secp256k1_fn::MODULUS);
    same_bits(spec::bn254_fp::MODULUS);
    same_bits(spec::bn254_fr::MODULUS);
    same_bits(spec::bls12_381_fp::MODULUS);
    same_bits(spec::bls12_381_fr::MODULUS);
    same_bits(spec::bls12_377_fp::MODULUS);
    same_bits(spec::bls12_377_fr::MODULUS);
    same_bits(spec::jubjub_fr::MODULUS);
    same_bits(spec::pasta_fp::MODULUS);
    same_bits(spec::pasta_fq::MODULUS);
    same_bits(spec::toy_fp::MODULUS);
}

#[test]
fn a_reduction_takes_the_modulus_away_at_most_once() {
    let p = spec::bls12_381_fp::MODULUS;
    let two_p_less_one =
        [p, p].iter().fold([u64::MAX; 6], |sum, p| super::super::limbs::add(&sum, p).0);
    for (t, expected) in
        [(p, [0; 6]), ([0; 6], [0; 6]), (two_p_less_one, sub(&p, &[1, 0, 0, 0, 0, 0]).0)]
    {
        assert_eq!(reduce_once(&t, 0, &p), expected);
    }
    // With a carry on top, 2^256 is folded once.
    let p = spec::secp256k1_fp::MODULUS;
    assert_eq!(reduce_once(&[0; 4], 1, &p), [p[0].wrapping_neg(), 0, 0, 0]);
    assert_eq!(reduce_once(&sub(&p, &[1, 0, 0, 0]).0, 0, &p), sub(&p, &[1, 0, 0, 0]).0);
}
