//! Number-theoretic transforms against their definition, against each other and against arkworks.

use proofmill_algebra::Isa;
use proofmill_algebra::field::{Bls12381Fr, Bn254Fr, Field, Goldilocks, PrimeField};
use proofmill_algebra::ntt::{Form, LEAST_SIZE, Plan, Transform, direct};

/// Elements of all bits, canonical bytes, 0 and p - 1 among them.
fn elements<F: PrimeField>(size: usize, seed: u64) -> Vec<u8> {
    let mut x = F::from(seed).square() + F::from(1 << 63).square();
    let mut bytes = Vec::with_capacity(size * F::BYTES);
    for i in 0..size {
        x = x.square() + F::from(seed);
        let element = match i % 29 {
            3 => F::ZERO,
            7 => -F::ONE,
            _ => x,
        };
        bytes.extend(element.to_le_bytes().as_ref());
    }
    bytes
}

fn planned<F: Form<D>, const D: usize>(isa: Isa, transform: &Transform<F>, x: &[u8]) -> Vec<u8> {
    let plan = Plan::<F, D>::new(transform).unwrap();
    let (mut between, mut found) = (vec![0; x.len()], vec![0; x.len()]);
    plan.run(isa, x, &mut between, &mut found).unwrap();
    found
}

fn plans_are_direct<F: Form<D>, const D: usize>() {
    let g = F::from(11);
    for log in LEAST_SIZE.ilog2()..13 {
        let forward = Transform::<F>::forward(log).unwrap();
        let coset = forward.on_coset(g);
        for transform in [forward, coset, forward.inverse(), coset.inverse()] {
            let x = elements::<F>(1 << log, u64::from(log));
            let mut expected = vec![0; x.len()];
            direct(&transform, &x, &mut expected).unwrap();
            for isa in Isa::available() {
                let found = planned::<F, D>(isa, &transform, &x);
                assert!(found == expected, "{} 2^{log} {isa}", F::NAME);
            }
        }
    }
}

#[test]
fn plans_compute_what_the_obvious_way_does() {
    plans_are_direct::<Bn254Fr, 5>();
    plans_are_direct::<Bls12381Fr, 5>();
    plans_are_direct::<Goldilocks, 2>();
}
