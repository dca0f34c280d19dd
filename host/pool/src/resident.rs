//! Bases that lie on several cards, each with a range of them.

use std::fmt;
use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use proofmill_op::Parked;
use proofmill_op::msm::read::Bytes;
use proofmill_op::msm::{Bases, Check, Instance, Stream};

use crate::state::Piece;

/// What bases are, without the points.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// Their group.
    pub instance: Instance,
    /// What is checked of them.
    pub check: Check,
    /// Bytes for precomputed multiples, on each card.
    pub room: usize,
}

impl Terms {
    /// These points, read from where they are.
    pub fn bases(&self, bytes: &Bytes, points: Range<usize>) -> Bases {
        let each = self.instance.point_bytes() as u64;
        let part = Part {
            of: bytes.clone(),
            from: points.start as u64 * each,
            bytes: points.len() as u64 * each,
        };
        let Self { instance, check, room } = *self;
        Bases { check, room, ..Bases::streamed(instance, part) }
    }

    /// These points, which are on a card.
    pub fn parked(&self, points: Parked) -> Bases {
        Bases::parked(self.instance, points).checked(self.check)
    }
}

/// Some of the points, not copied.
struct Part {
    of: Bytes,
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
            Bytes::Stream(stream) => stream.read_at(self.from + offset, buffer),
            Bytes::Here(bytes) => {
                let start = (self.from + offset) as usize;
                let found = bytes.get(start..start + buffer.len());
                buffer.copy_from_slice(found.ok_or(io::ErrorKind::UnexpectedEof)?);
                Ok(())
            }
        }
    }
}

/// Where the points can be read again. Bytes are not kept for this: they would take as much memory here as on the cards.
enum Source {
    Bytes(Weak<[u8]>),
    Stream(Arc<dyn Stream>),
}

/// Where a range is.
pub enum Place {
    /// On this member.
    On(usize, Parked),
    /// On its way to another one, with what waits for it.
    Moving(Vec<Piece>),
    /// Nowhere, and why.
    Gone(String),
}

/// Resident bases.
pub struct Resident {
    /// What they are.
    pub terms: Terms,
    /// Points of each range.
    pub ranges: Vec<Range<usize>>,
    places: Mutex<Vec<Place>>,
    source: Source,
}

impl Resident {
    /// Ranges that are where it is said.
    pub fn new(terms: Terms, ranges: Vec<Range<usize>>, places: Vec<Place>, bytes: &Bytes) -> Self {
        let source = match bytes {
            Bytes::Here(bytes) => Source::Bytes(Arc::downgrade(bytes)),
            Bytes::Stream(stream) => Source::Stream(stream.clone()),
        };
        Self { terms, ranges, places: Mutex::new(places), source }
    }

    /// Where each range is.
    pub fn places(&self) -> MutexGuard<'_, Vec<Place>> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A range's points, if they are still here.
    pub fn bases(&self, range: usize) -> Option<Bases> {
        let bytes = match &self.source {
            Source::Bytes(bytes) => Bytes::Here(bytes.upgrade()?),
            Source::Stream(stream) => Bytes::Stream(stream.clone()),
        };
        Some(self.terms.bases(&bytes, self.ranges[range].clone()))
    }

    /// The range is somewhere else now, or nowhere: what has waited for that.
    pub fn moved(&self, range: usize, to: Place) -> Vec<Piece> {
        match std::mem::replace(&mut self.places()[range], to) {
            Place::Moving(waiting) => waiting,
            Place::On(..) | Place::Gone(_) => vec![],
        }
    }
}

#[cfg(test)]
mod tests {
    use proofmill_op::msm::{Curve, Group, Points};

    use super::*;

    fn terms() -> Terms {
        let instance = Instance::new(Curve::Bn254, Group::G1);
        Terms { instance, check: Check::Curve, room: 0 }
    }

    fn read(bases: &Bases, offset: u64, len: usize) -> io::Result<Vec<u8>> {
        let Points::Stream(stream) = &bases.points else { panic!("not a stream") };
        let mut buffer = vec![0; len];
        stream.read_at(offset, &mut buffer).map(|()| buffer)
    }

    #[test]
    fn a_part_is_read_where_it_is_and_no_further() {
        let all: Vec<u8> = (0..=255).collect();
        let streamed = Bytes::Stream(Arc::new(all.clone()));
        for bytes in [Bytes::Here(all.clone().into()), streamed] {
            let bases = terms().bases(&bytes, 1..3);
            assert_eq!((bases.count().unwrap(), bases.check), (2, Check::Curve));
            assert_eq!(read(&bases, 60, 68).unwrap(), all[124..192]);
            assert!(read(&bases, 60, 69).is_err() && read(&bases, u64::MAX, 1).is_err());
        }
    }

    #[test]
    fn bytes_are_there_as_long_as_somebody_keeps_them_and_a_stream_always() {
        let bytes: Arc<[u8]> = vec![0; 128].into();
        let kept = |bytes: &Bytes| Resident::new(terms(), vec![0..1, 1..2], vec![], bytes);
        let of_bytes = kept(&Bytes::Here(bytes.clone()));
        assert_eq!(of_bytes.bases(1).unwrap().count().unwrap(), 1);
        drop(bytes);
        assert!(of_bytes.bases(1).is_none());
        assert!(kept(&Bytes::Stream(Arc::new(vec![0; 128]))).bases(1).is_some());
    }
}
