//! Eight elements in the registers of a backend: what a kernel computes with.
//!
//! [`Held`] is in Montgomery form with R = 2^(52 L), in normal limbs (all in [0, 2^52)), and below K p, where K
//! stands in its type: 2 for what comes out of a multiplication, 4 for a sum or a difference of two of those.
//! Every modulus has 16 p < R, so a product of two sums is < 2p again, and only a sum of sums needs
//! [`Held::reduced`]. The same residue has several forms; both backends come to the same one.

mod extension;
mod pairs;

pub(super) use extension::HeldPair;

use std::marker::PhantomData;
use std::ops::{Add, Mul, Neg, Sub};

use super::Lanes;
use super::backend::{Backend, LIMB_BITS, LIMB_MASK, Mask, WIDTH, each};
use super::montgomery::{self, carried};
use super::primes::Prime;

/// 64-bit words of a canonical integer of any of the fields.
const WORDS: usize = 6;

/// Eight elements of P below K p.
#[derive(Clone, Copy)]
pub struct Held<B: Backend, P, const L: usize, const K: usize = 2> {
    b: B,
    limbs: [B::V; L],
    prime: PhantomData<P>,
}

/// A sum or a difference of two elements: good to multiply with, too large to add again.
pub type Sum<B, P, const L: usize> = Held<B, P, L, 4>;

impl<B: Backend, P: Prime<L>, const L: usize, const K: usize> Held<B, P, L, K> {
    /// Of normal limbs of a number < K p.
    #[inline(always)]
    pub(super) fn of(b: B, limbs: [B::V; L]) -> Self {
        Self { b, limbs, prime: PhantomData }
    }

    /// Of limbs of either sign whose number is >= 0 and < K p.
    #[inline(always)]
    pub(super) fn carrying(b: B, limbs: [B::V; L]) -> Self {
        Self::of(b, carried(b, limbs))
    }

    /// The limbs.
    #[inline(always)]
    pub(super) fn limbs(self) -> [B::V; L] {
        self.limbs
    }

    /// x^2.
    #[inline(always)]
    pub fn square(self) -> Held<B, P, L> {
        let [square] = Self::square_each([self]);
        square
    }

    /// Several squares side by side: for L = 5, two of them keep the multipliers busier than one.
    #[inline(always)]
    pub fn square_each<const N: usize>(x: [Self; N]) -> [Held<B, P, L>; N] {
        const { assert!(K * K <= 16) }
        let b = x[0].b;
        let squares = b.square(&P::CONSTANTS, each!(n < N, &x[0].limbs => &x[n].limbs));
        each!(n < N, Held::zero(b) => Held::of(b, squares[n]))
    }

    /// Several products side by side: for L = 5, two of them keep the multipliers busier than one.
    #[inline(always)]
    pub fn mul_each<const N: usize, const J: usize>(
        x: [Self; N],
        y: [Held<B, P, L, J>; N],
    ) -> [Held<B, P, L>; N] {
        Self::products::<N, J, false>(each!(n < N, &x[0] => &x[n]), each!(n < N, &y[0] => &y[n]))
    }

    /// The same in the code of whoever calls it: for loops with few of them. Elsewhere products of many limbs are a function
    /// apart, which takes them from memory and leaves them there.
    #[inline(always)]
    pub(super) fn mul_each_here<const N: usize, const J: usize>(
        x: [&Self; N],
        y: [&Held<B, P, L, J>; N],
    ) -> [Held<B, P, L>; N] {
        Self::products::<N, J, true>(x, y)
    }

    #[inline(always)]
    fn products<const N: usize, const J: usize, const HERE: bool>(
        x: [&Self; N],
        y: [&Held<B, P, L, J>; N],
    ) -> [Held<B, P, L>; N] {
        const { assert!(K * J <= 16) }
        let b = x[0].b;
        let x = each!(n < N, &x[0].limbs => &x[n].limbs);
        let y = each!(n < N, &y[0].limbs => &y[n].limbs);
        let products = match HERE {
            true => montgomery::multiply(b, &P::CONSTANTS, x, y),
            false => b.multiply(&P::CONSTANTS, x, y),
        };
        each!(n < N, Held::zero(b) => Held::of(b, products[n]))
    }

