//! One hash at a time, with 64-bit limbs: an integer x is read as the element whose Montgomery form is x.

use super::Scalar;
use super::arithmetic::{Arithmetic, Bytes, MAX_LANES};
use super::table::{Table, Tables};
use crate::field::{DecodeError, Field, PrimeField};
use crate::once::Once;

/// The arithmetic that every CPU supports.
#[derive(Clone, Copy, Debug)]
pub struct Words;

/// The integer of an element in a word's form.
fn read(integer: [u64; 4]) -> Option<Scalar> {
    Scalar::from_montgomery(integer).into()
}

/// Returns whether the bytes encode an element.
pub fn is_element(bytes: &Bytes) -> bool {
    !matches!(Scalar::from_le_bytes(bytes), Err(DecodeError::NotReduced))
}

impl Arithmetic for Words {
    type X = Scalar;
    type Constant = Scalar;

    const LANES: usize = 1;

    fn product_factor() -> Scalar {
        read([1, 0, 0, 0]).expect("1")
    }

    fn combination_factor() -> Scalar {
        let word = Scalar::from(1 << 32).square();
        word.invert_vartime().expect("2^64")
    }

    fn constant(number: &Scalar) -> Scalar {
        read(number.to_canonical()).expect("an integer below the modulus")
    }

    fn table(tables: &Tables) -> &Once<Table<Scalar>> {
        &tables.words
    }

    #[inline(always)]
    fn splat(self, constant: &Scalar) -> Scalar {
        *constant
    }

    #[inline(always)]
    fn read(self, lanes: &[&Bytes; MAX_LANES]) -> (Scalar, bool) {
        let (words, _) = lanes[0].as_chunks();
        let element = read(std::array::from_fn(|i| u64::from_le_bytes(words[i])));
        (element.unwrap_or(Scalar::ZERO), element.is_some())
    }

    #[inline(always)]
    fn write(self, product: &Scalar, lanes: &mut [Bytes; MAX_LANES]) {
        let (words, _) = lanes[0].as_chunks_mut();
        for (word, limb) in words.iter_mut().zip(product.to_montgomery()) {
            *word = limb.to_le_bytes();
        }
    }

    #[inline(always)]
    fn sum(self, x: &Scalar, y: &Scalar) -> Scalar {
        *x + y
    }

    #[inline(always)]
    fn product(self, x: &Scalar, y: &Scalar) -> Scalar {
        *x * y
    }

    #[inline(always)]
    fn square(self, x: &Scalar) -> Scalar {
        x.square()
    }

    #[inline(always)]
    fn combination(self, terms: &[Scalar], factors: &[u64], plus: Option<&Scalar>) -> Scalar {
        let sum = Scalar::combination(terms, factors);
        plus.map_or(sum, |constant| sum + constant)
    }
}
