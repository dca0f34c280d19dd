//! Points of a key: in Montgomery form in the file, canonical as soon as they leave it.

use std::io;
use std::sync::Arc;

use proofmill_algebra::encoding::EncodingError;
use proofmill_op::msm::{Bases, Check, Instance, Points, Stream};

use crate::snarkjs::container::{Label, Part};
use crate::snarkjs::group::{base_bytes, canonical, decode};
use crate::snarkjs::source::Source;
use crate::{FileError, Result};

/// The points of a section. As a [`Stream`] it gives canonical bytes, converted while they are read; coordinates that are
/// not below p make reading fail with a [`FileError`] inside the [`io::Error`].
#[derive(Clone, Debug)]
pub struct PointSection {
    source: Source,
    label: Label,
    /// Where the first point is in the file.
    offset: usize,
    instance: Instance,
    count: usize,
}

impl PointSection {
    /// A section that has to hold so many points.
    pub(super) fn new(
        source: &Source,
        part: Part<'_>,
        instance: Instance,
        count: u64,
    ) -> Result<Self> {
        let (label, offset) = (part.label(), part.at());
        part.all(count, instance.point_bytes(), "points")?;
        Ok(Self { source: source.clone(), label, offset, instance, count: count as usize })
    }

    /// Their group.
    pub fn instance(&self) -> Instance {
        self.instance
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// For a request: to be read when they are needed, and checked then to be on the curve.
    pub fn bases(&self) -> Bases {
        let points = Points::Stream(Arc::new(self.clone()));
        Bases { instance: self.instance, points, check: Check::Curve }
    }

    /// All points, each checked to be of the group.
    pub(super) fn group_points(&self) -> Result<Vec<Vec<u8>>> {
        let each = self.instance.point_bytes();
        let decode = |(number, point)| {
            decode(self.instance, point).map_err(|problem| {
                let problem = format!("point {number} is {problem}");
                self.source.wrong(self.label, self.offset + number * each, problem).into()
            })
        };
        self.stored().chunks_exact(each).enumerate().map(decode).collect()
    }

    /// The section as it is in the file.
    fn stored(&self) -> &[u8] {
        &self.source.bytes()[self.offset..][..self.count * self.instance.point_bytes()]
    }

    /// Whole coordinates from this byte of the section on.
    fn convert(&self, start: usize, to: &mut [u8]) -> io::Result<()> {
        let stored = &self.stored()[start..start + to.len()];
        canonical(self.instance.curve, stored, to).map_err(|number| {
            let (at, each) = (start + number * self.coordinate(), self.instance.point_bytes());
            let problem = format!("point {} is {}", at / each, EncodingError::NotReduced);
            let wrong: FileError = self.source.wrong(self.label, self.offset + at, problem);
            io::Error::new(io::ErrorKind::InvalidData, wrong)
        })
    }

    /// Bytes of an element of Fp.
    fn coordinate(&self) -> usize {
        base_bytes(self.instance.curve)
    }
}

impl Stream for PointSection {
    fn bytes(&self) -> io::Result<u64> {
        Ok(self.stored().len() as u64)
    }

    /// Whole coordinates go straight into the buffer; of one that is cut by its ends, a part.
    fn read_at(&self, offset: u64, mut buffer: &mut [u8]) -> io::Result<()> {
        let all = self.stored().len();
        let start = usize::try_from(offset).ok().filter(|&start| start <= all);
        let mut start = start.ok_or(io::ErrorKind::UnexpectedEof)?;
        if buffer.len() > all - start {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let each = self.coordinate();
        while !buffer.is_empty() {
            let cut = start % each;
            let taken = if cut == 0 && buffer.len() >= each {
                let whole = buffer.len() - buffer.len() % each;
                self.convert(start, &mut buffer[..whole])?;
                whole
            } else {
                let mut element = vec![0; each];
                self.convert(start - cut, &mut element)?;
                let taken = buffer.len().min(each - cut);
                buffer[..taken].copy_from_slice(&element[cut..cut + taken]);
                taken
            };
            start += taken;
            buffer = &mut buffer[taken..];
        }
        Ok(())
    }
}
