//! Reads and checks points and scalars of a request. All devices report the same errors. For devices.

use std::ops::Range;
use std::sync::Arc;

use proofmill_algebra::curve::{Affine, Curve};
use proofmill_algebra::encoding::{Coordinate, EncodingError, pair};
use proofmill_algebra::msm::{Group, NotReduced, Scalars};

use super::{Check, Points, SCALAR_BYTES, Stream};
use crate::{Argument, Bytes, Error, Result};

/// Points in memory, or read when they are needed.
#[derive(Clone, Debug)]
pub enum Source {
    /// Bytes in memory.
    Host(Bytes),
    /// Read piece by piece.
    Stream(Arc<dyn Stream>),
}

impl Source {
    /// Returns the points of a request; an error if the device with this identity may not read them.
    pub fn of(points: &Points, device: u64) -> Result<Self> {
        Ok(match points {
            Points::Data(data) => Self::Host(data.on(device)?.clone()),
            Points::Stream(stream) => Self::Stream(stream.clone()),
        })
    }

    /// Returns the bytes of a range of points of `each` bytes, which may be read into `buffer`.
    pub fn range<'a>(
        &'a self,
        each: usize,
        points: Range<usize>,
        buffer: &'a mut Vec<u8>,
    ) -> Result<&'a [u8]> {
        match self {
            Self::Host(bytes) => Ok(&bytes[points.start * each..points.end * each]),
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

/// Decodes a point of [`pair::bytes`] bytes; errors name it by its number.
pub fn point<C: Curve<Base: Coordinate>>(
    number: usize,
    bytes: &[u8],
    check: Check,
) -> Result<Affine<C>> {
    unnumbered(bytes, check)
        .map_err(|problem| Error::argument(Argument::Bases, format!("point {number} is {problem}")))
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
    if check != Check::None && !bool::from(point.is_on_curve()) {
        return Err("not on the curve");
    }
    if check == Check::Subgroup && !bool::from(point.is_in_subgroup()) {
        return Err("on the curve but not in the subgroup");
    }
    Ok(point)
}

/// Checks that the scalars of a list, numbered from `first` on, are below r.
pub fn check_reduced<C: Group>(
    list: usize,
    first: usize,
    scalars: &[[u8; SCALAR_BYTES]],
) -> Result<()> {
    Scalars::check::<C>(scalars).map_err(|NotReduced(i)| {
        let number = first + i;
        let problem = format!("list {list}: number {number} is not below the order of the group");
        Error::argument(Argument::Scalars, problem)
    })
}

/// Adds `first` to the number in an error of [`point`] or [`check_reduced`]; returns any other error unchanged.
pub fn renumbered(error: Error, first: usize) -> Error {
    let Error::Argument { argument: argument @ (Argument::Bases | Argument::Scalars), problem } =
        &error
    else {
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
            Error::argument(*argument, format!("{before}{mark}{}{rest}", first + number))
        }
        _ => error,
    }
}

/// Returns an error if resident bases were loaded with a weaker check than the one requested.
pub fn check_resident(loaded: Check, requested: Check) -> Result<()> {
    if loaded.includes(requested) {
        return Ok(());
    }
    let problem = format!("loaded with the check '{}', not '{}'", loaded.name(), requested.name());
    Err(Error::argument(Argument::Bases, problem))
}

#[cfg(test)]
mod tests {
    use proofmill_algebra::bn254::G1;

    use super::*;

    #[test]
    fn errors_of_a_range_have_the_numbers_of_the_whole() {
        let shown = |error: Error| renumbered(error, 100).to_string();
        let large = [[0; SCALAR_BYTES], [0xff; SCALAR_BYTES]];
        assert_eq!(
            shown(check_reduced::<G1>(3, 0, &large).unwrap_err()),
            "scalars: list 3: number 101 is not below the order of the group"
        );
        let off = point::<G1>(7, &[1; 64], Check::Curve).unwrap_err();
        assert_eq!(shown(off), "bases: point 107 is not on the curve");
        for other in [
            Error::argument("points", "point 7 is not on the curve"),
            Error::argument("bases", "12 points, where the card's memory has room for 4"),
            Error::Cancelled,
        ] {
            assert_eq!(shown(other.clone()), other.to_string());
        }
    }
}
