//! Points from bytes, checked as far as is asked.

use proofmill_algebra::Isa;
use proofmill_algebra::curve::Affine;
use proofmill_algebra::encoding::{Coordinate, EncodingError, pair};
use proofmill_algebra::msm::{Group, Stored, stored};
use proofmill_op::msm::Check;
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
            let read = |(i, bytes)| {
                point::<C>(bytes, check).map_err(|problem| {
                    let number = first + chunk * DECODED + i;
                    Error::argument("bases", format!("point {number} is {problem}"))
                })
            };
            let affine: Vec<_> =
                bytes.chunks_exact(each).enumerate().map(read).collect::<Result<_>>()?;
            points.copy_from_slice(&stored(isa, &affine));
            Ok(())
        },
    )?;
    Ok(points)
}

fn point<C: Group<Base: Coordinate>>(
    bytes: &[u8],
    check: Check,
) -> std::result::Result<Affine<C>, &'static str> {
    let (x, y) = bytes.split_at(C::Base::BYTES);
    let coordinate = |bytes| C::Base::read_le(bytes);
    let (x, y) = match (coordinate(x), coordinate(y)) {
        (Ok(x), Ok(y)) => (x, y),
        (Err(EncodingError::NotReduced), _) => {
            return Err("no point: its x is not below the modulus");
        }
        _ => return Err("no point: its y is not below the modulus"),
    };
    let point = Affine::new_unchecked(x, y);
    if check != Check::Nothing && !bool::from(point.is_on_curve()) {
        return Err("not on the curve");
    }
    if check == Check::Subgroup && !bool::from(point.is_in_subgroup()) {
        return Err("on the curve but not in the subgroup");
    }
    Ok(point)
}
