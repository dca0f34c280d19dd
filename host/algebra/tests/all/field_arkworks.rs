//! Every field against arkworks, with random elements and edges.

use ark_ff::{BigInteger, PrimeField as ArkPrimeField};
use proofmill_algebra::field::*;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;

const ROUNDS: usize = 1_000;

/// Goldilocks, which has no crate of its own.
#[derive(ark_ff::MontConfig)]
#[modulus = "18446744069414584321"]
#[generator = "7"]
pub struct GoldilocksConfig;
type ArkGoldilocks = ark_ff::Fp64<ark_ff::MontBackend<GoldilocksConfig, 1>>;

fn ark<A: ArkPrimeField, F: PrimeField>(x: &F) -> A {
    A::from_le_bytes_mod_order(x.to_le_bytes().as_ref())
}

fn bytes<A: ArkPrimeField>(x: &A) -> Vec<u8> {
    x.into_bigint().to_bytes_le()
}

fn ours<A: ArkPrimeField, F: PrimeField>(x: &A) -> F {
    F::from_le_bytes(&bytes(x)[..F::BYTES]).expect("arkworks reduces")
}

/// Elements near 0, near p, near powers of two and with extreme limbs.
fn edges<F: PrimeField>() -> Vec<F> {
    let small = [0, 1, 2, 3, 5, u64::MAX - 1, u64::MAX];
    let mut edges: Vec<F> = small.iter().map(|&x| F::from(x)).collect();
    let mut power = F::ONE;
    for bit in 1..64 * F::MODULUS.len() + 64 {
        power = power.double();
        if bit % 16 == 0 || bit.abs_diff(F::BITS as usize) < 3 {
            edges.extend([power, power - F::ONE]);
        }
    }
    let negative: Vec<F> = edges.iter().map(|&x| -x).collect();
    edges.extend(negative);
    edges
}

fn random<F: PrimeField>(rng: &mut impl Rng) -> F {
    let mut wide = [0; 64];
    rng.fill_bytes(&mut wide);
    F::reduce_wide_le(&wide)
}

fn compare<A: ArkPrimeField, F: PrimeField>(x: F, y: F) {
    let (a, b): (A, A) = (ark(&x), ark(&y));
    assert_eq!(x + y, ours(&(a + b)), "{x:?} + {y:?}");
    assert_eq!(x - y, ours(&(a - b)), "{x:?} - {y:?}");
    assert_eq!(x * y, ours(&(a * b)), "{x:?} * {y:?}");
    assert_eq!(-x, ours(&-a), "-{x:?}");
    assert_eq!(x.double(), ours(&a.double()), "2 {x:?}");
    assert_eq!(x.square(), ours(&a.square()), "{x:?}^2");
    assert_eq!(x.times_difference(&y, &x), ours(&(a * (b - a))), "{x:?} ({y:?} - {x:?})");
    assert_eq!([x.signed(false), x.signed(true)], [x, -x], "{x:?}");
    for n in [1, 5] {
        let minus_beta = A::from(n);
        let product = F::quadratic_product(&[x, y], &[y, -x], n);
        assert_eq!(
            product,
            [a * b + minus_beta * b * a, b * b - a * a].map(|c| ours(&c)),
            "{x:?} {y:?}"
        );
        let product = F::quadratic_product_of_difference(&[x, y], &[y, x], &[x, y], n);
        let difference = a - b;
        let expected = [difference * (a + minus_beta * b), difference * (b - a)];
        assert_eq!(product, expected.map(|c| ours(&c)), "{x:?} {y:?}");
        let square = F::quadratic_square(&[x, y], n);
        assert_eq!(
            square,
            [a * a - minus_beta * b * b, (a * b).double()].map(|c| ours(&c)),
            "{x:?} {y:?}"
        );
    }
}

fn compare_inverse_and_root<A: ArkPrimeField, F: PrimeField>(x: F) {
    let a: A = ark(&x);
    let inverse = a.inverse().map(|i| ours::<A, F>(&i));
    assert_eq!(Option::<F>::from(x.invert()), inverse, "1/{x:?}");
    assert_eq!(x.invert_vartime(), inverse, "1/{x:?}");
    let root: Option<F> = x.sqrt().into();
    assert_eq!(root.is_some(), a.sqrt().is_some(), "root of {x:?}");
    assert!(root.is_none_or(|root| root.square() == x), "root of {x:?}");
}

fn examine<A: ArkPrimeField, F: PrimeField>() {
    assert_eq!(A::MODULUS.as_ref(), F::MODULUS);
    assert_eq!(F::TWO_ADICITY, A::TWO_ADICITY);
    let seed = rand::rng().random();
    println!("{}: seed {seed}", F::NAME);
    let mut rng = ChaCha20Rng::seed_from_u64(seed);

    let edges = edges::<F>();
    edges.iter().for_each(|&x| edges.iter().step_by(5).for_each(|&y| compare::<A, F>(x, y)));
    (0..ROUNDS).for_each(|_| compare::<A, F>(random(&mut rng), random(&mut rng)));
    edges.iter().step_by(3).for_each(|&x| compare_inverse_and_root::<A, F>(x));
    (0..ROUNDS / 50).for_each(|_| compare_inverse_and_root::<A, F>(random(&mut rng)));
    wide::<A, F>(&mut rng);
    batch::<F>(&mut rng, &edges);
}

fn wide<A: ArkPrimeField, F: PrimeField>(rng: &mut impl Rng) {
    for round in 0..ROUNDS {
        let mut wide = [if round == 0 { 0xff } else { 0 }; 64];
        if round > 1 {
            rng.fill_bytes(&mut wide);
        }
        assert_eq!(F::reduce_wide_le(&wide), ours(&A::from_le_bytes_mod_order(&wide)), "{wide:x?}");
    }
}

fn batch<F: PrimeField>(rng: &mut impl Rng, edges: &[F]) {
    let mut elements: Vec<F> = (0..100).map(|_| random(rng)).collect();
    elements.extend(edges);
    elements.extend([F::ZERO, F::ZERO]);
    let expected: Vec<F> = elements.iter().map(|x| x.invert().unwrap_or(F::ZERO)).collect();
    F::batch_invert(&mut elements);
    assert_eq!(elements, expected);
}

macro_rules! fields {
    ($($name:ident: $ark:ty, $ours:ty;)*) => {$(
        #[test]
        fn $name() {
            examine::<$ark, $ours>();
        }
    )*};
}

fields! {
    goldilocks: ArkGoldilocks, Goldilocks;
    secp256k1_fp: ark_secp256k1::Fq, Secp256k1Fp;
    secp256k1_fn: ark_secp256k1::Fr, Secp256k1Fn;
    bn254_fp: ark_bn254::Fq, Bn254Fp;
    bn254_fr: ark_bn254::Fr, Bn254Fr;
    bls12_381_fp: ark_bls12_381::Fq, Bls12381Fp;
    bls12_381_fr: ark_bls12_381::Fr, Bls12381Fr;
    bls12_377_fp: ark_bls12_377::Fq, Bls12377Fp;
    bls12_377_fr: ark_bls12_377::Fr, Bls12377Fr;
    pasta_fp: ark_pallas::Fq, PastaFp;
    pasta_fq: ark_pallas::Fr, PastaFq;
}
