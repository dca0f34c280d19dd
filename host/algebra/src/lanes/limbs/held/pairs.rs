//! Elements of limbs as coordinates of points: pairs of them in memory, and what an addition does with them.

use super::Held;
use crate::lanes::affine::Residue;
use crate::lanes::affine::base::{Pair, WORDS};
use crate::lanes::backend::{Backend, LIMB_BITS, Mask, WIDTH, both, each};
use crate::lanes::limbs::Limbs;
use crate::lanes::{Lanes, Prime, Sum};

/// Is this how elements of L limbs lie in memory?
const fn lies_in<const L: usize, const K: usize>() -> bool {
    (L == 8 && K == 2) || (L <= 5 && K == 1)
}

impl<B: Backend, P: Prime<L>, const L: usize> Held<B, P, L> {
    /// True if a pair of one vector holds any number below 2p.
    const TWO_P_FITS: bool = L > 5
        || 52 * L <= 64 * WORDS
        || P::CONSTANTS.multiples[2][L - 1] >> (64 * WORDS - (L - 1) * LIMB_BITS as usize) == 0;

    /// The first and the second of eight pairs.
    #[inline(always)]
    pub(in crate::lanes) fn gather_pairs<const K: usize>(
        b: B,
        pairs: [&Pair<K>; WIDTH],
    ) -> [Self; 2] {
        const { assert!(lies_in::<L, K>()) }
        let blank = b.splat(0);
        let first = b.transpose(each!(i < WIDTH, blank => b.load(&pairs[i][0])));
        if K == 1 {
            let x: [_; WORDS] = each!(j < WORDS, blank => first[j]);
            let y: [_; WORDS] = each!(j < WORDS, blank => first[WORDS + j]);
            return [Held::of(Limbs::of_words(b, &x)), Held::of(Limbs::of_words(b, &y))];
        }
        let second = b.transpose(each!(i < WIDTH, blank => b.load(&pairs[i][K - 1])));
        let [x, y] = [each!(j < L, blank => first[j]), each!(j < L, blank => second[j])];
        [Held::of(Limbs::of(b, x)), Held::of(Limbs::of(b, y))]
    }

    /// The rows of eight pairs, as two arrays of them; for K = 1 they are the same.
    #[inline(always)]
    pub(in crate::lanes) fn scatter_pairs<const K: usize>(
        b: B,
        [x, y]: [Self; 2],
    ) -> [[B::V; WIDTH]; 2] {
        const { assert!(lies_in::<L, K>()) }
        let blank = b.splat(0);
        if K == 1 {
            let [x, y] = if Self::TWO_P_FITS { [x, y] } else { [x.canonical(), y.canonical()] };
            let x: [_; WORDS] = x.limbs().words();
            let y: [_; WORDS] = y.limbs().words();
            let xy = each!(j < WIDTH, blank => if j < WORDS { x[j] } else { y[j - WORDS] });
            return [b.transpose(xy); 2];
        }
        let [x, y] = [x.limbs().vectors, y.limbs().vectors];
        let x = each!(j < WIDTH, blank => x[j]);
        let y = each!(j < WIDTH, blank => y[j]);
        [b.transpose(x), b.transpose(y)]
    }
}

impl<B: Backend, P: Prime<L>, const L: usize> Residue<B> for Held<B, P, L> {
    type Element = P;
    type Sum = Sum<B, P, L>;
    type Norm = Self;
    type KeptNorm = ();
    const BLANK_NORM: () = ();
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
    fn store(&self, at_rest: &mut Lanes<P, L>) {
        Held::store(*self, at_rest);
    }
    #[inline(always)]
    fn from_elements(b: B, elements: &[P; WIDTH]) -> Self {
        Held::from_elements(b, elements)
    }
    #[inline(always)]
    fn to_elements(&self) -> [P; WIDTH] {
        Held::to_elements(*self)
    }
    #[inline(always)]
    fn less(&self, y: &Self) -> Sum<B, P, L> {
        *self - *y
    }
    #[inline(always)]
    fn plus(&self, y: &Self) -> Sum<B, P, L> {
        *self + *y
    }
    #[inline(always)]
    fn negative(&self) -> Self {
        (-*self).reduced()
    }
    #[inline(always)]
    fn widened(&self) -> Sum<B, P, L> {
        Held::widened(*self)
    }
    #[inline(always)]
    fn reduced(sum: &Sum<B, P, L>) -> Self {
        sum.reduced()
    }
    #[inline(always)]
    fn signed_less(&self, negated: Mask, x: &Self) -> Sum<B, P, L> {
        Held::signed_less(*self, negated, *x)
    }
    #[inline(always)]
    fn less_both(&self, y: &Self, z: &Self) -> Self {
        Held::less_both(*self, *y, *z)
    }
    #[inline(always)]
    fn products(x: [&Self; 2], y: [&Self; 2]) -> [Self; 2] {
        Held::mul_each_inline(x, y)
    }
    #[inline(always)]
    fn products_with(x: [&Self; 2], y: [&Sum<B, P, L>; 2]) -> [Self; 2] {
        Held::mul_each_inline(x, y)
    }
    #[inline(always)]
    fn squares(x: [&Self; 2]) -> [Self; 2] {
        Held::square_each(both!(n => *x[n]))
    }
    #[inline(always)]
    fn inverse_vartime(&self) -> Self {
        Held::inverse_vartime(*self)
    }
    #[inline(always)]
    fn norms(x: [&Self::Sum; 2], _: &mut [(); 2]) -> [Self::Sum; 2] {
        both!(n => *x[n])
    }
    #[inline(always)]
    fn kept_norms(_: B, x: [&Self::Sum; 2], _: &[(); 2]) -> [Self::Sum; 2] {
        both!(n => *x[n])
    }
    #[inline(always)]
    fn inverses_by_norms(_: [&Self::Sum; 2], inverses: [&Self; 2]) -> [Self; 2] {
        both!(n => *inverses[n])
    }
    #[inline(always)]
    fn select(&self, mask: Mask, y: &Self) -> Self {
        Held::select(*self, mask, *y)
    }
    #[inline(always)]
    fn select_sum(x: &Sum<B, P, L>, mask: Mask, y: &Sum<B, P, L>) -> Sum<B, P, L> {
        x.select(mask, *y)
    }
    #[inline(always)]
    fn is_zero(&self) -> Mask {
        Held::is_zero(*self)
    }
    #[inline(always)]
    fn may_be_zero(&self) -> Mask {
        Held::may_be_zero(*self)
    }
    #[inline(always)]
    fn sum_may_be_zero(sum: &Sum<B, P, L>) -> Mask {
        sum.may_be_zero()
    }
}
