//! Public keys as bytes: SEC 1, and the hybrid form that Bitcoin and Zcash accept. Compressed keys are read many
//! at a time.

use proofmill_algebra::Isa;
use proofmill_algebra::curve::Affine;
use proofmill_algebra::encoding::EncodingError;
use proofmill_algebra::encoding::sec1::{self, Hybrid};
use proofmill_algebra::field::PrimeField;
use proofmill_algebra::secp256k1::Secp256k1;

/// Coordinates of a key, lowest byte first, as a request has them.
pub(super) type Coordinates = ([u8; 32], [u8; 32]);

/// A key, parsed without arithmetic.
pub(super) enum Key {
    /// Both coordinates, any values: the device checks whether they are those of a point.
    Whole(Coordinates),
    /// 33 bytes that start with 02 or 03: y is not computed yet.
    Compressed([u8; 33]),
}

impl Key {
    /// Parses a key by its first byte. The hybrid form, 06 and 07, is accepted if it is consistent with y.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, EncodingError> {
        let length = |expected| EncodingError::Length { expected, found: bytes.len() };
        match bytes.first() {
            Some(0x02 | 0x03) => Ok(Self::Compressed(bytes.try_into().map_err(|_| length(33))?)),
            Some(&first @ (0x04 | 0x06 | 0x07)) => {
                let whole: &[u8; 65] = bytes.try_into().map_err(|_| length(65))?;
                if first != 0x04 && first & 1 != whole[64] & 1 {
                    return Err(EncodingError::Flags(first));
                }
                let reversed = |end: usize| std::array::from_fn(|i| whole[end - i]);
                Ok(Self::Whole((reversed(32), reversed(64))))
            }
            // The identity, other first bytes, nothing: the decoder has words for each.
            _ => coordinates(bytes).map(Self::Whole),
        }
    }
}

/// The points of these compressed keys, in their order; on this machine whatever the device, because a request has both
/// coordinates.
pub(super) fn decompress(isa: Isa, keys: &[[u8; 33]]) -> Vec<Result<Coordinates, EncodingError>> {
    let points = sec1::decode_compressed_batch(isa, keys);
    points.into_iter().map(|point| point.map(written)).collect()
}

/// One key in any form, on the curve.
pub(super) fn coordinates(key: &[u8]) -> Result<Coordinates, EncodingError> {
    sec1::decode(key, Hybrid::Accepted).map(written)
}

fn written(point: Affine<Secp256k1>) -> Coordinates {
    (point.x().to_le_bytes(), point.y().to_le_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The generator: SEC 2 version 2.0, section 2.4.1.
    const X: &str = "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798";
    const Y: &str = "483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8";

    fn bytes(first: &str, rest: &[&str]) -> Vec<u8> {
        hex::decode([&[first], rest].concat().concat()).unwrap()
    }

    fn read(key: &[u8]) -> Result<Coordinates, EncodingError> {
        match Key::read(key)? {
            Key::Whole(coordinates) => Ok(coordinates),
            Key::Compressed(key) => decompress(Isa::best(), &[key]).remove(0),
        }
    }

    #[test]
    fn every_form_of_a_key_is_the_same_point() {
        let (x, y) = read(&bytes("04", &[X, Y])).unwrap();
        let shown =
            |integer: [u8; 32]| hex::encode(integer.iter().rev().copied().collect::<Vec<_>>());
        assert_eq!((&shown(x)[..], &shown(y)[..]), (X, Y));
        assert_eq!(read(&bytes("02", &[X])), Ok((x, y)));
        assert_eq!(read(&bytes("06", &[X, Y])), Ok((x, y)), "y is even");
        let (same, other) = read(&bytes("03", &[X])).unwrap();
        assert!(same == x && other != y);
    }

    #[test]
    fn errors_name_the_problem_of_a_key() {
        let zeros = "00".repeat(32);
        let ones = "ff".repeat(32);
        for (key, error) in [
            (vec![], EncodingError::Length { expected: 33, found: 0 }),
            (vec![0], EncodingError::Identity),
            (bytes("02", &[X, "00"]), EncodingError::Length { expected: 33, found: 34 }),
            (bytes("04", &[X]), EncodingError::Length { expected: 65, found: 33 }),
            (bytes("05", &[X, Y]), EncodingError::Flags(5)),
            (bytes("07", &[X, Y]), EncodingError::Flags(7)),
            (bytes("02", &[&zeros]), EncodingError::NotOnCurve),
            (bytes("03", &[&ones]), EncodingError::NotReduced),
        ] {
            assert_eq!(read(&key), Err(error), "{}", hex::encode(&key));
        }
    }

    #[test]
    fn coordinates_are_left_to_the_device() {
        let ones = "ff".repeat(32);
        assert_eq!(read(&bytes("04", &[&ones, Y])).unwrap().0, [0xff; 32]);
    }
}
