//! Every operation against the field one by one, on every backend.

use super::*;
use crate::field::{Bls12377Fp, Bls12381Fp, Bn254Fp};
use crate::lanes::{Kernel, all_vectors, run};

/// Sums that exceed the range again and again, and products of their results.
struct Everything<P, const L: usize>([[P; WIDTH]; 2]);

/// Steps, and the factors in each.
const STEPS: u32 = 12;
const FACTORS: [u32; 4] = [3, 1, 2, 5];

impl<P: Prime<L>, const L: usize> Kernel for Everything<P, L> {
    type Output = Vec<[P; WIDTH]>;

    #[inline(always)]
    fn run<B: Backend>(self, b: B) -> Self::Output {
        let [x, y] = self.0;
        let mut x = Lazy::<B, P, L>::from_elements(b, &x);
        let mut y = Lazy::<B, P, L>::from_elements(b, &y);
        let mut found = Vec::new();
        let [i, j, k, l] = FACTORS;
        for step in 0..STEPS {
            x = Lazy::sum(i, &x, j, &y);
            y = Lazy::difference(k, &y, l, &x);
            let [product] = Lazy::products([&x], [&y]);
            let [c0, c1] = Lazy::product_of_pairs([&x, &y], [&y, &product], step % 6);
            let chosen = c0.select(0b0110_0101, &c1);
            for element in [&x, &y, &product, &c0, &c1, &chosen] {
                found.push(element.to_elements());
            }
        }
        found
    }
}

fn wanted<P: Prime<L>, const L: usize>(mut x: P, mut y: P, lane: usize) -> Vec<P> {
    let mut wanted = Vec::new();
    let [i, j, k, l] = FACTORS.map(|factor| P::from(factor.into()));
    for step in 0..STEPS {
        x = i * x + j * y;
        y = k * y - l * x;
        let product = x * y;
        let c0 = x * y - P::from((step % 6).into()) * y * product;
        let c1 = x * product + y * y;
        let chosen = if 0b0110_0101 >> lane & 1 == 1 { c1 } else { c0 };
        wanted.extend([x, y, product, c0, c1, chosen]);
    }
    wanted
}

fn as_one_by_one<P: Prime<L>, const L: usize>() {
    let minus_one = -P::ONE;
    let x =
        [P::ZERO, P::ONE, minus_one, minus_one.double(), P::from(7), P::ZERO, P::ONE, -P::from(5)];
    let y = [P::ZERO, minus_one, P::ONE, minus_one, P::from(1 << 40), P::ONE, P::ONE, minus_one];
    for vectors in all_vectors() {
        let found = run(vectors, Everything::<P, L>([x, y]));
        for lane in 0..WIDTH {
            let found: Vec<P> = found.iter().map(|elements| elements[lane]).collect();
            assert_eq!(found, wanted::<P, L>(x[lane], y[lane], lane), "{vectors:?}, lane {lane}");
        }
    }
}

/// (1 + 32 p + 32 p u) (-u / R): the sum of the two exceeds the range of sums, and if it were reduced, the coefficient of u would
/// be negative.
struct Crossed<P, const L: usize>(P);

impl<P: Prime<L>, const L: usize> Kernel for Crossed<P, L> {
    type Output = [P; WIDTH];

    #[inline(always)]
    fn run<B: Backend>(self, b: B) -> [P; WIDTH] {
        let one = Lazy::<B, P, L>::from_elements(b, &[P::ONE; WIDTH]);
        let nought = Lazy::from_elements(b, &[P::ZERO; WIDTH]);
        let factor = Lazy::from_elements(b, &[self.0; WIDTH]);
        let multiple = Lazy::difference(1, &one, 1, &one);
        let x1 = Lazy::sum(16, &multiple, 0, &multiple);
        let x0 = Lazy::sum(1, &one, 1, &x1);
        let [_, c1] = Lazy::product_of_pairs([&x0, &x1], [&nought, &factor], 1);
        c1.to_elements()
    }
}

fn is_not_negative<P: Prime<L>, const L: usize>() {
    let r = (0..LIMB_BITS * L as u32).fold(P::ONE, |power, _| power.double());
    let factor = -r.invert_vartime().expect("R is not 0");
    for vectors in all_vectors() {
        assert_eq!(run(vectors, Crossed::<P, L>(factor)), [factor; WIDTH], "{vectors:?}");
    }
}

#[test]
fn sums_that_are_multiplied_are_not_reduced() {
    is_not_negative::<Bls12381Fp, 8>();
    is_not_negative::<Bls12377Fp, 8>();
}

#[test]
fn lazy_elements_are_those_of_the_field() {
    as_one_by_one::<Bn254Fp, 5>();
    as_one_by_one::<Bls12381Fp, 8>();
    as_one_by_one::<Bls12377Fp, 8>();
}
