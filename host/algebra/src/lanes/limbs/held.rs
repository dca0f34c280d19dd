//! Eight elements in the registers of a backend: the operands of a kernel.
//!
//! [`Held`] is in Montgomery form with R = 2^(52 L), in normal limbs (all in [0, 2^52)), and below K p, where K
//! is in its type: 2 for the result of a multiplication, 4 for a sum or a difference of two of those.
//! Every modulus has 16 p < R, so a product of two sums is < 2p again, and only a sum of sums needs
//! [`Held::reduced`]. A residue has several forms; all backends compute the same one.

mod extension;
mod pairs;

pub(in crate::lanes) use extension::HeldPair;

use std::marker::PhantomData;
use std::ops::{Add, Mul, Neg, Sub};

use super::{Limbs, product};
use crate::lanes::backend::{Backend, LIMB_BITS, Mask, WIDTH, each};
use crate::lanes::{Lanes, Prime};

/// 64-bit words of a canonical integer of any of the fields.
const WORDS: usize = 6;

/// Eight elements of P below K p.
#[derive(Clone, Copy)]
pub struct Held<B: Backend, P, const L: usize, const K: usize = 2> {
    limbs: Limbs<B, L>,
    prime: PhantomData<P>,
}

/// A sum or a difference of two elements: good to multiply with, too large to add again.
pub type Sum<B, P, const L: usize> = Held<B, P, L, 4>;

impl<B: Backend, P: Prime<L>, const L: usize, const K: usize> Held<B, P, L, K> {
    /// Of normal limbs of a number < K p.
    #[inline(always)]
    pub(in crate::lanes) fn of(limbs: Limbs<B, L>) -> Self {
        Self { limbs, prime: PhantomData }
    }

    /// Of the vectors of a product.
    #[inline(always)]
    fn of_vectors(b: B, vectors: [B::V; L]) -> Self {
        Self::of(Limbs::of(b, vectors))
    }

    /// The limbs.
    #[inline(always)]
    pub(in crate::lanes) fn limbs(self) -> Limbs<B, L> {
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
        let b = x[0].limbs.b;
        let x = each!(n < N, &x[0].limbs.vectors => &x[n].limbs.vectors);
        let squares = b.square(&P::CONSTANTS, x);
        each!(n < N, Held::zero(b) => Held::of_vectors(b, squares[n]))
    }

    /// Several products side by side: for L = 5, two of them keep the multipliers busier than one.
    #[inline(always)]
    pub fn mul_each<const N: usize, const J: usize>(
        x: [Self; N],
        y: [Held<B, P, L, J>; N],
    ) -> [Held<B, P, L>; N] {
        Self::products::<N, J, false>(each!(n < N, &x[0] => &x[n]), each!(n < N, &y[0] => &y[n]))
    }

    /// Multiplies inline, for loops with few products. Otherwise products of many limbs are a separate
    /// function, which reads them from memory and writes the result to memory.
    #[inline(always)]
    pub(in crate::lanes) fn mul_each_inline<const N: usize, const J: usize>(
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
        let b = x[0].limbs.b;
        let x = each!(n < N, &x[0].limbs.vectors => &x[n].limbs.vectors);
        let y = each!(n < N, &y[0].limbs.vectors => &y[n].limbs.vectors);
        let products = match HERE {
            true => product::multiply(b, &P::CONSTANTS, x, y),
            false => b.multiply(&P::CONSTANTS, x, y),
        };
        each!(n < N, Held::zero(b) => Held::of_vectors(b, products[n]))
    }

    /// y in the lanes of the mask, x in the others.
    #[inline(always)]
    pub fn select(self, mask: Mask, y: Self) -> Self {
        Self::of(self.limbs.select(mask, &y.limbs))
    }

    /// Returns the mask of the lanes where x = 0 in the field.
    #[inline(always)]
    pub fn is_zero(self) -> Mask {
        let mut zero = 0;
        for multiple in &P::CONSTANTS.multiples[..K] {
            zero |= self.limbs.are(multiple);
        }
        zero
    }

    /// Where x may be 0 in the field: one look at the lowest limb, which misses no zero and takes another
    /// element for one with probability K / 2^52.
    #[inline(always)]
    pub(in crate::lanes) fn may_be_zero(self) -> Mask {
        let (b, mut zero) = (self.limbs.b, 0);
        for multiple in &P::CONSTANTS.multiples[..K] {
            zero |= b.equal(self.limbs.vectors[0], b.splat(multiple[0]));
        }
        zero
    }

    /// Returns x - k p where that is not negative, and x otherwise.
    #[inline(always)]
    fn less<const TO: usize>(self, k: usize) -> Held<B, P, L, TO> {
        let less = self.limbs.less(&self.multiple(k)).carried();
        Held::of(less.select(less.negative(), &self.limbs))
    }

    /// k p.
    #[inline(always)]
    fn multiple(&self, k: usize) -> Limbs<B, L> {
        Limbs::constant(self.limbs.b, &P::CONSTANTS.multiples[k])
    }
}

impl<B: Backend, P: Prime<L>, const L: usize> Held<B, P, L> {
    /// Zero in every lane.
    #[inline(always)]
    pub fn zero(b: B) -> Self {
        Self::of_vectors(b, [b.splat(0); L])
    }

    /// One in every lane.
    #[inline(always)]
    pub fn one(b: B) -> Self {
        Self::of(Limbs::constant(b, &P::CONSTANTS.one))
    }

    /// Reads from memory.
    #[inline(always)]
    pub fn load(b: B, lanes: &Lanes<P, L>) -> Self {
        Self::of(Limbs::load(b, &lanes.limbs))
    }

