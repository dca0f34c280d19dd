//! Lanes against the scalar fields.

use proofmill_algebra::Isa;
use proofmill_algebra::field::*;
use proofmill_algebra::lanes::{self, Lanes, Prime};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;

fn elements<P: PrimeField>(rng: &mut ChaCha20Rng, count: usize) -> Vec<P> {
    let shift = P::from(1 << 32).square();
    (0..count)
        .map(|i| match i % 11 {
            3 => P::ZERO,
            5 => -P::ONE,
            7 => P::ONE,
            _ => (0..7).fold(P::ZERO, |x, _| x * shift + P::from(rng.random::<u64>())),
        })
        .collect()
}

fn agree<P: Prime<L>, const L: usize>() {
    let seed = rand::rng().random();
    println!("{} in {L} limbs, seed {seed}", P::NAME);
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    for vectors in Isa::available().into_iter().filter_map(Isa::vectors) {
        // No vector, a part of one, an even number of them and an odd one.
        for count in [0, 1, 7, 8, 9, 16, 203] {
            let (x, y): (Vec<P>, Vec<P>) = (elements(&mut rng, count), elements(&mut rng, count));
            let xs: Vec<Lanes<P, L>> = lanes::from_elements(vectors, &x);
            let ys: Vec<Lanes<P, L>> = lanes::from_elements(vectors, &y);
            let check = |what: &str, f: &dyn Fn(&mut [Lanes<P, L>]), scalar: &dyn Fn(P, P) -> P| {
                let mut results = vec![Lanes::ZERO; xs.len()];
                f(&mut results);
                let mut found = vec![P::ZERO; count];
                lanes::to_elements(vectors, &results, &mut found);
                for (i, found) in found.iter().enumerate() {
                    assert_eq!(
                        *found,
                        scalar(x[i], y[i]),
                        "{what} of {:?} {:?} {vectors:?}",
                        x[i],
                        y[i]
                    );
                }
            };
            check("x", &|z| z.copy_from_slice(&xs), &|x, _| x);
            check("x y", &|z| lanes::mul(vectors, &xs, &ys, z), &|x, y| x * y);
            check("x^2", &|z| lanes::square(vectors, &xs, z), &|x, _| x.square());
            check("x + y", &|z| lanes::add(vectors, &xs, &ys, z), &|x, y| x + y);
            check("x - y", &|z| lanes::sub(vectors, &xs, &ys, z), &|x, y| x - y);
            let inverse = |x: P, _| x.invert_vartime().unwrap_or(P::ZERO);
            check(
                "1/x",
                &|z| {
                    z.copy_from_slice(&xs);
                    lanes::invert(vectors, z);
                },
                &inverse,
            );
        }
    }
}

#[test]
fn lanes_and_scalar_fields_agree() {
    // The unit tests hold the kernels of all fields to integers; these have all that differs in the functions.
    agree::<ToyFp, 1>();
    agree::<Bls12381Fr, 5>();
    agree::<Bls12381Fp, 8>();
}

#[test]
fn slices_of_two_lengths_are_a_bug() {
    for vectors in Isa::available().into_iter().filter_map(Isa::vectors) {
        let two_lengths = || {
            let x = [Lanes::<ToyFp, 1>::ZERO; 2];
            lanes::mul(vectors, &x, &x[..1], &mut [Lanes::ZERO; 2]);
        };
        let panic = std::panic::catch_unwind(two_lengths).unwrap_err();
        assert_eq!(panic.downcast_ref(), Some(&"slices of one length"));
    }
}
