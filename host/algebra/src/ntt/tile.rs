//! Sixteen transforms side by side, in the second-level cache.

use crate::lanes::{Backend, WIDTH, each};

use super::between::Between;
use super::form::Form;

/// Elements that a tile has side by side, in two vectors.
pub const PIECE: usize = 2 * WIDTH;

/// Bytes of the blocks whose levels are done one block after the other: they stay in the first-level cache.
const BLOCK_BYTES: usize = 32 << 10;

/// The digits of eight elements at rest.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub struct Eight<const D: usize>([[u64; WIDTH]; D]);

impl<const D: usize> Eight<D> {
    pub(super) const ZERO: Self = Self([[0; WIDTH]; D]);

    #[inline(always)]
    pub(super) fn get<B: Backend>(&self, b: B) -> [B::V; D] {
        each!(j < D, b.splat(0) => b.load(&self.0[j]))
    }

    #[inline(always)]
    pub(super) fn set<B: Backend>(&mut self, b: B, digits: &[B::V; D]) {
        let mut j = 0;
        while j < D {
            b.store(digits[j], &mut self.0[j]);
            j += 1;
        }
    }

    /// Of what the lanes of two vectors shall be, by the places of sixteen elements.
    pub(super) fn two<F: Form<D>>(digits: impl Fn(usize) -> [u64; D]) -> [Self; 2] {
        let mut two = [Self::ZERO; 2];
        for element in 0..PIECE {
            let (vector, lane) = F::place(element);
            for (row, digit) in two[vector].0.iter_mut().zip(digits(element)) {
                row[lane] = digit;
            }
        }
        two
    }
}

/// The memory that a thread needs for transforms with a plan.
pub struct Tile<const D: usize> {
    /// Two vectors a row.
    pub(super) rows: Vec<Eight<D>>,
    pub(super) between: Between<D>,
}

/// The same digits in every lane.
#[inline(always)]
pub fn splat<B: Backend, const D: usize>(b: B, digits: &[u64; D]) -> [B::V; D] {
    each!(j < D, b.splat(0) => b.splat(digits[j]))
}

/// Transforms the rows of a tile, with the factors of [`super::tables::levels`]. The rows are left in bit-reversed order.
#[inline(always)]
pub fn transform<F: Form<D>, B: Backend, const D: usize>(
    b: B,
    rows: &mut [Eight<D>],
    factors: &[[u64; D]],
) {
    let log = (rows.len() / 2).ilog2();
    let mut level = 0;
    while rows.len() >> level > BLOCK_BYTES / size_of::<Eight<D>>() && level + 2 <= log {
        two_levels::<F, B, D>(b, rows, factors, level, 0);
        level += 2;
    }
    let size = rows.len() >> level;
    for (i, block) in rows.chunks_exact_mut(size).enumerate() {
        let mut within = 0;
        while level + within + 2 <= log {
            two_levels::<F, B, D>(b, block, factors, level + within, i << within);
            within += 2;
        }
        if level + within < log {
            one_level::<F, B, D>(b, block, factors, level + within, i << within);
        }
    }
}

/// Two levels of consecutive blocks of a level, from block `first` on.
#[inline(always)]
fn two_levels<F: Form<D>, B: Backend, const D: usize>(
    b: B,
    rows: &mut [Eight<D>],
    factors: &[[u64; D]],
    level: u32,
    first: usize,
) {
    let size = (2 * factors.len()) >> level;
    let (outer, inner) = (&factors[1 << level..], &factors[2 << level..]);
    for (i, block) in rows.chunks_exact_mut(size).enumerate() {
        let i = first + i;
        let w = splat(b, &outer[i]);
        let [w0, w1] = [splat(b, &inner[2 * i]), splat(b, &inner[2 * i + 1])];
        let (upper, lower) = block.split_at_mut(size / 2);
        let (a, c) = upper.split_at_mut(size / 4);
        let (d, e) = lower.split_at_mut(size / 4);
        for (((a, c), d), e) in a.iter_mut().zip(c).zip(d).zip(e) {
            let [x0, x1] = [a.get(b), c.get(b)];
            let [x2, x3] = [F::settled(b, d.get(b)), F::settled(b, e.get(b))];
            let [y2, y3] = F::multiply(b, [&x2, &x3], [&w, &w]);
            let [z0, z2] = [F::plus(b, &x0, &y2), F::minus(b, &x0, &y2)];
            let z1 = F::settled(b, F::plus(b, &x1, &y3));
            let z3 = F::settled(b, F::minus(b, &x1, &y3));
            let [y1, y3] = F::multiply(b, [&z1, &z3], [&w0, &w1]);
            a.set(b, &F::plus(b, &z0, &y1));
            c.set(b, &F::minus(b, &z0, &y1));
            d.set(b, &F::plus(b, &z2, &y3));
            e.set(b, &F::minus(b, &z2, &y3));
        }
    }
}

/// One level, likewise.
#[inline(always)]
fn one_level<F: Form<D>, B: Backend, const D: usize>(
    b: B,
    rows: &mut [Eight<D>],
    factors: &[[u64; D]],
    level: u32,
    first: usize,
) {
    let size = (2 * factors.len()) >> level;
    let factors = &factors[(1 << level) + first..];
    for (block, factor) in rows.chunks_exact_mut(size).zip(factors) {
        let w = splat(b, factor);
        let (upper, lower) = block.split_at_mut(size / 2);
        let ((upper, _), (lower, _)) = (upper.as_chunks_mut::<2>(), lower.as_chunks_mut::<2>());
        for ([a, c], [d, e]) in upper.iter_mut().zip(lower) {
            let [x0, x1] = [a.get(b), c.get(b)];
            let [x2, x3] = [F::settled(b, d.get(b)), F::settled(b, e.get(b))];
            let [y2, y3] = F::multiply(b, [&x2, &x3], [&w, &w]);
            a.set(b, &F::plus(b, &x0, &y2));
            c.set(b, &F::plus(b, &x1, &y3));
            d.set(b, &F::minus(b, &x0, &y2));
            e.set(b, &F::minus(b, &x1, &y3));
        }
    }
}
