//! For devices: points and scalars from a request's bytes, checked as the request asks. What is wrong is named alike by all.

use std::ops::Range;
use std::sync::Arc;

use proofmill_algebra::curve::{Affine, Curve};
use proofmill_algebra::encoding::{Coordinate, EncodingError, pair};
use proofmill_algebra::msm::{Group, NotReduced, Scalars};

use super::{Check, Points, SCALAR_BYTES, Stream};
use crate::{Error, Result};

/// Points as bytes that are there, or are read when they are needed.
#[derive(Clone, Debug)]
pub enum Bytes {
    /// They are there.
    Here(Arc<[u8]>),
    /// They are read.
    Stream(Arc<dyn Stream>),
}

impl Bytes {
    /// Those of a request; an error if this device, by its identity, may not read them.
    pub fn of(points: &Points, device: u64) -> Result<Self> {
        Ok(match points {
            Points::Data(data) => Self::Here(data.on(device)?.clone()),
            Points::Stream(stream) => Self::Stream(stream.clone()),
        })
    }

    /// The bytes of some points of so many each, maybe in this buffer.
    pub fn range<'a>(
        &'a self,
        each: usize,
        points: Range<usize>,
        buffer: &'a mut Vec<u8>,
    ) -> Result<&'a [u8]> {
        match self {
            Self::Here(bytes) => Ok(&bytes[points.start * each..points.end * each]),
            Self::Stream(stream) => {
                buffer.resize(points.len() * each, 0);
                let read = stream.read_at(points.start as u64 * each as u64, buffer);
                read.map_err(|source| Error::Io {
                    context: format!("bases: points {} to {}", points.start, points.end),
                    source: Arc::new(source),
                })?;
                Ok(buffer)
            }
        }
    }
}

/// The point in these bytes, of which there are [`pair::bytes`]; errors call it by its number.
pub fn point<C: Curve<Base: Coordinate>>(
    number: usize,
    bytes: &[u8],
    check: Check,
) -> Result<Affine<C>> {
    unnumbered(bytes, check)
        .map_err(|problem| Error::argument("bases", format!("point {number} is {problem}")))
}

fn unnumbered<C: Curve<Base: Coordinate>>(
    bytes: &[u8],
    check: Check,
) -> std::result::Result<Affine<C>, &'static str> {
    debug_assert_eq!(bytes.len(), pair::bytes::<C>());
    let (x, y) = bytes.split_at(C::Base::BYTES);
    let coordinate = |bytes| C::Base::read_le(bytes);
    let (x, y) = match (coordinate(x), coordinate(y)) {
        (Ok(x), Ok(y)) => (x, y),
        (Err(EncodingError::NotReduced), _) => {
            return Err("not a point: its x is not below the modulus");
        }
        _ => return Err("not a point: its y is not below the modulus"),
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

/// Are the scalars of this list from number `first` on below r?
pub fn reduced<C: Group>(list: usize, first: usize, scalars: &[[u8; SCALAR_BYTES]]) -> Result<()> {
    Scalars::check::<C>(scalars).map_err(|NotReduced(i)| {
        let number = first + i;
        let problem = format!("list {list}: number {number} is not below the order of the group");
        Error::argument("scalars", problem)
    })
}

/// An error of [`point`] or [`reduced`] about points and scalars that were numbered from 0 and are numbered from `first`; any other as it is.
pub fn renumbered(error: Error, first: usize) -> Error {
    let Error::Argument { argument: argument @ ("bases" | "scalars"), problem } = &error else {
        return error;
    };
    let marks = ["point ", ": number "];
    let parts = marks.iter().find_map(|mark| {
        let (before, after) = problem.split_once(mark)?;
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        Some((before, mark, after[..digits].parse::<usize>().ok()?, &after[digits..]))
    });
    match parts {
        Some((before, mark, number, rest)) if rest.starts_with(" is ") => {
            Error::argument(argument, format!("{before}{mark}{}{rest}", first + number))
        }
        _ => error,
    }
}

/// Were resident bases checked at least as much as is asked now?
pub fn checked(parked: Check, asked: Check) -> Result<()> {
    if asked <= parked {
        return Ok(());
    }
    let problem = format!("resident with Check::{parked:?}, not {asked:?}");
    Err(Error::argument("bases", problem))
}

#[cfg(test)]
mod tests {
    use proofmill_algebra::bn254::G1;

    use super::*;

    #[test]
    fn what_is_wrong_with_a_range_is_told_with_the_numbers_of_all() {
        let told = |error: Error| renumbered(error, 100).to_string();
        let large = [[0; SCALAR_BYTES], [0xff; SCALAR_BYTES]];
        assert_eq!(
            told(reduced::<G1>(3, 0, &large).unwrap_err()),
            "scalars: list 3: number 101 is not below the order of the group"
        );
        let off = point::<G1>(7, &[1; 64], Check::Curve).unwrap_err();
        assert_eq!(told(off), "bases: point 107 is not on the curve");
        for other in [
            Error::argument("points", "point 7 is not on the curve"),
            Error::argument("bases", "12 points, where the card's memory has room for 4"),
            Error::Cancelled,
        ] {
            assert_eq!(told(other.clone()), other.to_string());
        }
    }
}
