//! Merkle trees of Poseidon, as `neptune`'s `TreeBuilder` and `ColumnTreeBuilder` make them.
//!
//! A node is the hash of its `arity` children. A tree of `arity^height` leaves has `height + 1` rows, from the leaves to the
//! root, and is kept row after row: first the leaves (`neptune`'s base row), in the end the root. What `neptune` keeps after
//! `rows_to_discard` rows is the end of this.
//!
//! [`build`] reads leaves, or columns that it hashes first, and writes the rows, both in pieces: a file of any size takes a few
//! mebibytes of memory. [`prove`] makes the proof that a leaf is in a tree, and [`Proof::root`] is what it leads to.
//!
//! ```
//! use proofmill::poseidon::tree::{self, Leaves, Shape};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let device = proofmill::open("cpu:?threads=1")?;
//! let leaves = [0; 64 * 32];
//! let shape = Shape::new(8, 64)?;
//! let mut rows = std::io::Cursor::new(Vec::new());
//! let root = tree::build(&*device, shape, Leaves::Nodes, &mut &leaves[..], &mut rows)?;
//!
//! rows.set_position(0);
//! let proof = tree::prove(shape, &mut rows, 42)?;
//! assert_eq!(proof.root(&*device)?, root);
//! # Ok(())
//! # }
//! ```

use std::io::{Read, Seek, SeekFrom, Write};
use std::sync::Arc;

pub use proof::{Proof, of_text, prove, to_text};
use proofmill_algebra::field::{Bls12381Fr, PrimeField as _};

use super::{ELEMENT_BYTES, LEAST_ARITY, Layers};
use crate::{Device, Error, Result};

mod proof;
#[cfg(test)]
mod tests;

/// A leaf, a node or the root: an integer below r, little-endian.
pub type Node = [u8; ELEMENT_BYTES];

/// Nodes that are hashed at a time.
const PIECE: u64 = 1 << 14;

/// How many children a node has, and how many leaves there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    arity: usize,
    leaves: u64,
}

impl Shape {
    /// An error if the number of leaves is no power of the arity, or 1, or if there are no hashes of this arity.
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

    /// Of a file of all rows with so many bytes.
    pub fn of_tree(arity: usize, bytes: u64) -> Result<Self> {
        let mut leaves = 1u64;
        while let Some(more) = leaves.checked_mul(arity.max(LEAST_ARITY) as u64) {
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

    /// Children of a node.
    pub fn arity(self) -> usize {
        self.arity
    }

    /// Leaves.
    pub fn leaves(self) -> u64 {
        self.leaves
    }

    /// The number of nodes in each row, leaves first.
    pub fn rows(self) -> impl Iterator<Item = u64> {
        let arity = self.arity as u64;
        std::iter::successors(Some(self.leaves), move |row| (*row > 1).then(|| row / arity))
    }

    /// Bytes of all rows; none if they are too many to be counted.
    pub fn bytes(self) -> Option<u64> {
        let add = |sum: u64, row: u64| sum.checked_add(row);
        self.rows().try_fold(0, add)?.checked_mul(ELEMENT_BYTES as u64)
    }
}

/// What the leaves of a tree are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaves {
    /// They are there.
    Nodes,
    /// They are the hashes of columns, each of so many elements, from 2 to 36.
    Columns(usize),
}

/// Reads what leaves are made of, writes all rows from where the writer is, and returns the root. Input that ends too early, and an
/// element that is not below r, are errors; what is behind the last leaf is not read.
pub fn build<W: Write + Seek>(
    device: &dyn Device,
    shape: Shape,
    leaves: Leaves,
    from: &mut dyn Read,
    to: &mut W,
) -> Result<Node> {
    let bytes = shape.bytes().ok_or_else(|| Error::argument("leaves", "too many"))?;
    let start = to.stream_position().map_err(writing)?;
    let each = match leaves {
        Leaves::Nodes => 1,
        Leaves::Columns(elements) if super::is_arity(elements) => elements,
        Leaves::Columns(elements) => {
            let problem = format!("{elements} elements each; {}", super::expected_arity());
            return Err(Error::argument("columns", problem));
        }
    };
    let mut rows = Rows::new(device, shape, start, to);
    let mut left = shape.leaves;
    // A whole tree of them, which a device builds at once.
    let piece = shape.arity.pow(PIECE.ilog(shape.arity as u64)) as u64;
    while left > 0 {
        let count = left.min(piece);
        let mut elements = vec![0; count as usize * each * ELEMENT_BYTES];
        from.read_exact(&mut elements).map_err(|problem| reading(problem, left))?;
        demand_elements(&elements, each, shape.leaves - left)?;
        let nodes = match leaves {
            Leaves::Nodes => elements,
            Leaves::Columns(elements_each) => super::hash(device, elements_each, elements)?,
        };
        rows.add(0, &nodes)?;
        left -= count;
    }
    let root = rows.finish()?;
    to.seek(SeekFrom::Start(start + bytes)).map_err(writing)?;
    Ok(root)
}

/// The rows of a tree that is built, and of each what the row above has still to take.
struct Rows<'a, W> {
    device: &'a dyn Device,
    arity: usize,
    to: &'a mut W,
    /// Of each row, where its next node goes.
    places: Vec<u64>,
    waiting: Vec<Vec<u8>>,
}

