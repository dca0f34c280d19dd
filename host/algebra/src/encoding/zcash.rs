//! The encodings of BLS12-381 that Zcash made and the IETF took over: draft-irtf-cfrg-pairing-friendly-curves-11,
//! appendix C. What it leaves open is refused: coordinates that are not reduced, the sign's flag with the identity.
//!
//! Coordinates are big-endian, in Fp2 the coefficient of u first. The three highest bits of the first byte are flags:
//!
//! | bit | set for |
//! |---|---|
//! | 7 | compressed: x alone |
//! | 6 | the identity: all other bits but bit 7 are zeros |
//! | 5 | compressed, and y is the larger one of y and -y |

use super::{Coordinate, EncodingError, in_subgroup_each, of_length, point, point_at};
use crate::batch::{Batched, Roots};
use crate::bls12_381::{G1, G2};
use crate::curve::{Affine, Curve};
use crate::field::Field;
use crate::isa::Isa;

const COMPRESSED: u8 = 0x80;
const IDENTITY: u8 = 0x40;
const LARGER: u8 = 0x20;
const FLAGS: u8 = COMPRESSED | IDENTITY | LARGER;

/// A group with these encodings: its field leaves three bits free.
pub trait Zcash: Curve<Base: Coordinate> {
    /// An array with the bytes of x.
    type Compressed: AsRef<[u8]> + AsMut<[u8]>;
    /// An array with the bytes of x and y.
    type Uncompressed: AsRef<[u8]> + AsMut<[u8]>;
    /// Zeros.
    const ZEROS: (Self::Compressed, Self::Uncompressed);
}

impl Zcash for G1 {
    type Compressed = [u8; 48];
    type Uncompressed = [u8; 96];
    const ZEROS: ([u8; 48], [u8; 96]) = ([0; 48], [0; 96]);
}

impl Zcash for G2 {
    type Compressed = [u8; 96];
    type Uncompressed = [u8; 192];
    const ZEROS: ([u8; 96], [u8; 192]) = ([0; 96], [0; 192]);
}

/// Writes x and the flag that selects y.
pub fn encode_compressed<C: Zcash>(point: &Affine<C>) -> C::Compressed {
    let (mut encoding, _) = C::ZEROS;
    let bytes = encoding.as_mut();
    point.x().write_be(bytes);
    bytes[0] |= COMPRESSED;
    if bool::from(point.is_identity()) {
        bytes[0] |= IDENTITY;
    } else if point.y().is_larger_than_negative() {
        bytes[0] |= LARGER;
    }
    encoding
}

/// Writes x and y.
pub fn encode_uncompressed<C: Zcash>(point: &Affine<C>) -> C::Uncompressed {
    let (_, mut encoding) = C::ZEROS;
    let (x, y) = encoding.as_mut().split_at_mut(C::Base::BYTES);
    point.x().write_be(x);
    point.y().write_be(y);
    if bool::from(point.is_identity()) {
        x[0] |= IDENTITY;
    }
    encoding
}

/// Reads a point of the subgroup from x and the flag that selects y.
pub fn decode_compressed<C: Zcash>(encoding: &[u8]) -> Result<Affine<C>, EncodingError> {
    match read_compressed::<C>(encoding)? {
        // y = 0 would be neither; no point has it, as the order of the curve is odd.
        Some((x, larger)) => point_at(x, |y: &C::Base| y.is_larger_than_negative() == larger),
        None => Ok(Affine::IDENTITY),
    }
}

/// [`decode_compressed`] of each, in lanes.
pub fn decode_each_compressed<C: Zcash<Base: Roots> + Batched>(
    isa: Isa,
    encodings: &[&[u8]],
) -> Vec<Result<Affine<C>, EncodingError>> {
    let read: Vec<_> = encodings.iter().map(|encoding| read_compressed::<C>(encoding)).collect();
    let squares: Vec<_> = read
        .iter()
        .map(|read| match read {
            Ok(Some((x, _))) => x.square() * x + C::B,
            _ => C::Base::ONE,
        })
        .collect();
    let roots = C::Base::sqrt_each_vartime(isa, &squares);
    let points = read.into_iter().zip(roots).map(|(read, root)| {
        let Some((x, larger)) = read? else { return Ok(Affine::IDENTITY) };
        let y = root.ok_or(EncodingError::NotOnCurve)?;
        let y = if y.is_larger_than_negative() == larger { y } else { -y };
        Ok(Affine::new_unchecked(x, y))
    });
    in_subgroup_each(isa, points.collect())
}

/// x, and whether y is the larger one of two; nothing for the identity.
fn read_compressed<C: Zcash>(encoding: &[u8]) -> Result<Option<(C::Base, bool)>, EncodingError> {
    let mut bytes = of_length(encoding, C::Base::BYTES)?.to_vec();
    let flags = take_flags(&mut bytes);
    match flags & !LARGER {
        COMPRESSED => Ok(Some((C::Base::read_be(&bytes)?, flags & LARGER != 0))),
        _ if flags == COMPRESSED | IDENTITY => identity::<C>(&bytes).map(|_| None),
        _ => Err(EncodingError::Flags(flags)),
    }
}

/// Reads a point of the subgroup from x and y.
pub fn decode_uncompressed<C: Zcash>(encoding: &[u8]) -> Result<Affine<C>, EncodingError> {
    let mut bytes = of_length(encoding, 2 * C::Base::BYTES)?.to_vec();
    match take_flags(&mut bytes) {
        0 => {
            let (x, y) = bytes.split_at(C::Base::BYTES);
            point(C::Base::read_be(x)?, C::Base::read_be(y)?)
        }
        IDENTITY => identity(&bytes),
        flags => Err(EncodingError::Flags(flags)),
    }
}

/// The three flags, which are zeros afterwards; the encoding is not empty.
fn take_flags(bytes: &mut [u8]) -> u8 {
    let flags = bytes[0] & FLAGS;
    bytes[0] &= !FLAGS;
    flags
}

fn identity<C: Curve>(rest: &[u8]) -> Result<Affine<C>, EncodingError> {
    if rest.iter().any(|&byte| byte != 0) {
        return Err(EncodingError::InfinityWithData);
    }
    Ok(Affine::IDENTITY)
}
