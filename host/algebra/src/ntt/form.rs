//! How the elements of a field are kept while they are transformed.
//!
//! Eight elements stand in D vectors of digits. There are four kinds of them:
//!
//! - *held*: between the butterflies. Sums and differences are taken digit by digit, with no carry;
//! - *normal*: [`Form::settled`], with carries; good to multiply;
//! - *factor*: what a normal one is multiplied by. [`Form::factor_digits`] makes them of elements;
//! - *product*: what comes out. It, or a normal one that was read, may be added to or subtracted from a held one, once
//!   for each of [`MOST_LEVELS`].

use crate::field::PrimeField;
use crate::lanes::{Backend, Mask};

use super::tile::{Eight, PIECE};

mod goldilocks;
mod montgomery;

/// Additions or subtractions that a held element takes.
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
    fn read_columns<B: Backend>(b: B, pieces: &[u8], columns: &mut [Eight<D>; 2 * PIECE]);

    /// Where elements that were just read are below the modulus.
    fn below<B: Backend>(b: B, read: [B::V; D]) -> Mask;

    /// Writes elements that are [`Form::exact`] or [`Form::canonical`].
    fn write<B: Backend>(b: B, exact: [[B::V; D]; 2], piece: &mut [u8]);

    /// A held element with carries.
    fn settled<B: Backend>(b: B, held: [B::V; D]) -> [B::V; D];

    /// Products of normal elements and factors, side by side.
    fn multiply<B: Backend, const N: usize>(
        b: B,
        normal: [&[B::V; D]; N],
        factor: [&[B::V; D]; N],
    ) -> [[B::V; D]; N];

    /// held + product.
    #[inline(always)]
    fn plus<B: Backend>(b: B, held: &[B::V; D], product: &[B::V; D]) -> [B::V; D] {
        crate::lanes::each!(j < D, held[0] => b.add(held[j], product[j]))
    }

    /// held - product.
    fn minus<B: Backend>(b: B, held: &[B::V; D], product: &[B::V; D]) -> [B::V; D];

    /// A product as a held element.
    fn held<B: Backend>(b: B, product: [B::V; D]) -> [B::V; D];

    /// A product as a normal element.
    fn normal<B: Backend>(b: B, product: [B::V; D]) -> [B::V; D];

    /// A normal element as a factor.
    fn factor<B: Backend>(b: B, normal: [B::V; D]) -> [B::V; D];

    /// A normal element that fits into its bytes. It has to be a product by a factor made of an element, or of two.
    fn exact<B: Backend>(b: B, normal: [B::V; D]) -> [B::V; D];

    /// The number below the modulus that a normal element is.
    fn canonical<B: Backend>(b: B, normal: [B::V; D]) -> [B::V; D];
}
