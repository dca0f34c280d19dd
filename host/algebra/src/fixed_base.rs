//! Multiples of one base by many scalars, for the generation of keys.
//!
//! ```text
//! k B = sum over w of d_w (2^(c w) B)      d_w: digits of k in [-2^(c-1), 2^(c-1)], one a window of c bits
//! ```
//!
//! All d 2^(c w) B with d from 1 to 2^(c-1) are in a table (Brickell, Gordon, McCurley, Wilson, "Fast exponentiation
//! with precomputation", EUROCRYPT 1992, with signed digits): a multiple is as many additions as there are windows, and
//! these are made in batches of [`BATCH`], eight lanes wide.

mod digits;
mod table;

use crate::curve::Affine;
use crate::field::PrimeField;
use crate::isa::Isa;
use crate::lanes::affine::{Addition, BATCH, Point};
use crate::msm::{Group, Stored};
use digits::Windows;

/// A base with the table of its multiples. Threads may share it.
pub struct FixedBase<C: Group> {
    windows: Windows,
    /// d 2^(c w) B at (d - 1) windows + w.
    table: Vec<Stored<C>>,
}

impl<C: Group> FixedBase<C> {
    /// Computes a table for about this number of scalars.
    pub fn new(isa: Isa, base: &Affine<C>, scalars: usize) -> Self {
        Self::with_windows(isa, base, Windows::best(C::Scalar::BITS, scalars))
    }

    fn with_windows(isa: Isa, base: &Affine<C>, windows: Windows) -> Self {
        Self { windows, table: table::new(isa, base, windows) }
    }

    /// k B for every k, in a time that depends on the scalars.
    pub fn multiples_vartime(&self, isa: Isa, scalars: &[C::Scalar]) -> Vec<Stored<C>> {
        let mut multiples = vec![Point::IDENTITY; scalars.len()];
        for (scalars, multiples) in scalars.chunks(BATCH).zip(multiples.chunks_mut(BATCH)) {
            self.batch(isa, scalars, multiples);
        }
        multiples
    }

    /// The same for at most [`BATCH`] scalars: window after window, the multiples being the buckets.
    fn batch(&self, isa: Isa, scalars: &[C::Scalar], multiples: &mut [Stored<C>]) {
        let count = self.windows.count;
        let mut digits = Vec::with_capacity(scalars.len() * count);
        for scalar in scalars {
            digits.extend(self.windows.digits(scalar.to_canonical().as_ref()));
        }
        let mut additions = Vec::with_capacity(scalars.len());
        for window in 0..count {
            let digits = (0..).zip(digits[window..].iter().step_by(count));
            additions.clear();
            additions.extend(digits.filter(|(_, digit)| **digit != 0).map(|(multiple, digit)| {
                let entry = (digit.unsigned_abs() as usize - 1) * count + window;
                Addition::new(multiple, entry as u32, *digit < 0)
            }));
            if window == 0 {
                C::assign(isa, multiples, &self.table, &additions);
            } else {
                C::add_assign_vartime(isa, multiples, &self.table, &additions);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::{Curve, Projective};
    use crate::toy::Toy;
    use crate::{bls12_381, bn254};

    /// Multiples of the generator by all these scalars, with windows of every width up to 7, are right.
    fn examine<C: Group>(scalars: &[C::Scalar]) {
        let generator = Projective::<C>::generator();
        let expected: Vec<_> = scalars.iter().map(|k| generator.times_vartime(k)).collect();
        let expected: Vec<_> =
            Affine::batch(&expected).iter().map(|point| [point.x(), point.y()]).collect();
        for isa in Isa::available() {
            for bits in 1..=7 {
                let windows = Windows::of_bits(C::Scalar::BITS, bits);
                let base = FixedBase::<C>::with_windows(isa, &C::GENERATOR, windows);
                let found = base.multiples_vartime(isa, scalars);
                assert!(Point::to_coordinates(isa, &found) == expected, "{} {bits}", C::NAME);
            }
        }
    }

    fn examples<F: PrimeField>() -> Vec<F> {
        let half = -F::from(2).invert_vartime().expect("2 is not 0");
        let small = [0, 1, 2, 3, 63, 64, 65, u64::MAX].map(F::from);
        small.into_iter().chain([half, half.square()]).flat_map(|k| [k, -k]).collect()
    }

    #[test]
    fn every_multiple_of_the_toy() {
        let order = <Toy as Curve>::Scalar::MODULUS[0];
        let all: Vec<_> = (0..order).map(<Toy as Curve>::Scalar::from).collect();
        examine::<Toy>(&all);
    }

    #[test]
    fn multiples_of_both_groups() {
        examine::<bn254::G1>(&examples());
        examine::<bls12_381::G2>(&examples());
    }

    /// On emulated lanes these take longest to compile, and differ from the others in constants only.
    #[cfg(any(kernels_of_limbs, feature = "emulation"))]
    #[test]
    fn multiples_of_the_other_groups() {
        examine::<bn254::G2>(&examples());
        examine::<bls12_381::G1>(&examples());
    }

    #[test]
    fn more_than_a_batch() {
        let scalars: Vec<_> = (0..BATCH as u64 + 9).map(bn254::Fr::from).collect();
        let base = FixedBase::<bn254::G1>::new(Isa::best(), &bn254::G1::GENERATOR, 40);
        let found = base.multiples_vartime(Isa::best(), &scalars);
        let expected = crate::msm::multiples::<bn254::G1>(0, scalars.len());
        let expected: Vec<_> = expected.iter().map(|point| [point.x(), point.y()]).collect();
        assert!(Point::to_coordinates(Isa::best(), &found) == expected);
        assert!(base.multiples_vartime(Isa::best(), &[]).is_empty());
    }
}
