//! Public keys on secp256k1 as SEC 1 version 2.0, section 2.3.3, writes points: a first byte, then big-endian
//! coordinates.
//!
//! | first byte | then |
//! |---|---|
//! | 02, 03 | x, and y is even, odd |
//! | 04 | x and y |
//! | 06, 07 | x and y, and y is even, odd: the hybrid form of ANSI X9.62 |
//! | 00 | nothing: the identity |
//!
//! The identity is no public key and is rejected. So is the hybrid form, which is redundant and not
//! in SEC 1, unless the caller accepts it ([`Hybrid::Accepted`]): the Bitcoin family does.

use super::{Coordinate, EncodingError, of_length, point, point_at};
use crate::curve::Affine;
use crate::field::PrimeField;
use crate::isa::Isa;
use crate::secp256k1::{self, Fp, Secp256k1};

/// The treatment of 06 and 07.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hybrid {
    /// [`EncodingError::Flags`].
    Refused,
    /// A point, if the byte is consistent with y.
    Accepted,
}

/// Writes 02 or 03 and x; the identity is refused.
pub fn encode_compressed(point: &Affine<Secp256k1>) -> Result<[u8; 33], EncodingError> {
    not_identity(point)?;
    let mut encoding = [0; 33];
    encoding[0] = 0x02 | u8::from(is_odd(&point.y()));
    point.x().write_be(&mut encoding[1..]);
    Ok(encoding)
}

/// Writes 04, x and y; the identity is refused.
pub fn encode_uncompressed(point: &Affine<Secp256k1>) -> Result<[u8; 65], EncodingError> {
    not_identity(point)?;
    let mut encoding = [0; 65];
    encoding[0] = 0x04;
    point.x().write_be(&mut encoding[1..33]);
    point.y().write_be(&mut encoding[33..]);
    Ok(encoding)
}

/// Reads a point that is not the identity, in either form, by its first byte.
pub fn decode(encoding: &[u8], hybrid: Hybrid) -> Result<Affine<Secp256k1>, EncodingError> {
    let compressed = EncodingError::Length { expected: 33, found: encoding.len() };
    let (&first, rest) = encoding.split_first().ok_or(compressed)?;
    match (first, hybrid) {
        (0x00, _) => of_length(encoding, 1).and(Err(EncodingError::Identity)),
        (0x02 | 0x03, _) => {
            of_length(encoding, 33)?;
            point_at(Fp::from_be_bytes(rest)?, |y| is_odd(y) == (first == 0x03))
        }
        (0x04, _) => pair(encoding),
        (0x06 | 0x07, Hybrid::Accepted) => {
            let point = pair(encoding)?;
            let honest = is_odd(&point.y()) == (first == 0x07);
            if honest { Ok(point) } else { Err(EncodingError::Flags(first)) }
        }
        _ => Err(EncodingError::Flags(first)),
    }
}

/// Reads many points in the compressed form, each with the result of [`decode`]; a first byte that is neither 02 nor 03
/// is [`EncodingError::Flags`]. With vectors this takes a fraction of the time, because nearly all of it is square
/// roots.
pub fn decode_compressed_batch(
    isa: Isa,
    encodings: &[[u8; 33]],
) -> Vec<Result<Affine<Secp256k1>, EncodingError>> {
    let read = |encoding: &[u8; 33]| {
        let [first @ (0x02 | 0x03), x @ ..] = encoding else {
            return Err(EncodingError::Flags(encoding[0]));
        };
        Ok((Fp::from_be_bytes(x)?, first & 1 == 1))
    };
    let read: Vec<_> = encodings.iter().map(read).collect();
    let xs: Vec<Fp> = read.iter().flatten().map(|(x, _)| *x).collect();
    let mut ordinates = secp256k1::ordinates_vartime(isa, &xs).into_iter();
    read.into_iter()
        .map(|read| {
            let (x, odd) = read?;
            let y = ordinates.next().flatten().ok_or(EncodingError::NotOnCurve)?;
            Ok(Affine::new_unchecked(x, if is_odd(&y) == odd { y } else { -y }))
        })
        .collect()
}

/// x and y behind the first byte.
fn pair(encoding: &[u8]) -> Result<Affine<Secp256k1>, EncodingError> {
    let (x, y) = of_length(encoding, 65)?[1..].split_at(32);
    point(Fp::from_be_bytes(x)?, Fp::from_be_bytes(y)?)
}

fn is_odd(y: &Fp) -> bool {
    y.to_canonical()[0] & 1 == 1
}

fn not_identity(point: &Affine<Secp256k1>) -> Result<(), EncodingError> {
    if bool::from(point.is_identity()) { Err(EncodingError::Identity) } else { Ok(()) }
}
