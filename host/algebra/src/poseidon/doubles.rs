//! Eight hashes at a time, with floating-point limbs. A combination subtracts a multiple of r instead of dividing.

use super::Scalar;
use super::arithmetic::{Arithmetic, Bytes, MAX_LANES};
use super::table::{Table, Tables};
use crate::field::{Field, PrimeField};
use crate::lanes::{Doubles, Fma, Mask, WIDTH, each};
use crate::once::Once;

/// Digits, of 51 bits.
const L: usize = 5;

impl Arithmetic for Fma {
    type X = Doubles<Scalar, L>;
    type Constant = [f64; L];

    const LANES: usize = WIDTH;

    /// 1 / 2^255.
    fn product_factor() -> Scalar {
        let digit = Scalar::from(1 << 51);
        let r = digit.square().square() * digit;
        r.invert_vartime().expect("2^255")
    }

    fn combination_factor() -> Scalar {
        Scalar::ONE
    }

    fn constant(number: &Scalar) -> [f64; L] {
        Doubles::<Scalar, L>::digits_of(&number.to_canonical())
    }

    fn table(tables: &Tables) -> &Once<Table<[f64; L]>> {
        &tables.doubles
    }

    #[inline(always)]
    fn splat(self, constant: &[f64; L]) -> Doubles<Scalar, L> {
        Doubles::splat(self, constant)
    }

    #[inline(always)]
    fn read(self, lanes: &[&Bytes; MAX_LANES]) -> (Doubles<Scalar, L>, bool) {
        let (x, below) = Doubles::of_plain(self, each!(i < WIDTH, lanes[0] => lanes[i]));
        (x, below == Mask::MAX)
    }

    #[inline(always)]
    fn write(self, product: &Doubles<Scalar, L>, lanes: &mut [Bytes; MAX_LANES]) {
        let (first, _) = lanes.split_first_chunk_mut().expect("there are more lanes");
        product.to_plain(first.each_mut());
    }

    #[inline(always)]
    fn sum(self, x: &Doubles<Scalar, L>, y: &Doubles<Scalar, L>) -> Doubles<Scalar, L> {
        x.reduced_sum(y)
    }

    #[inline(always)]
    fn product(self, x: &Doubles<Scalar, L>, y: &Doubles<Scalar, L>) -> Doubles<Scalar, L> {
        x.product(y)
    }

    #[inline(always)]
    fn square(self, x: &Doubles<Scalar, L>) -> Doubles<Scalar, L> {
        x.squared()
    }

    #[inline(always)]
    fn combination(
        self,
        terms: &[Doubles<Scalar, L>],
        factors: &[u64],
        plus: Option<&[f64; L]>,
    ) -> Doubles<Scalar, L> {
        Doubles::combination(terms, factors, plus.unwrap_or(&[0.0; L]))
    }
}
