//! Files of parameters, as bellman's `Parameters::write` writes them.
//!
//! ```text
//! alpha, beta in G1 | beta, gamma in G2 | delta in G1, G2 | IC | H | L | A | B in G1 | B in G2 | rest
//! ```
//!
//! A list is its number of points, u32 big-endian, and the points. Points are uncompressed in Zcash's form: coordinates big-endian, in G2 the
//! coefficient of u first. The rest is the transcript of a ceremony, which is not read.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use proofmill_op::msm::{Curve, Group, Instance};

use crate::snarkjs::source::Source;
use crate::{FileError, Result};

/// Bytes of the number of points of a list.
const COUNT: usize = 4;

/// Single points, in the file's order.
pub(super) const HEADER: [(&str, Group); 6] = [
    ("alpha in G1", Group::G1),
    ("beta in G1", Group::G1),
    ("beta in G2", Group::G2),
    ("gamma in G2", Group::G2),
    ("delta in G1", Group::G1),
    ("delta in G2", Group::G2),
];

/// A list of points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum List {
    Ic,
    H,
    L,
    A,
    B1,
    B2,
}

impl List {
    const ALL: [Self; 6] = [Self::Ic, Self::H, Self::L, Self::A, Self::B1, Self::B2];

    pub fn name(self) -> &'static str {
        ["IC", "H", "L", "A", "B in G1", "B in G2"][self as usize]
    }

    pub fn group(self) -> Group {
        match self {
            Self::B2 => Group::G2,
            _ => Group::G1,
        }
    }
}

/// Returns the bytes of a point.
pub(super) fn point_bytes(group: Group) -> usize {
    Instance::new(Curve::Bls12_381, group).point_bytes()
}

/// A file of parameters whose lists are inside it. Their points are checked by [`Key::new`](super::Key::new).
#[derive(Clone, Debug)]
pub struct Parameters {
    source: Source,
    lists: [Range<usize>; 6],
    end: usize,
}

impl Parameters {
    /// Reads a file into memory, so that a hash of its bytes is that of the key that is built from them. The file must not be shortened
    /// meanwhile: the system would end the process.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let file = Source::open(path.as_ref())?;
        // Another kind of file is refused before it takes memory.
        Self::read(file.clone())?;
        Self::read(file.copied())
    }

    /// Reads bytes in memory, under a name for errors.
    pub fn from_bytes(name: impl Into<String>, bytes: Arc<[u8]>) -> Result<Self> {
        Self::read(Source::new(name, bytes.into()))
    }

    fn read(source: Source) -> Result<Self> {
        let bytes = source.bytes();
        let mut at = HEADER.iter().map(|(_, group)| point_bytes(*group)).sum::<usize>();
        if bytes.len() < at {
            let problem =
                format!("{} bytes, where the points of the header have {at}", bytes.len());
            return Err(source.wrong("header", 0, problem).into());
        }
        let mut lists = [const { 0..0 }; 6];
        for (list, range) in List::ALL.into_iter().zip(&mut lists) {
            let count = bytes.get(at..).and_then(<[u8]>::first_chunk::<COUNT>);
            let ends =
                || source.wrong(list.name(), at, "the file ends before the number of points");
            let count = u32::from_be_bytes(*count.ok_or_else(ends)?);
            let left = bytes.len() - at - COUNT;
            let wanted = u64::from(count) * point_bytes(list.group()) as u64;
            if wanted > left as u64 {
                let problem = format!("{count} points are {wanted} bytes, of which {left} exist");
                return Err(source.wrong(list.name(), at, problem).into());
            }
            let start = at + COUNT;
            at = start + wanted as usize;
            *range = start..at;
        }
        Ok(Self { source, lists, end: at })
    }

    /// Returns the name in errors.
    pub fn name(&self) -> &str {
        self.source.name()
    }

    /// Returns the file's bytes.
    pub fn bytes(&self) -> &[u8] {
        self.source.bytes()
    }

    /// Returns the number of bytes that are read; the rest is the transcript of a ceremony.
    pub fn used_bytes(&self) -> usize {
        self.end
    }

    /// Returns the number of points of a list.
    pub(super) fn count(&self, list: List) -> usize {
        self.lists[list as usize].len() / point_bytes(list.group())
    }

    /// Returns the points of a list and the offset of the first.
    pub(super) fn points(&self, list: List) -> (&[u8], usize) {
        let range = self.lists[list as usize].clone();
        (&self.source.bytes()[range.clone()], range.start)
    }

    /// Returns an error at this byte of the file.
    pub(super) fn wrong(&self, part: &str, offset: usize, problem: String) -> FileError {
        self.source.wrong(part, offset, problem)
    }
}
