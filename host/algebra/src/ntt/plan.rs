//! A transform in two passes over memory.

use std::error::Error;
use std::fmt;
use std::marker::PhantomData;

use crate::field::DecodeError;
use crate::isa::Isa;
use crate::lanes::AnyMachine;

use super::between::Between;
use super::form::{Form, MAX_LEVELS};
use super::passes::{Columns, Lanes, Rows};
use super::tables::{Steps, powers};
use super::tile::{Memory, PIECE, Tile, TileVector};
use super::transform::{MAX_LOG_SIZE, Transform};
use super::words::{self, Levels, Words};

/// The smallest size that a plan is for: a piece of rows and of columns.
pub const MIN_SIZE: usize = PIECE * PIECE;

const _: () = assert!(MAX_LOG_SIZE.div_ceil(2) <= MAX_LEVELS);

/// The element with this number is not below the modulus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotBelowModulus(pub usize);

impl fmt::Display for NotBelowModulus {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(text, "number {} is not below the modulus", self.0)
    }
}

impl Error for NotBelowModulus {}

/// The plan of a transform, with its factors.
///
/// x_(r n2 + c) is in row r and column c of n1 rows and n2 columns. With root w:
///
/// 1. Each column is transformed, with root w^n2, so that row k1 belongs to the results k = k1 + k2 n1.
/// 2. Row k1 is multiplied, at column c, by w^(k1 c) and by all other factors.
/// 3. Each row is transformed, with root w^n1.
///
/// Steps 1 and 2 are [`Plan::columns`], step 3 is [`Plan::rows`]. The intermediate elements are stored in the memory of the results, in pieces
/// of 16 elements of a row, and [`Plan::row_tiles`] pieces are a line. There are n2 lines. A tile of 16 columns has 16 lines,
/// of which line r has the pieces of the rows r, 16 + r, 32 + r, ... So the rows of a tile of step 3 are the pieces at one
/// place of all lines; and so are its results, because k1 + k2 n1 is in line k2.
pub struct Plan<F: Form<D>, const D: usize> {
    pub(super) transform: Transform<F>,
    pub(super) log_rows: u32,
    pub(super) log_columns: u32,
    factors: Factors<F, D>,
}

/// The factors of a plan, and what uses them.
enum Factors<F, const D: usize> {
    Lanes(AnyMachine, Lanes<D>),
    Words(Words<F>),
}

impl<F: Form<D>, const D: usize> Plan<F, D> {
    /// Plans a transform of at least [`MIN_SIZE`], for the instructions of a level; `None` for a smaller one.
    pub fn new(isa: Isa, transform: &Transform<F>) -> Option<Self> {
        let size = transform.size();
        if size < MIN_SIZE {
            return None;
        }
        let log_rows = transform.log_size / 2;
        let log_columns = transform.log_size - log_rows;
        let (n1, n2) = (1u64 << log_rows, 1u64 << log_columns);
        let power = |x: F, n: u64| x.pow_vartime(&[n]);
        let (w, input, output) = (transform.root, transform.input, transform.output);
        let outputs = (output != F::ONE).then(|| powers(power(output, n1), n2 as usize));
        let of_columns = (log_rows, power(w, n2), power(input, n2));
        let of_rows = (log_columns, power(w, n1), F::ONE);
        let factors = match F::lanes(isa) {
            Some(lanes) => {
                let digits = F::factor_digits(lanes);
                let factors = Lanes {
                    column_steps: Steps::new(of_columns, digits),
                    row_steps: Steps::new(of_rows, digits),
                    outputs: outputs.map(|outputs| outputs.iter().map(digits).collect()),
                };
                Factors::Lanes(lanes, factors)
            }
            None => Factors::Words(Words {
                columns: Levels::new(of_columns),
                rows: Levels::new(of_rows),
                outputs,
            }),
        };
        Some(Self { transform: *transform, log_rows, log_columns, factors })
    }

