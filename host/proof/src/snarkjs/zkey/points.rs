//! Points of a key: in Montgomery form in the file, canonical when read.

use std::io;
use std::sync::Arc;

use proofmill_algebra::Isa;
use proofmill_algebra::encoding::EncodingError;
use proofmill_op::msm::{Instance, Stream};

use crate::{FileError, Result};
use proofmill_op::process::parallel;
use rayon::prelude::*;

use crate::snarkjs::container::{Label, Part};
use crate::snarkjs::group::{decode, to_pairs};
use crate::snarkjs::source::Source;

/// The points of a section. As a [`Stream`] it returns canonical bytes, converted on reading. A point that is not on the
/// curve makes reading fail with a [`FileError`] inside the [`io::Error`]. The subgroup is not checked, as in snarkjs: in
/// BN254's G1 all points of the curve are in it.
#[derive(Clone, Debug)]
pub struct PointSection {
    source: Source,
    /// All points of the section, if they were copied.
    copy: Option<Arc<[u8]>>,
    label: Label,
    /// The offset of the first point in the file.
    offset: usize,
    /// The number of the first point in its section, for errors.
    first: usize,
    instance: Instance,
    count: usize,
    isa: Isa,
}

impl PointSection {
    /// Wraps a section that must have `count` points.
    pub(in crate::snarkjs) fn new(
        isa: Isa,
        source: &Source,
        part: Part<'_>,
        instance: Instance,
        count: u64,
    ) -> Result<Self> {
        let (label, offset) = (part.label(), part.at());
        part.all(count, instance.point_bytes(), "points")?;
        let (source, count) = (source.clone(), count as usize);
        Ok(Self { source, copy: None, label, offset, first: 0, instance, count, isa })
    }

    /// Copies the points of a whole section, which then do not change with the file.
    pub(super) fn in_memory(self) -> Self {
        Self { copy: Some(self.stored().into()), ..self }
    }

    /// Returns the same points, decoded by this code path.
    pub(super) fn read_with(self, isa: Isa) -> Self {
        Self { isa, ..self }
    }

    /// Returns the group.
    pub fn instance(&self) -> Instance {
        self.instance
    }

    /// Returns the number of points.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns `count` of the points from `first` on. Panics if there are fewer.
    pub(crate) fn range(&self, first: usize, count: usize) -> Self {
        assert!(first <= self.count && count <= self.count - first, "points of the section");
        let offset = self.offset + first * self.instance.point_bytes();
        Self { offset, first: self.first + first, count, ..self.clone() }
    }

    /// Reads the point with this number and checks that it is in the group. Panics if there is none.
    pub(crate) fn point(&self, number: usize) -> Result<Vec<u8>> {
        let each = self.instance.point_bytes();
        let stored = &self.stored()[number * each..][..each];
        Ok(decode(self.isa, self.instance, stored).map_err(|error| self.wrong(number, error))?)
    }

    /// Checks that every point is in the group. Where the curve has other points too, that is a multiplication per point. An
    /// error is about the first that is not.
    pub fn check(&self) -> Result<()> {
        let points = self.stored().par_chunks_exact(self.instance.point_bytes()).enumerate();
        let wrong = points.map(|(number, point)| {
            decode(self.isa, self.instance, point).err().map(|error| self.wrong(number, error))
        });
        parallel(|| wrong.find_map_first(|wrong| wrong)).map_or(Ok(()), |wrong| Err(wrong.into()))
    }

    /// Returns all points after a check that each is in the group.
    pub(super) fn checked(&self) -> Result<Vec<Vec<u8>>> {
        self.check()?;
        let mut points = vec![0; self.stored().len()];
        to_pairs(self.isa, self.instance, self.stored(), &mut points)
            .map_err(|(number, error)| self.wrong(number, error))?;
        Ok(points.chunks_exact(self.instance.point_bytes()).map(<[u8]>::to_vec).collect())
    }

    /// Returns an error at the point with this number.
    pub(crate) fn wrong(&self, number: usize, error: EncodingError) -> FileError {
        let at = self.offset + number * self.instance.point_bytes();
        let number = self.first + number;
        self.source.wrong(self.label, at, format!("point {number} is {error}"))
    }

    /// Returns the offsets of the first point and of the end of the last.
    pub(in crate::snarkjs) fn place(&self) -> (usize, usize) {
        (self.offset, self.offset + self.stored().len())
    }

    /// Returns the section's bytes. Those of a mapped file may change at any time.
    pub(crate) fn stored(&self) -> &[u8] {
        let each = self.instance.point_bytes();
        let (bytes, start) = match &self.copy {
            Some(copy) => (&copy[..], self.first * each),
            None => (self.source.bytes(), self.offset),
        };
        &bytes[start..][..self.count * each]
    }

    /// Converts whole points from this byte of the section on.
    fn convert(&self, start: usize, pairs: &mut [u8]) -> io::Result<()> {
        let stored = &self.stored()[start..start + pairs.len()];
        to_pairs(self.isa, self.instance, stored, pairs).map_err(|(number, error)| {
            let number = start / self.instance.point_bytes() + number;
            io::Error::new(io::ErrorKind::InvalidData, self.wrong(number, error))
        })
    }
}

impl Stream for PointSection {
    fn bytes(&self) -> io::Result<u64> {
        Ok(self.stored().len() as u64)
    }

    /// Converts whole points into the buffer directly, and copies the parts of the points at its ends.
    fn read_at(&self, offset: u64, mut buffer: &mut [u8]) -> io::Result<()> {
        let all = self.stored().len();
        let start = usize::try_from(offset).ok().filter(|&start| start <= all);
        let mut start = start.ok_or(io::ErrorKind::UnexpectedEof)?;
        if buffer.len() > all - start {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let each = self.instance.point_bytes();
        while !buffer.is_empty() {
            let cut = start % each;
            let taken = if cut == 0 && buffer.len() >= each {
                let whole = buffer.len() - buffer.len() % each;
                self.convert(start, &mut buffer[..whole])?;
                whole
            } else {
                let mut point = vec![0; each];
                self.convert(start - cut, &mut point)?;
                let taken = buffer.len().min(each - cut);
                buffer[..taken].copy_from_slice(&point[cut..cut + taken]);
                taken
            };
            start += taken;
            buffer = &mut buffer[taken..];
        }
        Ok(())
    }
}
