//! Proofs, public values and verifying keys as snarkjs writes them: numbers are decimal strings, points are projective,
//! the lines are indented by one space.
//!
//! ```text
//! G1 [x, y, "1"]                      identity ["0", "1", "0"]
//! G2 [[x0, x1], [y0, y1], ["1", "0"]] identity [["0", "0"], ["1", "0"], ["0", "0"]]
//! ```
//!
//! The identity is also read where x and y are 0 and z is 1: ffjavascript, which reads points for snarkjs, makes the same point of
//! both.
//!
//! Integers of JSON are read, too, whatever their size, and `bn254` and `bls12_381` beside snarkjs's `bn128` and `bls12381`.
//!
//! Each kind of file has a module with `open` (a path), `parse` (bytes) and `text`. What is read is checked: a coordinate
//! is below p, a point of its group. Files above a stated size are refused before they are parsed.

pub mod fflonk_proof;
pub mod fflonk_verifying_key;
pub mod plonk_proof;
pub mod plonk_verifying_key;
pub mod proof;
pub mod public;
pub mod verifying_key;

mod document;
mod number;
mod point;

use std::collections::BTreeMap;
use std::path::Path;

use proofmill_op::msm::Curve;

use document::{Document, Text};

pub(super) use document::read;

use super::curve::Facts;
use crate::{Error, Result};

/// snarkjs's name of Groth16.
const PROTOCOL: &str = "groth16";

/// snarkjs's name of PLONK.
pub(super) const PLONK: &str = "plonk";

/// snarkjs's name of FFLONK.
pub(super) const FFLONK: &str = "fflonk";

/// What is known of a curve that is to be written.
fn facts(curve: Curve) -> Result<&'static Facts> {
    Facts::of(curve).ok_or_else(|| Error::argument("curve", format!("snarkjs has no {curve:?}")))
}

/// Returns the protocol that bytes name, under a name for errors.
pub(super) fn protocol_of(name: &str, bytes: &[u8], max_bytes: usize) -> Result<Option<String>> {
    let document = Document::new(name, bytes, max_bytes)?;
    // A map, since a struct would be read from an array as well.
    let fields: BTreeMap<String, Text<'_>> = document.parse()?;
    Ok(fields.get("protocol").map(|protocol| protocol.value().into_owned()))
}

/// Reads the file of a proof of any protocol. Returns its name and its bytes.
pub(crate) fn read_proof(path: &Path) -> Result<(String, Vec<u8>)> {
    read(path, proof::MAX_BYTES)
}

/// Returns the protocol that a proof names, under a name for errors.
pub(crate) fn protocol_of_proof(name: &str, bytes: &[u8]) -> Result<Option<String>> {
    protocol_of(name, bytes, proof::MAX_BYTES)
}

/// Checks the protocol and the curve of a file of FFLONK, which is BN254.
fn fflonk_facts<'a>(
    document: &Document<'a>,
    protocol: Option<Text<'a>>,
    curve: Option<Text<'a>>,
) -> Result<&'static Facts> {
    let facts = document.facts(FFLONK, protocol, curve)?;
    match curve.filter(|_| facts.curve != Curve::Bn254) {
        None => Ok(facts),
        Some(curve) => {
            let problem = format!("fflonk on {}; snarkjs has it on bn254", facts.name);
            Err(document.wrong(curve, "curve", problem).into())
        }
    }
}
