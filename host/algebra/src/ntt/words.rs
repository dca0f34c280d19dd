//! The two passes in scalar code.
//!
//! Elements are plain integers and factors are in Montgomery form, so a product is a plain integer again and nothing is
//! converted: an integer x is read as the element that has x for its Montgomery form, x / R.

use crate::field::PrimeField;

use super::tables::{powers, reversed};
use super::tile::PIECE;
use super::transform::Transform;

/// Elements in parallel.
pub type Row<F> = [F; PIECE];

/// Factors of both passes.
pub struct Words<F> {
    /// The levels of the transforms of columns, at input^n2 times the powers of w^n2.
    pub columns: Levels<F>,
    /// The levels of the transforms of rows.
    pub rows: Levels<F>,
    /// output^(k2 n1), unless output is 1.
    pub outputs: Option<Vec<F>>,
}

/// A transform of n = 2^log rows that gives values at g w^k, w a root of unity of order n, by halves: a block of m rows is a
/// polynomial modulo x^m - v^m, v = g w^e. With t = v^(m / 2) and halves x0 and x1, x0 + t x1 is what it is modulo
/// x^(m / 2) - t, with the same e, and x0 - t x1 modulo x^(m / 2) + t, with e + n / m. Result k is left in the row whose
/// number is that of k with its bits reversed.
pub struct Levels<F> {
    log: u32,
    /// Of each level, largest blocks first, the t of each block.
    factors: Vec<Vec<F>>,
    /// g is 1, and so is the first t of each level.
    is_plain: bool,
}

impl<F: PrimeField> Levels<F> {
    /// Computes the factors from log, w and g.
    pub fn new((log, w, g): (u32, F, F)) -> Self {
        let n = 1usize << log;
        let powers = powers(w, n);
        let of_level = |level: u32| {
            let half = n >> (level + 1);
            let shift = g.pow_vartime(&[half as u64]);
            (0..1 << level).map(|i| shift * powers[reversed(i, level) * half % n]).collect()
        };
        Self { log, factors: (0..log).map(of_level).collect(), is_plain: g == F::ONE }
    }

    /// The row of result k.
    pub fn row(&self, k: usize) -> usize {
        reversed(k, self.log)
    }

    /// Transforms the columns of these rows.
    pub fn transform(&self, rows: &mut [Row<F>]) {
        self.block(rows, 0, 0);
    }

    /// A block, and then each half of it while that is in a cache near by.
    fn block(&self, rows: &mut [Row<F>], level: usize, number: usize) {
        let Some(factors) = self.factors.get(level) else { return };
        let (upper, lower) = rows.split_at_mut(rows.len() / 2);
        if self.is_plain && number == 0 {
            for (x0, x1) in upper.as_flattened_mut().iter_mut().zip(lower.as_flattened_mut()) {
                (*x0, *x1) = (*x0 + *x1, *x0 - *x1);
            }
        } else {
            let t = factors[number];
            for (x0, x1) in upper.as_flattened_mut().iter_mut().zip(lower.as_flattened_mut()) {
                let product = t * *x1;
                (*x0, *x1) = (*x0 + product, *x0 - product);
            }
        }
        self.block(upper, level + 1, 2 * number);
        self.block(lower, level + 1, 2 * number + 1);
    }
}

/// Executes the first pass of a tile, of columns from `first` on: from the numbers in `from`, whose rows are `columns` elements long, to pieces.
/// Returns whether all elements were below the modulus.
pub fn columns<F: PrimeField>(
    words: &Words<F>,
    transform: &Transform<F>,
    rows: &mut [Row<F>],
    first: usize,
    source: &[u8],
    between: &mut [u8],
) -> bool {
    let (line, piece) = (source.len() / rows.len(), PIECE * F::BYTES);
    let mut below = true;
    for (row, line) in rows.iter_mut().zip(source.chunks_exact(line)) {
        let elements = line[first * F::BYTES..][..piece].chunks_exact(F::BYTES);
        for (x, bytes) in row.iter_mut().zip(elements) {
            match read(bytes) {
                Some(element) => *x = element,
                None => below = false,
            }
        }
    }
    words.columns.transform(rows);
    // What columns are multiplied by between the passes: scale input^c (root^c output)^k1.
    let Transform { root, input, output, scale, .. } = *transform;
    let chain = |x: F, start: F| {
        let mut products = [start * x.pow_vartime(&[first as u64]); PIECE];
        for c in 1..PIECE {
            products[c] = products[c - 1] * x;
        }
        products
    };
    let (mut factors, step) = (chain(input, scale), chain(root, output));
    let tiles = rows.len() / PIECE;
    for k1 in 0..rows.len() {
        let place = k1 % PIECE * tiles + k1 / PIECE;
        let to = between[place * piece..][..piece].chunks_exact_mut(F::BYTES);
        let row = &rows[words.columns.row(k1)];
        for (((x, factor), step), bytes) in row.iter().zip(&mut factors).zip(&step).zip(to) {
            write(&(*x * *factor), bytes);
            *factor *= step;
        }
    }
    below
}

/// The second pass of a tile of rows: its pieces, one of each line.
pub fn rows<F: PrimeField>(words: &Words<F>, columns: &mut [Row<F>], pieces: &mut [&mut [u8]]) {
    for (columns, group) in columns.chunks_exact_mut(PIECE).zip(pieces.chunks_exact(PIECE)) {
        for (row, piece) in group.iter().enumerate() {
            for (column, bytes) in columns.iter_mut().zip(piece.chunks_exact(F::BYTES)) {
                column[row] = read(bytes).expect("the first pass wrote it");
            }
        }
    }
    words.rows.transform(columns);
    for (k2, piece) in pieces.iter_mut().enumerate() {
        let row = &columns[words.rows.row(k2)];
        for (x, bytes) in row.iter().zip(piece.chunks_exact_mut(F::BYTES)) {
            let x = words.outputs.as_ref().map_or(*x, |outputs| *x * outputs[k2]);
            write(&x, bytes);
        }
    }
}

/// Returns whether all integers of a list are below the modulus.
pub fn are_below<F: PrimeField>(list: &[u8]) -> bool {
    list.chunks_exact(F::BYTES).all(|bytes| read::<F>(bytes).is_some())
}

/// a := a b - c, of canonical integers.
pub fn a_b_less_c<F: PrimeField>(a: &mut [u8], b: &[u8], c: &[u8]) {
    let others = b.chunks_exact(F::BYTES).zip(c.chunks_exact(F::BYTES));
    for (a, (b, c)) in a.chunks_exact_mut(F::BYTES).zip(others) {
        let factor = F::from_le_bytes(a).expect("it was looked at");
        let [b, c] = [b, c].map(|bytes| read::<F>(bytes).expect("it was looked at"));
        write(&(factor * b - c), a);
    }
}

#[inline(always)]
fn read<F: PrimeField>(bytes: &[u8]) -> Option<F> {
    let mut form = F::ZERO.to_montgomery();
    for (word, bytes) in form.as_mut().iter_mut().zip(bytes.as_chunks().0) {
        *word = u64::from_le_bytes(*bytes);
    }
    F::from_montgomery(form).into()
}

#[inline(always)]
fn write<F: PrimeField>(x: &F, bytes: &mut [u8]) {
    for (word, bytes) in x.to_montgomery().as_ref().iter().zip(bytes.as_chunks_mut().0) {
        *bytes = word.to_le_bytes();
    }
}
