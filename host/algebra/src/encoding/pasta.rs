//! The encoding of points of Pallas and Vesta (Zcash Protocol Specification, section 5.4.9.6): 32 bytes, x little-endian; the highest bit is set
//! if y is odd; zeros are the identity.

use super::{Coordinate, EncodingError, of_length};
use crate::batch::Roots;
use crate::curve::{Affine, Curve};
use crate::field::{Field, PrimeField};
use crate::isa::Isa;
use crate::{pallas, vesta};

/// Bytes of a point.
pub const BYTES: usize = 32;

/// The bit of the last byte that is set if y is odd.
const ODD: u8 = 0x80;

/// A curve with this encoding. Its order is prime, so that every point is of the subgroup.
pub trait Pasta: Curve<Base: PrimeField + Roots> {}

impl Pasta for pallas::G1 {}
impl Pasta for vesta::G1 {}

/// Writes a point.
pub fn encode<C: Pasta>(point: &Affine<C>) -> [u8; BYTES] {
    let mut encoding = [0; BYTES];
    point.x().write_le(&mut encoding);
    if is_odd(&point.y()) {
        encoding[BYTES - 1] |= ODD;
    }
    encoding
}

/// Reads a point.
pub fn decode<C: Pasta>(encoding: &[u8]) -> Result<Affine<C>, EncodingError> {
    let Some((x, odd)) = read::<C>(encoding)? else { return Ok(Affine::IDENTITY) };
    let point = Option::<Affine<C>>::from(Affine::from_x(x)).ok_or(EncodingError::NotOnCurve)?;
    Ok(if is_odd(&point.y()) == odd { point } else { -point })
}

/// [`decode`] of each, in lanes.
pub fn decode_each<C: Pasta>(
    isa: Isa,
    encodings: &[&[u8]],
) -> Vec<Result<Affine<C>, EncodingError>> {
    let read: Vec<_> = encodings.iter().map(|encoding| read::<C>(encoding)).collect();
    let xs = read.iter().filter_map(|read| read.as_ref().ok()?.as_ref());
    let squares: Vec<_> = xs.map(|(x, _)| x.square() * x + C::B).collect();
    let mut roots = C::Base::sqrt_each_vartime(isa, &squares).into_iter();
    let point = |read: Result<_, EncodingError>| {
        let Some((x, odd)) = read? else { return Ok(Affine::IDENTITY) };
        let y = roots.next().flatten().ok_or(EncodingError::NotOnCurve)?;
        Ok(Affine::new_unchecked(x, if is_odd(&y) == odd { y } else { -y }))
    };
    read.into_iter().map(point).collect()
}

/// Reads x and whether y is odd; `None` for the identity. No point has x = 0, as b = 5 is no square in either field.
fn read<C: Pasta>(encoding: &[u8]) -> Result<Option<(C::Base, bool)>, EncodingError> {
    let mut bytes: [u8; BYTES] = of_length(encoding, BYTES)?.try_into().expect("32 bytes");
    if bytes == [0; BYTES] {
        return Ok(None);
    }
    let odd = bytes[BYTES - 1] & ODD != 0;
    bytes[BYTES - 1] &= !ODD;
    Ok(Some((C::Base::read_le(&bytes)?, odd)))
}

fn is_odd<F: PrimeField>(y: &F) -> bool {
    y.to_canonical().as_ref()[0] & 1 == 1
}
