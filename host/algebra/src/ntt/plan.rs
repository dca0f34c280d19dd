//! A transform in two passes over memory.

use thiserror::Error;

use crate::field::DecodeError;
use crate::isa::Isa;
use crate::lanes::{Backend, Kernel, Mask, run};

use super::form::{Form, MOST_LEVELS};
use super::tables::{levels, powers, reversed};
use super::tile::{Eight, PIECE, Tile, splat, transform};
use super::transform::{MOST_LOG_SIZE, Transform};

/// The smallest size that a plan is for: a piece of rows and of columns.
pub const LEAST_SIZE: usize = PIECE * PIECE;

const _: () = assert!(MOST_LOG_SIZE.div_ceil(2) <= MOST_LEVELS);

/// The element with this number is not below the modulus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("number {0} is not below the modulus")]
pub struct NotBelowModulus(pub usize);

/// How a transform is computed, and its factors.
///
/// x_(r n2 + c) is in row r and column c of n1 rows and n2 columns. With root w:
///
/// 1. Each column is transformed, with root w^n2, so that row k1 belongs to the results k = k1 + k2 n1.
/// 2. Row k1 is multiplied, at column c, by w^(k1 c), and by what there is to be multiplied besides.
/// 3. Each row is transformed, with root w^n1.
///
/// Steps 1 and 2 are [`Plan::columns`], step 3 is [`Plan::rows`]. What is between them stands in tiles of 16 columns, in each
/// of which there are n1 rows of 16 elements.
pub struct Plan<F: Form<D>, const D: usize> {
    transform: Transform<F>,
    log_rows: u32,
    log_columns: u32,
    /// Of the transforms of columns, at input^n2 times the powers of w^n2.
    column_factors: Vec<[u64; D]>,
    /// Of the transforms of rows.
    row_factors: Vec<[u64; D]>,
    /// output^(k2 n1), unless output is 1.
    outputs: Option<Vec<[u64; D]>>,
}

impl<F: Form<D>, const D: usize> Plan<F, D> {
    /// Of a transform of at least [`LEAST_SIZE`]; none of a smaller one.
    pub fn new(transform: &Transform<F>) -> Option<Self> {
        let size = transform.size();
        if size < LEAST_SIZE {
            return None;
        }
        let log_rows = transform.log_size / 2;
        let log_columns = transform.log_size - log_rows;
        let (n1, n2) = (1u64 << log_rows, 1u64 << log_columns);
        let power = |x: F, n: u64| x.pow_vartime(&[n]);
        let (w, input, output) = (transform.root, transform.input, transform.output);
        let outputs = || powers(power(output, n1), n2 as usize);
        Some(Self {
            transform: *transform,
            log_rows,
            log_columns,
            column_factors: levels(log_rows, power(w, n2), power(input, n2)),
            row_factors: levels(log_columns, power(w, n1), F::ONE),
            outputs: (output != F::ONE)
                .then(|| outputs().iter().map(Form::factor_digits).collect()),
        })
    }

    /// What it computes.
    pub fn transform(&self) -> &Transform<F> {
        &self.transform
    }

    /// Bytes of all elements.
    pub fn bytes(&self) -> usize {
        self.transform.size() * F::BYTES
    }

    /// Tiles of the first pass.
    pub fn column_tiles(&self) -> usize {
        (1 << self.log_columns) / PIECE
    }

    /// Tiles of the second pass.
    pub fn row_tiles(&self) -> usize {
        (1 << self.log_rows) / PIECE
    }

    /// Bytes of a tile of the first pass, between the passes.
    pub fn column_tile_bytes(&self) -> usize {
        PIECE * F::BYTES << self.log_rows
    }

    /// Bytes of a piece: sixteen elements. Between two pieces of a tile of rows there are those of the other tiles.
    pub fn piece_bytes(&self) -> usize {
        PIECE * F::BYTES
    }

    /// A thread's memory.
    pub fn tile(&self) -> Tile<D> {
        let fine = self.log_rows.div_ceil(2);
        Tile {
            rows: vec![Eight::ZERO; 2 << self.log_columns],
            fine: vec![[Eight::ZERO; 2]; 1 << fine],
            coarse: vec![[Eight::ZERO; 2]; 1 << (self.log_rows - fine)],
        }
    }

