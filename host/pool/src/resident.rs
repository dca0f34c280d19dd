//! Bases that are resident on several cards, a range on each.

use std::fmt;
use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use proofmill_op::msm::read::Source;
use proofmill_op::msm::{Bases, Check, Instance, Stream};
use proofmill_op::{ResidentData, WeakBytes};

use crate::state::Piece;

/// The properties of bases, without the points.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// The group.
    pub instance: Instance,
    /// The check on the points.
    pub check: Check,
    /// The most bytes for precomputed multiples, on each card.
    pub max_bytes: usize,
}

impl Terms {
    /// Returns bases that read a range of `source`.
    pub fn bases(&self, source: &Source, points: Range<usize>) -> Bases {
        let each = self.instance.point_bytes() as u64;
        let part = Part {
            of: source.clone(),
            from: points.start as u64 * each,
            bytes: points.len() as u64 * each,
        };
        let Self { instance, check, max_bytes } = *self;
        Bases { check, max_bytes, ..Bases::streamed(instance, part) }
    }

    /// Returns bases that are resident on a card.
    pub fn resident(&self, points: ResidentData) -> Bases {
        Bases::resident(self.instance, points).checked(self.check)
    }
}

/// A range of the points, not copied.
struct Part {
    of: Source,
    from: u64,
    bytes: u64,
}

impl fmt::Debug for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Part({} bytes)", self.bytes)
    }
}

impl Stream for Part {
    fn bytes(&self) -> io::Result<u64> {
        Ok(self.bytes)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let end = offset.checked_add(buffer.len() as u64);
        if end.is_none_or(|end| end > self.bytes) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        match &self.of {
            Source::Stream(stream) => stream.read_at(self.from + offset, buffer),
            Source::Host(bytes) => {
                let start = (self.from + offset) as usize;
                let found = bytes.get(start..start + buffer.len());
                buffer.copy_from_slice(found.ok_or(io::ErrorKind::UnexpectedEof)?);
                Ok(())
            }
        }
    }
}

/// The source from which lost points can be loaded again. Bytes are not kept for this: they would take as much host memory as on the cards.
enum Origin {
    Bytes(WeakBytes),
    Stream(Arc<dyn Stream>),
}

/// The location of a range.
pub enum Location {
    /// On this member.
    On(usize, ResidentData),
    /// On its way to another member, with the parts that wait for it.
    Moving(Vec<Piece>),
    /// Nowhere, with the reason.
    Gone(String),
}

/// Resident bases.
pub struct Resident {
    /// The properties.
    pub terms: Terms,
    /// Points of each range.
    pub ranges: Vec<Range<usize>>,
    locations: Mutex<Vec<Location>>,
    origin: Origin,
}

impl Resident {
    /// Returns bases whose ranges have these locations.
    pub fn new(
        terms: Terms,
        ranges: Vec<Range<usize>>,
        locations: Vec<Location>,
        source: &Source,
    ) -> Self {
        let origin = match source {
            Source::Host(bytes) => Origin::Bytes(bytes.downgrade()),
            Source::Stream(stream) => Origin::Stream(stream.clone()),
        };
        Self { terms, ranges, locations: Mutex::new(locations), origin }
    }

    /// Returns the location of each range.
    pub fn locations(&self) -> MutexGuard<'_, Vec<Location>> {
        self.locations.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the points of a range, if the host has them.
    pub fn bases(&self, range: usize) -> Option<Bases> {
        let source = match &self.origin {
            Origin::Bytes(bytes) => Source::Host(bytes.upgrade()?),
            Origin::Stream(stream) => Source::Stream(stream.clone()),
        };
        Some(self.terms.bases(&source, self.ranges[range].clone()))
    }

    /// Sets the location of a range and returns the parts that waited for it.
    pub fn set_location(&self, range: usize, to: Location) -> Vec<Piece> {
        match std::mem::replace(&mut self.locations()[range], to) {
            Location::Moving(waiting) => waiting,
            Location::On(..) | Location::Gone(_) => vec![],
        }
    }
}

#[cfg(test)]
mod tests {
    use proofmill_op::msm::{Curve, Group, Points};

    use super::*;

    fn terms() -> Terms {
        let instance = Instance::new(Curve::Bn254, Group::G1);
        Terms { instance, check: Check::Curve, max_bytes: 0 }
    }

    fn read(bases: &Bases, offset: u64, len: usize) -> io::Result<Vec<u8>> {
        let Points::Stream(stream) = &bases.points else { panic!("not a stream") };
        let mut buffer = vec![0; len];
        stream.read_at(offset, &mut buffer).map(|()| buffer)
    }

    #[test]
    fn a_part_is_read_within_its_range() {
        let all: Vec<u8> = (0..=255).collect();
        let streamed = Source::Stream(Arc::new(all.clone()));
        for bytes in [Source::Host(all.clone().into()), streamed] {
            let bases = terms().bases(&bytes, 1..3);
            assert_eq!((bases.count().unwrap(), bases.check), (2, Check::Curve));
            assert_eq!(read(&bases, 60, 68).unwrap(), all[124..192]);
            assert!(read(&bases, 60, 69).is_err() && read(&bases, u64::MAX, 1).is_err());
        }
    }

    #[test]
    fn bytes_are_available_while_a_caller_holds_them_and_a_stream_always() {
        let bytes: Arc<[u8]> = vec![0; 128].into();
        let resident = |bytes: &Source| Resident::new(terms(), vec![0..1, 1..2], vec![], bytes);
        let of_bytes = resident(&Source::Host(bytes.clone().into()));
        assert_eq!(of_bytes.bases(1).unwrap().count().unwrap(), 1);
        drop(bytes);
        assert!(of_bytes.bases(1).is_none());
        assert!(resident(&Source::Stream(Arc::new(vec![0; 128]))).bases(1).is_some());
    }
}
