//! Merkle trees of Poseidon, compatible with `neptune`'s `TreeBuilder` and `ColumnTreeBuilder`.
//!
//! A node is the hash of its `arity` children. A tree of `arity^height` leaves has `height + 1` rows, from the leaves to the
//! root. It is stored row by row: first the leaves (`neptune`'s base row), last the root. The part that `neptune` stores after
//! `rows_to_discard` rows is the end of this.
//!
//! [`build`] reads leaves, or columns that it hashes first, and writes the rows, both in pieces: a file of any size takes a few
//! mebibytes of memory. [`Build`] also reports its progress, and resumes an interrupted tree of files. [`prove`] returns the
//! proof that a leaf is in a tree, and [`Proof::root`] the root that follows from it.
//!
//! ```
//! use proofmill::poseidon::tree::{self, Leaves, Shape};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let device = proofmill::open("cpu:?threads=1")?;
//! let leaves = [0; 64 * 32];
//! let shape = Shape::new(8, 64)?;
//! let mut rows = std::io::Cursor::new(Vec::new());
//! let root = tree::build(&device, shape, Leaves::Nodes, &mut &leaves[..], &mut rows)?;
//!
//! rows.set_position(0);
//! let proof = tree::prove(shape, &mut rows, 42)?;
//! assert_eq!(proof.root(&device)?, root);
//! # Ok(())
//! # }
//! ```

use std::io::{Read, Seek, Write};

pub use build::Build;
pub use checkpoint::Checkpoint;
pub use proof::{Proof, of_text, prove, to_text};

use super::{ELEMENT_BYTES, MIN_ARITY};
use crate::{Device, Error, Result};

mod build;
mod checkpoint;
mod proof;
mod rows;
#[cfg(test)]
mod tests;

/// A leaf, a node or the root: an integer below r, little-endian.
pub type Node = [u8; ELEMENT_BYTES];

/// The shape of a tree: the number of children of a node and the number of leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    arity: usize,
    leaves: u64,
}

impl Shape {
    /// Returns an error if the number of leaves is no power of the arity, or 1, or if there are no hashes of this arity.
    pub fn new(arity: usize, leaves: u64) -> Result<Self> {
        if !super::is_arity(arity) {
            return Err(Error::argument(
                "arity",
                format!("is {arity}; {}", super::expected_arity()),
            ));
        }
        let mut rest = leaves;
        while rest > 1 && rest.is_multiple_of(arity as u64) {
            rest /= arity as u64;
        }
        if rest != 1 || leaves == 1 {
            let problem = format!("a count of {leaves} is not a power of the arity {arity}");
            return Err(Error::argument("leaves", problem));
        }
        Ok(Self { arity, leaves })
    }

    /// Returns the shape of a tree whose file of all rows has `bytes` bytes.
    pub fn of_tree(arity: usize, bytes: u64) -> Result<Self> {
        let mut leaves = 1u64;
        while let Some(more) = leaves.checked_mul(arity.max(MIN_ARITY) as u64) {
            leaves = more;
            let shape = Self::new(arity, leaves)?;
            match shape.bytes() {
                Some(found) if found < bytes => continue,
                Some(found) if found == bytes => return Ok(shape),
                _ => break,
            }
        }
        let problem = format!("{bytes} bytes are not all rows of a tree of arity {arity}");
        Err(Error::argument("tree", problem))
    }

    /// Returns the number of children of a node.
    pub fn arity(self) -> usize {
        self.arity
    }

    /// Returns the number of leaves.
    pub fn leaves(self) -> u64 {
        self.leaves
    }

    /// Returns the number of nodes in each row, leaves first.
    pub fn rows(self) -> impl Iterator<Item = u64> {
        let arity = self.arity as u64;
        std::iter::successors(Some(self.leaves), move |row| (*row > 1).then(|| row / arity))
    }

    /// Returns the bytes of all rows; `None` if the number overflows.
    pub fn bytes(self) -> Option<u64> {
        let add = |sum: u64, row: u64| sum.checked_add(row);
        self.rows().try_fold(0, add)?.checked_mul(ELEMENT_BYTES as u64)
    }
}

/// The input of the leaves of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaves {
    /// The leaves themselves.
    Nodes,
    /// Columns to hash, each of this number of elements, from 2 to 36.
    Columns(usize),
}

/// Reads leaves or columns, writes all rows from the writer's position on, and returns the root. Input that ends too early, and an
/// element that is not below r, are errors; input after the last leaf is not read.
pub fn build<W: Write + Seek>(
    device: &dyn Device,
    shape: Shape,
    leaves: Leaves,
    from: &mut dyn Read,
    to: &mut W,
) -> Result<Node> {
    Build::new(shape, leaves)?.run(device, from, to)
}
