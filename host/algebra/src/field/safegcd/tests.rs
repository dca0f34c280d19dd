//! The loops of inversion, from inside.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;

use super::*;
use crate::field::limbs::below;
use crate::field::spec;

/// f and g after the batches of the constant-time loop. Their number is a constant of the modulus: nothing of x decides
/// about it.
fn after_the_loop<const N: usize>(
    inversion: &Inversion<N>,
    x: &[u64; N],
) -> (Signed62<N>, Signed62<N>) {
    let (mut f, mut g, mut zeta) = (inversion.p, Signed62::new(x), -1);
    for _ in 0..inversion.batches {
        let matrix;
        (zeta, matrix) = packed::batch(zeta, f.low[0], g.low[0]);
        (f, g) = apply_exactly(&f, &g, &matrix);
    }
    (f, g)
}

fn ends_with_the_divisor<const N: usize>(p: [u64; N], numbers: impl Iterator<Item = [u64; N]>) {
    let inversion = Inversion::new(&p, &p);
    assert!(inversion.batches * packed::BATCH >= steps_needed(bit_length(&p)));
    for x in numbers.filter(|x| below(x, &p) == 1) {
        let (f, g) = after_the_loop(&inversion, &x);
        assert!(g.is_zero_vartime(), "{x:x?}");
        let mut divisor = [0; N];
        divisor[0] = 1;
        if x == [0; N] {
            divisor = p;
        }
        // With nothing to add, what is left of the normalisation is the absolute value.
        assert_eq!(f.normalized(f.sign(), &Signed62::ZERO).limbs(), divisor, "{x:x?}");
    }
}

/// 0, powers of two and their neighbours, numbers with runs of equal bits, random numbers.
fn numbers<const N: usize>() -> impl Iterator<Item = [u64; N]> {
    let powers = (0..64 * N).flat_map(|i| {
        let mut power = [0; N];
        power[i / 64] = 1 << (i % 64);
        let less_one = std::array::from_fn(|j| match j.cmp(&(i / 64)) {
            std::cmp::Ordering::Less => u64::MAX,
            std::cmp::Ordering::Equal => power[j] - 1,
            std::cmp::Ordering::Greater => 0,
        });
        [power, less_one]
    });
    let mut rng = ChaCha20Rng::seed_from_u64(62);
    powers.chain((0..20_000).map(move |_| std::array::from_fn(|_| rng.random())))
}

#[test]
fn the_constant_loop_is_long_enough() {
    ends_with_the_divisor(spec::toy_fp::MODULUS, (0..97).map(|x| [x]));
    ends_with_the_divisor(spec::toy_fr::MODULUS, (0..79).map(|x| [x]));
    ends_with_the_divisor(spec::toy_edwards_fr::MODULUS, (0..7).map(|x| [x]));
    ends_with_the_divisor(spec::goldilocks::MODULUS, numbers());
    ends_with_the_divisor(spec::secp256k1_fp::MODULUS, numbers());
    ends_with_the_divisor(spec::secp256k1_fn::MODULUS, numbers());
    ends_with_the_divisor(spec::bn254_fp::MODULUS, numbers());
    ends_with_the_divisor(spec::bls12_381_fr::MODULUS, numbers());
    ends_with_the_divisor(spec::bls12_381_fp::MODULUS, numbers());
    ends_with_the_divisor(spec::bls12_377_fr::MODULUS, numbers());
    ends_with_the_divisor(spec::bls12_377_fp::MODULUS, numbers());
    ends_with_the_divisor(spec::pasta_fp::MODULUS, numbers());
    ends_with_the_divisor(spec::pasta_fq::MODULUS, numbers());
}

#[test]
fn the_bound_is_the_published_one_for_256_bits() {
    // Wuille proves 590 for this size by computing; the closed form is one more.
    assert_eq!(steps_needed(256), 591);
}
