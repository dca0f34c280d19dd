//! Number-theoretic transforms against their definition, against each other and against arkworks.

use std::ops::RangeInclusive;

use ark_ff::{BigInteger, FftField};
use ark_poly::{EvaluationDomain, Radix2EvaluationDomain};
use proofmill_algebra::Isa;
use proofmill_algebra::field::{
    Bls12377Fr, Bls12381Fr, Bn254Fr, Goldilocks, PastaFp, PastaFq, PrimeField, ToyFr,
};
use proofmill_algebra::ntt::{
    Form, MAX_LOG_SIZE, MIN_SIZE, NotBelowModulus, Plan, SizeError, Transform, a_b_less_c, direct,
    least_non_residue_root, log_size,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;

/// Random elements, 0 and p - 1 among them.
fn elements<F: PrimeField>(size: usize, seed: u64) -> Vec<F> {
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    let mut random = || match rng.random_range(0..16) {
        0 => F::ZERO,
        1 => -F::ONE,
        _ => F::reduce_wide_le(&std::array::from_fn(|_| rng.random())),
    };
    (0..size).map(|_| random()).collect()
}

fn bytes<F: PrimeField>(elements: &[F]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(elements.len() * F::BYTES);
    elements.iter().for_each(|x| bytes.extend(x.to_le_bytes().as_ref()));
    bytes
}

fn directly<F: PrimeField>(transform: &Transform<F>, x: &[u8]) -> Vec<u8> {
    let mut found = vec![0; x.len()];
    direct(transform, x, &mut found).unwrap();
    found
}

fn planned<F: Form<D>, const D: usize>(isa: Isa, transform: &Transform<F>, x: &[u8]) -> Vec<u8> {
    let plan = Plan::<F, D>::new(isa, transform).unwrap();
    let mut found = vec![0; x.len()];
    plan.run(x, &mut found).unwrap();
    found
}

/// There and back, on the powers of the root and on a coset.
fn four<F: PrimeField>(log: u32) -> [Transform<F>; 4] {
    let forward = Transform::<F>::forward(log).unwrap();
    let coset = forward.on_coset(F::from(11));
    [forward, coset, forward.inverse(), coset.inverse()]
}

fn direct_is_the_definition<F: PrimeField>(most: u32) {
    for log in 0..=most {
        let size = 1 << log;
        let x = elements::<F>(size, u64::from(log));
        let [forward, coset, back, coset_back] = four::<F>(log);
        for (transform, inverse, g) in [(forward, back, F::ONE), (coset, coset_back, F::from(11))] {
            let value = |k: usize| {
                let place = g * transform.root().pow_vartime(&[k as u64]);
                x.iter().rev().fold(F::ZERO, |value, x| value * place + x)
            };
            let values: Vec<F> = (0..size).map(value).collect();
            assert_eq!(directly(&transform, &bytes(&x)), bytes(&values), "{} 2^{log}", F::NAME);
            assert_eq!(directly(&inverse, &bytes(&values)), bytes(&x), "{} 2^{log}", F::NAME);
        }
    }
}

#[test]
fn the_obvious_way_is_the_definition() {
    direct_is_the_definition::<Bn254Fr>(7);
    direct_is_the_definition::<Bls12381Fr>(7);
    direct_is_the_definition::<Bls12377Fr>(7);
    direct_is_the_definition::<PastaFp>(7);
    direct_is_the_definition::<PastaFq>(7);
    direct_is_the_definition::<Goldilocks>(7);
    direct_is_the_definition::<ToyFr>(1); // 78 = 2 * 39
}

fn plans_are_direct<F: Form<D>, const D: usize>() {
    for log in MIN_SIZE.ilog2()..=16 {
        let x = bytes(&elements::<F>(1 << log, u64::from(log)));
        let count = if log > 12 { 1 } else { 4 };
        for transform in &four::<F>(log)[..count] {
            let expected = directly(transform, &x);
            for isa in Isa::available() {
                assert!(planned(isa, transform, &x) == expected, "{} 2^{log} {isa}", F::NAME);
            }
        }
    }
}

#[test]
fn plans_agree_with_direct_evaluation_to_the_last_bit_on_every_instruction_set() {
    plans_are_direct::<Bn254Fr, 5>();
    plans_are_direct::<Bls12381Fr, 5>();
    plans_are_direct::<Bls12377Fr, 5>();
    plans_are_direct::<PastaFp, 5>();
    plans_are_direct::<PastaFq, 5>();
    plans_are_direct::<Goldilocks, 2>();
}

/// The values of digits that are as large as they get: all elements p - 1, or all but one 0.
fn extremes<F: Form<D>, const D: usize>() {
    for log in [8, 9, 15] {
        let forward = Transform::<F>::forward(log).unwrap();
        let size = 1 << log;
        let highest = bytes(&vec![-F::ONE; size]);
        let sum = -F::from(size as u64);
        let mut peak = vec![F::ZERO; size];
        peak[0] = sum;
        let flat = bytes(&peak);
        let isa = Isa::best();
        assert!(planned(isa, &forward, &highest) == flat, "{} 2^{log}", F::NAME);
        assert!(planned(isa, &forward.inverse(), &flat) == highest, "{} 2^{log}", F::NAME);
    }
}

#[test]
fn the_highest_elements_make_one_peak() {
    extremes::<Bn254Fr, 5>();
    extremes::<Bls12381Fr, 5>();
    extremes::<Bls12377Fr, 5>();
    extremes::<PastaFp, 5>();
    extremes::<PastaFq, 5>();
    extremes::<Goldilocks, 2>();
}

fn arkworks<F: Form<5>, A: ark_ff::PrimeField + FftField>() {
    for log in 0..=16 {
        let x = bytes(&elements::<F>(1 << log, u64::from(log)));
        let theirs: Vec<A> = x.chunks_exact(32).map(A::from_le_bytes_mod_order).collect();
        let domain = Radix2EvaluationDomain::<A>::new(1 << log).unwrap();
        let coset = domain.get_coset(A::from(11u64)).unwrap();
        let [forward, on_coset, back, coset_back] = four::<F>(log);
        for (ours, inverse, domain) in [(forward, back, domain), (on_coset, coset_back, coset)] {
            let run = |transform: &Transform<F>, x: &[u8]| match 1 << log < MIN_SIZE {
                true => directly(transform, x),
                false => planned(Isa::best(), transform, x),
            };
            let mut values = theirs.clone();
            domain.fft_in_place(&mut values);
            let values: Vec<u8> =
                values.iter().flat_map(|x| x.into_bigint().to_bytes_le()).collect();
            assert!(run(&ours, &x) == values, "{} 2^{log}", F::NAME);
            assert!(run(&inverse, &values) == x, "{} 2^{log}", F::NAME);
        }
    }
}

/// Logarithms of larger sizes: to 19 on the processor's best level, and below it to 18. Of the square and the oblong matrices
/// each number of steps occurs.
fn large() -> RangeInclusive<u32> {
    let whole = Isa::present().last() == Some(&Isa::best());
    17..=if whole { 19 } else { 18 }
}

/// One transform of each of these sizes.
fn arkworks_at<F: Form<5>, A: ark_ff::PrimeField + FftField>(logs: RangeInclusive<u32>) {
    for log in logs {
        let x = bytes(&elements::<F>(1 << log, u64::from(log)));
        let mut values: Vec<A> = x.chunks_exact(32).map(A::from_le_bytes_mod_order).collect();
        Radix2EvaluationDomain::<A>::new(1 << log).unwrap().fft_in_place(&mut values);
        let values: Vec<u8> = values.iter().flat_map(|x| x.into_bigint().to_bytes_le()).collect();
        let forward = Transform::<F>::forward(log).unwrap();
        assert!(planned(Isa::best(), &forward, &x) == values, "{} 2^{log}", F::NAME);
    }
}

#[test]
fn large_sizes_are_right() {
    are_right(large());
}

#[test]
#[ignore = "a minute"]
fn sizes_of_2_to_20_are_right() {
    are_right(20..=20);
}

fn are_right(logs: RangeInclusive<u32>) {
    arkworks_at::<Bn254Fr, ark_bn254::Fr>(logs.clone());
    arkworks_at::<Bls12381Fr, ark_bls12_381::Fr>(logs.clone());
    arkworks_at::<PastaFq, ark_pallas::Fr>(logs.clone());
    for log in logs {
        let x = bytes(&elements::<Goldilocks>(1 << log, u64::from(log)));
        let forward = Transform::<Goldilocks>::forward(log).unwrap();
        let expected = directly(&forward, &x);
        assert!(planned(Isa::best(), &forward, &x) == expected, "goldilocks 2^{log}");
    }
}

/// Some results by their definition, and all by the way back.
fn is_right_where_one_looks<F: Form<D>, const D: usize>(log: u32) {
    let x = elements::<F>(1 << log, u64::from(log));
    let coset = Transform::<F>::forward(log).unwrap().on_coset(F::from(11));
    let x_bytes = bytes(&x);
    let values = planned(Isa::best(), &coset, &x_bytes);
    for k in [0, 1, 12_345, (1 << log) - 1] {
        let place = F::from(11) * coset.root().pow_vartime(&[k as u64]);
        let value = x.iter().rev().fold(F::ZERO, |value, x| value * place + x);
        assert_eq!(&values[k * F::BYTES..][..F::BYTES], value.to_le_bytes().as_ref(), "{k}");
    }
    assert!(planned(Isa::best(), &coset.inverse(), &values) == x_bytes, "{} 2^{log}", F::NAME);
}

#[test]
#[ignore = "minutes, and gigabytes"]
fn the_largest_sizes_are_right() {
    is_right_where_one_looks::<Bn254Fr, 5>(22);
    is_right_where_one_looks::<Bls12381Fr, 5>(23);
    for log in 21..=MAX_LOG_SIZE {
        is_right_where_one_looks::<Goldilocks, 2>(log);
    }
}

/// Every primitive root of a size: butterflies have roots of their own.
#[test]
fn any_root_of_the_right_order_will_do() {
    fn of<F: Form<D>, const D: usize>() {
        for log in 8..=13 {
            let x = bytes(&elements::<F>(1 << log, u64::from(log)));
            for power in [3, 5, 7, 9, 123] {
                let root = F::ROOT_OF_UNITY.unwrap().pow_vartime(&[power]);
                let transform = Transform::<F>::forward_with(log, root).unwrap();
                let expected = directly(&transform, &x);
                assert!(planned(Isa::best(), &transform, &x) == expected, "{} 2^{log}", F::NAME);
            }
        }
    }
    of::<Bn254Fr, 5>();
    of::<Bls12381Fr, 5>();
    of::<Bls12377Fr, 5>();
    of::<PastaFp, 5>();
    of::<PastaFq, 5>();
    of::<Goldilocks, 2>();
}

#[test]
fn every_size_to_two_to_the_sixteenth_is_as_in_arkworks() {
    arkworks::<Bn254Fr, ark_bn254::Fr>();
    arkworks::<Bls12381Fr, ark_bls12_381::Fr>();
    arkworks::<Bls12377Fr, ark_bls12_377::Fr>();
    arkworks::<PastaFp, ark_vesta::Fr>();
    arkworks::<PastaFq, ark_pallas::Fr>();
}

/// Groth16's quotient: of values of a and b, and of c = a b, at the powers of the root, the polynomial
/// h = (a b - c) / (x^n - 1) has the values (a b - c) / -2 on the odd coset, and degree n - 2.
fn quotient<F: Form<D>, const D: usize>(log: u32) {
    let size = 1 << log;
    let root = least_non_residue_root::<F>();
    let domain = Transform::forward_with(log, root).unwrap();
    let odd = domain.on_odd_coset(root).unwrap();
    let [a, b] = [1, 2].map(|seed| elements::<F>(size, seed));
    let c: Vec<F> = a.iter().zip(&b).map(|(a, b)| *a * b).collect();
    let run = |transform: &Transform<F>, x: &[u8]| match size < MIN_SIZE {
        true => directly(transform, x),
        false => planned(Isa::best(), transform, x),
    };
    let [mut h, b, c] = [a, b, c].map(|values| run(&odd, &run(&domain.inverse(), &bytes(&values))));
    a_b_less_c::<F, D>(Isa::best(), &mut h, &b, &c).unwrap();
    let coefficients = run(&odd.inverse(), &h);
    let highest = &coefficients[(size - 1) * F::BYTES..];
    assert!(highest.iter().all(|byte| *byte == 0), "{} 2^{log}", F::NAME);
    assert!(coefficients.iter().any(|byte| *byte != 0), "{} 2^{log}", F::NAME);
}

#[test]
fn the_quotient_of_groth16_has_no_highest_coefficient() {
    for log in [1, 3, 4, 7, 8, 11] {
        quotient::<Bn254Fr, 5>(log);
        quotient::<Bls12381Fr, 5>(log);
        quotient::<Bls12377Fr, 5>(log);
        quotient::<PastaFp, 5>(log);
        quotient::<PastaFq, 5>(log);
        quotient::<Goldilocks, 2>(log);
    }
}

fn a_b_less_c_is_right<F: Form<D>, const D: usize>() {
    for size in [0, 1, 15, 16, 17, 47, 64] {
        let [a, b, c] = [1, 2, 3].map(|seed| elements::<F>(size, seed));
        let expected: Vec<F> = (0..size).map(|i| a[i] * b[i] - c[i]).collect();
        for isa in Isa::available() {
            let mut found = bytes(&a);
            a_b_less_c::<F, D>(isa, &mut found, &bytes(&b), &bytes(&c)).unwrap();
            assert_eq!(found, bytes(&expected), "{} {size} {isa}", F::NAME);
        }
        for wrong in 0..size {
            let mut b = bytes(&b);
            b[wrong * F::BYTES..][..F::BYTES].fill(0xff);
            let refused = a_b_less_c::<F, D>(Isa::best(), &mut bytes(&a), &b, &bytes(&c));
            assert_eq!(refused, Err(NotBelowModulus(wrong)), "{}", F::NAME);
        }
    }
}

#[test]
fn pointwise_is_right_and_names_elements_not_below_the_modulus() {
    a_b_less_c_is_right::<Bn254Fr, 5>();
    a_b_less_c_is_right::<Bls12381Fr, 5>();
    a_b_less_c_is_right::<Bls12377Fr, 5>();
    a_b_less_c_is_right::<PastaFp, 5>();
    a_b_less_c_is_right::<PastaFq, 5>();
    a_b_less_c_is_right::<Goldilocks, 2>();
}

fn what_is_not_below_is_named<F: Form<D>, const D: usize>() {
    let transform = Transform::<F>::forward(9).unwrap();
    let good = bytes(&[-F::ONE; 512]);
    let modulus: Vec<u8> = F::MODULUS.iter().flat_map(|word| word.to_le_bytes()).collect();
    for number in [0, 1, 15, 16, 100, 511] {
        for wrong in [&modulus[..], &vec![0xff; F::BYTES]] {
            let mut x = good.clone();
            x[number * F::BYTES..][..F::BYTES].copy_from_slice(wrong);
            for isa in Isa::available() {
                let plan = Plan::<F, D>::new(isa, &transform).unwrap();
                let refused = plan.run(&x, &mut vec![0; x.len()]);
                assert_eq!(refused, Err(NotBelowModulus(number)), "{} {isa}", F::NAME);
            }
            let refused = direct(&transform, &x, &mut vec![0; x.len()]);
            assert_eq!(refused, Err(NotBelowModulus(number)), "{}", F::NAME);
        }
    }
}

#[test]
fn numbers_that_are_not_below_the_modulus_are_named() {
    what_is_not_below_is_named::<Bn254Fr, 5>();
    what_is_not_below_is_named::<Bls12381Fr, 5>();
    what_is_not_below_is_named::<Bls12377Fr, 5>();
    what_is_not_below_is_named::<PastaFp, 5>();
    what_is_not_below_is_named::<PastaFq, 5>();
    what_is_not_below_is_named::<Goldilocks, 2>();
}

#[test]
fn sizes_that_cannot_be_are_named() {
    assert_eq!(log_size::<Bn254Fr>(1), Ok(0));
    assert_eq!(log_size::<Bn254Fr>(1 << MAX_LOG_SIZE), Ok(MAX_LOG_SIZE));
    for wrong in [0, 3, 24, usize::MAX] {
        assert_eq!(log_size::<Bn254Fr>(wrong), Err(SizeError::NotPowerOfTwo(wrong)));
    }
    let too_large = SizeError::TooLarge { log: 28, most: MAX_LOG_SIZE };
    assert_eq!(log_size::<Goldilocks>(1 << 28), Err(too_large));
    assert_eq!(Transform::<Goldilocks>::forward(28), Err(too_large));
    assert_eq!(log_size::<ToyFr>(4), Err(SizeError::TooLarge { log: 2, most: 1 }));
    assert!(Plan::<Goldilocks, 2>::new(Isa::best(), &Transform::forward(7).unwrap()).is_none());
}

/// 5 in both: the generator of BN254's field, while that of BLS12-381's is 7.
#[test]
fn the_least_non_residue_is_five() {
    fn is_five<F: PrimeField>() -> bool {
        let root = least_non_residue_root::<F>();
        let half = F::TWO_ADICITY - 1;
        assert_eq!((0..half).fold(root, |x, _| x.square()), -F::ONE);
        // t of modulus - 1 = 2^s t.
        let mut t = F::MODULUS.to_vec();
        t[0] -= 1;
        let shift = F::TWO_ADICITY;
        let parts = (0..t.len())
            .map(|i| t[i] >> shift | t.get(i + 1).map_or(0, |above| above << (64 - shift)));
        root == F::from(5).pow_vartime(&parts.collect::<Vec<_>>())
    }
    assert!(is_five::<Bn254Fr>() && is_five::<Bls12381Fr>());
    assert_eq!(Some(least_non_residue_root()), Bn254Fr::ROOT_OF_UNITY);
    assert_ne!(Some(least_non_residue_root()), Bls12381Fr::ROOT_OF_UNITY);
}