    /// y in the lanes of the mask, x in the others.
    #[inline(always)]
    pub fn select(self, mask: Mask, y: Self) -> Self {
        let b = self.b;
        let [x, y] = [&self.limbs, &y.limbs];
        Self::of(b, each!(j < L, x[0] => b.select(mask, x[j], y[j])))
    }

    /// Where x = 0 in the field.
    #[inline(always)]
    pub fn is_zero(self) -> Mask {
        let mut zero = 0;
        for multiple in &P::CONSTANTS.multiples[..K] {
            let mut same = Mask::MAX;
            for (j, &limb) in multiple.iter().enumerate() {
                same &= self.b.equal(self.limbs[j], self.b.splat(limb));
            }
            zero |= same;
        }
        zero
    }

    /// Where x may be 0 in the field: one look at the lowest limb, which misses no zero and takes another
    /// element for one with probability K / 2^52.
    #[inline(always)]
    pub(super) fn may_be_zero(self) -> Mask {
        let mut zero = 0;
        for multiple in &P::CONSTANTS.multiples[..K] {
            zero |= self.b.equal(self.limbs[0], self.b.splat(multiple[0]));
        }
        zero
    }

    /// x - k p where that is not negative, x elsewhere.
    #[inline(always)]
    fn less<const TO: usize>(self, k: usize) -> Held<B, P, L, TO> {
        let (b, x, p) = (self.b, &self.limbs, &P::CONSTANTS.multiples[k]);
        let less = carried(b, each!(j < L, x[0] => b.sub(x[j], b.splat(p[j]))));
        let negative = b.negative(less[L - 1]);
        Held::of(b, each!(j < L, x[0] => b.select(negative, less[j], x[j])))
    }
}

impl<B: Backend, P: Prime<L>, const L: usize> Held<B, P, L> {
    /// Zero in every lane.
    #[inline(always)]
    pub fn zero(b: B) -> Self {
        Self::of(b, [b.splat(0); L])
    }

    /// One in every lane.
    #[inline(always)]
    pub fn one(b: B) -> Self {
        Self::constant(b, &P::CONSTANTS.one)
    }

    /// From memory.
    #[inline(always)]
    pub fn load(b: B, lanes: &Lanes<P, L>) -> Self {
        Self::of(b, each!(j < L, b.splat(0) => b.load(&lanes.limbs[j])))
    }

    /// To memory.
    #[inline(always)]
    pub fn store(self, lanes: &mut Lanes<P, L>) {
        for (j, words) in lanes.limbs.iter_mut().enumerate() {
            self.b.store(self.limbs[j], words);
        }
    }

    /// Where x = y in the field.
    #[inline(always)]
    pub fn equals(self, y: Self) -> Mask {
        (self - y).is_zero()
    }

    /// x - y - z: the one of that, 2p more and 4p more that is in range.
    #[inline(always)]
    pub fn less_both(self, y: Self, z: Self) -> Self {
        let (b, x, multiples) = (self.b, &self.limbs, &P::CONSTANTS.multiples);
        let [x, y, z] = [x, &y.limbs, &z.limbs];
        let signed = each!(j < L, x[0] => b.sub(b.sub(x[j], y[j]), z[j]));
        let [p2, p4] = [&multiples[2], &multiples[4]];
        let x0 = carried(b, signed);
        let x2 = carried(b, each!(j < L, x[0] => b.add(signed[j], b.splat(p2[j]))));
        let x4 = carried(b, each!(j < L, x[0] => b.add(signed[j], b.splat(p4[j]))));
        let (below_0, below_2) = (b.negative(x0[L - 1]), b.negative(x2[L - 1]));
        let upper = each!(j < L, x[0] => b.select(below_2, x2[j], x4[j]));
        Self::of(b, each!(j < L, x[0] => b.select(below_0, x0[j], upper[j])))
    }

    /// y - x, or -y - x in the lanes of the mask: at most 4p.
    #[inline(always)]
    pub(super) fn signed_less(y: Self, negated: Mask, x: Self) -> Sum<B, P, L> {
        let (b, x, y, p2) = (y.b, &x.limbs, &y.limbs, &P::CONSTANTS.multiples[2]);
        let signed = each!(j < L, x[0] => b.select(negated, y[j], b.sub(b.splat(p2[j]), y[j])));
        Held::carrying(b, each!(j < L, x[0] => b.add(b.sub(signed[j], x[j]), b.splat(p2[j]))))
    }