    /// The first pass for a tile of sixteen columns: from all elements to the tile's bytes between the passes.
    pub fn columns(
        &self,
        isa: Isa,
        tile: &mut Tile<D>,
        number: usize,
        source: &[u8],
        between: &mut [u8],
    ) -> Result<(), NotBelowModulus> {
        assert!(source.len() == self.bytes() && between.len() == self.column_tile_bytes());
        if run(isa, Columns { plan: self, tile, number, source, between }) {
            return Ok(());
        }
        let is_wrong =
            |bytes: &[u8]| matches!(F::from_le_bytes(bytes), Err(DecodeError::NotReduced));
        let first = source.chunks_exact(F::BYTES).position(is_wrong);
        Err(NotBelowModulus(first.expect("the lanes found one")))
    }

    /// The second pass for a tile of sixteen rows: from all bytes between the passes to pieces of the result, of which there
    /// are as many as columns. Piece k2 is the one with this tile's number among those from k2 n1 on.
    pub fn rows(
        &self,
        isa: Isa,
        tile: &mut Tile<D>,
        number: usize,
        between: &[u8],
        target: &mut [&mut [u8]],
    ) {
        assert!(between.len() == self.bytes() && target.len() == 1 << self.log_columns);
        run(isa, Rows { plan: self, tile, number, between, target });
    }

    /// Both passes, from all elements to all elements, by way of as many bytes: for a caller without threads.
    pub fn run(
        &self,
        isa: Isa,
        source: &[u8],
        between: &mut [u8],
        target: &mut [u8],
    ) -> Result<(), NotBelowModulus> {
        let mut tile = self.tile();
        let chunks = between.chunks_exact_mut(self.column_tile_bytes());
        for (number, chunk) in chunks.enumerate() {
            self.columns(isa, &mut tile, number, source, chunk)?;
        }
        for (number, mut pieces) in self.pieces(target).into_iter().enumerate() {
            self.rows(isa, &mut tile, number, between, &mut pieces);
        }
        Ok(())
    }

    /// The pieces of all elements that each tile of rows writes.
    pub fn pieces<'a>(&self, target: &'a mut [u8]) -> Vec<Vec<&'a mut [u8]>> {
        let tiles = self.row_tiles();
        let mut all: Vec<_> =
            (0..tiles).map(|_| Vec::with_capacity(1 << self.log_columns)).collect();
        for line in target.chunks_exact_mut(tiles * self.piece_bytes()) {
            for (pieces, piece) in all.iter_mut().zip(line.chunks_exact_mut(self.piece_bytes())) {
                pieces.push(piece);
            }
        }
        all
    }

    /// The factors of step 2 for sixteen columns from the first on: at k1 and c, scale input^c (w^c output)^k1. That is the
    /// product of a fine one, by the lower bits of k1, and a coarse one, by the others.
    #[inline(always)]
    fn make_between<B: Backend>(&self, b: B, tile: &mut Tile<D>, first: usize) {
        let Transform { root, input, output, scale, .. } = self.transform;
        let at = |x: F, start: F| {
            let first = start * x.pow_vartime(&[first as u64]);
            let mut powers = [first; PIECE];
            for c in 1..PIECE {
                powers[c] = powers[c - 1] * x;
            }
            powers
        };
        let (bases, starts) = (at(root, output), at(input, scale));
        let [base, start] =
            [bases, starts].map(|elements| Eight::two::<F>(|element| elements[element].digits()));
        let one = Eight::two::<F>(|_| F::ONE.digits());
        let fine = tile.fine.len();
        let step = chain::<F, B, D>(b, one, base, &mut tile.fine);
        chain::<F, B, D>(b, start, step, &mut tile.coarse);
        debug_assert_eq!(fine * tile.coarse.len(), 1 << self.log_rows);
        for two in &mut tile.coarse {
            for eight in two {
                let factor = F::factor(b, eight.get(b));
                eight.set(b, &factor);
            }
        }
    }
}

/// Fills a list with the start, the start times the base, times its square, and so on, as normal digits; gives the power of
/// the base that is as long as the list.
#[inline(always)]
fn chain<F: Form<D>, B: Backend, const D: usize>(
    b: B,
    start: [Eight<D>; 2],
    base: [Eight<D>; 2],
    list: &mut [[Eight<D>; 2]],
) -> [Eight<D>; 2] {
    let factor = [F::factor(b, base[0].get(b)), F::factor(b, base[1].get(b))];
    let mut last = [start[0].get(b), start[1].get(b)];
    let mut power = [splat(b, &F::ONE.digits()); 2];
    for two in list {
        let mut g = 0;
        while g < 2 {
            two[g].set(b, &last[g]);
            g += 1;
        }
        let [next0, next1] = F::multiply(b, [&last[0], &last[1]], [&factor[0], &factor[1]]);
        last = [F::normal(b, next0), F::normal(b, next1)];
        let [next0, next1] = F::multiply(b, [&power[0], &power[1]], [&factor[0], &factor[1]]);
        power = [F::normal(b, next0), F::normal(b, next1)];
    }
    let mut result = [Eight::ZERO; 2];
    result[0].set(b, &power[0]);
    result[1].set(b, &power[1]);
    result
}