impl<'a, W: Write + Seek> Rows<'a, W> {
    fn new(device: &'a dyn Device, shape: Shape, start: u64, to: &'a mut W) -> Self {
        let mut place = start;
        let places = shape.rows().map(|row| {
            place += row * ELEMENT_BYTES as u64;
            place - row * ELEMENT_BYTES as u64
        });
        let places: Vec<_> = places.collect();
        let waiting = vec![Vec::new(); places.len()];
        Self { device, arity: shape.arity, to, places, waiting }
    }

    /// More nodes of a row.
    fn write(&mut self, row: usize, nodes: &[u8]) -> Result<()> {
        self.to.seek(SeekFrom::Start(self.places[row])).map_err(writing)?;
        self.to.write_all(nodes).map_err(writing)?;
        self.places[row] += nodes.len() as u64;
        Ok(())
    }

    /// The same, and as soon as there are many, the row above gets theirs.
    fn add(&mut self, row: usize, nodes: &[u8]) -> Result<()> {
        self.write(row, nodes)?;
        self.waiting[row].extend_from_slice(nodes);
        if self.waiting[row].len() >= PIECE as usize * ELEMENT_BYTES {
            self.pass_on(row)?;
        }
        Ok(())
    }

    /// Hashes whole groups of children, and what they make, as far up as that makes whole groups.
    fn pass_on(&mut self, row: usize) -> Result<()> {
        let group = self.arity * ELEMENT_BYTES;
        let whole = self.waiting[row].len() / group * group;
        let children: Arc<[u8]> = self.waiting[row].drain(..whole).as_slice().into();
        if whole == 0 {
            return Ok(());
        }
        let (mut height, mut length) = (1, whole / self.arity);
        while length.is_multiple_of(group) && self.waiting[row + height].is_empty() {
            (height, length) = (height + 1, length / self.arity);
        }
        let request = Layers::new(self.arity, height, crate::Data::Here(children));
        let layers = super::layers(self.device, request)?;
        let (mut rest, mut length) = (&layers[..], whole);
        for above in row + 1..row + height {
            length /= self.arity;
            let (nodes, others) = rest.split_at(length);
            self.write(above, nodes)?;
            rest = others;
        }
        self.add(row + height, rest)
    }

    /// Hashes what waits, from below. The root is what is left.
    fn finish(mut self) -> Result<Node> {
        let root = self.places.len() - 1;
        for row in 0..root {
            self.pass_on(row)?;
        }
        let node = self.waiting[root].as_slice().try_into();
        Ok(node.expect("one node is left of a number that is a power of the arity"))
    }
}

/// Refuses a leaf, or an element of a column, that is not below r.
fn demand_elements(elements: &[u8], each: usize, done: u64) -> Result<()> {
    let is_wrong = |element: &[u8]| Bls12381Fr::from_le_bytes(element).is_err();
    match elements.chunks(ELEMENT_BYTES).position(is_wrong) {
        None => Ok(()),
        Some(number) => {
            let (leaf, element) = (done + (number / each) as u64, number % each);
            let place = if each == 1 { String::new() } else { format!("element {element} of ") };
            let problem = format!("{place}number {leaf} is not below the modulus");
            Err(Error::argument("leaves", problem))
        }
    }
}

fn reading(source: std::io::Error, left: u64) -> Error {
    if source.kind() == std::io::ErrorKind::UnexpectedEof {
        let problem = format!("the input ends with {left} leaves or fewer missing");
        return Error::argument("leaves", problem);
    }
    Error::Io { context: "leaves".into(), source: Arc::new(source) }
}

fn writing(source: std::io::Error) -> Error {
    Error::Io { context: "the tree's rows".into(), source: Arc::new(source) }
}
