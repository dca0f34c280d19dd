//! The non-zero entries of the matrices A and B. C is not needed, because its values are the products.

use proofmill_op::process::parallel;
use rayon::prelude::*;

use super::header::Header;
use crate::groth16::Scalar;
use crate::snarkjs::container::Part;
use crate::snarkjs::curve::{SCALAR_BYTES, is_below};
use crate::snarkjs::source::copy_of;
use crate::{FileError, Result};

/// Bytes of the number of entries.
const COUNT: usize = 4;

/// Bytes of an entry.
const ENTRY: usize = 12 + SCALAR_BYTES;

/// Entries that a thread checks at a time, at least.
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
pub struct Coefficient {
    /// The matrix.
    pub matrix: Matrix,
    /// The row, below the size of the domain.
    pub constraint: usize,
    /// The column, below the number of variables.
    pub signal: usize,
    /// The value times R^2, R = 2^256: an integer below r.
    pub value: Scalar,
}

/// The entries, in the file's order. The guarantees of [`Coefficient`] are checked when an entry is read.
#[derive(Clone, Debug)]
pub struct Coefficients<'a> {
    /// The section from the first entry on.
    section: Part<'a>,
    entries: &'a [[u8; ENTRY]],
    header: &'a Header,
}

impl<'a> Coefficients<'a> {
    /// Wraps the entries of a section. Checks their number, and not the entries.
    pub(super) fn open(mut section: Part<'a>, header: &'a Header) -> Result<Self> {
        let whole = section.clone();
        let count = section.u32("the number of coefficients")?;
        section.all(count.into(), ENTRY, "coefficients")?;
        Ok(Self::known(whole, header))
    }

    /// Wraps the entries of a section that was opened before.
    pub(super) fn known(section: Part<'a>, header: &'a Header) -> Self {
        let first = section.at() + COUNT;
        let section = section.after(first);
        Self { entries: section.rest().as_chunks().0, section, header }
    }

    /// Checks all entries. An error names the first invalid one.
    pub(super) fn check(&self) -> Result<()> {
        let numbers = (0..self.len()).into_par_iter().with_min_len(PIECE);
        match parallel(|| numbers.find_map_first(|number| self.read(number).err())) {
            Some(wrong) => Err(wrong.into()),
            None => Ok(()),
        }
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the entry with this number; an error if the file changed to an invalid one. Panics if there is none.
    pub fn get(&self, number: usize) -> Result<Coefficient> {
        self.read(number).map_err(|wrong| wrong.after_opening().into())
    }

    /// Returns an iterator over the entries, with the errors of [`Self::get`].
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Result<Coefficient>> + Clone {
        (0..self.len()).map(|number| self.get(number))
    }

    /// Reads an entry.
    fn read(&self, number: usize) -> std::result::Result<Coefficient, FileError> {
        let entry = copy_of(&self.entries[number]);
        let wrong = |problem: String| {
            let problem = format!("coefficient {number}: {problem}");
            Err(self.section.wrong(self.section.at() + number * ENTRY, problem))
        };
        let [matrix, constraint, signal] = std::array::from_fn(|i| {
            let bytes = entry[4 * i..4 * i + 4].try_into().expect("four bytes");
            u32::from_le_bytes(bytes)
        });
        let (variables, domain) = (self.header.variables, 1u32 << self.header.domain_log);
        let matrix = match matrix {
            0 => Matrix::A,
            1 => Matrix::B,
            _ => return wrong(format!("of matrix {matrix}, not 0 (A) or 1 (B)")),
        };
        if constraint >= domain {
            return wrong(format!("of constraint {constraint} in a domain of {domain}"));
        }
        if signal >= variables {
            return wrong(format!("of signal {signal}, where there are {variables}"));
        }
        let value = *entry.last_chunk().expect("the value comes last");
        if !is_below(&value, self.header.facts.scalar) {
            return wrong("its value is not below r".to_owned());
        }
        Ok(Coefficient { matrix, constraint: constraint as usize, signal: signal as usize, value })
    }
}
