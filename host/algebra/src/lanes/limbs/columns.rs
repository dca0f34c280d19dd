//! Columns of products before they are reduced: what [`Lazy`](super::Lazy) and [`Row`](super::Row) multiply with.

use std::marker::PhantomData;

use super::multiple;
use super::product::{columns, reduced};
use crate::lanes::Prime;
use crate::lanes::backend::{Backend, Kernel};

/// The columns of a product. They are computed out of line, because they need nearly all registers.
pub(super) struct Columns<'a, B: Backend, const L: usize>(
    pub B,
    pub &'a [B::V; L],
    pub &'a [B::V; L],
);

impl<B: Backend, const L: usize> Kernel for Columns<'_, B, L> {
    type Output = [[B::V; L]; 2];

    #[inline(always)]
    fn run<Same: Backend>(self, _: Same) -> Self::Output {
        columns(self.0, self.1, self.2)
    }
}

/// The reductions of some columns, out of line for the same reason.
pub(super) struct Reduced<'a, B: Backend, P, const L: usize, const N: usize>(
    pub B,
    pub &'a [[[B::V; L]; 2]; N],
    pub PhantomData<P>,
);

impl<B: Backend, P: Prime<L>, const L: usize, const N: usize> Kernel for Reduced<'_, B, P, L, N> {
    type Output = [[B::V; L]; N];

    #[inline(always)]
    fn run<Same: Backend>(self, _: Same) -> Self::Output {
        reduced(self.0, &P::CONSTANTS, self.1)
    }
}

/// v0 - n v1 + p R and both - v0 - v1, reduced: the end of Karatsuba's product of pairs, from the columns of x0 y0, x1 y1 and
/// (x0 + x1) (y0 + y1).
#[inline(always)]
pub(super) fn of_pairs<B: Backend, P: Prime<L>, const L: usize>(
    b: B,
    v0: [[B::V; L]; 2],
    v1: [[B::V; L]; 2],
    both: [[B::V; L]; 2],
    n: u32,
) -> [[B::V; L]; 2] {
    let p = &P::CONSTANTS.multiples[1];
    let mut c = [v0, both];
    for half in 0..2 {
        for j in 0..L {
            let straight = b.add(v0[half][j], v1[half][j]);
            c[0][half][j] = b.sub(v0[half][j], multiple(b, n, v1[half][j]));
            c[1][half][j] = b.sub(both[half][j], straight);
        }
    }
    for j in 0..L {
        c[0][1][j] = b.add(c[0][1][j], b.splat(p[j]));
    }
    b.outline(Reduced::<B, P, L, 2>(b, &c, PhantomData))
}