    /// x0 y0 + x1 y1 of each, for the price of a multiplication and a half.
    #[inline(always)]
    pub(super) fn sum_of_products_each<const N: usize, const I: usize, const J: usize>(
        x: [(Self, Held<B, P, L, I>); N],
        y: [[Held<B, P, L, J>; 2]; N],
    ) -> [Self; N] {
        const { assert!((2 + I) * J <= 64 && P::BITS as usize + 6 <= LIMB_BITS as usize * L) }
        let b = x[0].0.b;
        let x = each!(n < N, [&x[0].0.limbs; 2] => [&x[n].0.limbs, &x[n].1.limbs]);
        let y = each!(n < N, [&y[0][0].limbs; 2] => [&y[n][0].limbs, &y[n][1].limbs]);
        let sums = b.sum_of_products(&P::CONSTANTS, x, y);
        each!(n < N, Held::zero(b) => Held::of(b, sums[n]))
    }

    /// -n x.
    #[inline(always)]
    pub(super) fn negative_multiple<const M: usize, const K: usize>(self) -> Held<B, P, L, K> {
        const { assert!(2 * M <= K && K <= 16) }
        let (b, x, p2) = (self.b, &self.limbs, &P::CONSTANTS.multiples[2]);
        let negative = each!(j < L, x[0] => b.sub(b.splat(p2[j]), x[j]));
        let mut sum = [b.splat(0); L];
        let mut bit = 0;
        while M >> bit != 0 {
            if M >> bit & 1 == 1 {
                sum = each!(j < L, x[0] => b.add(sum[j], b.shift_left(negative[j], bit)));
            }
            bit += 1;
        }
        Held::carrying(b, sum)
    }

    /// The same, with a bound that is not tight.
    #[inline(always)]
    pub(super) fn widened<const K: usize>(self) -> Held<B, P, L, K> {
        const { assert!(K >= 2) }
        Held::of(self.b, self.limbs)
    }

    /// 2x.
    #[inline(always)]
    pub fn double(self) -> Sum<B, P, L> {
        self + self
    }

    /// The one form below p.
    #[inline(always)]
    pub(super) fn canonical(self) -> Self {
        self.less(1)
    }

    /// From elements; zeros where there are fewer than eight.
    #[inline(always)]
    pub fn from_elements(b: B, elements: &[P]) -> Self {
        let mut words = [[0; WIDTH]; WORDS];
        for (lane, element) in elements.iter().enumerate().take(WIDTH) {
            for (row, word) in words.iter_mut().zip(element.kept()) {
                row[lane] = *word;
            }
        }
        let words = each!(i < WORDS, b.splat(0) => b.load(&words[i]));
        let kept = Self::of(b, limbs_of_words::<_, WORDS, L>(b, &words));
        kept * Self::constant(b, &P::CONSTANTS.from_kept)
    }

    /// To elements.
    #[inline(always)]
    pub fn to_elements(self) -> [P; WIDTH] {
        let b = self.b;
        let kept = (self * Self::constant(b, &P::CONSTANTS.to_kept)).canonical();
        let mut words = [[0; WIDTH]; WORDS];
        let kept = words_of_limbs::<_, L, WORDS>(b, &kept.limbs);
        for (i, row) in words.iter_mut().enumerate() {
            b.store(kept[i], row);
        }
        std::array::from_fn(|lane| P::of_kept(&words.map(|row| row[lane])))
    }

    /// The same limbs in every lane.
    #[inline(always)]
    fn constant(b: B, limbs: &[u64; L]) -> Self {
        Self::of(b, each!(j < L, b.splat(0) => b.splat(limbs[j])))
    }

    /// x, its products over pairs of lanes, over four and over all eight, each in all the lanes it is of.
    #[inline(always)]
    fn spread(self) -> [Self; 4] {
        let x4 = self * self.rotate(4);
        let x2 = x4 * x4.rotate(2);
        [self, x4, x2, x2 * x2.rotate(1)]
    }

    #[inline(always)]
    fn rotate(self, lanes: usize) -> Self {
        let x = &self.limbs;
        Self::of(self.b, each!(j < L, x[0] => self.b.rotate(x[j], lanes)))
    }

