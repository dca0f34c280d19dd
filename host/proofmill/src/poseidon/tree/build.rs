//! Building a tree.

use std::io::{Read, Seek, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use proofmill_algebra::field::{Bls12381Fr, PrimeField as _};
use sha2::{Digest as _, Sha256};

use super::checkpoint::Checkpoint;
use super::rows::{PIECE, Rows, writing};
use super::{ELEMENT_BYTES, Leaves, Node, Shape};
use crate::poseidon::{Progress, expected_arity, hash, is_arity};
use crate::{Device, Error, Result};

/// The default interval of checkpoints. The first one follows the first leaves.
const EVERY: Duration = Duration::from_secs(1);

/// A tree to build, with the callback for its progress.
///
/// ```
/// use proofmill::poseidon::tree::{Build, Leaves, Shape};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let device = proofmill::open("cpu:?threads=1")?;
/// let build = Build::new(Shape::new(8, 64)?, Leaves::Columns(11))?.with_progress(|part| println!("{part}"));
/// let columns = [0; 64 * 11 * 32];
/// let mut rows = std::io::Cursor::new(Vec::new());
/// // Keep the last checkpoint, and pass it to `resume` after an interruption.
/// let mut last = None;
/// let root = build.resume(&*device, &mut &columns[..], &mut rows, None, |checkpoint| {
///     last = Some(checkpoint);
///     Ok(())
/// })?;
/// assert_eq!(rows.get_ref().len(), (64 + 8 + 1) * 32);
/// assert_eq!(rows.get_ref()[72 * 32..], root);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Build {
    shape: Shape,
    leaves: Leaves,
    progress: Option<Progress>,
    every: Duration,
}

impl Build {
    /// Returns an error if the number of bytes of the tree overflows, or if columns have another number of elements than 2 to 36.
    pub fn new(shape: Shape, leaves: Leaves) -> Result<Self> {
        shape.bytes().ok_or_else(|| Error::argument("leaves", "too many"))?;
        match leaves {
            Leaves::Columns(elements) if !is_arity(elements) => {
                let problem = format!("{elements} elements each; {}", expected_arity());
                Err(Error::argument("columns", problem))
            }
            _ => Ok(Self { shape, leaves, progress: None, every: EVERY }),
        }
    }

    /// Calls `tell` with the completed share of the leaves, from 0 to 1, at least a few times a second.
    pub fn with_progress(mut self, tell: impl Fn(f64) + Send + Sync + 'static) -> Self {
        self.progress = Some(Progress(Arc::new(tell)));
        self
    }

    /// Sets the interval of checkpoints; one second by default.
    pub fn with_checkpoints_every(self, every: Duration) -> Self {
        Self { every, ..self }
    }

    /// Builds the tree as [`build`](super::build) does.
    pub fn run<W: Write + Seek>(
        &self,
        device: &dyn Device,
        from: &mut dyn Read,
        to: &mut W,
    ) -> Result<Node> {
        let start = to.stream_position().map_err(writing)?;
        let mut rows = Rows::new(device, self.shape, start, to);
        let mut done = 0;
        while done < self.shape.leaves() {
            done = self.piece(device, from, &mut rows, done)?;
        }
        self.finish(rows)
    }

    /// Builds a tree that can be interrupted, or resumes one: `from` is at its beginning, and `to` where the tree begins.
    ///
    /// `keep` receives a checkpoint after the data that it describes are written. Resuming needs the last checkpoint and the written data: all data
    /// that the checkpoint describes are read again, and any difference is an error. So is a checkpoint of another tree.
    pub fn resume<W: Read + Write + Seek>(
        &self,
        device: &dyn Device,
        from: &mut dyn Read,
        to: &mut W,
        checkpoint: Option<&Checkpoint>,
        mut keep: impl FnMut(Checkpoint) -> Result<()>,
    ) -> Result<Node> {
        let start = to.stream_position().map_err(writing)?;
        let mut rows = Rows::new(device, self.shape, start, to).with_digests();
        let (mut from, mut done) = (Summed { from, sum: Sha256::new() }, 0);
        if let Some(checkpoint) = checkpoint {
            checkpoint.demand(self.shape, self.leaves)?;
            rows.restore(&checkpoint.rows)?;
            done = checkpoint.rows[0].0;
            self.skip(&mut from, done)?;
            if from.sum.clone().finalize()[..] != checkpoint.input {
                return Err(Error::argument("checkpoint", "the input is not what was read"));
            }
        }
        let mut last: Option<Instant> = None;
        while done < self.shape.leaves() {
            done = self.piece(device, &mut from, &mut rows, done)?;
            if last.is_none_or(|last| last.elapsed() >= self.every) {
                rows.flush()?;
                let input = from.sum.clone().finalize().into();
                keep(Checkpoint::new(self.shape, self.leaves, input, rows.written()))?;
                last = Some(Instant::now());
            }
        }
        self.finish(rows)
    }

    /// Returns the number of elements of a leaf's input.
    fn each(&self) -> usize {
        match self.leaves {
            Leaves::Nodes => 1,
            Leaves::Columns(elements) => elements,
        }
    }

    /// Adds some leaves and returns their number so far.
    fn piece<W: Write + Seek>(
        &self,
        device: &dyn Device,
        from: &mut dyn Read,
        rows: &mut Rows<'_, W>,
        done: u64,
    ) -> Result<u64> {
        self.tell(done);
        // A whole tree of them, which a device builds in one request.
        let arity = self.shape.arity() as u64;
        let left = self.shape.leaves() - done;
        let count = left.min(arity.pow(PIECE.ilog(arity)));
        let each = self.each();
        let mut elements = vec![0; count as usize * each * ELEMENT_BYTES];
        from.read_exact(&mut elements).map_err(|problem| reading(problem, left))?;
        demand_elements(&elements, each, done)?;
        let nodes = match self.leaves {
            Leaves::Nodes => elements,
            Leaves::Columns(elements_each) => hash(device, elements_each, elements)?,
        };
        rows.add(0, &nodes)?;
        Ok(done + count)
    }

    /// Reads the input of `leaves` leaves.
    fn skip(&self, from: &mut dyn Read, leaves: u64) -> Result<()> {
        let mut left = leaves * (self.each() * ELEMENT_BYTES) as u64;
        let mut bytes = vec![0; 1 << 20];
        while left > 0 {
            let count = left.min(bytes.len() as u64) as usize;
            let missing = |problem| reading(problem, self.shape.leaves());
            from.read_exact(&mut bytes[..count]).map_err(missing)?;
            left -= count as u64;
        }
        Ok(())
    }

    fn finish<W: Write + Seek>(&self, rows: Rows<'_, W>) -> Result<Node> {
        let root = rows.finish()?;
        self.tell(self.shape.leaves());
        Ok(root)
    }

    fn tell(&self, done: u64) {
        if let Some(Progress(tell)) = &self.progress {
            tell(done as f64 / self.shape.leaves() as f64);
        }
    }
}

/// The input, with the digest of the bytes read.
struct Summed<'a> {
    from: &'a mut dyn Read,
    sum: Sha256,
}

impl Read for Summed<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        let count = self.from.read(bytes)?;
        self.sum.update(&bytes[..count]);
        Ok(count)
    }
}

/// Rejects a leaf, or an element of a column, that is not below r.
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
