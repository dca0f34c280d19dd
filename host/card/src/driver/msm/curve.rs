//! The parts that depend on the curve: the coordinates of points in the card's memory, and of results.

#[cfg(feature = "bls12_377")]
mod edwards;

use proofmill_algebra::curve::{Affine, Projective};
use proofmill_algebra::encoding::{Coordinate, pair};
use proofmill_algebra::field::{Field, PrimeField};
use proofmill_algebra::msm::Group;
use proofmill_algebra::{bls12_381, bn254};
use proofmill_op::msm::{Check, read};
use proofmill_op::{Argument, Error, Result};

use super::geometry::Geometry;

/// A group for which cards have MSM engines.
pub trait OnCard: Group<Base: PrimeField + Coordinate> {
    /// Coordinates of a stored point.
    const STORED: usize;
    /// Coordinates of a sum.
    const SUM: usize;

    /// Returns the coordinates of points, one point after the other; the number of the first that has none otherwise.
    fn store(points: &[Affine<Self>]) -> std::result::Result<Vec<Self::Base>, usize>;

    /// Returns the point with these projective coordinates; `None` if it is not on the curve.
    fn point(coordinates: &[Self::Base]) -> Option<Affine<Self>>;
}

/// x and y; X, Y, Z.
macro_rules! weierstrass {
    ($group:ty) => {
        impl OnCard for $group {
            const STORED: usize = 2;
            const SUM: usize = 3;

            fn store(points: &[Affine<Self>]) -> std::result::Result<Vec<Self::Base>, usize> {
                Ok(points.iter().flat_map(|point| [point.x(), point.y()]).collect())
            }

            fn point(coordinates: &[Self::Base]) -> Option<Affine<Self>> {
                let &[x, y, z] = coordinates else { return None };
                let identity = bool::from(x.is_zero() & z.is_zero() & !y.is_zero());
                let point = Affine::from(Projective::from([x, y, z]));
                let proper = !z.is_zero() & point.is_on_curve();
                (identity || bool::from(proper)).then_some(point)
            }
        }
    };
}

weierstrass!(bn254::G1);
weierstrass!(bls12_381::G1);

/// Calls a function for the group of an instance that has an engine; an error for another group.
macro_rules! in_group {
    ($instance:expr, $($function:ident)::+($($argument:expr),*)) => {{
        use proofmill_algebra::{bls12_381, bn254};
        use proofmill_op::msm::{Curve, Group};
        match ($instance.curve, $instance.group) {
            (Curve::Bn254, Group::G1) => Ok($($function)::+::<bn254::G1>($($argument),*)),
            (Curve::Bls12_381, Group::G1) => Ok($($function)::+::<bls12_381::G1>($($argument),*)),
            #[cfg(feature = "bls12_377")]
            (Curve::Bls12_377, Group::G1) => {
                Ok($($function)::+::<proofmill_algebra::bls12_377::G1>($($argument),*))
            }
            _ => {
                let problem = format!("no card adds points of {}", $instance);
                Err(proofmill_op::Error::argument("instance", problem))
            }
        }
    }};
}
pub(super) use in_group;

/// Encodes points of a request, numbered from `first` on, as slices for each channel of the card: one channel after the
/// other, padded to whole granules.
pub fn encode<C: OnCard>(
    geometry: &Geometry,
    first: usize,
    bytes: &[u8],
    check: Check,
) -> Result<Vec<u8>> {
    let points = bytes.chunks_exact(pair::bytes::<C>()).zip(first..);
    let points: Vec<_> = points
        .map(|(bytes, number)| read::point::<C>(number, bytes, check))
        .collect::<Result<_>>()?;
    let stored = C::store(&points).map_err(|at| {
        let point = format!("point {} is of even order", first + at);
        Error::argument(
            Argument::Bases,
            format!("{point} and has no place on the card's Edwards curve"),
        )
    })?;
    let form = &geometry.form;
    let channel_bytes = Geometry::granules(points.len(), Geometry::SLICE) * Geometry::GRANULE;
    let mut slices = vec![0; geometry.channels * channel_bytes];
    for (number, coordinates) in stored.chunks_exact(C::STORED).enumerate() {
        for (j, coordinate) in coordinates.iter().enumerate() {
            let (channel, place) = geometry.place(j);
            let at = channel * channel_bytes + number * Geometry::SLICE + place;
            form.write(coordinate, &mut slices[at..at + form.stored_bytes()]);
        }
    }
    Ok(slices)
}

/// Decodes the point in a reply to the form of responses; `None` if it is not a point.
pub fn decode<C: OnCard>(geometry: &Geometry, bytes: &[u8]) -> Option<Vec<u8>> {
    let coordinates = bytes.chunks_exact(geometry.form.sum_bytes());
    let coordinates: Vec<_> = coordinates.map(|bytes| geometry.form.read(bytes)).collect();
    C::point(&coordinates).map(|point| pair::encode(&point))
}
