//! x and y, one after the other, each canonical and little-endian, in Fp2 the coefficient of 1 first; zeros are the
//! identity. This is proofmill's own form of a point outside, on every curve.

use super::{Coordinate, EncodingError, in_subgroup_each, of_length, on_curve, point};
use crate::batch::Batched;
use crate::curve::{Affine, Curve};
use crate::isa::Isa;

/// Bytes of a point.
pub const fn bytes<C: Curve<Base: Coordinate>>() -> usize {
    2 * C::Base::BYTES
}

/// Writes a point.
pub fn encode<C: Curve<Base: Coordinate>>(point: &Affine<C>) -> Vec<u8> {
    let mut encoding = vec![0; bytes::<C>()];
    let (x, y) = encoding.split_at_mut(C::Base::BYTES);
    point.x().write_le(x);
    point.y().write_le(y);
    encoding
}

/// Reads a point of the subgroup.
pub fn decode<C: Curve<Base: Coordinate>>(encoding: &[u8]) -> Result<Affine<C>, EncodingError> {
    match read::<C>(encoding)? {
        Some([x, y]) => point(x, y),
        None => Ok(Affine::IDENTITY),
    }
}

/// [`decode`] of each, in lanes.
pub fn decode_each<C: Batched>(
    isa: Isa,
    encodings: &[&[u8]],
) -> Vec<Result<Affine<C>, EncodingError>> {
    let on_curve = |encoding: &&[u8]| match read::<C>(encoding)? {
        Some([x, y]) => on_curve(x, y),
        None => Ok(Affine::IDENTITY),
    };
    in_subgroup_each(isa, encodings.iter().map(on_curve).collect())
}

/// x and y; nothing for the identity.
fn read<C: Curve<Base: Coordinate>>(
    encoding: &[u8],
) -> Result<Option<[C::Base; 2]>, EncodingError> {
    let (x, y) = of_length(encoding, bytes::<C>())?.split_at(C::Base::BYTES);
    if encoding.iter().all(|&byte| byte == 0) {
        return Ok(None);
    }
    Ok(Some([C::Base::read_le(x)?, C::Base::read_le(y)?]))
}
