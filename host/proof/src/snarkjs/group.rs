//! Points of the curves that have files: from the files' form, and checked.

use proofmill_algebra::curve;
use proofmill_algebra::encoding::{Coordinate, EncodingError, pair};
use proofmill_algebra::lanes::canonical_of_word_form;
use proofmill_algebra::{Isa, bls12_381, bn254};
use proofmill_op::msm::{Curve, Group, Instance};

/// Bytes of an element of Fp.
pub(super) fn base_bytes(curve: Curve) -> usize {
    Instance::new(curve, Group::G1).point_bytes() / 2
}

/// Elements of Fp from Montgomery form; an error is the number of the first that is not below p.
pub(super) fn canonical(curve: Curve, elements: &[u8], to: &mut [u8]) -> Result<(), usize> {
    let isa = Isa::best();
    match curve {
        Curve::Bn254 => canonical_of_word_form::<bn254::Fp, 5>(isa, elements, to),
        Curve::Bls12_381 => canonical_of_word_form::<bls12_381::Fp, 8>(isa, elements, to),
        Curve::Bls12_377 => unreachable!("a curve without files"),
    }
}

/// A point of the group from Montgomery form.
pub(super) fn decode(instance: Instance, encoding: &[u8]) -> Result<Vec<u8>, EncodingError> {
    let mut point = vec![0; encoding.len()];
    let reduced = canonical(instance.curve, encoding, &mut point);
    reduced.map_err(|_| EncodingError::NotReduced)?;
    check(instance, &point)?;
    Ok(point)
}

/// Is this a point of the group?
pub(super) fn check(instance: Instance, point: &[u8]) -> Result<(), EncodingError> {
    match (instance.curve, instance.group) {
        (Curve::Bn254, Group::G1) => check_in::<bn254::G1>(point),
        (Curve::Bn254, Group::G2) => check_in::<bn254::G2>(point),
        (Curve::Bls12_381, Group::G1) => check_in::<bls12_381::G1>(point),
        (Curve::Bls12_381, Group::G2) => check_in::<bls12_381::G2>(point),
        (Curve::Bls12_377, _) => unreachable!("a curve without files"),
    }
}

fn check_in<C: curve::Curve<Base: Coordinate>>(point: &[u8]) -> Result<(), EncodingError> {
    pair::decode::<C>(point).map(|_| ())
}
