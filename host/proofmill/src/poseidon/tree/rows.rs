//! The rows of a tree while it is built.

use std::io::{Read, Seek, SeekFrom, Write};
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use super::{ELEMENT_BYTES, Node, Shape};
use crate::poseidon::Layers;
use crate::{Device, Error, Result};

/// The number of nodes that are hashed in one request.
pub const PIECE: u64 = 1 << 14;

/// The rows of a tree: their numbers of written nodes, and the nodes whose parents are not hashed yet.
pub struct Rows<'a, W> {
    device: &'a dyn Device,
    arity: usize,
    to: &'a mut W,
    rows: Vec<Row>,
}

struct Row {
    /// The position of the row in the file.
    start: u64,
    /// The number of written nodes.
    count: u64,
    /// The last written nodes, from the first without a parent.
    waiting: Vec<u8>,
    /// The digest of all written bytes, if it is computed.
    sum: Option<Sha256>,
}

impl<'a, W: Write + Seek> Rows<'a, W> {
    /// Creates empty rows whose first one begins at the position `start`.
    pub fn new(device: &'a dyn Device, shape: Shape, start: u64, to: &'a mut W) -> Self {
        let mut place = start;
        let rows = shape.rows().map(|length| {
            let start = place;
            place += length * ELEMENT_BYTES as u64;
            Row { start, count: 0, waiting: Vec::new(), sum: None }
        });
        Self { device, arity: shape.arity(), rows: rows.collect(), to }
    }

    /// Computes digests of the written bytes from now on.
    pub fn with_digests(mut self) -> Self {
        self.rows.iter_mut().for_each(|row| row.sum = Some(Sha256::new()));
        self
    }

    /// Adds nodes to a row. Their parents are added to the row above once there are enough of them.
    pub fn add(&mut self, number: usize, nodes: &[u8]) -> Result<()> {
        self.write(number, nodes)?;
        if self.rows[number].waiting.len() >= PIECE as usize * ELEMENT_BYTES {
            self.pass_on(number)?;
        }
        Ok(())
    }

    fn write(&mut self, number: usize, nodes: &[u8]) -> Result<()> {
        let row = &mut self.rows[number];
        let place = row.start + row.count * ELEMENT_BYTES as u64;
        self.to.seek(SeekFrom::Start(place)).map_err(writing)?;
        self.to.write_all(nodes).map_err(writing)?;
        row.take(nodes);
        Ok(())
    }

    /// Hashes complete groups of children, and continues with the row above as long as it has complete groups.
    fn pass_on(&mut self, number: usize) -> Result<()> {
        let (group, waiting) = (self.arity * ELEMENT_BYTES, &mut self.rows[number].waiting);
        let whole = waiting.len() / group * group;
        let children: Arc<[u8]> = waiting.drain(..whole).as_slice().into();
        if whole == 0 {
            return Ok(());
        }
        let (mut height, mut length) = (1, whole / self.arity);
        while length.is_multiple_of(group) && self.rows[number + height].waiting.is_empty() {
            (height, length) = (height + 1, length / self.arity);
        }
        let request = Layers::new(self.arity, height, crate::Data::Host(children.into()));
        let layers = crate::poseidon::layers(self.device, request)?;
        let (mut rest, mut length) = (&layers[..], whole);
        for above in number + 1..number + height {
            length /= self.arity;
            let (nodes, others) = rest.split_at(length);
            self.write(above, nodes)?;
            self.rows[above].waiting.clear(); // their parents are among the others
            rest = others;
        }
        self.add(number + height, rest)
    }

    /// Hashes the remaining nodes from the lowest row up and returns the root. The writer is then behind the root.
    pub fn finish(mut self) -> Result<Node> {
        let root = self.rows.len() - 1;
        for row in 0..root {
            self.pass_on(row)?;
        }
        let node = self.rows[root].waiting.as_slice().try_into();
        self.to.flush().map_err(writing)?;
        Ok(node.expect("one node is left of a number that is a power of the arity"))
    }

    /// Returns the number of nodes of each row, and the digest of their bytes.
    pub fn written(&self) -> Vec<(u64, [u8; 32])> {
        let sum = |row: &Row| row.sum.clone().unwrap_or_default().finalize().into();
        self.rows.iter().map(|row| (row.count, sum(row))).collect()
    }

    /// Flushes the writer.
    pub fn flush(&mut self) -> Result<()> {
        self.to.flush().map_err(writing)
    }
}

impl<W: Read + Write + Seek> Rows<'_, W> {
    /// Reads the [written](Self::written) nodes of each row and continues after them. Other bytes are an
    /// error.
    pub fn restore(&mut self, written: &[(u64, [u8; 32])]) -> Result<()> {
        let parents = written.iter().skip(1).map(|above| above.0 * self.arity as u64).chain([0]);
        for (number, ((row, &(count, sum)), with_parents)) in
            self.rows.iter_mut().zip(written).zip(parents).enumerate()
        {
            self.to.seek(SeekFrom::Start(row.start)).map_err(writing)?;
            let mut nodes = vec![0; (PIECE as usize) * ELEMENT_BYTES];
            let mut left = count;
            while left > 0 {
                let taken = left.min(PIECE);
                let nodes = &mut nodes[..taken as usize * ELEMENT_BYTES];
                self.to.read_exact(nodes).map_err(|problem| lacking(problem, number))?;
                let done = with_parents.saturating_sub(row.count).min(taken);
                row.take(nodes);
                row.waiting.drain(..done as usize * ELEMENT_BYTES);
                left -= taken;
            }
            if row.sum.clone().unwrap_or_default().finalize()[..] != sum {
                return Err(changed(number));
            }
        }
        Ok(())
    }
}

impl Row {
    fn take(&mut self, nodes: &[u8]) {
        self.count += (nodes.len() / ELEMENT_BYTES) as u64;
        self.waiting.extend_from_slice(nodes);
        if let Some(sum) = &mut self.sum {
            sum.update(nodes);
        }
    }
}

fn lacking(source: std::io::Error, row: usize) -> Error {
    match source.kind() {
        std::io::ErrorKind::UnexpectedEof => changed(row),
        _ => Error::Io { context: "the tree's rows".into(), source: Arc::new(source) },
    }
}

fn changed(row: usize) -> Error {
    let problem = format!("row {row} of the tree is not what was written");
    Error::argument("checkpoint", problem)
}

pub fn writing(source: std::io::Error) -> Error {
    Error::Io { context: "the tree's rows".into(), source: Arc::new(source) }
}
