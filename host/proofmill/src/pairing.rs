//! Products of pairings on BN254 and BLS12-381, of points as bytes; as types they are in [`algebra::pairing`](crate::algebra::pairing).
//!
//! ```
//! use proofmill::pairing::{self, Curve};
//!
//! # fn main() -> proofmill::Result<()> {
//! # use proofmill::algebra::{bn254::{G1, G2}, curve::Curve as _, encoding::pair};
//! # let (p, q) = (G1::GENERATOR, G2::GENERATOR);
//! # let (p, minus_p, q) = (pair::encode(&p), pair::encode(&-p), pair::encode(&q));
//! // e(P, Q) e(-P, Q) is 1.
//! assert!(pairing::is_one(Curve::Bn254, &[p, minus_p].concat(), &[&q[..], &q].concat())?);
//! # Ok(())
//! # }
//! ```
//!
//! [`Pairings`] selects where they are computed: on the CPU, or by programs on a card with the BLS12-381 [coprocessor](crate::coprocessor).
//!
//! ```no_run
//! use proofmill::bls::Verifier;
//! use proofmill::pairing::{self, Curve, Pairings};
//!
//! # fn main() -> proofmill::Result<()> {
//! let pairings = Pairings::by(proofmill::open("sim:coprocessor_twin")?.into());
//! assert!(pairing::is_one_with(&pairings, Curve::Bls12_381, &[], &[])?);
//! // Signatures of BLS and proofs of Groth16 likewise.
//! let verifier = Verifier { pairings };
//! # Ok(())
//! # }
//! ```

use proofmill_algebra::curve::{Affine, Curve as Group};
use proofmill_algebra::encoding::{Coordinate, EncodingError, pair};
use proofmill_algebra::pairing::{Bls12381, Bn254};
use proofmill_algebra::tower::{Fp2, Fp12, Tower};

pub use proofmill_op::msm::Curve;
pub use proofmill_proof::Pairings;
use proofmill_proof::Programmed;

use crate::{Error, Result};

/// A curve by its name in `spec/curves`, such as `bn254`.
pub fn curve(name: &str) -> Result<Curve> {
    let mut pairing = [Curve::Bn254, Curve::Bls12_381].into_iter();
    let absent = || Error::argument("curve", format!("'{name}'; {ON}"));
    pairing.find(|curve| curve.name() == name).ok_or_else(absent)
}

const ON: &str = "pairings are on bn254 and bls12_381";

/// The product of e(P, Q) for points of G1 and as many of G2, each in the form of [`msm`](crate::msm); 1 for none.
///
/// Twelve numbers, little-endian: the coefficients over Fp2 of 1, w, ..., w^5, of each that of 1 first. The value is that of arkworks: the
/// (p^12 - 1) / r-th power times the factor of [`algebra::pairing`](crate::algebra::pairing). Every point is checked to be in its
/// subgroup; an error names the list and the point.
pub fn product(curve: Curve, g1: &[u8], g2: &[u8]) -> Result<Vec<u8>> {
    product_with(&Pairings::default(), curve, g1, g2)
}

/// [`product`], computed there.
pub fn product_with(pairings: &Pairings, curve: Curve, g1: &[u8], g2: &[u8]) -> Result<Vec<u8>> {
    match curve {
        Curve::Bn254 => Ok(bytes(value::<Bn254>(pairings, g1, g2)?)),
        Curve::Bls12_381 => Ok(bytes(value::<Bls12381>(pairings, g1, g2)?)),
        other => Err(without(other)),
    }
}

/// Returns whether the product of the pairings is 1.
pub fn is_one(curve: Curve, g1: &[u8], g2: &[u8]) -> Result<bool> {
    is_one_with(&Pairings::default(), curve, g1, g2)
}

/// [`is_one`], computed there.
pub fn is_one_with(pairings: &Pairings, curve: Curve, g1: &[u8], g2: &[u8]) -> Result<bool> {
    match curve {
        Curve::Bn254 => Ok(value::<Bn254>(pairings, g1, g2)? == Fp12::ONE),
        Curve::Bls12_381 => Ok(value::<Bls12381>(pairings, g1, g2)? == Fp12::ONE),
        other => Err(without(other)),
    }
}

fn without(curve: Curve) -> Error {
    Error::argument("curve", format!("{}; {ON}", curve.name()))
}

fn value<E: Programmed>(pairings: &Pairings, g1: &[u8], g2: &[u8]) -> Result<Fp12<E::Tower>> {
    let (g1, g2) = (points::<E::G1>("g1", g1)?, points::<E::G2>("g2", g2)?);
    if g1.len() != g2.len() {
        let problem = format!("{} points, and {} of G1", g2.len(), g1.len());
        return Err(Error::argument("g2", problem));
    }
    let pairs: Vec<_> = g1.into_iter().zip(g2).collect();
    pairings.product::<E>(&pairs)
}

fn points<C: Group<Base: Coordinate>>(
    argument: &'static str,
    bytes: &[u8],
) -> Result<Vec<Affine<C>>> {
    let each = pair::bytes::<C>();
    if !bytes.len().is_multiple_of(each) {
        let problem = format!("{} bytes; a point has {each}", bytes.len());
        return Err(Error::argument(argument, problem));
    }
    let point = |(number, point)| {
        let problem = |it: EncodingError| format!("point {number} is {it}");
        pair::decode(point).map_err(|it| Error::argument(argument, problem(it)))
    };
    bytes.chunks(each).enumerate().map(point).collect()
}

fn bytes<T: Tower>(value: Fp12<T>) -> Vec<u8> {
    let each = Fp2::<T>::BYTES;
    let mut bytes = vec![0; 6 * each];
    for (coefficient, bytes) in value.powers_of_w().iter().zip(bytes.chunks_mut(each)) {
        coefficient.write_le(bytes);
    }
    bytes
}
