//! The processor's multiplication and selection against the portable ones: the same bits.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;

use super::super::limbs::{below, sub};
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

/// One, two and three products by the processor, if it has code for them, and by the portable file.
fn same_bits<const N: usize>(p: [u64; N]) {
    let r = Reduction::new(p);
    let mut rng = ChaCha20Rng::seed_from_u64(64);
    let p_less_one = sub(&p, &std::array::from_fn(|i| u64::from(i == 0))).0;
    for round in 0..ROUNDS {
        let any = if round == 0 { [u64::MAX; N] } else { limbs(&mut rng) };
        let mut a: [[u64; N]; 3] = std::array::from_fn(|_| reduced(&mut rng, &p));
        let mut b: [[u64; N]; 3] = std::array::from_fn(|_| reduced(&mut rng, &p));
        if round == 0 {
            (a, b) = ([p_less_one; 3], [p_less_one; 3]);
        }
        let portable = |a: &[u64; N], b: &[u64; N]| constants::product(a, b, &r);
        let products: [[u64; N]; 3] = std::array::from_fn(|i| portable(&a[i], &b[i]));
        assert_eq!(product(&any, &b[0], &r), portable(&any, &b[0]), "{any:x?} {b:x?}");
        together(&[a[0]], &[b[0]], &r, &products);
        together(&[a[0], a[1]], &[b[0], b[1]], &r, &products);
        together(&a, &b, &r, &products);
    }
}

fn together<const N: usize, const COUNT: usize>(
    a: &[[u64; N]; COUNT],
    b: &[[u64; N]; COUNT],
    r: &Reduction<N>,
    products: &[[u64; N]],
) {
    if !r.fits(COUNT) {
        return;
    }
    let sum = products[..COUNT].iter().fold([0; N], |sum, x| {
        let (sum, carry) = super::super::limbs::add(&sum, x);
        constants::reduce_once(&sum, carry, &r.p)
    });
    assert_eq!(sum_of_products(a, b, r), sum, "{a:x?} {b:x?}");
    let portable = multiply_together(a, b, r);
    assert_eq!(constants::reduce_once(&portable, 0, &r.p), sum, "{a:x?} {b:x?}");
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
