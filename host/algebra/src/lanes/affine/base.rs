//! Coordinates in a prime field.
//!
//! A gather instruction fetches one word a lane and costs what eight loads cost; so a pair of elements is K whole
//! vectors, eight pairs are loaded as rows, and a transpose (24 shuffles for 8 x 8 words) makes lanes of them:
//!
//! * L = 8, K = 2: eight limbs of the first, eight limbs of the second; a point is two cache lines;
//! * L = 5, K = 1: four words of the first, four words of the second, numbers below 2^256 in Montgomery form; one
//!   cache line instead of the one to three that ten limbs would touch, for two dozen shifts in eight points.

use std::marker::PhantomData;

use super::coordinate::{Coordinate, Residue};
use super::point::Point;
use crate::lanes::backend::{Backend, LIMB_BITS, Mask, WIDTH, each};
use crate::lanes::held::{limbs_of_words, words_of_limbs};
use crate::lanes::{Held, Lanes, Prime, Sum};

/// Words of an element in a pair of one vector.
const WORDS: usize = WIDTH / 2;

/// The prime field P in L limbs, a pair of elements in K vectors.
#[derive(Clone, Copy, Debug)]
pub struct Base<P, const L: usize, const K: usize>(PhantomData<P>);

/// A pair of elements in memory.
pub(super) type Pair<const K: usize> = [[u64; WIDTH]; K];

impl<P: Prime<L>, const L: usize, const K: usize> Base<P, L, K> {
    const LAYOUT: () = assert!((L == 8 && K == 2) || (L <= 5 && K == 1));
    /// In a pair of one vector there is room for any number below 2p.
    const TWO_P_FITS: bool = K == 2
        || 52 * L <= 64 * WORDS
        || P::CONSTANTS.multiples[2][L - 1] >> (64 * WORDS - (L - 1) * LIMB_BITS as usize) == 0;

    /// The elements of a pair that scalar code wrote: each has half of the words, and may have no use for all of them.
    #[inline(always)]
    pub(super) fn read_pair(pair: &Pair<K>) -> [P; 2] {
        let (first, second) = pair.as_flattened().split_at(K * WORDS);
        [P::of_kept(first), P::of_kept(second)]
    }

    #[inline(always)]
    pub(super) fn write_pair(elements: [P; 2]) -> Pair<K> {
        let mut pair = [[0; WIDTH]; K];
        let (first, second) = pair.as_flattened_mut().split_at_mut(K * WORDS);
        for (element, words) in elements.iter().zip([first, second]) {
            words[..element.kept().len()].copy_from_slice(element.kept());
        }
        pair
    }

    #[inline(always)]
    pub(super) fn take_montgomery(words: &mut [u64]) -> Option<P> {
        let mut form = P::ZERO.to_montgomery();
        form.as_mut().copy_from_slice(words);
        let element = Option::<P>::from(P::from_montgomery(form))?;
        words.copy_from_slice(element.to_canonical().as_ref());
        Some(element)
    }

    /// The first and the second of eight pairs.
    #[inline(always)]
    pub(super) fn gather_pairs<B: Backend>(b: B, pairs: [&Pair<K>; WIDTH]) -> [Held<B, P, L>; 2] {
        const { Self::LAYOUT }
        let blank = b.splat(0);
        let first = b.transpose(each!(i < WIDTH, blank => b.load(&pairs[i][0])));
        if K == 1 {
            let x: [_; WORDS] = each!(j < WORDS, blank => first[j]);
            let y: [_; WORDS] = each!(j < WORDS, blank => first[WORDS + j]);
            return [Held::of(b, limbs_of_words(b, &x)), Held::of(b, limbs_of_words(b, &y))];
        }
        let second = b.transpose(each!(i < WIDTH, blank => b.load(&pairs[i][K - 1])));
        let [x, y] = [each!(j < L, blank => first[j]), each!(j < L, blank => second[j])];
        [Held::of(b, x), Held::of(b, y)]
    }

    /// The rows of eight pairs, as two arrays of them; for K = 1 they are the same.
    #[inline(always)]
    pub(super) fn scatter_pairs<B: Backend>(
        b: B,
        [x, y]: [Held<B, P, L>; 2],
    ) -> [[B::V; WIDTH]; 2] {
        const { Self::LAYOUT }
        let blank = b.splat(0);
        if K == 1 {
            let [x, y] = if Self::TWO_P_FITS { [x, y] } else { [x.canonical(), y.canonical()] };
            let [x, y] = [x.limbs(), y.limbs()];
            let x: [_; WORDS] = words_of_limbs(b, &x);
            let y: [_; WORDS] = words_of_limbs(b, &y);
            let xy = each!(j < WIDTH, blank => if j < WORDS { x[j] } else { y[j - WORDS] });
            return [b.transpose(xy); 2];
        }
        let [x, y] = [x.limbs(), y.limbs()];
        let x = each!(j < WIDTH, blank => x[j]);
        let y = each!(j < WIDTH, blank => y[j]);
        [b.transpose(x), b.transpose(y)]
    }

    /// One of those pairs to memory.
    #[inline(always)]
    pub(super) fn store_pair<B: Backend>(
        b: B,
        rows: &[[B::V; WIDTH]; 2],
        lane: usize,
        pair: &mut Pair<K>,
    ) {
        for (row, words) in pair.iter_mut().zip(rows) {
            b.store(words[lane], row);
        }
    }
}

