//! Points in the form of the files, with checks.

use proofmill_algebra::curve;
use proofmill_algebra::encoding::{Coordinate, EncodingError, montgomery, pair};
use proofmill_algebra::{Isa, bls12_381, bn254};
use proofmill_op::msm::{Curve, Group, Instance};

/// Converts points from Montgomery form and checks that each is on the curve. An error has the index of the first that is not, and the reason.
pub(crate) fn to_pairs(
    isa: Isa,
    instance: Instance,
    points: &[u8],
    pairs: &mut [u8],
) -> Result<(), (usize, EncodingError)> {
    match (instance.curve, instance.group) {
        (Curve::Bn254, Group::G1) => montgomery::to_pairs::<bn254::G1>(isa, points, pairs),
        (Curve::Bn254, Group::G2) => montgomery::to_pairs::<bn254::G2>(isa, points, pairs),
        (Curve::Bls12_381, Group::G1) => montgomery::to_pairs::<bls12_381::G1>(isa, points, pairs),
        (Curve::Bls12_381, Group::G2) => montgomery::to_pairs::<bls12_381::G2>(isa, points, pairs),
        _ => unreachable!("a curve without files"),
    }
}

/// Converts a point of the group from Montgomery form.
pub(super) fn decode(
    isa: Isa,
    instance: Instance,
    encoding: &[u8],
) -> Result<Vec<u8>, EncodingError> {
    let mut point = vec![0; encoding.len()];
    to_pairs(isa, instance, encoding, &mut point).map_err(|(_, error)| error)?;
    check(instance, &point)?;
    Ok(point)
}

/// Checks that a point is in the group.
pub(super) fn check(instance: Instance, point: &[u8]) -> Result<(), EncodingError> {
    match (instance.curve, instance.group) {
        (Curve::Bn254, Group::G1) => check_in::<bn254::G1>(point),
        (Curve::Bn254, Group::G2) => check_in::<bn254::G2>(point),
        (Curve::Bls12_381, Group::G1) => check_in::<bls12_381::G1>(point),
        (Curve::Bls12_381, Group::G2) => check_in::<bls12_381::G2>(point),
        _ => unreachable!("a curve without files"),
    }
}

fn check_in<C: curve::Curve<Base: Coordinate>>(point: &[u8]) -> Result<(), EncodingError> {
    pair::decode::<C>(point).map(|_| ())
}
