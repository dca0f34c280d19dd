//! Jubjub's points in 32 bytes: y, little-endian, and in the highest bit the parity of x (Zcash Protocol Specification,
//! section 5.4.9.3). Of (0, 1) and (0, -1) the bit is 0: ZIP 216 refuses their other encodings.
//!
//! Points have any order: the form has all points of the curve.

use super::EncodingError;
use crate::batch::Roots;
use crate::field::{Field, PrimeField};
use crate::isa::Isa;
use crate::jubjub::{Affine, D, Fp};

/// The bit with the parity of x, in the last byte.
const ODD: u8 = 0x80;

/// Writes a point.
pub fn encode(point: &Affine) -> [u8; 32] {
    let mut encoding = point.y().to_le_bytes();
    if is_odd(&point.x()) {
        encoding[31] |= ODD;
    }
    encoding
}

/// Reads a point.
pub fn decode(encoding: &[u8; 32]) -> Result<Affine, EncodingError> {
    decode_each(Isa::words(), std::slice::from_ref(encoding)).pop().expect("as many as encodings")
}

/// [`decode`] of each, with square roots in lanes.
///
/// x^2 = (y^2 - 1) / (1 + d y^2); the denominator is not 0, because -1/d is no square.
pub fn decode_each(isa: Isa, encodings: &[[u8; 32]]) -> Vec<Result<Affine, EncodingError>> {
    let read: Vec<_> = encodings.iter().map(read).collect();
    let yy: Vec<_> = read.iter().flatten().map(|(y, _)| y.square()).collect();
    let mut xx: Vec<_> = yy.iter().map(|yy| Fp::ONE + D * yy).collect();
    Fp::batch_invert_vartime(&mut xx);
    xx.iter_mut().zip(yy).for_each(|(xx, yy)| *xx *= yy - Fp::ONE);
    let mut roots = Fp::sqrt_each_vartime(isa, &xx).into_iter();
    read.into_iter()
        .map(|read| {
            let (y, odd) = read?;
            let x = roots.next().flatten().ok_or(EncodingError::NotOnCurve)?;
            if x == Fp::ZERO && odd {
                return Err(EncodingError::Flags(ODD));
            }
            Ok(Affine::new_unchecked(if is_odd(&x) == odd { x } else { -x }, y))
        })
        .collect()
}

/// y, and whether x is odd.
fn read(encoding: &[u8; 32]) -> Result<(Fp, bool), EncodingError> {
    let mut y = *encoding;
    y[31] &= !ODD;
    Ok((Fp::from_le_bytes(&y)?, encoding[31] & ODD != 0))
}

fn is_odd(x: &Fp) -> bool {
    x.to_canonical()[0] & 1 == 1
}
