//! Elements of eight lanes that carry their bound along: long formulas of sums and products, in which nobody counts.
//!
//! A [`Lazy`] is below `bound` p. Sums and differences work limb by limb and only let the bound grow; carries wait for
//! the next product. What would leave the room above the modulus, 2^(52 L) / p or 256, is reduced first. Bounds follow
//! from the formula and never from a value, so all backends reduce at the same places and have the same bits.

use std::marker::PhantomData;

use super::backend::{Backend, Kernel, LIMB_BITS, Mask, WIDTH, each};
use super::montgomery::{carried, columns, reduced};
use super::{Held, Prime};

/// Eight elements of P below `bound` p, in limbs whose absolute values are below 2^53 `bound`.
#[derive(Clone, Copy)]
pub struct Lazy<B: Backend, P, const L: usize> {
    b: B,
    limbs: [B::V; L],
    bound: u32,
    /// All limbs in [0, 2^52)?
    normal: bool,
    prime: PhantomData<P>,
}

/// With a bound of this many bits, limbs stay far from the sign bit.
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

    /// In normal limbs.
    #[inline(always)]
    fn of(b: B, limbs: [B::V; L], bound: u32) -> Self {
        Self { b, limbs, bound, normal: true, prime: PhantomData }
    }

    /// In any limbs.
    #[inline(always)]
    fn loose(b: B, limbs: [B::V; L], bound: u32) -> Self {
        Self { b, limbs, bound, normal: false, prime: PhantomData }
    }

    #[inline(always)]
    fn normal(&self) -> Self {
        if self.normal {
            return *self;
        }
        Self::of(self.b, carried(self.b, self.limbs), self.bound)
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
        Self::loose(b, sum, bound)
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
        Self::loose(b, difference, m * x.bound + (1 << bits))
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
        let mut products = [[[b.splat(0); L]; 2]; N];
        for n in 0..N {
            let (mut x, mut y) = (*x[n], *y[n]);
            if x.bound * y.bound > Self::ROOM {
                (x, y) = (x.reduced(), y.reduced());
            }
            products[n] = Self::columns(&x.normal(), &y.normal());
        }
        let products = b.apart(Reduced::<B, P, L, N>(b, &products, PhantomData));
        each!(n < N, *x[0] => Self::of(b, products[n], Self::PRODUCT))
    }

    /// x0 y0 - n x1 y1 and x0 y1 + x1 y0, the coefficients of a product in Fp[u]/(u^2 + n): Karatsuba's three products,
    /// and two reductions (Aranha, Karabina, Longa, Gebotys, Lopez, ePrint 2010/526, section 3). The first one has p R
    /// more.
    #[inline(always)]
    pub fn product_of_pairs(x: [&Self; 2], y: [&Self; 2], n: u32) -> [Self; 2] {
        let [mut x0, mut x1, mut y0, mut y1] = [*x[0], *x[1], *y[0], *y[1]];
        let crossed = x0.bound * y1.bound + x1.bound * y0.bound;
        if crossed.max(x0.bound * y0.bound + n * x1.bound * y1.bound) > Self::ROOM {
            [x0, x1, y0, y1] = [x0.reduced(), x1.reduced(), y0.reduced(), y1.reduced()];
        }
        let (b, p) = (x0.b, &P::CONSTANTS.multiples[1]);
        let (x, y) = (Self::sum(1, &x0, 1, &x1).normal(), Self::sum(1, &y0, 1, &y1).normal());
        let v0 = Self::columns(&x0.normal(), &y0.normal());
        let v1 = Self::columns(&x1.normal(), &y1.normal());
        let mut c = [v0, Self::columns(&x, &y)];
        for half in 0..2 {
            for j in 0..L {
                let both = b.add(v0[half][j], v1[half][j]);
                c[0][half][j] = b.sub(v0[half][j], multiple(b, n, v1[half][j]));
                c[1][half][j] = b.sub(c[1][half][j], both);
            }
        }
        for j in 0..L {
            c[0][1][j] = b.add(c[0][1][j], b.splat(p[j]));
        }
        let [c0, c1] = b.apart(Reduced::<B, P, L, 2>(b, &c, PhantomData));
        [Self::of(b, c0, Self::PRODUCT + 1), Self::of(b, c1, Self::PRODUCT)]
    }

    #[inline(always)]
    fn columns(x: &Self, y: &Self) -> [[B::V; L]; 2] {
        x.b.apart(Columns(x.b, &x.limbs, &y.limbs))
    }

    /// y in the lanes of the mask, x in the others.
    #[inline(always)]
    pub fn select(&self, mask: Mask, y: &Self) -> Self {
        let b = self.b;
        let limbs = each!(j < L, self.limbs[0] => b.select(mask, self.limbs[j], y.limbs[j]));
        let (bound, normal) = (self.bound.max(y.bound), self.normal && y.normal);
        Self { b, limbs, bound, normal, prime: PhantomData }
    }

    /// x - q p with q = floor(x' / (p' + 1)), or 1 less, where x' and p' are the highest limbs: q is not more than x/p,
    /// and x/p is less than q + 2 + 2 bound / p'.
    #[inline(always)]
    fn reduced(&self) -> Self {
        let p = &P::CONSTANTS.multiples[1];
        let divisor = p[L - 1] + 1;
        const { assert!(P::CONSTANTS.multiples[1][L - 1] > 2 << MOST_ROOM, "a modulus of L limbs") }
        let (b, zero, x) = (self.b, self.b.splat(0), self.normal());
        let q = b.add_high(zero, x.limbs[L - 1], b.splat((1 << LIMB_BITS) / divisor));
        let mut product = each!(j < L, zero => b.add_low(zero, q, b.splat(p[j])));
        for j in 1..L {
            product[j] = b.add_high(product[j], q, b.splat(p[j - 1]));
        }
        let rest = each!(j < L, zero => b.sub(x.limbs[j], product[j]));
        Self::of(b, carried(b, rest), Self::REDUCED)
    }
}

/// The columns of a product: apart, because they take nearly all registers.
struct Columns<'a, B: Backend, const L: usize>(B, &'a [B::V; L], &'a [B::V; L]);

impl<B: Backend, const L: usize> Kernel for Columns<'_, B, L> {
    type Output = [[B::V; L]; 2];

    #[inline(always)]
    fn run<Same: Backend>(self, _: Same) -> Self::Output {
        columns(self.0, self.1, self.2)
    }
}

/// The reductions of some columns: apart for the same reason.
struct Reduced<'a, B: Backend, P, const L: usize, const N: usize>(
    B,
    &'a [[[B::V; L]; 2]; N],
    PhantomData<P>,
);

impl<B: Backend, P: Prime<L>, const L: usize, const N: usize> Kernel for Reduced<'_, B, P, L, N> {
    type Output = [[B::V; L]; N];

    #[inline(always)]
    fn run<Same: Backend>(self, _: Same) -> Self::Output {
        reduced(self.0, &P::CONSTANTS, self.1)
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
