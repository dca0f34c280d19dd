//! A statistical test of constant-time functions: Reparaz, Balasch, Verbauwhede, "Dude, is my code constant time?", DATE 2017.
//!
//! A function is called with a fixed input and with random ones, in random order, so that noise of the machine falls on both. Welch's t-test
//! compares the two sets of times, after the slowest are cropped. A leak repeats and noise does not: a function fails if t exceeds
//! [`LIMIT`] in every attempt, with the same sign. The variable-time counterparts must fail, so that the test can find a leak of this
//! size at all.
//!
//! Each level of the processor ([`Isa`]) is measured in a process of its own: fields, curves and blinding on those of 64-bit limbs, portable
//! or in assembly, and transforms on every level. A level of vectors uses the 64-bit limbs of `bmi2` for all others.
//!
//! A release build is measured, since debug assertions look at values.
//!
//! Documented exceptions (`docs/design/threat_model.md`), which are not measured: functions with `_vartime` in their name, MSMs,
//! multiples of points outside the subgroup of BLS12-377 G1, decoding of points, and verification.

use std::array;
use std::cell::RefCell;
use std::hint::black_box;
use std::process::Command;
use std::time::Instant;

use proofmill_algebra::curve::{Affine, Curve, Projective};
use proofmill_algebra::encoding::{Coordinate, pair};
use proofmill_algebra::field::{Field, PrimeField};
use proofmill_algebra::ntt::{Form, MIN_SIZE, Plan, Transform, a_b_less_c};
use proofmill_algebra::pairing::{Bls12381, Bn254, Pairing};
use proofmill_algebra::{ISA_VARIABLE, Isa, bls12_381, bn254, secp256k1};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;

/// |t| above which two sets of times differ. The paper's is 4.5 for one comparison, and 10 for a certain leak.
const LIMIT: f64 = 6.0;
/// Attempts at most. Noise would have to exceed the limit in all of them, in the same direction.
const ATTEMPTS: usize = 5;
/// Times of each set.
const SAMPLES: usize = 4000;
/// The share of times that are kept, the fastest first: interrupts and migrations are among the others.
const KEPT: f64 = 0.8;
/// Names the level that a process measures.
const LEVEL_VARIABLE: &str = "PROOFMILL_TIMING_LEVEL";