    /// 1/x, and 0 where x = 0. One scalar inversion, of the product of all lanes.
    #[inline(always)]
    pub fn inverse(self) -> Self {
        self.inverse_by(|product| product.invert().expect("a product without zeros"))
    }

    /// [`Held::inverse`] in a time that depends on the product of all lanes.
    #[inline(always)]
    pub fn inverse_vartime(self) -> Self {
        self.inverse_by(|product| product.invert_vartime().expect("a product without zeros"))
    }

    #[inline(always)]
    fn inverse_by(self, invert: impl FnOnce(P) -> P) -> Self {
        let zero = self.is_zero();
        let [x, x4, x2, all] = self.select(zero, Self::one(self.b)).spread();
        let [product, ..] = all.to_elements();
        let i1 = Self::from_elements(self.b, &[invert(product); WIDTH]);
        let i2 = i1 * x2.rotate(1);
        let i4 = i2 * x4.rotate(2);
        (i4 * x.rotate(4)).select(zero, Self::zero(self.b))
    }
}

impl<B: Backend, P: Prime<L>, const L: usize> Sum<B, P, L> {
    /// The same residue below 2p.
    #[inline(always)]
    pub fn reduced(self) -> Held<B, P, L> {
        self.less(2)
    }
}

impl<B, P, const L: usize, const J: usize, const K: usize> Mul<Held<B, P, L, J>>
    for Held<B, P, L, K>
where
    B: Backend,
    P: Prime<L>,
{
    type Output = Held<B, P, L>;

    #[inline(always)]
    fn mul(self, y: Held<B, P, L, J>) -> Held<B, P, L> {
        let [product] = Self::mul_each([self], [y]);
        product
    }
}

impl<B: Backend, P: Prime<L>, const L: usize> Add for Held<B, P, L> {
    type Output = Sum<B, P, L>;

    #[inline(always)]
    fn add(self, y: Self) -> Sum<B, P, L> {
        let (b, x, y) = (self.b, &self.limbs, &y.limbs);
        Held::carrying(b, each!(j < L, x[0] => b.add(x[j], y[j])))
    }
}

/// x - y + 2p.
impl<B: Backend, P: Prime<L>, const L: usize> Sub for Held<B, P, L> {
    type Output = Sum<B, P, L>;

    #[inline(always)]
    fn sub(self, y: Self) -> Sum<B, P, L> {
        let (b, x, y, p2) = (self.b, &self.limbs, &y.limbs, &P::CONSTANTS.multiples[2]);
        Held::carrying(b, each!(j < L, x[0] => b.add(b.sub(x[j], y[j]), b.splat(p2[j]))))
    }
}

/// 2p - x.
impl<B: Backend, P: Prime<L>, const L: usize> Neg for Held<B, P, L> {
    type Output = Sum<B, P, L>;

    #[inline(always)]
    fn neg(self) -> Sum<B, P, L> {
        Self::zero(self.b) - self
    }
}

/// 52-bit limbs of an integer, lowest word first, of at most 52 L bits.
#[inline(always)]
pub(crate) fn limbs_of_words<B: Backend, const W: usize, const L: usize>(
    b: B,
    words: &[B::V; W],
) -> [B::V; L] {
    let mut limbs = [b.splat(0); L];
    for (j, limb) in limbs.iter_mut().enumerate() {
        let (word, low) = (52 * j / 64, 52 * j as u32 % 64);
        if word < W {
            *limb = b.shift_right(words[word], low);
            if low > 12 && word + 1 < W {
                *limb = b.or(*limb, b.shift_left(words[word + 1], 64 - low));
            }
            *limb = b.and(*limb, b.splat(LIMB_MASK));
        }
    }
    limbs
}

/// The words of normal limbs, of an integer of at most 64 W bits.
#[inline(always)]
pub(crate) fn words_of_limbs<B: Backend, const L: usize, const W: usize>(
    b: B,
    limbs: &[B::V; L],
) -> [B::V; W] {
    let mut words = [b.splat(0); W];
    for (j, &limb) in limbs.iter().enumerate() {
        let (word, low) = (52 * j / 64, 52 * j as u32 % 64);
        if word < W {
            words[word] = b.or(words[word], b.shift_left(limb, low));
        }
        if low > 12 && word + 1 < W {
            words[word + 1] = b.or(words[word + 1], b.shift_right(limb, 64 - low));
        }
    }
    words
}
