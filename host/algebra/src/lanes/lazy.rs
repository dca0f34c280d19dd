//! Elements of eight lanes that carry their bound along: long formulas of sums and products, in which nobody counts.
//!
//! A [`Lazy`] is in normal limbs and below `bound` p. Sums and differences only let the bound grow; what would leave
//! the room above the modulus, 2^(52 L) / p or 256, is reduced first. Bounds follow from the formula and never from
//! a value, so all backends reduce at the same places and have the same bits.

use std::marker::PhantomData;

use super::backend::{Backend, LIMB_BITS, Mask, WIDTH, each};
use super::montgomery::carried;
use super::{Held, Prime};

/// Eight elements of P below `bound` p.
#[derive(Clone, Copy)]
pub struct Lazy<B: Backend, P, const L: usize> {
    b: B,
    limbs: [B::V; L],
    bound: u32,
    prime: PhantomData<P>,
}

/// Limbs that are sums of this many bits above their own stay far from the sign.
const MOST_ROOM: u32 = 8;

impl<B: Backend, P: Prime<L>, const L: usize> Lazy<B, P, L> {
    /// The largest bound; products of two elements and sums of two products keep below it, too.
    const ROOM: u32 = {
        let bits = LIMB_BITS * L as u32 - P::BITS;
        1 << if bits < MOST_ROOM { bits } else { MOST_ROOM }
    };

    /// Of a product.
    const PRODUCT: u32 = 2;

    /// What [`Self::reduced`] leaves.
    const REDUCED: u32 = 3;

    #[inline(always)]
    fn of(b: B, limbs: [B::V; L], bound: u32) -> Self {
        Self { b, limbs, bound, prime: PhantomData }
    }

    /// From elements; zeros where there are fewer than eight.
    #[inline(always)]
    pub fn from_elements(b: B, elements: &[P]) -> Self {
        Self::of(b, Held::from_elements(b, elements).limbs(), Self::PRODUCT)
    }

    /// To elements.
    #[inline(always)]
    pub fn to_elements(&self) -> [P; WIDTH] {
        let product = Self::of(self.b, Held::<B, P, L>::one(self.b).limbs(), Self::PRODUCT);
        let [product] = Self::products([self], [&product]);
        Held::<B, P, L>::of(self.b, product.limbs).to_elements()
    }

    /// m x + n y, for small m and n.
    #[inline(always)]
    pub fn sum(m: u32, x: &Self, n: u32, y: &Self) -> Self {
        let (x, y) = Self::within(m, *x, n, *y);
        let (b, bound) = (x.b, m * x.bound + n * y.bound);
        let sum = each!(j < L, x.limbs[0] => b.add(multiple(b, m, x.limbs[j]), multiple(b, n, y.limbs[j])));
        Self::of(b, carried(b, sum), bound)
    }

    /// m x - n y, for small m and n: with 2^k p more, where n y is below that.
    #[inline(always)]
    pub fn difference(m: u32, x: &Self, n: u32, y: &Self) -> Self {
        let (x, y) = Self::within(m, *x, n, *y);
        let (b, p) = (x.b, &P::CONSTANTS.multiples[1]);
        let bits = (n * y.bound).next_power_of_two().ilog2();
        let difference = each!(j < L, x.limbs[0] => {
            let above = b.add(multiple(b, m, x.limbs[j]), b.splat(p[j] << bits));
            b.sub(above, multiple(b, n, y.limbs[j]))
        });
        Self::of(b, carried(b, difference), m * x.bound + (1 << bits))
    }

    /// Reduced if m x - n y would need more room than there is.
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
        let b = x[0].b;
        let (mut x, mut y) = (each!(n < N, *x[0] => *x[n]), each!(n < N, *y[0] => *y[n]));
        for n in 0..N {
            if x[n].bound * y[n].bound > Self::ROOM {
                (x[n], y[n]) = (x[n].reduced(), y[n].reduced());
            }
        }
        let x = each!(n < N, &x[0].limbs => &x[n].limbs);
        let y = each!(n < N, &y[0].limbs => &y[n].limbs);
        let products = b.multiply(&P::CONSTANTS, x, y);
        each!(n < N, Self::of(b, products[0], 0) => Self::of(b, products[n], Self::PRODUCT))
    }

    /// x0 y0 + x1 y1 and x2 y1 + x3 y0, each reduced once.
    #[inline(always)]
    pub fn sums_of_products(mut x: [Self; 4], mut y: [Self; 2]) -> [Self; 2] {
        let b = x[0].b;
        let above = |x: &[Self; 4], y: &[Self; 2]| {
            let first = x[0].bound * y[0].bound + x[1].bound * y[1].bound;
            first.max(x[2].bound * y[1].bound + x[3].bound * y[0].bound) > Self::ROOM
        };
        if above(&x, &y) {
            y = each!(n < 2, y[0] => y[n].reduced());
        }
        if above(&x, &y) {
            x = each!(n < 4, x[0] => x[n].reduced());
        }
        let [x0, x1, x2, x3] = [&x[0].limbs, &x[1].limbs, &x[2].limbs, &x[3].limbs];
        let [y0, y1] = [&y[0].limbs, &y[1].limbs];
        let sums = b.sum_of_products(&P::CONSTANTS, [[x0, x1], [x2, x3]], [[y0, y1], [y1, y0]]);
        each!(n < 2, x[0] => Self::of(b, sums[n], Self::PRODUCT))
    }

    /// y in the lanes of the mask, x in the others.
    #[inline(always)]
    pub fn select(&self, mask: Mask, y: &Self) -> Self {
        let b = self.b;
        let limbs = each!(j < L, self.limbs[0] => b.select(mask, self.limbs[j], y.limbs[j]));
        Self::of(b, limbs, self.bound.max(y.bound))
    }

    /// x - q p with q = floor(x' / (p' + 1)), or 1 less, where x' and p' are the highest limbs: q is not more than x/p,
    /// and x/p is less than q + 2 + 2 bound / p'.
    #[inline(always)]
    fn reduced(&self) -> Self {
        let p = &P::CONSTANTS.multiples[1];
        let divisor = p[L - 1] + 1;
        const { assert!(P::CONSTANTS.multiples[1][L - 1] > 2 << MOST_ROOM, "a modulus of L limbs") }
        let (b, zero) = (self.b, self.b.splat(0));
        let q = b.add_high(zero, self.limbs[L - 1], b.splat((1 << LIMB_BITS) / divisor));
        let mut product = each!(j < L, zero => b.add_low(zero, q, b.splat(p[j])));
        for j in 1..L {
            product[j] = b.add_high(product[j], q, b.splat(p[j - 1]));
        }
        let rest = each!(j < L, zero => b.sub(self.limbs[j], product[j]));
        Self::of(b, carried(b, rest), Self::REDUCED)
    }
}

/// n x of a limb.
#[inline(always)]
fn multiple<B: Backend>(b: B, n: u32, x: B::V) -> B::V {
    let mut sum = b.splat(0);
    let mut bit = 0;
    while n >> bit != 0 {
        if n >> bit & 1 == 1 {
            sum = b.add(sum, b.shift_left(x, bit));
        }
        bit += 1;
    }
    sum
}