impl<P: Prime<L>, const L: usize, const K: usize> Coordinate for Base<P, L, K> {
    type Element = P;
    type Rows = Pair<K>;
    const ZERO: Pair<K> = [[0; WIDTH]; K];
    type Held<B: Backend> = Held<B, P, L>;

    #[inline(always)]
    fn read(rows: &Pair<K>) -> [P; 2] {
        Self::read_pair(rows)
    }

    #[inline(always)]
    fn write(coordinates: [P; 2]) -> Pair<K> {
        Self::write_pair(coordinates)
    }

    #[inline(always)]
    fn words(rows: &Pair<K>) -> &[u64] {
        rows.as_flattened()
    }

    #[inline(always)]
    fn take_montgomery(words: &mut [u64]) -> Option<P> {
        Self::take_montgomery(words)
    }

    #[inline(always)]
    fn prefetch<B: Backend>(b: B, rows: &Pair<K>) {
        for row in rows {
            b.prefetch(row);
        }
    }

    #[inline(always)]
    fn gather<B: Backend>(b: B, points: [&Pair<K>; WIDTH]) -> [Held<B, P, L>; 2] {
        Self::gather_pairs(b, points)
    }

    #[inline(always)]
    fn from_word_form<B: Backend>(b: B) -> Held<B, P, L> {
        Held::from_word_form(b)
    }

    #[inline(always)]
    fn take_word_form<B: Backend>(
        b: B,
        form: Held<B, P, L>,
        rows: &mut [[u64; WIDTH]],
    ) -> ([Held<B, P, L>; 2], Mask) {
        form.take_word_form(b, rows)
    }

    #[inline(always)]
    fn scatter<B: Backend>(
        b: B,
        xy: [Held<B, P, L>; 2],
        points: &mut [Point<Self>],
        places: &[usize],
    ) {
        let rows = Self::scatter_pairs(b, xy);
        for lane in 0..WIDTH {
            if let Some(&place) = places.get(lane) {
                Self::store_pair(b, &rows, lane, &mut points[place].rows);
            }
        }
    }
}

impl<B: Backend, P: Prime<L>, const L: usize> Residue<B> for Held<B, P, L> {
    type Element = P;
    type Sum = Sum<B, P, L>;
    type AtRest = Lanes<P, L>;
    const BLANK: Lanes<P, L> = Lanes::ZERO;

    #[inline(always)]
    fn zero(b: B) -> Self {
        Held::zero(b)
    }
    #[inline(always)]
    fn one(b: B) -> Self {
        Held::one(b)
    }
    #[inline(always)]
    fn load(b: B, at_rest: &Lanes<P, L>) -> Self {
        Held::load(b, at_rest)
    }
    #[inline(always)]
    fn store(self, at_rest: &mut Lanes<P, L>) {
        Held::store(self, at_rest);
    }
    #[inline(always)]
    fn from_elements(b: B, elements: &[P; WIDTH]) -> Self {
        Held::from_elements(b, elements)
    }
    #[inline(always)]
    fn to_elements(self) -> [P; WIDTH] {
        Held::to_elements(self)
    }
    #[inline(always)]
    fn less(self, y: Self) -> Sum<B, P, L> {
        self - y
    }
    #[inline(always)]
    fn plus(self, y: Self) -> Sum<B, P, L> {
        self + y
    }
    #[inline(always)]
    fn negative(self) -> Self {
        (-self).reduced()
    }
    #[inline(always)]
    fn widened(self) -> Sum<B, P, L> {
        Held::widened(self)
    }
    #[inline(always)]
    fn reduced(sum: Sum<B, P, L>) -> Self {
        sum.reduced()
    }
    #[inline(always)]
    fn signed_less(self, negated: Mask, x: Self) -> Sum<B, P, L> {
        Held::signed_less(self, negated, x)
    }
    #[inline(always)]
    fn less_both(self, y: Self, z: Self) -> Self {
        Held::less_both(self, y, z)
    }
    #[inline(always)]
    fn products(x: [Self; 2], y: [Self; 2]) -> [Self; 2] {
        Held::mul_each(x, y)
    }
    #[inline(always)]
    fn products_with(x: [Self; 2], y: [Sum<B, P, L>; 2]) -> [Self; 2] {
        Held::mul_each(x, y)
    }
    #[inline(always)]
    fn squares(x: [Self; 2]) -> [Self; 2] {
        Held::square_each(x)
    }
    #[inline(always)]
    fn inverse_vartime(self) -> Self {
        Held::inverse_vartime(self)
    }
    #[inline(always)]
    fn select(self, mask: Mask, y: Self) -> Self {
        Held::select(self, mask, y)
    }
    #[inline(always)]
    fn select_sum(x: Sum<B, P, L>, mask: Mask, y: Sum<B, P, L>) -> Sum<B, P, L> {
        x.select(mask, y)
    }
    #[inline(always)]
    fn is_zero(self) -> Mask {
        Held::is_zero(self)
    }
    #[inline(always)]
    fn may_be_zero(self) -> Mask {
        Held::may_be_zero(self)
    }
    #[inline(always)]
    fn sum_may_be_zero(sum: Sum<B, P, L>) -> Mask {
        sum.may_be_zero()
    }
}
