//! The fields of BLS12-381 against blst.

use blst::*;
use proofmill_algebra::field::*;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;

const ROUNDS: usize = 5_000;

fn random<F: PrimeField>(rng: &mut impl Rng) -> F {
    let mut wide = [0; 64];
    rng.fill_bytes(&mut wide);
    F::reduce_wide_le(&wide)
}

fn their_fp(x: &Bls12381Fp) -> blst_fp {
    let mut theirs = blst_fp::default();
    // SAFETY: 48 bytes are read.
    unsafe { blst_fp_from_lendian(&mut theirs, x.to_le_bytes().as_ptr()) };
    theirs
}

fn our_fp(x: &blst_fp) -> Bls12381Fp {
    let mut bytes = [0; 48];
    // SAFETY: 48 bytes are written.
    unsafe { blst_lendian_from_fp(bytes.as_mut_ptr(), x) };
    Bls12381Fp::from_le_bytes(&bytes).expect("blst reduces")
}

fn their_fr(x: &Bls12381Fr) -> blst_fr {
    let mut theirs = blst_fr::default();
    // SAFETY: four words are read.
    unsafe { blst_fr_from_uint64(&mut theirs, x.to_canonical().as_ptr()) };
    theirs
}

fn our_fr(x: &blst_fr) -> Bls12381Fr {
    let mut canonical = [0; 4];
    // SAFETY: four words are written.
    unsafe { blst_uint64_from_fr(canonical.as_mut_ptr(), x) };
    Bls12381Fr::from_canonical(canonical).expect("blst reduces")
}

/// A function of blst that writes its first argument and reads the others.
macro_rules! theirs {
    ($function:ident($type:ident: $($argument:expr),*)) => {{
        let mut result = $type::default();
        // SAFETY: all pointers are to elements that live.
        unsafe { $function(&mut result, $($argument),*) };
        result
    }};
}

fn seeded(name: &str) -> ChaCha20Rng {
    let seed = rand::rng().random();
    println!("{name}: seed {seed}");
    ChaCha20Rng::seed_from_u64(seed)
}

#[test]
fn coordinates_of_bls12_381() {
    let mut rng = seeded("bls12_381_fp");
    for _ in 0..ROUNDS {
        let (x, y): (Bls12381Fp, Bls12381Fp) = (random(&mut rng), random(&mut rng));
        let (a, b) = (&their_fp(&x), &their_fp(&y));
        assert_eq!(x * y, our_fp(&theirs!(blst_fp_mul(blst_fp: a, b))), "{x:?} {y:?}");
        assert_eq!(x + y, our_fp(&theirs!(blst_fp_add(blst_fp: a, b))), "{x:?} {y:?}");
        assert_eq!(x - y, our_fp(&theirs!(blst_fp_sub(blst_fp: a, b))), "{x:?} {y:?}");
        assert_eq!(x.square(), our_fp(&theirs!(blst_fp_sqr(blst_fp: a))), "{x:?}");
    }
    for _ in 0..ROUNDS / 50 {
        let x: Bls12381Fp = random(&mut rng);
        let a = &their_fp(&x);
        let inverse = x.invert().expect("not 0");
        assert_eq!(inverse, our_fp(&theirs!(blst_fp_inverse(blst_fp: a))), "{x:?}");
        let mut root = blst_fp::default();
        // SAFETY: both pointers are to elements that live.
        let square = unsafe { blst_fp_sqrt(&mut root, a) };
        let ours = x.sqrt().into_option();
        assert_eq!(ours.is_some(), square, "{x:?}");
        assert!(ours.is_none_or(|ours| ours == our_fp(&root) || -ours == our_fp(&root)), "{x:?}");
    }
}

#[test]
fn scalars_of_bls12_381() {
    let mut rng = seeded("bls12_381_fr");
    for _ in 0..ROUNDS {
        let (x, y): (Bls12381Fr, Bls12381Fr) = (random(&mut rng), random(&mut rng));
        let (a, b) = (&their_fr(&x), &their_fr(&y));
        assert_eq!(x * y, our_fr(&theirs!(blst_fr_mul(blst_fr: a, b))), "{x:?} {y:?}");
        assert_eq!(x + y, our_fr(&theirs!(blst_fr_add(blst_fr: a, b))), "{x:?} {y:?}");
        assert_eq!(x - y, our_fr(&theirs!(blst_fr_sub(blst_fr: a, b))), "{x:?} {y:?}");
    }
}
