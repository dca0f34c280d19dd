//! The curves with proofs.

use proofmill_algebra::batch::Batched;
use proofmill_algebra::curve::{Affine, Curve as Group};
use proofmill_algebra::encoding::{Coordinate, EncodingError, pair};
use proofmill_algebra::field::PrimeField;
use proofmill_algebra::pairing::{Bls12381, Bn254, Pairing};
use proofmill_op::{msm::Curve, ntt::Field};

use super::Scalar;
use crate::error::counted;
use crate::snarkjs::Witness;
use crate::{Error, Programmed, Result};

/// A pairing whose scalars can be transformed.
pub trait Suite: Programmed + Pairing<G1: Batched, G2: Batched> {
    /// The curve in requests.
    const CURVE: Curve;
    /// The field in requests.
    const FIELD: Field;
}

/// The integers modulo r.
pub type ScalarOf<E> = <<E as Pairing>::G1 as Group>::Scalar;

impl Suite for Bn254 {
    const CURVE: Curve = Curve::Bn254;
    const FIELD: Field = Field::Bn254Fr;
}

impl Suite for Bls12381 {
    const CURVE: Curve = Curve::Bls12_381;
    const FIELD: Field = Field::Bls12_381Fr;
}

/// Calls a function that returns a [`Result`] for the pairing of a curve.
macro_rules! on_curve {
    ($curve:expr, $function:ident($($argument:expr),* $(,)?)) => {
        match $curve {
            proofmill_op::msm::Curve::Bn254 => {
                $function::<proofmill_algebra::pairing::Bn254>($($argument),*)
            }
            proofmill_op::msm::Curve::Bls12_381 => {
                $function::<proofmill_algebra::pairing::Bls12381>($($argument),*)
            }
            other => Err(crate::groth16::suite::no_proofs(other)),
        }
    };
}
pub(crate) use on_curve;

/// Returns the error for a curve that devices support and provers do not.
pub fn no_proofs(curve: Curve) -> Error {
    let problem = format!("{}; proofs are made on bn254 and bls12_381", curve.name());
    Error::argument("curve", problem)
}

/// Checks that the curves are equal.
pub fn require_curve(argument: &'static str, found: Curve, expected: Curve) -> Result<()> {
    if found == expected {
        return Ok(());
    }
    let [found, expected] = [found, expected].map(Curve::name);
    Err(Error::argument(argument, format!("is on {found}, the key on {expected}")))
}

/// Checks that a witness is on this curve and has so many values.
pub fn require_witness(witness: &Witness, curve: Curve, expected: usize) -> Result<()> {
    require_curve("witness", witness.curve(), curve)?;
    let found = witness.count();
    if found != expected {
        let found = counted(found as u64, "value");
        return Err(Error::argument("witness", format!("has {found}, the key is for {expected}")));
    }
    Ok(())
}

/// Decodes a point of the group. An error names the argument and its part `name`.
pub fn point<C: Group<Base: Coordinate>>(
    argument: &'static str,
    name: &str,
    bytes: &[u8],
) -> Result<Affine<C>> {
    pair::decode(bytes).map_err(|problem| no_point(argument, name, problem))
}

/// Returns the error of an invalid part of an argument.
pub fn no_point(argument: &'static str, name: &str, problem: EncodingError) -> Error {
    Error::argument(argument, format!("{name} is {problem}"))
}

/// Decodes public inputs. Returns an error for another number than the key's, or one that is not below r.
pub fn decoded<F: PrimeField>(public_inputs: &[Scalar], expected: usize) -> Result<Vec<F>> {
    if public_inputs.len() != expected {
        let found = counted(public_inputs.len() as u64, "value");
        return Err(Error::argument("public", format!("{found}, the key has {expected}")));
    }
    let value = |(i, bytes): (usize, &Scalar)| {
        F::from_le_bytes(bytes).map_err(|_| {
            let problem = format!("value {i} is not below the order of the group");
            Error::argument("public", problem)
        })
    };
    public_inputs.iter().enumerate().map(value).collect()
}
