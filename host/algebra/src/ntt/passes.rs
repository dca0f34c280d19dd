//! The two passes of a tile in lanes.

use std::marker::PhantomData;

use crate::lanes::Mask;

use super::between::Between;
use super::form::{Arithmetic, Form, Pass};
use super::plan::Plan;
use super::tables::Steps;
use super::tile::{PIECE, TileVector, transform};

/// Factors of both passes.
pub struct Lanes<const D: usize> {
    /// The steps of the transforms of columns, at input^n2 times the powers of w^n2.
    pub column_steps: Steps<D>,
    /// The steps of the transforms of rows.
    pub row_steps: Steps<D>,
    /// output^(k2 n1), unless output is 1.
    pub outputs: Option<Vec<[u64; D]>>,
}

/// The first pass of a tile, of columns from `first` on; returns whether all elements were below the modulus.
pub struct Columns<'a, F: Form<D>, const D: usize> {
    pub plan: &'a Plan<F, D>,
    pub lanes: &'a Lanes<D>,
    pub rows: &'a mut [TileVector<D>],
    pub factors: &'a mut Between<D>,
    pub first: usize,
    pub source: &'a [u8],
    pub between: &'a mut [u8],
}

impl<F: Form<D>, const D: usize> Pass<F, D> for Columns<'_, F, D> {
    type Output = bool;

    #[inline(always)]
    fn run_on<A: Arithmetic<F, D>>(self, a: A) -> bool {
        let Self { plan, lanes, rows, factors, first, source, between } = self;
        let piece = plan.piece_bytes();
        let rows = &mut rows[..A::ROW << plan.log_rows];
        factors.make(a, &plan.transform, first);
        let mut below = Mask::MAX;
        let lines = source.chunks_exact(F::BYTES << plan.log_columns);
        for (row, line) in rows.chunks_exact_mut(A::ROW).zip(lines) {
            let (x, are_below) = a.read(&line[first * F::BYTES..][..piece]);
            below &= are_below;
            a.set_row(row, &x);
        }
        transform::<F, A, D>(a, rows, &lanes.column_steps);
        let tiles = plan.row_tiles();
        for (place, piece) in between.chunks_exact_mut(piece).enumerate() {
            let k1 = place % tiles * PIECE + place / tiles;
            let row = lanes.column_steps.row(k1);
            let [x0, x1] = a.get_row(&rows[A::ROW * row..][..A::ROW]);
            a.write(&factors.times(a, k1, &[a.settled(x0), a.settled(x1)]), piece);
        }
        below == Mask::MAX
    }
}

/// The second pass of a tile.
pub struct Rows<'a, 'b, F, const D: usize> {
    pub lanes: &'a Lanes<D>,
    pub rows: &'a mut [TileVector<D>],
    pub pieces: &'a mut [&'b mut [u8]],
    pub field: PhantomData<F>,
}

impl<F: Form<D>, const D: usize> Pass<F, D> for Rows<'_, '_, F, D> {
    type Output = ();

    #[inline(always)]
    fn run_on<A: Arithmetic<F, D>>(self, a: A) {
        let Self { lanes, rows, pieces, .. } = self;
        let rows = &mut rows[..A::ROW * pieces.len()];
        let (groups, _) = pieces.as_chunks::<PIECE>();
        for (columns, group) in rows.chunks_exact_mut(A::ROW * PIECE).zip(groups) {
            a.read_columns(group, columns);
        }
        transform::<F, A, D>(a, rows, &lanes.row_steps);
        for (k2, piece) in pieces.iter_mut().enumerate() {
            let row = lanes.row_steps.row(k2);
            let [x0, x1] = a.get_row(&rows[A::ROW * row..][..A::ROW]);
            let [mut x0, mut x1] = [a.settled(x0), a.settled(x1)];
            if let Some(outputs) = &lanes.outputs {
                let w = a.splat(&outputs[k2]);
                let [y0, y1] = a.multiply([&x0, &x1], [&w, &w]);
                [x0, x1] = [a.normal(y0), a.normal(y1)];
            }
            a.write_canonical(&[x0, x1], piece);
        }
    }
}