    /// Returns the transform.
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
        (PIECE * F::BYTES) << self.log_rows
    }

    /// Bytes of a piece: sixteen elements.
    pub fn piece_bytes(&self) -> usize {
        PIECE * F::BYTES
    }

    /// A thread's memory.
    pub fn tile(&self) -> Tile<F, D> {
        Tile(match &self.factors {
            Factors::Lanes(..) => Memory::Lanes {
                rows: vec![TileVector::ZERO; 2 << self.log_columns],
                between: Between::new(self.log_rows),
            },
            Factors::Words(_) => Memory::Words(vec![[F::ZERO; PIECE]; 1 << self.log_columns]),
        })
    }

    /// The first pass for a tile of sixteen columns: from all elements to the tile's lines between the passes.
    pub fn columns(
        &self,
        tile: &mut Tile<F, D>,
        number: usize,
        source: &[u8],
        between: &mut [u8],
    ) -> Result<(), NotBelowModulus> {
        assert!(source.len() == self.bytes() && between.len() == self.column_tile_bytes());
        let are_below = match (&self.factors, &mut tile.0) {
            (Factors::Lanes(machine, lanes), Memory::Lanes { rows, between: factors }) => {
                let first = number * PIECE;
                let pass = Columns { plan: self, lanes, rows, factors, first, source, between };
                F::first_pass(*machine, pass)
            }
            (Factors::Words(words), Memory::Words(rows)) => {
                let (rows, first) = (&mut rows[..1 << self.log_rows], number * PIECE);
                words::columns(words, &self.transform, rows, first, source, between)
            }
            _ => unreachable!("a tile of another plan"),
        };
        if are_below {
            return Ok(());
        }
        let is_wrong =
            |bytes: &[u8]| matches!(F::from_le_bytes(bytes), Err(DecodeError::NotReduced));
        let first = source.chunks_exact(F::BYTES).position(is_wrong);
        Err(NotBelowModulus(first.expect("the pass found one")))
    }

    /// The second pass for a tile of sixteen rows: its pieces, one of each line.
    pub fn rows(&self, tile: &mut Tile<F, D>, pieces: &mut [&mut [u8]]) {
        assert!(pieces.len() == 1 << self.log_columns);
        match (&self.factors, &mut tile.0) {
            (Factors::Lanes(machine, lanes), Memory::Lanes { rows, .. }) => {
                F::second_pass(*machine, Rows { lanes, rows, pieces, field: PhantomData });
            }
            (Factors::Words(words), Memory::Words(columns)) => {
                words::rows(words, &mut columns[..1 << self.log_columns], pieces);
            }
            _ => unreachable!("a tile of another plan"),
        }
    }

    /// Both passes, from all elements to all elements: for a caller without threads.
    pub fn run(&self, source: &[u8], target: &mut [u8]) -> Result<(), NotBelowModulus> {
        let mut tile = self.tile();
        let chunks = target.chunks_exact_mut(self.column_tile_bytes());
        for (number, chunk) in chunks.enumerate() {
            self.columns(&mut tile, number, source, chunk)?;
        }
        for mut pieces in self.pieces(target) {
            self.rows(&mut tile, &mut pieces);
        }
        Ok(())
    }

    /// The pieces of each tile of rows.
    pub fn pieces<'a>(
        &self,
        target: &'a mut [u8],
    ) -> impl Iterator<Item = Vec<&'a mut [u8]>> + use<'a, F, D> {
        assert!(target.len() == self.bytes());
        let (line, piece) = (self.row_tiles() * self.piece_bytes(), self.piece_bytes());
        let mut lines: Vec<_> =
            target.chunks_exact_mut(line).map(|line| line.chunks_exact_mut(piece)).collect();
        std::iter::from_fn(move || {
            let mut pieces = Vec::with_capacity(lines.len());
            for line in &mut lines {
                pieces.push(line.next()?);
            }
            Some(pieces)
        })
    }
}
