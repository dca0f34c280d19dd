//! How the elements of a field are kept while they are transformed.
//!
//! Eight elements stand in D vectors of digits. There are four kinds of them:
//!
//! - *held*: what is read, and what stands in a tile between the butterflies;
//! - *normal*: [`Form::settled`], with carries; good to multiply;
//! - *factor*: what a normal one is multiplied by. [`Form::factor_digits`] makes them of elements;
//! - *product*: what comes out.
//!
//! A field's butterflies take and leave held elements, for transforms of up to 2^[`MOST_LEVELS`] rows.

use crate::field::PrimeField;
use crate::lanes::{Backend, Mask, Vectors};

use super::passes::{Columns, Rows};
use super::pointwise::ABLessC;
use super::tile::{Eight, PIECE};

mod goldilocks;
mod montgomery;
mod radix_four;

/// Levels of two that a held element can go through.
pub(super) const MOST_LEVELS: u32 = 14;

/// A field whose elements are transformed in D digits.
pub trait Form<const D: usize>: PrimeField {
    /// What an element times this is, as a canonical integer, is the factor; R, if factors are in Montgomery form.
    const FACTOR: Self;
    /// The digits of a factor are shifted by so many bits.
    const FACTOR_SHIFT: u32;

    /// The digits of a number that will be a factor, before their shift: a normal element.
    fn digits(&self) -> [u64; D];

    /// The digits of a factor.
    fn factor_digits(&self) -> [u64; D] {
        self.digits().map(|digit| digit << Self::FACTOR_SHIFT)
    }

    /// The vector, and the lane in it, of an element of a piece.
    fn place(element: usize) -> (usize, usize);

    /// The elements of a piece, held: canonical integers, lowest byte first.
    fn read<B: Backend>(b: B, piece: &[u8]) -> [[B::V; D]; 2];

    /// The elements of as many pieces as a piece has elements, one below the other, a column after the other.
    fn read_columns<B: Backend>(
        b: B,
        pieces: &[&mut [u8]; PIECE],
        columns: &mut [Eight<D>; 2 * PIECE],
    );

    /// Where elements that were just read are below the modulus.
    fn below<B: Backend>(b: B, read: [B::V; D]) -> Mask;

    /// Writes normal elements as numbers that fit into their bytes, if they are products by a factor made of an element, or
    /// of two.
    fn write<B: Backend>(b: B, normal: [[B::V; D]; 2], piece: &mut [u8]);

    /// Writes normal elements as the numbers below the modulus that they are.
    fn write_canonical<B: Backend>(b: B, normal: [[B::V; D]; 2], piece: &mut [u8]);

    /// A held element with carries.
    fn settled<B: Backend>(b: B, held: [B::V; D]) -> [B::V; D];

    /// Products of normal elements and factors, side by side.
    fn multiply<B: Backend, const N: usize>(
        b: B,
        normal: [&[B::V; D]; N],
        factor: [&[B::V; D]; N],
    ) -> [[B::V; D]; N];

    /// held - product.
    fn minus<B: Backend>(b: B, held: &[B::V; D], product: &[B::V; D]) -> [B::V; D];

    /// A product as a held element.
    fn held<B: Backend>(b: B, product: [B::V; D]) -> [B::V; D];

    /// A product as a normal element.
    fn normal<B: Backend>(b: B, product: [B::V; D]) -> [B::V; D];

    /// A normal element as a factor.
    fn factor<B: Backend>(b: B, normal: [B::V; D]) -> [B::V; D];

    /// The logarithm of the largest radix of [`Form::butterflies`].
    const MOST_LOG_RADIX: u32;

    /// The root of unity of order r that butterflies of radix r are made for: the one given, or another.
    fn butterfly_root(given: Self) -> Self;

    /// The r - 1 factors of a butterfly of radix r whose inputs x_j are to be multiplied by t^j, with that root.
    fn butterfly_factors(t: Self, root: Self, log_radix: u32) -> Vec<Self>;

    /// Butterflies of radix r: of r blocks of rows, one after the other, and their factors. Block k of the result is the sum
    /// over j of root^(j k) t^j times block j. They are *plain* where t is 1 and the rows have just been read.
    fn butterflies<B: Backend>(
        b: B,
        rows: &mut [Eight<D>],
        factors: &[[u64; D]],
        log_radix: u32,
        plain: bool,
    );

    /// The first pass of a tile. This and the three that follow are kernels, compiled here, once for each field.
    fn first_pass(vectors: Vectors, pass: Columns<'_, Self, D>) -> bool;

    /// The second pass of a tile.
    fn second_pass(vectors: Vectors, pass: Rows<'_, '_, Self, D>);

    /// Are all of these below the modulus? Whole pieces.
    fn are_below(vectors: Vectors, lists: [&[u8]; 3]) -> bool;

    /// a := a b - c, in whole pieces.
    fn a_b_less_c(vectors: Vectors, lists: ABLessC<'_, Self, D>);
}

/// The kernels of a field, for its [`Form`].
macro_rules! kernels {
    ($digits:literal) => {
        fn first_pass(vectors: Vectors, pass: Columns<'_, Self, $digits>) -> bool {
            run(vectors, pass)
        }

        fn second_pass(vectors: Vectors, pass: Rows<'_, '_, Self, $digits>) {
            run(vectors, pass)
        }

        fn are_below(vectors: Vectors, lists: [&[u8]; 3]) -> bool {
            run(vectors, Below(lists, PhantomData::<Self>))
        }

        fn a_b_less_c(vectors: Vectors, lists: ABLessC<'_, Self, $digits>) {
            run(vectors, lists)
        }
    };
}
use kernels;
