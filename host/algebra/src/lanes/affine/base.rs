//! Coordinates in a prime field.
//!
//! A gather instruction fetches one word a lane and costs what eight loads cost; so a pair of elements is K whole
//! vectors, eight pairs are loaded as rows, and a transpose (24 shuffles for 8 x 8 words) makes lanes of them:
//!
//! * L = 8, K = 2: eight limbs of the first, eight limbs of the second; a point is two cache lines;
//! * L = 5, K = 1: four words of the first, four words of the second, numbers below 2^256 in Montgomery form; one
//!   cache line instead of the one to three that ten limbs would touch, for two dozen shifts in eight points.

use std::marker::PhantomData;

use super::coordinate::Coordinate;
use super::point::Point;
use crate::lanes::Prime;
use crate::lanes::backend::{Mask, WIDTH};
use crate::lanes::machine::Machine;

/// Words of an element in a pair of one vector.
pub(in crate::lanes) const WORDS: usize = WIDTH / 2;

/// The prime field P in L limbs, a pair of elements in K vectors.
#[derive(Clone, Copy, Debug)]
pub struct Base<P, const L: usize, const K: usize>(PhantomData<P>);

/// A pair of elements in memory.
pub type Pair<const K: usize> = [[u64; WIDTH]; K];

impl<P: Prime<L>, const L: usize, const K: usize> Base<P, L, K> {
    /// The elements of a pair that scalar code wrote: each has half of the words, and may have no use for all of them.
    #[inline(always)]
    pub(super) fn read_pair(pair: &Pair<K>) -> [P; 2] {
        let (first, second) = pair.as_flattened().split_at(K * WORDS);
        [P::of_kept(first), P::of_kept(second)]
    }

    #[inline(always)]
    pub(super) fn write_pair(elements: [P; 2], pair: &mut Pair<K>) {
        let (first, second) = pair.as_flattened_mut().split_at_mut(K * WORDS);
        for (element, words) in elements.iter().zip([first, second]) {
            words[..element.kept().len()].copy_from_slice(element.kept());
        }
    }

    #[inline(always)]
    pub(super) fn take_montgomery(words: &mut [u64]) -> Option<P> {
        let mut form = P::ZERO.to_montgomery();
        form.as_mut().copy_from_slice(words);
        let element = Option::<P>::from(P::from_montgomery(form))?;
        words.copy_from_slice(element.to_canonical().as_ref());
        Some(element)
    }
}

impl<P: Prime<L>, const L: usize, const K: usize> Coordinate for Base<P, L, K> {
    type Element = P;
    type Rows = Pair<K>;
    const ZERO: Pair<K> = [[0; WIDTH]; K];
    type Held<M: Machine> = M::Eight<P, L>;

    #[inline(always)]
    fn read(rows: &Pair<K>) -> [P; 2] {
        Self::read_pair(rows)
    }

    #[inline(always)]
    fn write(coordinates: [P; 2], rows: &mut Pair<K>) {
        Self::write_pair(coordinates, rows);
    }

    #[inline(always)]
    fn lowest_word(rows: &Pair<K>) -> u64 {
        rows[0][0]
    }

    #[inline(always)]
    fn take_montgomery(words: &mut [u64]) -> Option<P> {
        Self::take_montgomery(words)
    }

    #[inline(always)]
    fn prefetch<M: Machine>(m: M, rows: &Pair<K>) {
        for row in rows {
            m.prefetch(row);
        }
    }

    #[inline(always)]
    fn gather<M: Machine>(m: M, points: [&Pair<K>; WIDTH], to: [&mut M::Eight<P, L>; 2]) {
        m.gather(points, to);
    }

    #[inline(always)]
    fn from_word_form<M: Machine>(m: M) -> M::Eight<P, L> {
        m.word_form()
    }

    #[inline(always)]
    fn take_word_form<M: Machine>(
        m: M,
        form: &M::Eight<P, L>,
        rows: &mut [[u64; WIDTH]],
        to: [&mut M::Eight<P, L>; 2],
    ) -> Mask {
        m.take_word_form(form, rows, to)
    }

    #[inline(always)]
    fn scatter<M: Machine>(
        m: M,
        xy: &[M::Eight<P, L>; 2],
        points: &mut [Point<Self>],
        places: &[usize],
    ) {
        let rows = m.scatter::<P, L, K>(xy.each_ref());
        for lane in 0..WIDTH {
            if let Some(&place) = places.get(lane) {
                m.store(&rows, lane, &mut points[place].rows);
            }
        }
    }
}
