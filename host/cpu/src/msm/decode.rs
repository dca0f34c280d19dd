//! Decodes and checks points.

use std::ops::Range;

use proofmill_algebra::Isa;
use proofmill_algebra::curve::Affine;
use proofmill_algebra::encoding::{Coordinate, pair};
use proofmill_algebra::msm::{Group, Stored, stored};
use proofmill_op::msm::{Check, SCALAR_BYTES, read};
use proofmill_op::{Error, Result};
use rayon::prelude::*;

/// Points that a thread decodes at a time.
const DECODED: usize = 1 << 10;

/// Points in the form of the adder.
pub(super) struct Decoded<C: Group> {
    pub points: Vec<Stored<C>>,
    /// The numbers of those that are the identity.
    identities: Vec<usize>,
}

impl<C: Group<Base: Coordinate>> Decoded<C> {
    /// Bytes for each point.
    pub const BYTES_EACH: usize = size_of::<Stored<C>>() + size_of::<usize>();

    /// Bytes for each thread while points are decoded.
    pub const BYTES_A_THREAD: usize = DECODED * (2 * size_of::<Stored<C>>() + pair::bytes::<C>());

    /// Decodes the points of a range.
    pub fn new(
        isa: Isa,
        bytes: &read::Source,
        range: Range<usize>,
        check: Check,
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Result<Self> {
        let mut points = vec![Stored::<C>::IDENTITY; range.len()];
        let pieces =
            points.par_chunks_mut(DECODED).enumerate().map_init(Vec::new, |buffer, (i, piece)| {
                if cancelled() {
                    return Err(Error::Cancelled);
                }
                let start = range.start + i * DECODED;
                let affine = affine::<C>(bytes, start..start + piece.len(), check, buffer)?;
                piece.copy_from_slice(&stored(isa, &affine));
                let is_identity = |at: &usize| bool::from(affine[*at].is_identity());
                let identities = (0..affine.len()).filter(is_identity);
                Ok(identities.map(|at| i * DECODED + at).collect::<Vec<_>>())
            });
        let identities: Vec<_> = pieces.collect::<Result<_>>()?;
        Ok(Self { points, identities: identities.concat() })
    }

    /// Returns the scalars of the points from `first` on, with zeros for identities, which then cost nothing: in keys, many points are
    /// identities.
    pub fn relevant<'a>(
        &self,
        first: usize,
        scalars: &'a [[u8; SCALAR_BYTES]],
        changed: &'a mut Vec<[u8; SCALAR_BYTES]>,
    ) -> &'a [[u8; SCALAR_BYTES]] {
        let before = |number: usize| self.identities.partition_point(|&it| it < number);
        let identities = &self.identities[before(first)..before(first + scalars.len())];
        if identities.is_empty() {
            return scalars;
        }
        changed.clear();
        changed.extend_from_slice(scalars);
        for &number in identities {
            changed[number - first] = [0; SCALAR_BYTES];
        }
        changed
    }
}

/// Decodes the points with these numbers. They may be read into `buffer`.
pub(super) fn affine<C: Group<Base: Coordinate>>(
    bytes: &read::Source,
    numbers: Range<usize>,
    check: Check,
    buffer: &mut Vec<u8>,
) -> Result<Vec<Affine<C>>> {
    let each = pair::bytes::<C>();
    let bytes = bytes.range(each, numbers.clone(), buffer)?;
    let read = |(number, bytes)| read::point::<C>(number, bytes, check);
    numbers.zip(bytes.chunks_exact(each)).map(read).collect()
}