thread_local! {
    /// |t| of the functions that were found to be constant, and of those that were found to vary.
    static FOUND: RefCell<[Vec<(f64, String)>; 2]> = RefCell::default();
}

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
    // Both sets of inputs take as much of the caches, and are copied to the same place.
    let fixed = vec![*fixed; any.len()];
    while times.iter().any(|set| set.len() < SAMPLES) {
        let is_fixed = random.random::<bool>();
        let inputs = if is_fixed { &fixed } else { any };
        let input = black_box(inputs[random.random_range(0..any.len())]);
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

/// Returns the t of smallest magnitude in the attempts, which end with the first below the limit; 0 if two have different signs.
fn persistent<T: Copy, R>(fixed: &T, any: &[T], repeats: usize, call: impl Fn(&T) -> R) -> f64 {
    let mut least = f64::INFINITY;
    for seed in 0..ATTEMPTS as u64 {
        let t = welch(seed, fixed, any, repeats, &call);
        if least.is_finite() && t.is_sign_positive() != least.is_sign_positive() {
            return 0.0;
        }
        if t.abs() < least.abs() {
            least = t;
        }
        if least.abs() < LIMIT {
            break;
        }
    }
    least
}

#[track_caller]
fn constant<T: Copy, R>(name: &str, fixed: &T, any: &[T], repeats: usize, call: impl Fn(&T) -> R) {
    let t = persistent(fixed, any, repeats, call);
    FOUND.with_borrow_mut(|[constant, _]| constant.push((t.abs(), name.to_owned())));
    assert!(t.abs() < LIMIT, "{name}: the time depends on the input: t = {t:.1}");
}

#[track_caller]
fn varies<T: Copy, R>(name: &str, fixed: &T, any: &[T], repeats: usize, call: impl Fn(&T) -> R) {
    let t = persistent(fixed, any, repeats, call);
    FOUND.with_borrow_mut(|[_, varying]| varying.push((t.abs(), name.to_owned())));
    assert!(t.abs() > 2.0 * LIMIT, "{name}: a variable time was not found: t = {t:.1}");
}

/// Returns field elements from random bytes.
fn elements<F: PrimeField>(count: usize) -> Vec<F> {
    let mut random = ChaCha20Rng::seed_from_u64(99);
    (0..count).map(|_| F::reduce_wide_le(&array::from_fn(|_| random.random()))).collect()
}

/// Sparse inputs with their names: zero has no digits, one has a single bit, and -1 the longest carries.
fn sparse<F: Field>() -> [(&'static str, F); 3] {
    [("0", F::ZERO), ("1", F::ONE), ("-1", -F::ONE)]
}

fn operations<F: Field>(name: &str, any: &[F]) {
    for (which, fixed) in sparse::<F>() {
        let name = |function: &str| format!("{name} {function} of {which}");
        let other = any[7];
        constant(&name("product"), &fixed, any, 100, |x| *x * other);
        constant(&name("square"), &fixed, any, 100, |x| x.square());
        constant(&name("sum"), &fixed, any, 200, |x| *x + other);
        constant(&name("difference"), &fixed, any, 200, |x| other - *x);
        constant(&name("negative"), &fixed, any, 200, |x| -*x);
        constant(&name("comparison"), &fixed, any, 200, |x| x.ct_eq(&other));
        constant(&name("inverse"), &fixed, any, 2, |x| x.invert());
    }
}

fn field<F: PrimeField>(name: &str) {
    let any: Vec<F> = elements(256);
    operations(name, &any);
    for (which, fixed) in sparse::<F>() {
        let name = |function: &str| format!("{name} {function} of {which}");
        constant(&name("square root"), &fixed, &any, 1, |x| x.sqrt());
        constant(&name("to_canonical"), &fixed, &any, 100, |x| x.to_canonical());
        let canonical: Vec<_> = any.iter().map(F::to_canonical).collect();
        let fixed = fixed.to_canonical();
        constant(&name("from_canonical"), &fixed, &canonical, 100, |x| F::from_canonical(*x));
    }
    let mut random = ChaCha20Rng::seed_from_u64(7);
    let wide: Vec<[u8; 64]> = (0..256).map(|_| array::from_fn(|_| random.random())).collect();
    for byte in [0, 0xff] {
        let name = format!("{name} reduction of 64 bytes {byte:#04x}");
        constant(&name, &[byte; 64], &wide, 50, F::reduce_wide_le);
    }
}

fn group<C: Curve>() {
    let any: Vec<C::Scalar> = elements(64);
    let generator = Projective::<C>::generator();
    let points = [generator, generator.double()];
    for (which, fixed) in sparse::<C::Scalar>() {
        let name = |function: &str| format!("{} {function} of {which}", C::NAME);
        constant(&name("multiple"), &fixed, &any, 1, |k| generator.times(k));
        constant(&name("sum of multiples"), &fixed, &any, 1, |k| {
            Projective::sum_of_multiples(&points, &[*k, any[3]])
        });
    }
    // The complete formulas have no special cases: the identity, equal and opposite points.
    let random: Vec<_> = any.iter().map(|k| generator.times(k)).collect();
    let other = random[5];
    let affine = Affine::from(other);
    for (which, fixed) in [("0", Projective::IDENTITY), ("P", other), ("-P", -other)] {
        let name = |function: &str| format!("{} {function} of {which}", C::NAME);
        constant(&name("sum"), &fixed, &random, 20, |p| *p + other);
        constant(&name("mixed sum"), &fixed, &random, 20, |p| p.add_mixed(&affine));
        constant(&name("double"), &fixed, &random, 20, |p| p.double());
        constant(&name("affine form"), &fixed, &random, 1, |p| Affine::from(*p));
    }
    let name = format!("{} multiple in variable time", C::NAME);
    varies(&name, &C::Scalar::ONE, &any, 1, |k| generator.times_vartime(k));
}

/// What the provers do with r and s: `groth16::assemble` of the crate `proofmill-proof`, and `blinded` of PLONK and FFLONK.
fn blinding<E: Pairing>(name: &str)
where
    E::G1: Curve<Base: Coordinate>,
    E::G2: Curve<Scalar = <E::G1 as Curve>::Scalar, Base: Coordinate>,
{
    type Scalar<E> = <<E as Pairing>::G1 as Curve>::Scalar;
    let scalars: Vec<Scalar<E>> = elements(128);
    let any: Vec<[Scalar<E>; 2]> = scalars.as_chunks().0.to_vec();
    let in_g1: [Projective<E::G1>; 3] =
        array::from_fn(|i| Projective::generator().times(&scalars[i]));
    let in_g2: [Projective<E::G2>; 2] =
        array::from_fn(|i| Projective::generator().times(&scalars[i]));
    for (which, fixed) in sparse::<Scalar<E>>() {
        let name = |function: &str| format!("{name} {function}, r = s = {which}");
        let fixed = [fixed; 2];
        constant(&name("proof's A and C"), &fixed, &any, 1, |[r, s]| {
            let [a, b1, delta] = in_g1;
            let c = Projective::sum_of_multiples(&[a, b1, delta], &[*s, *r, *r * s]);
            let a = a + Projective::sum_of_multiples(&[delta], &[*r]);
            [a, c].map(|point| pair::encode(&Affine::from(point)))
        });
        constant(&name("proof's B"), &fixed, &any, 1, |[_, s]| {
            let [b, delta] = in_g2;
            let b = b + Projective::sum_of_multiples(&[delta], &[*s]);
            pair::encode(&Affine::from(b))
        });
        constant(&name("blinded coefficients"), &fixed, &any, 50, |[low, b]| {
            [(*low - *b).to_le_bytes(), b.to_le_bytes()]
        });
    }
}

/// Transforms of a witness and products of three lists, on the level's own code path.
fn lists<F: Form<D>, const D: usize>(isa: Isa) {
    const BYTES: usize = MIN_SIZE * 32;
    assert_eq!(F::BYTES, 32);
    let list = |elements: &[F]| {
        let mut bytes = [0; BYTES];
        bytes.as_chunks_mut::<32>().0.iter_mut().zip(elements).for_each(|(bytes, x)| {
            bytes.copy_from_slice(x.to_le_bytes().as_ref());
        });
        bytes
    };
    let any: Vec<_> = elements::<F>(32 * MIN_SIZE).chunks(MIN_SIZE).map(list).collect();
    let forward = Transform::<F>::forward(MIN_SIZE.ilog2()).expect("a power of two");
    let plan = Plan::<F, D>::new(isa, &forward).expect("the smallest size");
    let target = RefCell::new([0; BYTES]);
    for (which, fixed) in sparse::<F>() {
        let name = |function: &str| format!("{} {function} of {which}", F::NAME);
        let fixed = list(&[fixed; MIN_SIZE]);
        constant(&name("transform"), &fixed, &any, 1, |x| {
            plan.run(x, &mut *target.borrow_mut()).expect("canonical")
        });
        constant(&name("a b - c"), &fixed, &any, 1, |x| {
            let mut target = target.borrow_mut();
            *target = *x;
            a_b_less_c::<F, D>(isa, &mut *target, x, &any[1]).expect("canonical")
        });
    }
}

/// Measures one level in this process, and prints a row of the table.
fn measure(level: &str) {
    let isa = Isa::requested().expect("the parent took a level of this processor");
    assert_eq!(isa.name(), level);
    if isa == Isa::words() {
        field::<bn254::Fr>("bn254 Fr");
        field::<bn254::Fp>("bn254 Fp");
        field::<bls12_381::Fr>("bls12_381 Fr");
        field::<bls12_381::Fp>("bls12_381 Fp");
        field::<secp256k1::Fp>("secp256k1 Fp");
        field::<secp256k1::Fn>("secp256k1 Fn");
        let [real, imaginary] = [3, 11].map(|seed| elements::<bls12_381::Fp>(256 + seed));
        let quadratic =
            |(c0, c1): (&bls12_381::Fp, &bls12_381::Fp)| bls12_381::Fp2 { c0: *c0, c1: *c1 };
        let any: Vec<_> =
            real.iter().skip(3).zip(imaginary.iter().skip(11)).map(quadratic).collect();
        operations("bls12_381 Fp2", &any);
        group::<bn254::G1>();
        group::<bls12_381::G1>();
        group::<bn254::G2>();
        blinding::<Bn254>("bn254");
        blinding::<Bls12381>("bls12_381");
    }
    lists::<bn254::Fr, 5>(isa);
    lists::<bls12_381::Fr, 5>(isa);
    FOUND.with_borrow_mut(|found| {
        found.iter_mut().for_each(|list| list.sort_by(|(a, _), (b, _)| f64::total_cmp(a, b)));
        let (largest, name) = found[0].last().expect("each level has functions");
        let controls = found[1].first().map_or("".into(), |(t, _)| format!("{t:.0}"));
        let count = found[0].len();
        println!("| `{level}` | {count} | {largest:.1} ({name}) | {controls} |");
    });
}

#[test]
#[ignore = "minutes on an idle machine; make test-long runs it"]
fn constant_time_functions_have_times_that_do_not_depend_on_their_input() {
    if let Ok(level) = std::env::var(LEVEL_VARIABLE) {
        return measure(&level);
    }
    if cfg!(debug_assertions) {
        // Assertions of floating-point limbs look at their values: a transform of equal elements takes 2 % less.
        return println!(
            "SKIPPED: times of a build with debug assertions; `make test-long` measures the release build"
        );
    }
    println!("| level | comparisons | largest t | least t of the controls |");
    for level in Isa::present() {
        let mut child = Command::new(std::env::current_exe().expect("this program has a path"));
        let name = "timing::constant_time_functions_have_times_that_do_not_depend_on_their_input";
        child.args([name, "--exact", "--ignored", "--nocapture"]);
        child.env(LEVEL_VARIABLE, level.name()).env(ISA_VARIABLE, level.name());
        let output = child.output().expect("this program starts");
        let text = String::from_utf8_lossy(&output.stdout);
        let problem = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "level {}: {text}{problem}", level.name());
        let row = text.lines().find_map(|line| line.find("| `").map(|at| &line[at..]));
        println!("{}", row.expect("a level prints a row"));
    }
}
