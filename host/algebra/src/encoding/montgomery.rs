//! Affine points with coordinates in Montgomery form, R = 2^(64 W) for a modulus of W words, little-endian; zeros are the
//! identity. It is the form of many a file of keys, millions of points long: with vectors, eight are read at a time.

use std::marker::PhantomData;

use super::{EncodingError, pair};
use crate::field::Field;
use crate::isa::Isa;
use crate::lanes::affine::{Coordinate as _, Residue};
use crate::lanes::{Machine, Mask, Task, WIDTH, both, perform};
use crate::msm::Group;

/// Words of the longest point: two coordinates over Fp2 with six each.
const WORDS: usize = 24;
/// Points under way at a time: eight in the lanes of each of two vectors.
const STEP: usize = 2 * WIDTH;

/// Writes points in the form of [`pair`]. They must be on the curve; the subgroup is not checked. An error contains
/// the number of the first invalid point, with [`EncodingError::NotReduced`] or [`EncodingError::NotOnCurve`]; the content
/// of `pairs` is then unspecified.
///
/// The slices have the same length, that of a whole number of points; anything else is a bug of the caller.
pub fn to_pairs<C: Group>(
    isa: Isa,
    points: &[u8],
    pairs: &mut [u8],
) -> Result<(), (usize, EncodingError)> {
    C::to_pairs(isa, points, pairs)
}

/// The same, for [`Group::to_pairs`].
pub(crate) fn group_to_pairs<C: Group>(
    isa: Isa,
    points: &[u8],
    pairs: &mut [u8],
) -> Result<(), (usize, EncodingError)> {
    assert!(points.len() == pairs.len() && points.len().is_multiple_of(pair::bytes::<C>()));
    match isa.machine() {
        Some(machine) => perform(machine, ToPairs::<C> { points, pairs, curve: PhantomData }),
        None => one_by_one::<C>(points, pairs),
    }
}

fn one_by_one<C: Group>(points: &[u8], pairs: &mut [u8]) -> Result<(), (usize, EncodingError)> {
    let each = pair::bytes::<C>();
    let mut words = [0; WORDS];
    let words = &mut words[..each / 8];
    let points = points.chunks_exact(each).zip(pairs.chunks_exact_mut(each));
    for (number, (point, pair)) in points.enumerate() {
        for (word, bytes) in words.iter_mut().zip(point.as_chunks().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        let (x, y) = words.split_at_mut(each / 16);
        let x = C::Coordinates::take_montgomery(x);
        let y = C::Coordinates::take_montgomery(y);
        let (Some(x), Some(y)) = (x, y) else {
            return Err((number, EncodingError::NotReduced));
        };
        let is_identity = x == C::Base::ZERO && y == C::Base::ZERO;
        if !is_identity && y.square() != x.square() * x + C::B {
            return Err((number, EncodingError::NotOnCurve));
        }
        for (bytes, word) in pair.as_chunks_mut().0.iter_mut().zip(&*words) {
            *bytes = word.to_le_bytes();
        }
    }
    Ok(())
}

struct ToPairs<'a, C> {
    points: &'a [u8],
    pairs: &'a mut [u8],
    curve: PhantomData<C>,
}

/// A row a word, a lane a point.
type Rows = [[u64; WIDTH]; WORDS];

impl<C: Group> Task for ToPairs<'_, C> {
    type Output = Result<(), (usize, EncodingError)>;

    #[inline(always)]
    fn run<M: Machine>(self, m: M) -> Self::Output {
        let step = STEP * pair::bytes::<C>();
        let form = C::Coordinates::from_word_form(m);
        let curve_b = Residue::from_elements(m, &[C::B; WIDTH]);
        let [mut x, mut y] = [[Residue::zero(m); 2]; 2];
        let steps = self.points.chunks(step).zip(self.pairs.chunks_mut(step));
        for (number, (points, pairs)) in steps.enumerate() {
            let mut rows = [[[0; WIDTH]; WORDS]; 2];
            gather::<C>(points, &mut rows);
            let [x0, x1] = &mut x;
            let [y0, y1] = &mut y;
            let large0 = C::Coordinates::take_word_form(m, &form, &mut rows[0], [x0, y0]);
            let large1 = C::Coordinates::take_word_form(m, &form, &mut rows[1], [x1, y1]);
            let off = off_curve(m, &curve_b, &x, &y);
            let large = lanes([large0, large1]);
            let wrong = large | lanes(off);
            if wrong != 0 {
                let first = wrong.trailing_zeros();
                let reason = match large >> first & 1 {
                    1 => EncodingError::NotReduced,
                    _ => EncodingError::NotOnCurve,
                };
                return Err((number * STEP + first as usize, reason));
            }
            scatter::<C>(&rows, pairs);
        }
        Ok(())
    }
}

/// The lanes of two vectors.
#[inline(always)]
fn lanes([first, second]: [Mask; 2]) -> u32 {
    u32::from(first) | u32::from(second) << WIDTH
}

/// The words of up to sixteen points.
#[inline(always)]
fn gather<C: Group>(points: &[u8], rows: &mut [Rows; 2]) {
    for (i, point) in points.chunks_exact(pair::bytes::<C>()).enumerate() {
        for (row, word) in rows[i / WIDTH].iter_mut().zip(point.as_chunks().0) {
            row[i % WIDTH] = u64::from_le_bytes(*word);
        }
    }
}

/// [`gather`]'s inverse.
#[inline(always)]
fn scatter<C: Group>(rows: &[Rows; 2], pairs: &mut [u8]) {
    for (i, pair) in pairs.chunks_exact_mut(pair::bytes::<C>()).enumerate() {
        for (row, word) in rows[i / WIDTH].iter().zip(pair.as_chunks_mut().0) {
            *word = row[i % WIDTH].to_le_bytes();
        }
    }
}

/// Returns the masks of the points of two vectors that are neither on the curve nor the identity.
#[inline(always)]
fn off_curve<M: Machine, R: Residue<M>>(m: M, curve_b: &R, x: &[R; 2], y: &[R; 2]) -> [Mask; 2] {
    let squares = m.outline(Product(m, x, x));
    let cubes = m.outline(Product(m, &squares, x));
    let squares = m.outline(Product(m, y, y));
    both!(n => !(equal(&squares[n], &cubes[n], curve_b) | (x[n].is_zero() & y[n].is_zero())))
}

/// Two products.
struct Product<'a, M, R>(M, &'a [R; 2], &'a [R; 2]);

impl<M: Machine, R: Residue<M>> Task for Product<'_, M, R> {
    type Output = [R; 2];

    #[inline(always)]
    fn run<Here: Machine>(self, _: Here) -> [R; 2] {
        let Self(_, x, y) = self;
        R::products(x.each_ref(), y.each_ref())
    }
}

/// Returns the mask of the lanes where y^2 = x^3 + b.
#[inline(always)]
fn equal<M: Machine, R: Residue<M>>(square: &R, cube: &R, curve_b: &R) -> Mask {
    square.equals(&R::reduced(&cube.plus(curve_b)))
}
