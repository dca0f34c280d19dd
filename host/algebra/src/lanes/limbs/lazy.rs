//! Elements of eight lanes that carry their bound along: for long formulas of sums and products, without manual bounds.
//!
//! A [`Lazy`] is below `bound` p. Sums and differences work limb by limb and only increase the bound; carries wait for
//! the next product. An element whose bound would exceed 2^(52 L) / p or 128 is reduced first. Bounds follow
//! from the formula and never from a value, so all backends reduce at the same places and have the same bits.

use std::marker::PhantomData;

use super::columns::{Columns, Reduced, of_pairs};
use super::{Held, Limbs};
use crate::lanes::Prime;
use crate::lanes::backend::{Backend, LIMB_BITS, Mask, WIDTH, each};

/// Eight elements of P below `bound` p.
///
/// Limbs may be of either sign. From a normal one on, a difference adds to their span as much as to the bound, and the
/// span of what is subtracted besides; the bound at least doubles when that is not small. So limbs are below 2^55 times
/// the bound, and far from 2^63.
#[derive(Clone, Copy)]
pub struct Lazy<B: Backend, P, const L: usize> {
    limbs: Limbs<B, L>,
    bound: u32,
    /// True if all limbs are in [0, 2^52).
    normal: bool,
    prime: PhantomData<P>,
}

/// Bits of the largest bound, if the limbs have as many spare bits.
const MAX_FREE: u32 = 7;

/// Bits of the largest product of two bounds, likewise.
const MAX_FREE_OF_PRODUCTS: u32 = 20;

impl<B: Backend, P: Prime<L>, const L: usize> Lazy<B, P, L> {
    /// Spare bits above the modulus.
    const FREE: u32 = LIMB_BITS * L as u32 - P::BITS;

    /// The largest bound.
    const ROOM: u32 = 1 << if Self::FREE < MAX_FREE { Self::FREE } else { MAX_FREE };

    /// The largest product of two bounds, and sum of two such.
    const PRODUCTS: u32 =
        1 << if Self::FREE < MAX_FREE_OF_PRODUCTS { Self::FREE } else { MAX_FREE_OF_PRODUCTS };

    /// The bound of a product.
    const PRODUCT: u32 = 2;

    /// The bound of [`Self::reduced`].
    const REDUCED: u32 = 3;

    /// Creates an element in normal limbs.
    #[inline(always)]
    fn of(limbs: Limbs<B, L>, bound: u32) -> Self {
        Self { limbs, bound, normal: true, prime: PhantomData }
    }

    /// Creates an element in any limbs.
    #[inline(always)]
    fn loose(limbs: Limbs<B, L>, bound: u32) -> Self {
        Self { limbs, bound, normal: false, prime: PhantomData }
    }

    /// Returns the element in normal limbs.
    #[inline(always)]
    fn normal(&self) -> Self {
        if self.normal {
            return *self;
        }
        Self::of(self.limbs.carried(), self.bound)
    }

    /// Returns the element in normal limbs, with the bound `BOUND` whatever its bound is: the compiler then knows the bounds of results.
    #[inline(always)]
    pub fn settled<const BOUND: u32>(&self) -> Self {
        const { assert!(BOUND >= Self::REDUCED) }
        let x = if self.bound > BOUND { self.reduced() } else { self.normal() };
        Self::of(x.limbs, BOUND)
    }

    /// Converts from elements; zeros if there are fewer than eight.
    #[inline(always)]
    pub fn from_elements(b: B, elements: &[P]) -> Self {
        Self::of(Held::from_elements(b, elements).limbs(), Self::PRODUCT)
    }

    /// Converts to elements.
    #[inline(always)]
    pub fn to_elements(self) -> [P; WIDTH] {
        let one = Self::of(Held::<B, P, L>::one(self.limbs.b).limbs(), Self::PRODUCT);
        let [product] = Self::products([&self], [&one]);
        Held::<B, P, L>::of(product.limbs).to_elements()
    }

    /// m x + n y, for small m and n.
    #[inline(always)]
    pub fn sum(m: u32, x: &Self, n: u32, y: &Self) -> Self {
        let (x, y) = Self::within(m, *x, n, *y);
        Self::loose(x.limbs.times(m).plus(&y.limbs.times(n)), m * x.bound + n * y.bound)
    }

    /// m x - n y, for small m and n: with 2^k p more, where n y is below that. A negative alone, whose bound need not
    /// grow, is in normal limbs.
    #[inline(always)]
    pub fn difference(m: u32, x: &Self, n: u32, y: &Self) -> Self {
        let (x, y) = Self::within(m, *x, n, *y);
        let (b, p) = (x.limbs.b, &P::CONSTANTS.multiples[1]);
        let bits = (n * y.bound).next_power_of_two().ilog2();
        let above = Limbs::of(b, each!(j < L, b.splat(0) => b.splat(p[j] << bits)));
        let difference = x.limbs.times(m).plus(&above).less(&y.limbs.times(n));
        let difference = Self::loose(difference, m * x.bound + (1 << bits));
        if m == 0 { difference.normal() } else { difference }
    }

