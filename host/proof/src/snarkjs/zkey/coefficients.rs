//! The non-zero entries of the matrices A and B. C is not needed, because its values are the products.

use proofmill_op::process::parallel;
use rayon::prelude::*;

use super::header::Header;
use crate::groth16::Scalar;
use crate::snarkjs::container::Part;
use crate::snarkjs::curve::{SCALAR_BYTES, is_below};
use crate::{FileError, Result};

/// Bytes of the number of entries.
const COUNT: usize = 4;

/// Bytes of an entry.
const ENTRY: usize = 12 + SCALAR_BYTES;

/// Entries that a thread checks at a time.
const PIECE: usize = 1 << 13;

/// One of the two matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Matrix {
    /// Left factors.
    A,
    /// Right factors.
    B,
}

/// An entry that is not zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coefficient<'a> {
    /// The matrix.
    pub matrix: Matrix,
    /// The row, below the size of the domain.
    pub constraint: usize,
    /// The column, below the number of variables.
    pub signal: usize,
    /// The value times R^2, R = 2^256: an integer below r.
    pub value: &'a Scalar,
}

/// The entries, in the file's order. The guarantees of [`Coefficient`] were checked when the file was opened.
#[derive(Clone, Copy, Debug)]
pub struct Coefficients<'a>(&'a [[u8; ENTRY]]);

impl<'a> Coefficients<'a> {
    /// Wraps the entries of a section without checks.
    pub(super) fn of(mut section: Part<'a>) -> Result<Self> {
        let count = section.u32("the number of coefficients")?;
        Ok(Self(section.all(count.into(), ENTRY, "coefficients")?.as_chunks().0))
    }

    /// Checks all entries. An error names the first invalid one.
    pub(super) fn check(section: Part<'a>, header: &Header) -> Result<()> {
        let first = section.at() + COUNT;
        let Self(entries) = Self::of(section.clone())?;
        let wrong = |number: usize, problem: &str| -> FileError {
            let problem = format!("coefficient {number}: {problem}");
            section.wrong(first + number * ENTRY, problem)
        };
        let search = |(piece, entries): (usize, &[[u8; ENTRY]])| {
            entries.iter().enumerate().find_map(|(i, entry)| {
                let problem = problem(entry, header)?;
                Some(wrong(piece * PIECE + i, &problem))
            })
        };
        match parallel(|| entries.par_chunks(PIECE).enumerate().find_map_first(search)) {
            Some(wrong) => Err(wrong.into()),
            None => Ok(()),
        }
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the entry with this number. Panics if there is none.
    pub fn get(&self, number: usize) -> Coefficient<'a> {
        Coefficient::of(&self.0[number])
    }

    /// Returns an iterator over the entries.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Coefficient<'a>> + Clone + use<'a> {
        self.0.iter().map(Coefficient::of)
    }
}

impl<'a> Coefficient<'a> {
    fn of(entry: &'a [u8; ENTRY]) -> Self {
        let [matrix, constraint, signal] = numbers(entry);
        Self {
            matrix: if matrix == 0 { Matrix::A } else { Matrix::B },
            constraint: constraint as usize,
            signal: signal as usize,
            value: entry.last_chunk().expect("the value comes last"),
        }
    }
}

/// Returns matrix, constraint and signal.
fn numbers(entry: &[u8; ENTRY]) -> [u32; 3] {
    std::array::from_fn(|i| {
        let bytes = entry[4 * i..4 * i + 4].try_into().expect("four bytes");
        u32::from_le_bytes(bytes)
    })
}

/// Returns the problem of an entry.
fn problem(entry: &[u8; ENTRY], header: &Header) -> Option<String> {
    let [matrix, constraint, signal] = numbers(entry);
    let (variables, domain) = (header.variables, 1u32 << header.domain_log);
    if matrix > 1 {
        return Some(format!("of matrix {matrix}, not 0 (A) or 1 (B)"));
    }
    if constraint >= domain {
        return Some(format!("of constraint {constraint} in a domain of {domain}"));
    }
    if signal >= variables {
        return Some(format!("of signal {signal}, where there are {variables}"));
    }
    let value = &entry[ENTRY - SCALAR_BYTES..];
    (!is_below(value, header.facts.scalar)).then(|| "its value is not below r".to_owned())
}