/// The first pass of a tile; tells whether all elements were below the modulus.
struct Columns<'a, F: Form<D>, const D: usize> {
    plan: &'a Plan<F, D>,
    tile: &'a mut Tile<D>,
    number: usize,
    source: &'a [u8],
    between: &'a mut [u8],
}

impl<F: Form<D>, const D: usize> Kernel for Columns<'_, F, D> {
    type Output = bool;

    #[inline(always)]
    fn run<B: Backend>(self, b: B) -> bool {
        let Self { plan, tile, number, source, between } = self;
        let piece = plan.piece_bytes();
        plan.make_between(b, tile, number * PIECE);
        let Tile { rows, fine, coarse } = tile;
        let rows = &mut rows[..2 << plan.log_rows];
        let mut below = Mask::MAX;
        let (pairs, _) = rows.as_chunks_mut::<2>();
        let lines = source.chunks_exact(F::BYTES << plan.log_columns);
        for ([row0, row1], line) in pairs.iter_mut().zip(lines) {
            let [x0, x1] = F::read(b, &line[number * piece..][..piece]);
            below &= F::below(b, x0) & F::below(b, x1);
            row0.set(b, &x0);
            row1.set(b, &x1);
        }
        transform::<F, B, D>(b, rows, &plan.column_factors);
        for (k1, piece) in between.chunks_exact_mut(piece).enumerate() {
            let row = reversed(k1, plan.log_rows);
            let (fine, coarse) = (&fine[k1 % fine.len()], &coarse[k1 / fine.len()]);
            let [fine0, fine1] = [fine[0].get(b), fine[1].get(b)];
            let coarse = [coarse[0].get(b), coarse[1].get(b)];
            let [w0, w1] = F::multiply(b, [&fine0, &fine1], [&coarse[0], &coarse[1]]);
            let [w0, w1] = [F::factor(b, F::normal(b, w0)), F::factor(b, F::normal(b, w1))];
            let x0 = F::settled(b, rows[2 * row].get(b));
            let x1 = F::settled(b, rows[2 * row + 1].get(b));
            let [y0, y1] = F::multiply(b, [&x0, &x1], [&w0, &w1]);
            F::write(b, [F::normal(b, y0), F::normal(b, y1)], piece);
        }
        below == Mask::MAX
    }
}

/// The second pass of a tile.
struct Rows<'a, 'b, F: Form<D>, const D: usize> {
    plan: &'a Plan<F, D>,
    tile: &'a mut Tile<D>,
    number: usize,
    between: &'a [u8],
    target: &'a mut [&'b mut [u8]],
}

impl<F: Form<D>, const D: usize> Kernel for Rows<'_, '_, F, D> {
    type Output = ();

    #[inline(always)]
    fn run<B: Backend>(self, b: B) {
        let Self { plan, tile, number, between, target } = self;
        let rows = &mut tile.rows[..2 << plan.log_columns];
        let block = PIECE * plan.piece_bytes();
        let (columns, _) = rows.as_chunks_mut::<{ 2 * PIECE }>();
        let tiles = between.chunks_exact(plan.column_tile_bytes());
        for (columns, tile) in columns.iter_mut().zip(tiles) {
            F::read_columns(b, &tile[number * block..][..block], columns);
        }
        transform::<F, B, D>(b, rows, &plan.row_factors);
        for (k2, piece) in target.iter_mut().enumerate() {
            let row = reversed(k2, plan.log_columns);
            let mut x0 = F::settled(b, rows[2 * row].get(b));
            let mut x1 = F::settled(b, rows[2 * row + 1].get(b));
            if let Some(outputs) = &plan.outputs {
                let w = splat(b, &outputs[k2]);
                let [y0, y1] = F::multiply(b, [&x0, &x1], [&w, &w]);
                [x0, x1] = [F::normal(b, y0), F::normal(b, y1)];
            }
            F::write(b, [F::canonical(b, x0), F::canonical(b, x1)], piece);
        }
    }
}
