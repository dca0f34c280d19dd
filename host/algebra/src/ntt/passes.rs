//! The two passes of a tile in lanes.

use std::marker::PhantomData;

use crate::lanes::{Backend, Kernel, Mask};

use super::between::Between;
use super::form::Form;
use super::plan::Plan;
use super::tables::Steps;
use super::tile::{Eight, PIECE, splat, transform};

/// Factors of both passes.
pub struct Lanes<const D: usize> {
    /// Of the transforms of columns, at input^n2 times the powers of w^n2.
    pub column_steps: Steps<D>,
    /// Of the transforms of rows.
    pub row_steps: Steps<D>,
    /// output^(k2 n1), unless output is 1.
    pub outputs: Option<Vec<[u64; D]>>,
}

/// The first pass of a tile, of columns from `first` on; tells whether all elements were below the modulus.
pub struct Columns<'a, F: Form<D>, const D: usize> {
    pub plan: &'a Plan<F, D>,
    pub lanes: &'a Lanes<D>,
    pub rows: &'a mut [Eight<D>],
    pub factors: &'a mut Between<D>,
    pub first: usize,
    pub source: &'a [u8],
    pub between: &'a mut [u8],
}

impl<F: Form<D>, const D: usize> Kernel for Columns<'_, F, D> {
    type Output = bool;

    #[inline(always)]
    fn run<B: Backend>(self, b: B) -> bool {
        let Self { plan, lanes, rows, factors, first, source, between } = self;
        let piece = plan.piece_bytes();
        factors.make(b, &plan.transform, first);
        let mut below = Mask::MAX;
        let (pairs, _) = rows.as_chunks_mut::<2>();
        let lines = source.chunks_exact(F::BYTES << plan.log_columns);
        for ([row0, row1], line) in pairs.iter_mut().zip(lines) {
            let [x0, x1] = F::read(b, &line[first * F::BYTES..][..piece]);
            below &= F::below(b, x0) & F::below(b, x1);
            row0.set(b, &x0);
            row1.set(b, &x1);
        }
        transform::<F, B, D>(b, rows, &lanes.column_steps);
        let tiles = plan.row_tiles();
        for (place, piece) in between.chunks_exact_mut(piece).enumerate() {
            let k1 = place % tiles * PIECE + place / tiles;
            let row = lanes.column_steps.row(k1);
            let x0 = F::settled(b, rows[2 * row].get(b));
            let x1 = F::settled(b, rows[2 * row + 1].get(b));
            F::write(b, factors.times::<F, B>(b, k1, [x0, x1]), piece);
        }
        below == Mask::MAX
    }
}

/// The second pass of a tile.
pub struct Rows<'a, 'b, F, const D: usize> {
    pub lanes: &'a Lanes<D>,
    pub rows: &'a mut [Eight<D>],
    pub pieces: &'a mut [&'b mut [u8]],
    pub field: PhantomData<F>,
}

impl<F: Form<D>, const D: usize> Kernel for Rows<'_, '_, F, D> {
    type Output = ();

    #[inline(always)]
    fn run<B: Backend>(self, b: B) {
        let Self { lanes, rows, pieces, .. } = self;
        let (columns, _) = rows.as_chunks_mut::<{ 2 * PIECE }>();
        let (groups, _) = pieces.as_chunks::<PIECE>();
        for (columns, group) in columns.iter_mut().zip(groups) {
            F::read_columns(b, group, columns);
        }
        transform::<F, B, D>(b, rows, &lanes.row_steps);
        for (k2, piece) in pieces.iter_mut().enumerate() {
            let row = lanes.row_steps.row(k2);
            let mut x0 = F::settled(b, rows[2 * row].get(b));
            let mut x1 = F::settled(b, rows[2 * row + 1].get(b));
            if let Some(outputs) = &lanes.outputs {
                let w = splat(b, &outputs[k2]);
                let [y0, y1] = F::multiply(b, [&x0, &x1], [&w, &w]);
                [x0, x1] = [F::normal(b, y0), F::normal(b, y1)];
            }
            F::write_canonical(b, [x0, x1], piece);
        }
    }
}