    /// Reduces the operands if m x - n y would exceed the largest bound.
    #[inline(always)]
    fn within(m: u32, x: Self, n: u32, y: Self) -> (Self, Self) {
        if m * x.bound + (n * y.bound).next_power_of_two() <= Self::ROOM {
            return (x, y);
        }
        (x.reduced(), y.reduced())
    }

    /// x y of each.
    #[inline(always)]
    pub fn products<const N: usize>(x: [&Self; N], y: [&Self; N]) -> [Self; N] {
        let b = x[0].limbs.b;
        let mut products = [[[b.splat(0); L]; 2]; N];
        for n in 0..N {
            let (mut x, mut y) = (*x[n], *y[n]);
            if x.bound * y.bound > Self::PRODUCTS {
                (x, y) = (x.reduced(), y.reduced());
            }
            products[n] = Self::columns(&x.normal(), &y.normal());
        }
        let products = b.outline(Reduced::<B, P, L, N>(b, &products, PhantomData));
        each!(n < N, *x[0] => Self::of(Limbs::of(b, products[n]), Self::PRODUCT))
    }

    /// x0 y0 - n x1 y1 and x0 y1 + x1 y0, the coefficients of a product in Fp[u]/(u^2 + n): Karatsuba's three products,
    /// and two reductions (Aranha, Karabina, Longa, Gebotys, Lopez, ePrint 2010/526, section 3). The first one has p R
    /// more.
    #[inline(always)]
    pub fn product_of_pairs(x: [&Self; 2], y: [&Self; 2], n: u32) -> [Self; 2] {
        let [mut x0, mut x1, mut y0, mut y1] = [*x[0], *x[1], *y[0], *y[1]];
        let crossed = x0.bound * y1.bound + x1.bound * y0.bound;
        if crossed.max(x0.bound * y0.bound + n * x1.bound * y1.bound) > Self::PRODUCTS {
            [x0, x1, y0, y1] = [x0.reduced(), x1.reduced(), y0.reduced(), y1.reduced()];
        }
        let b = x0.limbs.b;
        let (x, y) = (Self::exact_sum(&x0, &x1).normal(), Self::exact_sum(&y0, &y1).normal());
        let v0 = Self::columns(&x0.normal(), &y0.normal());
        let v1 = Self::columns(&x1.normal(), &y1.normal());
        let [c0, c1] = of_pairs::<B, P, L>(b, v0, v1, Self::columns(&x, &y), n);
        [Self::of(Limbs::of(b, c0), Self::PRODUCT + 1), Self::of(Limbs::of(b, c1), Self::PRODUCT)]
    }

    /// Computes x + y without reducing either: Karatsuba subtracts the products of these very numbers. The sum does not exceed the range. If the
    /// product of bounds is the limit, both are at most half of the largest bound, because none is below 2; otherwise two bounds
    /// are below 256, which the range exceeds.
    #[inline(always)]
    fn exact_sum(x: &Self, y: &Self) -> Self {
        Self::loose(x.limbs.plus(&y.limbs), x.bound + y.bound)
    }

    #[inline(always)]
    fn columns(x: &Self, y: &Self) -> [[B::V; L]; 2] {
        x.limbs.b.outline(Columns(x.limbs.b, &x.limbs.vectors, &y.limbs.vectors))
    }

    /// y in the lanes of the mask, x in the others.
    #[inline(always)]
    pub fn select(&self, mask: Mask, y: &Self) -> Self {
        let (bound, normal) = (self.bound.max(y.bound), self.normal && y.normal);
        Self { limbs: self.limbs.select(mask, &y.limbs), bound, normal, prime: PhantomData }
    }

    /// Lane i of the result is lane `from[i]`.
    #[inline(always)]
    pub fn permute(&self, from: [u8; WIDTH]) -> Self {
        Self { limbs: self.limbs.permute(from), ..*self }
    }

    /// x - q p with q = floor(x' / (p' + 1)), or 1 less, where x' and p' are the highest limbs: q is not more than x/p,
    /// and x/p is less than q + 2 + 2 bound / p'.
    #[inline(always)]
    fn reduced(&self) -> Self {
        let p = &P::CONSTANTS.multiples[1];
        let divisor = p[L - 1] + 1;
        const { assert!(P::CONSTANTS.multiples[1][L - 1] > 2 << MAX_FREE, "a modulus of L limbs") }
        let (b, x) = (self.limbs.b, self.normal().limbs);
        let zero = b.splat(0);
        let q = b.add_high(zero, x.vectors[L - 1], b.splat((1 << LIMB_BITS) / divisor));
        let mut product = each!(j < L, zero => b.add_low(zero, q, b.splat(p[j])));
        for j in 1..L {
            product[j] = b.add_high(product[j], q, b.splat(p[j - 1]));
        }
        Self::of(x.less(&Limbs::of(b, product)).carried(), Self::REDUCED)
    }
}

#[cfg(test)]
mod tests;
