//! Sixteen transforms in parallel, in the second-level cache.

use crate::lanes::{Backend, WIDTH, each};

use super::between::Between;
use super::form::{Arithmetic, Form};
use super::tables::{Step, Steps};
use super::words::Row;

/// The number of columns of a tile, in two vectors.
pub const PIECE: usize = 2 * WIDTH;

/// Bytes of the blocks whose levels are done one block after the other: they stay in a first-level cache of 48 KiB (Zen 5, Ice
/// Lake); of 32 KiB (Zen 4) they leave a fifth to the second level.
const BLOCK_BYTES: usize = 40 << 10;

/// The digits of eight elements at rest.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub struct TileVector<const D: usize>(pub(super) [[u64; WIDTH]; D]);

impl<const D: usize> TileVector<D> {
    pub(super) const ZERO: Self = Self([[0; WIDTH]; D]);

    #[inline(always)]
    pub(super) fn load<B: Backend>(&self, b: B) -> [B::V; D] {
        each!(j < D, b.splat(0) => b.load(&self.0[j]))
    }

    #[inline(always)]
    pub(super) fn store<B: Backend>(&mut self, b: B, digits: &[B::V; D]) {
        let mut j = 0;
        while j < D {
            b.store(digits[j], &mut self.0[j]);
            j += 1;
        }
    }

    /// Of what the lanes of two vectors shall be, by the places of sixteen elements.
    pub(super) fn two<F: Form<D>, A: Arithmetic<F, D>>(
        digits: impl Fn(usize) -> [u64; D],
    ) -> [Self; 2] {
        let mut two = [Self::ZERO; 2];
        for element in 0..PIECE {
            let (vector, lane) = A::place(element);
            for (row, digit) in two[vector].0.iter_mut().zip(digits(element)) {
                row[lane] = digit;
            }
        }
        two
    }
}

/// The memory that a thread needs for transforms with a plan.
pub struct Tile<F, const D: usize>(pub(super) Memory<F, D>);

/// The memory of a tile: for lanes, or for scalar code.
pub enum Memory<F, const D: usize> {
    /// Up to two vectors a row.
    Lanes { rows: Vec<TileVector<D>>, between: Between<D> },
    /// Sixteen elements a row.
    Words(Vec<Row<F>>),
}

/// Returns the digits in every lane.
#[inline(always)]
pub fn splat<B: Backend, const D: usize>(b: B, digits: &[u64; D]) -> [B::V; D] {
    each!(j < D, b.splat(0) => b.splat(digits[j]))
}

/// Transforms the rows of a tile. They are left in the order of [`Steps::row`].
#[inline(always)]
pub fn transform<F: Form<D>, A: Arithmetic<F, D>, const D: usize>(
    a: A,
    rows: &mut [TileVector<D>],
    steps: &Steps<D>,
) {
    let (mut blocks, mut done) = (1, 0);
    while done < steps.list.len() && rows.len() / blocks > BLOCK_BYTES / size_of::<TileVector<D>>()
    {
        step::<F, A, D>(a, rows, &steps.list[done], 0, steps.is_plain && done == 0);
        blocks <<= steps.list[done].log_radix;
        done += 1;
    }
    let size = rows.len() / blocks;
    for (i, block) in rows.chunks_exact_mut(size).enumerate() {
        let mut first = i;
        for (number, next) in steps.list.iter().enumerate().skip(done) {
            step::<F, A, D>(a, block, next, first, steps.is_plain && number == 0);
            first <<= next.log_radix;
        }
    }
}

/// A step of consecutive blocks, from block `first` on.
#[inline(always)]
fn step<F: Form<D>, A: Arithmetic<F, D>, const D: usize>(
    a: A,
    rows: &mut [TileVector<D>],
    step: &Step<D>,
    first: usize,
    is_plain: bool,
) {
    let count = (1 << step.log_radix) - 1;
    let factors = step.factors[count * first..].chunks_exact(count);
    for (block, factors) in rows.chunks_exact_mut(A::ROW * step.block).zip(factors) {
        a.butterflies(block, factors, step.log_radix, is_plain);
    }
}
