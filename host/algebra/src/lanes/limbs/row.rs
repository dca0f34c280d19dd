//! Elements that lie across a vector, limb j in lane j: a sum is one instruction. Products are computed for eight pairs
//! of elements at a time, which are transposed for this.
//!
//! A [`Row`] is any number between -`bound` p and `bound` p, in limbs of either sign that are below `bound` 2^52. No
//! carry and no reduction takes place between products. A formula must stay below [`MOST`], for which the modulus leaves enough
//! bits: the bound follows from the formula and never from a value, so debug assertions check it.

use std::marker::PhantomData;

use super::columns::{Columns, of_pairs};
use super::{Held, Limbs, multiple};
use crate::lanes::Prime;
use crate::lanes::backend::{Backend, Kernel, LIMB_BITS, LIMB_MASK, Mask, WIDTH, both, each};
use crate::lanes::bound::Bound;

/// The largest bound.
const MOST: u32 = 1 << MAX_BITS;
const MAX_BITS: u32 = 10;

/// An element of P between -`bound` p and `bound` p.
#[derive(Clone, Copy)]
pub struct Row<B: Backend, P, const L: usize> {
    limbs: B::V,
    bound: Bound,
    prime: PhantomData<P>,
}

impl<B: Backend, P: Prime<L>, const L: usize> Row<B, P, L> {
    /// The bound of a product.
    const PRODUCT: Bound = Bound::of(3);

    /// MOST p in normal limbs.
    const OFFSET: [u64; L] = {
        const { assert!(LIMB_BITS * L as u32 >= P::BITS + 2 * MAX_BITS + 8, "enough bits for products") }
        let p = &P::CONSTANTS.multiples[1];
        let (mut offset, mut carry, mut j) = ([0; L], 0, 0);
        while j < L {
            let limb = (p[j] << MAX_BITS) + carry;
            offset[j] = limb & LIMB_MASK;
            carry = limb >> LIMB_BITS;
            j += 1;
        }
        offset
    };

    #[inline(always)]
    fn of(limbs: B::V, bound: Bound) -> Self {
        Self { limbs, bound, prime: PhantomData }
    }

    /// Converts from elements.
    #[inline(always)]
    pub fn from_elements(b: B, elements: &[P; WIDTH]) -> [Self; WIDTH] {
        rows(b, Held::from_elements(b, elements).limbs().vectors)
    }

    /// Converts to elements.
    #[inline(always)]
    pub fn to_elements(b: B, rows: &[Self; WIDTH]) -> [P; WIDTH] {
        let zero = b.splat(0);
        let x = above::<B, P, L>(b, &each!(i < WIDTH, zero => rows[i].limbs));
        let one = Held::<B, P, L>::one(b).limbs();
        let [product] = b.multiply(&P::CONSTANTS, [&x.vectors], [&one.vectors]);
        Held::<B, P, L>::of(Limbs::of(b, product)).to_elements()
    }

    /// 0.
    #[inline(always)]
    pub fn zero(b: B) -> Self {
        Self::of(b.splat(0), Bound::ZERO)
    }

    /// 1.
    #[inline(always)]
    pub fn one(b: B) -> Self {
        rows(b, Held::<B, P, L>::one(b).limbs().vectors)[0]
    }

    /// x + y.
    #[inline(always)]
    pub fn plus(&self, b: B, y: &Self) -> Self {
        Self::of(b.add(self.limbs, y.limbs), self.bound.from(y.bound, |x, y| x + y))
    }

    /// x - y.
    #[inline(always)]
    pub fn less(&self, b: B, y: &Self) -> Self {
        Self::of(b.sub(self.limbs, y.limbs), self.bound.from(y.bound, |x, y| x + y))
    }

    /// n x, for small n.
    #[inline(always)]
    pub fn times_small(&self, b: B, n: u32) -> Self {
        Self::of(multiple(b, n, self.limbs), self.bound.from(Bound::of(n), |x, n| n * x))
    }

    /// y if `choice` is all ones, x if it is 0.
    #[inline(always)]
    pub fn select(&self, b: B, choice: Mask, y: &Self) -> Self {
        Self::of(b.select(choice, self.limbs, y.limbs), self.bound.from(y.bound, u32::max))
    }
}

/// x y of eight pairs of elements of Fp[u]/(u^2 + n), [c0, c1].
pub struct PairProducts<'a, B: Backend, P, const L: usize> {
    /// The backend.
    pub b: B,
    /// n, small.
    pub n: u32,
    /// The factors x.
    pub x: [&'a [Row<B, P, L>; 2]; WIDTH],
    /// The factors y.
    pub y: [&'a [Row<B, P, L>; 2]; WIDTH],
}

impl<B: Backend, P: Prime<L>, const L: usize> Kernel for PairProducts<'_, B, P, L> {
    type Output = [[Row<B, P, L>; 2]; WIDTH];

    /// Karatsuba's three products and two reductions (ePrint 2010/526, section 3). The first coefficient has p R more.
    #[inline(always)]
    fn run<Same: Backend>(self, _: Same) -> Self::Output {
        let Self { b, n, x, y } = self;
        let [x0, x1] = coefficients(b, x);
        let [y0, y1] = coefficients(b, y);
        let (x, y) = (x0.plus(&x1).carried(), y0.plus(&y1).carried());
        let v0 = b.outline(Columns(b, &x0.vectors, &y0.vectors));
        let v1 = b.outline(Columns(b, &x1.vectors, &y1.vectors));
        let both = b.outline(Columns(b, &x.vectors, &y.vectors));
        let [c0, c1] = of_pairs::<B, P, L>(b, v0, v1, both, n);
        let (c0, c1) = (rows(b, c0), rows(b, c1));
        each!(i < WIDTH, [c0[0]; 2] => [c0[i], c1[i]])
    }
}

/// Both coefficients of eight pairs in lanes, in normal limbs and with MOST p more.
#[inline(always)]
fn coefficients<B: Backend, P: Prime<L>, const L: usize>(
    b: B,
    x: [&[Row<B, P, L>; 2]; WIDTH],
) -> [Limbs<B, L>; 2] {
    let zero = b.splat(0);
    both!(c => above::<B, P, L>(b, &each!(i < WIDTH, zero => {
        x[i][c].bound.check(MOST);
        x[i][c].limbs
    })))
}

/// Eight rows as normal limbs of lanes, with MOST p more.
#[inline(always)]
fn above<B: Backend, P: Prime<L>, const L: usize>(b: B, rows: &[B::V; WIDTH]) -> Limbs<B, L> {
    let limbs = b.transpose(*rows);
    let limbs = Limbs::of(b, each!(j < L, limbs[0] => limbs[j]));
    limbs.plus(&Limbs::constant(b, &Row::<B, P, L>::OFFSET)).carried()
}

/// The rows of a product's limbs.
#[inline(always)]
fn rows<B: Backend, P: Prime<L>, const L: usize>(b: B, limbs: [B::V; L]) -> [Row<B, P, L>; WIDTH] {
    let zero = b.splat(0);
    let rows = b.transpose(each!(j < WIDTH, zero => if j < L { limbs[j] } else { zero }));
    each!(i < WIDTH, Row::zero(b) => Row::of(rows[i], Row::<B, P, L>::PRODUCT))
}
