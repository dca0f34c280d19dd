//! Points of Pallas and Vesta in 32 bytes: x, little-endian, and in the highest bit the parity of y; zeros are the identity
//! (Zcash Protocol Specification, section 5.4.9.6).

use super::EncodingError;
use crate::batch::Roots;
use crate::curve::{Affine, Curve};
use crate::field::{Field, PrimeField};
use crate::isa::Isa;
use crate::{pallas, vesta};

/// The bit with the parity of y, in the last byte.
const ODD: u8 = 0x80;

/// A curve with this encoding.
pub trait Pasta: Curve<Base: PrimeField<Bytes = [u8; 32]> + Roots> {}

impl Pasta for pallas::G1 {}
impl Pasta for vesta::G1 {}

/// Writes a point.
pub fn encode<C: Pasta>(point: &Affine<C>) -> [u8; 32] {
    let mut encoding = point.x().to_le_bytes();
    if is_odd(&point.y()) {
        encoding[31] |= ODD;
    }
    encoding
}

/// Reads a point.
pub fn decode<C: Pasta>(encoding: &[u8; 32]) -> Result<Affine<C>, EncodingError> {
    decode_each(Isa::words(), std::slice::from_ref(encoding)).pop().expect("as many as encodings")
}

/// [`decode`] of each, with square roots in lanes.
pub fn decode_each<C: Pasta>(
    isa: Isa,
    encodings: &[[u8; 32]],
) -> Vec<Result<Affine<C>, EncodingError>> {
    let read: Vec<_> = encodings.iter().map(read::<C>).collect();
    let squares = read.iter().flatten().map(|(x, _)| x.square() * x + C::B);
    let mut roots = C::Base::sqrt_each_vartime(isa, &squares.collect::<Vec<_>>()).into_iter();
    let point = |(read, encoding): (Result<(C::Base, bool), _>, &[u8; 32])| {
        let (x, odd) = read?;
        let root = roots.next().flatten();
        if *encoding == [0; 32] {
            return Ok(Affine::IDENTITY);
        }
        let y = root.ok_or(EncodingError::NotOnCurve)?;
        Ok(Affine::new_unchecked(x, if is_odd(&y) == odd { y } else { -y }))
    };
    read.into_iter().zip(encodings).map(point).collect()
}

/// x, and whether y is odd.
fn read<C: Pasta>(encoding: &[u8; 32]) -> Result<(C::Base, bool), EncodingError> {
    let mut x = *encoding;
    x[31] &= !ODD;
    Ok((C::Base::from_le_bytes(&x)?, encoding[31] & ODD != 0))
}

fn is_odd<F: PrimeField>(y: &F) -> bool {
    y.to_canonical().as_ref()[0] & 1 == 1
}