    /// Writes the elements to memory.
    #[inline(always)]
    pub fn store(self, lanes: &mut Lanes<P, L>) {
        self.limbs.store(&mut lanes.limbs);
    }

    /// Returns the mask of the lanes where x = y in the field.
    #[inline(always)]
    pub fn equals(self, y: Self) -> Mask {
        (self - y).is_zero()
    }

    /// x - y - z: the one of that, 2p more and 4p more that is in range.
    #[inline(always)]
    pub fn less_both(self, y: Self, z: Self) -> Self {
        let signed = self.limbs.less(&y.limbs).less(&z.limbs);
        let x0 = signed.carried();
        let x2 = signed.plus(&self.multiple(2)).carried();
        let x4 = signed.plus(&self.multiple(4)).carried();
        Self::of(x0.select(x0.negative(), &x2.select(x2.negative(), &x4)))
    }

    /// y - x, or -y - x in the lanes of the mask: at most 4p.
    #[inline(always)]
    pub(in crate::lanes) fn signed_less(y: Self, negated: Mask, x: Self) -> Sum<B, P, L> {
        let p2 = y.multiple(2);
        let signed = y.limbs.select(negated, &p2.less(&y.limbs));
        Held::of(signed.less(&x.limbs).plus(&p2).carried())
    }

    /// x0 y0 + x1 y1 of each, for the price of a multiplication and a half.
    #[inline(always)]
    pub(in crate::lanes) fn sum_of_products_each<const N: usize, const I: usize, const J: usize>(
        x: [(Self, Held<B, P, L, I>); N],
        y: [[Held<B, P, L, J>; 2]; N],
    ) -> [Self; N] {
        const { assert!((2 + I) * J <= 64 && P::BITS as usize + 6 <= LIMB_BITS as usize * L) }
        let b = x[0].0.limbs.b;
        let x = each!(n < N, [&x[0].0.limbs.vectors; 2] => [&x[n].0.limbs.vectors, &x[n].1.limbs.vectors]);
        let y = each!(n < N, [&y[0][0].limbs.vectors; 2] => [&y[n][0].limbs.vectors, &y[n][1].limbs.vectors]);
        let sums = b.sum_of_products(&P::CONSTANTS, x, y);
        each!(n < N, Held::zero(b) => Held::of_vectors(b, sums[n]))
    }

    /// -n x.
    #[inline(always)]
    pub(in crate::lanes) fn negative_multiple<const M: usize, const K: usize>(
        self,
    ) -> Held<B, P, L, K> {
        const { assert!(2 * M <= K && K <= 16) }
        Held::of(self.multiple(2).less(&self.limbs).times(M as u32).carried())
    }

    /// The same, with a bound that is not tight.
    #[inline(always)]
    pub(in crate::lanes) fn widened<const K: usize>(self) -> Held<B, P, L, K> {
        const { assert!(K >= 2) }
        Held::of(self.limbs)
    }

    /// 2x.
    #[inline(always)]
    pub fn double(self) -> Sum<B, P, L> {
        self + self
    }

    /// The one form below p.
    #[inline(always)]
    pub(in crate::lanes) fn canonical(self) -> Self {
        self.less(1)
    }

    /// Converts from elements; zeros if there are fewer than eight.
    #[inline(always)]
    pub fn from_elements(b: B, elements: &[P]) -> Self {
        let mut words = [[0; WIDTH]; WORDS];
        for (lane, element) in elements.iter().enumerate().take(WIDTH) {
            for (row, word) in words.iter_mut().zip(element.kept()) {
                row[lane] = *word;
            }
        }
        let words = each!(i < WORDS, b.splat(0) => b.load(&words[i]));
        let kept = Self::of(Limbs::of_words(b, &words));
        kept * Self::of(Limbs::constant(b, &P::CONSTANTS.from_kept))
    }

    /// Converts to elements.
    #[inline(always)]
    pub fn to_elements(self) -> [P; WIDTH] {
        let b = self.limbs.b;
        let kept = self * Self::of(Limbs::constant(b, &P::CONSTANTS.to_kept));
        let kept = kept.canonical().limbs.words::<WORDS>();
        let mut words = [[0; WIDTH]; WORDS];
        for (i, row) in words.iter_mut().enumerate() {
            b.store(kept[i], row);
        }
        std::array::from_fn(|lane| P::of_kept(&words.map(|row| row[lane])))
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
        Self::of(self.limbs.rotate(lanes))
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
        let [x, x4, x2, all] = self.select(zero, Self::one(self.limbs.b)).spread();
        let [product, ..] = all.to_elements();
        let i1 = Self::from_elements(self.limbs.b, &[invert(product); WIDTH]);
        let i2 = i1 * x2.rotate(1);
        let i4 = i2 * x4.rotate(2);
        (i4 * x.rotate(4)).select(zero, Self::zero(self.limbs.b))
    }
}

impl<B: Backend, P: Prime<L>, const L: usize> Sum<B, P, L> {
    /// Returns the same residue below 2p.
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
        Held::of(self.limbs.plus(&y.limbs).carried())
    }
}

/// x - y + 2p.
impl<B: Backend, P: Prime<L>, const L: usize> Sub for Held<B, P, L> {
    type Output = Sum<B, P, L>;

    #[inline(always)]
    fn sub(self, y: Self) -> Sum<B, P, L> {
        Held::of(self.limbs.less(&y.limbs).plus(&self.multiple(2)).carried())
    }
}

/// 2p - x.
impl<B: Backend, P: Prime<L>, const L: usize> Neg for Held<B, P, L> {
    type Output = Sum<B, P, L>;

    #[inline(always)]
    fn neg(self) -> Sum<B, P, L> {
        Self::zero(self.limbs.b) - self
    }
}
