//! Points from bytes, checked as far as is asked.

use proofmill_algebra::Isa;
use proofmill_algebra::encoding::{Coordinate, pair};
use proofmill_algebra::msm::{Group, Stored, stored};
use proofmill_op::msm::{Check, read};
use proofmill_op::{Error, Result};
use rayon::prelude::*;

/// Points that a thread decodes at a time.
pub(super) const DECODED: usize = 1 << 10;

/// Points from bytes, the first of which has this number.
pub(super) fn decode<C: Group<Base: Coordinate>>(
    isa: Isa,
    bytes: &[u8],
    first: usize,
    check: Check,
    cancelled: &(dyn Fn() -> bool + Sync),
) -> Result<Vec<Stored<C>>> {
    let each = pair::bytes::<C>();
    let mut points = vec![Stored::<C>::IDENTITY; bytes.len() / each];
    points.par_chunks_mut(DECODED).zip(bytes.par_chunks(DECODED * each)).enumerate().try_for_each(
        |(chunk, (points, bytes))| {
            if cancelled() {
                return Err(Error::Cancelled);
            }
            let read = |(i, bytes)| read::point::<C>(first + chunk * DECODED + i, bytes, check);
            let affine: Vec<_> =
                bytes.chunks_exact(each).enumerate().map(read).collect::<Result<_>>()?;
            points.copy_from_slice(&stored(isa, &affine));
            Ok(())
        },
    )?;
    Ok(points)
}
