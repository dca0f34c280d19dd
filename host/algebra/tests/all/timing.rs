//! A statistical test of constant-time functions: Reparaz, Balasch, Verbauwhede, "Dude, is my code constant time?", DATE 2017.
//!
//! A function is called with a fixed input and with random ones, in random order. Welch's t-test compares the two sets of times, after the slowest are
//! cropped. A leak repeats and noise does not: a function fails if t exceeds [`LIMIT`] in every attempt. The variable-time counterparts
//! must fail, so that the test can find a leak of this size at all.

use std::hint::black_box;
use std::time::Instant;

use proofmill_algebra::curve::{Curve, Projective};
use proofmill_algebra::field::{Field, PrimeField};
use proofmill_algebra::{bls12_381, bn254, secp256k1};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;

/// |t| above which two sets of times differ. The paper's is 4.5 for one comparison, and 10 for a certain leak.
const LIMIT: f64 = 6.0;
/// Attempts. Noise would have to exceed the limit in all of them, in the same direction.
const ATTEMPTS: usize = 5;
/// Times of each set.
const SAMPLES: usize = 4000;
/// The share of times that are kept, the fastest first: interrupts and migrations are among the others.
const KEPT: f64 = 0.8;

/// Returns Welch's t of the times with a fixed input against those with random ones.
fn welch<T: Copy, R>(
    seed: u64,
    fixed: &T,
    any: &[T],
    repeats: usize,
    call: &impl Fn(&T) -> R,
) -> f64 {
    let mut random = ChaCha20Rng::seed_from_u64(seed);
    let mut times = [Vec::with_capacity(SAMPLES), Vec::with_capacity(SAMPLES)];
    while times.iter().any(|set| set.len() < SAMPLES) {
        // Both inputs are read from the same place, so that caches do not tell them apart.
        let is_fixed = random.random::<bool>();
        let other = any[random.random_range(0..any.len())];
        let input = black_box(if is_fixed { *fixed } else { other });
        let start = Instant::now();
        for _ in 0..repeats {
            black_box(call(black_box(&input)));
        }
        times[usize::from(is_fixed)].push(start.elapsed().as_nanos() as f64);
    }
    let mut all: Vec<f64> = times.concat();
    all.sort_by(f64::total_cmp);
    let most = all[(all.len() as f64 * KEPT) as usize];
    let [(a, va, na), (b, vb, nb)] = times.map(|set| {
        let kept: Vec<f64> = set.into_iter().filter(|time| *time <= most).collect();
        let count = kept.len() as f64;
        let mean = kept.iter().sum::<f64>() / count;
        let variance = kept.iter().map(|time| (time - mean).powi(2)).sum::<f64>() / (count - 1.0);
        (mean, variance, count)
    });
    (b - a) / (va / na + vb / nb).sqrt().max(f64::MIN_POSITIVE)
}

/// Returns the t of smallest magnitude in the attempts; 0 if two have different signs.
fn persistent<T: Copy, R>(fixed: &T, any: &[T], repeats: usize, call: impl Fn(&T) -> R) -> f64 {
    let found: Vec<f64> =
        (0..ATTEMPTS as u64).map(|seed| welch(seed, fixed, any, repeats, &call)).collect();
    let same_sign = found.iter().all(|t| *t > 0.0) || found.iter().all(|t| *t < 0.0);
    let least = found.iter().copied().min_by(|a, b| a.abs().total_cmp(&b.abs()));
    if same_sign { least.unwrap_or(0.0) } else { 0.0 }
}

#[track_caller]
fn constant<T: Copy, R>(name: &str, fixed: &T, any: &[T], repeats: usize, call: impl Fn(&T) -> R) {
    let t = persistent(fixed, any, repeats, call);
    eprintln!("{name}: t = {t:.1}");
    assert!(t.abs() < LIMIT, "{name}: the time depends on the input: t = {t:.1}");
}

#[track_caller]
fn varies<T: Copy, R>(name: &str, fixed: &T, any: &[T], repeats: usize, call: impl Fn(&T) -> R) {
    let t = persistent(fixed, any, repeats, call);
    eprintln!("{name}: t = {t:.1}");
    assert!(t.abs() > 2.0 * LIMIT, "{name}: a variable time was not found: t = {t:.1}");
}

/// Returns field elements from random bytes.
fn elements<F: PrimeField>(count: usize) -> Vec<F> {
    let mut random = ChaCha20Rng::seed_from_u64(99);
    let mut element = || {
        let words = [0; 8].map(|_| F::from(random.random::<u64>()));
        let base = F::from(1 << 32).square();
        words.into_iter().fold(F::ZERO, |sum, word| sum * base + word)
    };
    (0..count).map(|_| element()).collect()
}

fn field<F: PrimeField>(name: &str) {
    let any: Vec<F> = elements(256);
    // Sparse inputs: zero has no digits, one has a single bit, and -1 the longest carries.
    for (which, fixed) in [("0", F::ZERO), ("1", F::ONE), ("-1", -F::ONE)] {
        let name = |function: &str| format!("{name} {function} of {which}");
        let other = any[7];
        constant(&name("product"), &fixed, &any, 100, |x| *x * other);
        constant(&name("square"), &fixed, &any, 100, |x| x.square());
        constant(&name("sum"), &fixed, &any, 200, |x| *x + other);
        constant(&name("negative"), &fixed, &any, 200, |x| -*x);
        constant(&name("inverse"), &fixed, &any, 2, |x| x.invert());
    }
}

fn group<C: Curve>() {
    let any: Vec<C::Scalar> = elements(64);
    let generator = Projective::<C>::generator();
    let points = [generator, generator.double()];
    for (which, fixed) in [("0", C::Scalar::ZERO), ("1", C::Scalar::ONE), ("-1", -C::Scalar::ONE)] {
        let name = |function: &str| format!("{} {function} of {which}", C::NAME);
        constant(&name("multiple"), &fixed, &any, 1, |k| generator.times(k));
        constant(&name("sum of multiples"), &fixed, &any, 1, |k| {
            Projective::sum_of_multiples(&points, &[*k, any[3]])
        });
    }
    let name = format!("{} multiple in variable time", C::NAME);
    varies(&name, &C::Scalar::ONE, &any, 1, |k| generator.times_vartime(k));
}

#[test]
#[ignore = "minutes on an idle machine; make test-long runs it"]
fn constant_time_functions_have_times_that_do_not_depend_on_their_input() {
    field::<bn254::Fr>("bn254 Fr");
    field::<bn254::Fp>("bn254 Fp");
    field::<bls12_381::Fr>("bls12_381 Fr");
    field::<bls12_381::Fp>("bls12_381 Fp");
    field::<secp256k1::Fp>("secp256k1 Fp");
    group::<bn254::G1>();
    group::<bls12_381::G1>();
    group::<bn254::G2>();
}
