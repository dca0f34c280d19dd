//! The fields of the coordinates of stored points: a prime field, or a quadratic extension of one.

use std::fmt::Debug;

use super::point::Point;
use crate::field::Field;
use crate::lanes::backend::{Mask, WIDTH};
use crate::lanes::machine::Machine;

/// The field of the coordinates, with the way in which a point lies in memory.
pub trait Coordinate: Copy + Debug + Send + Sync + 'static {
    /// One coordinate by itself.
    type Element: Field;
    /// A point in memory: whole vectors of 64 bytes.
    type Rows: Copy + Send + Sync;
    /// The rows of (0, 0).
    const ZERO: Self::Rows;
    /// The coordinates of a point that scalar code wrote.
    fn read(rows: &Self::Rows) -> [Self::Element; 2];
    /// A point as scalar code writes it. Lanes have another form: whoever wrote a point has to read it.
    fn write(coordinates: [Self::Element; 2], rows: &mut Self::Rows);
    /// The lowest word of x in a point that scalar code wrote.
    fn lowest_word(rows: &Self::Rows) -> u64;
    /// A coordinate from Montgomery form, R = 2^(64 W), and its integers in place of it; none if one is not below the
    /// modulus.
    fn take_montgomery(words: &mut [u64]) -> Option<Self::Element>;

    /// Eight coordinates in registers.
    type Held<M: Machine>: Residue<M, Element = Self::Element>;

    /// Prefetches a point.
    fn prefetch<M: Machine>(m: M, rows: &Self::Rows);
    /// Loads x and y of eight points, in the order requested.
    fn gather<M: Machine>(m: M, points: [&Self::Rows; WIDTH], to: [&mut Self::Held<M>; 2]);
    /// Returns the factor of [`Coordinate::take_word_form`].
    fn from_word_form<M: Machine>(m: M) -> Self::Held<M>;
    /// Eight points' x and y in Montgomery form with R = 2^(64 W), rows of words, which become canonical; and where they are
    /// wanted. Lanes of the mask were not below the modulus: what comes of them is of no use.
    fn take_word_form<M: Machine>(
        m: M,
        form: &Self::Held<M>,
        rows: &mut [[u64; WIDTH]],
        to: [&mut Self::Held<M>; 2],
    ) -> Mask;
    /// The point of lane i to the i-th place among the points; lanes without a place are lost.
    fn scatter<M: Machine>(
        m: M,
        xy: &[Self::Held<M>; 2],
        points: &mut [Point<Self>],
        places: &[usize],
    );
}

/// Eight elements below 2p, or in an extension eight with such coefficients. `[Self; 2]` are two vectors side by side,
/// which keep the multipliers busier than one.
pub trait Residue<M: Machine>: Copy {
    /// One of the eight by itself.
    type Element: Field;
    /// A sum or a difference of two, below 4p: good to multiply with, too large to add again.
    type Sum: Copy;
    /// Eight elements in memory.
    type AtRest: Copy;

    /// The number that is inverted for an element: itself, or its norm, since products of norms are cheaper.
    type Norm: Residue<M>;
    /// The stored form of a norm.
    type KeptNorm: Copy;
    /// One that is not written yet.
    const BLANK_NORM: Self::KeptNorm;

    /// Eight zeros in memory.
    const BLANK: Self::AtRest;

    /// Zero in every lane.
    fn zero(m: M) -> Self;
    /// One in every lane.
    fn one(m: M) -> Self;
    /// Reads from memory.
    fn load(m: M, at_rest: &Self::AtRest) -> Self;
    /// Writes to memory.
    fn store(&self, at_rest: &mut Self::AtRest);
    /// Converts from elements.
    fn from_elements(m: M, elements: &[Self::Element; WIDTH]) -> Self;
    /// Converts to elements.
    fn to_elements(&self) -> [Self::Element; WIDTH];

    /// x - y.
    fn less(&self, y: &Self) -> Self::Sum;
    /// x + y.
    fn plus(&self, y: &Self) -> Self::Sum;
    /// -x.
    fn negative(&self) -> Self;
    /// Converts to a sum.
    fn widened(&self) -> Self::Sum;
    /// Returns the same residue below 2p.
    fn reduced(sum: &Self::Sum) -> Self;
    /// self - x, or -self - x in the lanes of the mask.
    fn signed_less(&self, negated: Mask, x: &Self) -> Self::Sum;
    /// x - y - z.
    fn less_both(&self, y: &Self, z: &Self) -> Self;

    /// Products.
    fn products(x: [&Self; 2], y: [&Self; 2]) -> [Self; 2];
    /// Products with sums.
    fn products_with(x: [&Self; 2], y: [&Self::Sum; 2]) -> [Self; 2];
    /// Squares.
    fn squares(x: [&Self; 2]) -> [Self; 2];
    /// 1/x, and 0 where x = 0, in a time that depends on x.
    fn inverse_vartime(&self) -> Self;

    /// Norms, which are kept.
    fn norms(
        x: [&Self::Sum; 2],
        kept: &mut [Self::KeptNorm; 2],
    ) -> [<Self::Norm as Residue<M>>::Sum; 2];
    /// The same again.
    fn kept_norms(
        m: M,
        x: [&Self::Sum; 2],
        kept: &[Self::KeptNorm; 2],
    ) -> [<Self::Norm as Residue<M>>::Sum; 2];
    /// 1/x from 1/norm.
    fn inverses_by_norms(x: [&Self::Sum; 2], inverses: [&Self::Norm; 2]) -> [Self; 2];

    /// y in the lanes of the mask, x in the others.
    fn select(&self, mask: Mask, y: &Self) -> Self;
    /// y in the lanes of the mask, x in the others.
    fn select_sum(x: &Self::Sum, mask: Mask, y: &Self::Sum) -> Self::Sum;
    /// Returns the mask of the lanes where x = 0 in the field.
    fn is_zero(&self) -> Mask;
    /// Returns the mask of the lanes where x may be 0 in the field: it contains all zeros, and one in 2^50 other elements.
    fn may_be_zero(&self) -> Mask;
    /// [`Residue::may_be_zero`] of a sum.
    fn sum_may_be_zero(sum: &Self::Sum) -> Mask;

    /// Returns the mask of the lanes where x = y in the field.
    #[inline(always)]
    fn equals(&self, y: &Self) -> Mask {
        Self::reduced(&self.less(y)).is_zero()
    }
}
