//! The curves with keys.

use proofmill_algebra::encoding::Coordinate;
use proofmill_algebra::field::{Field, PrimeField};
use proofmill_algebra::msm::Group;
use proofmill_algebra::pairing::{Bls12381, Bn254};
use proofmill_algebra::{bls12_381, bn254};

/// Two groups of the same order, as a type without values.
pub(super) trait Groups: Copy + Send + Sync + 'static {
    /// Scalars.
    type Fr: PrimeField;
    /// Coordinates of G1.
    type Fp: PrimeField + Coordinate;
    /// The first group.
    type G1: Group<Scalar = Self::Fr, Base = Self::Fp>;
    /// The second group.
    type G2: Group<Scalar = Self::Fr, Base: Coordinate>;
}

impl Groups for Bn254 {
    type Fr = bn254::Fr;
    type Fp = bn254::Fp;
    type G1 = bn254::G1;
    type G2 = bn254::G2;
}

impl Groups for Bls12381 {
    type Fr = bls12_381::Fr;
    type Fp = bls12_381::Fp;
    type G1 = bls12_381::G1;
    type G2 = bls12_381::G2;
}

/// Returns the bytes of an element in circom's files: whole 64-bit limbs.
pub(super) const fn bytes<F: PrimeField>() -> usize {
    8 * F::MODULUS.len()
}

/// Returns the bytes of a point of the first group and of the second.
pub(super) fn point_bytes<E: Groups>() -> [u64; 2] {
    let g1 = 2 * bytes::<E::Fp>() as u64;
    [g1, 2 * g1]
}

/// Returns the modulus in the form of the files.
pub(super) fn modulus<F: PrimeField>() -> Vec<u8> {
    F::MODULUS.iter().flat_map(|limb| limb.to_le_bytes()).collect()
}

/// Returns R = 2^(8 bytes) of the Montgomery form of a prime field, in that field or an extension.
pub(super) fn radix<P: PrimeField, F: Field>() -> F {
    (0..8 * bytes::<P>()).fold(F::ONE, |power, _| power.double())
}
