//! Pairings, and BLS signatures.

use proofmill::bls::{self, PublicKey, Scheme, Signature, Variant};
use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::{Failure, Outcome};
use crate::logs::unlocked;

/// Computes a product of pairings. Returns twelve numbers.
#[pyfunction]
pub fn pairing<'py>(
    py: Python<'py>,
    curve: &str,
    g1: PyBuffer<u8>,
    g2: PyBuffer<u8>,
) -> PyResult<Bound<'py, PyBytes>> {
    let (g1, g2) = (g1.to_vec(py)?, g2.to_vec(py)?);
    let product: Outcome<_> = unlocked(py, || {
        let curve = proofmill::pairing::curve(curve)?;
        Ok(proofmill::pairing::product(curve, &g1, &g2)?)
    });
    Ok(PyBytes::new(py, &product?))
}

/// Returns the indices of the signatures that are not valid, each a key, a message and a signature.
#[pyfunction]
pub fn bls_find_invalid(
    py: Python<'_>,
    scheme: &str,
    signatures: Vec<(Vec<u8>, Vec<u8>, Vec<u8>)>,
) -> PyResult<Vec<usize>> {
    let invalid: Outcome<_> = unlocked(py, || {
        let scheme = match scheme {
            "basic" => Scheme::Basic,
            "aug" => Scheme::MessageAugmentation,
            "pop" => Scheme::ProofOfPossession,
            other => {
                let problem = format!("'{other}' is none of basic, aug, pop");
                return Err(Failure::argument("scheme", problem));
            }
        };
        let read = signatures.iter().enumerate().map(|(number, (key, message, signature))| {
            let variant = if key.len() == 96 { Variant::MinSig } else { Variant::MinPk };
            let numbered = |problem| Failure::argument(&format!("signatures[{number}]"), problem);
            let key = PublicKey::from_bytes(variant, key).map_err(numbered)?;
            let signature = Signature::from_bytes(variant, signature).map_err(numbered)?;
            Ok((key, &message[..], signature))
        });
        let read: Vec<_> = read.collect::<Outcome<_>>()?;
        let given: Vec<_> = read.iter().map(|(key, message, sign)| (key, *message, sign)).collect();
        Ok(bls::find_invalid(scheme, &given)?)
    });
    Ok(invalid?)
}
