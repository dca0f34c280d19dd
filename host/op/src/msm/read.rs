//! For devices: points and scalars from a request's bytes, checked as the request asks. What is wrong is named alike by all.

use proofmill_algebra::curve::{Affine, Curve};
use proofmill_algebra::encoding::{Coordinate, EncodingError, pair};
use proofmill_algebra::msm::{Group, NotReduced, Scalars};

use super::{Check, SCALAR_BYTES};
use crate::{Error, Result};

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

/// Are the scalars of this list from number `first` on below r?
pub fn reduced<C: Group>(list: usize, first: usize, scalars: &[[u8; SCALAR_BYTES]]) -> Result<()> {
    Scalars::check::<C>(scalars).map_err(|NotReduced(i)| {
        let number = first + i;
        let problem = format!("list {list}: number {number} is not below the order of the group");
        Error::argument("scalars", problem)
    })
}

/// Is what was checked of points when they were parked as much as is asked now?
pub fn checked(parked: Check, asked: Check) -> Result<()> {
    if asked <= parked {
        return Ok(());
    }
    let problem = format!("parked with Check::{parked:?}, not {asked:?}");
    Err(Error::argument("bases", problem))
}
