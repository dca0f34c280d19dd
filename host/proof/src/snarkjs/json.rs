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

pub mod plonk_proof;
pub mod plonk_verifying_key;
pub mod proof;
pub mod public;
pub mod verifying_key;

mod document;
mod number;
mod point;

use std::path::Path;

use proofmill_op::msm::Curve;
use serde::Deserialize;

use document::{Document, Text};

use super::curve::Facts;
use crate::{Error, Result};

/// snarkjs's name of Groth16.
const PROTOCOL: &str = "groth16";

/// snarkjs's name of PLONK.
const PLONK: &str = "plonk";

/// The field that names the protocol.
#[derive(Deserialize)]
struct Protocol<'a> {
    #[serde(borrow)]
    protocol: Option<Text<'a>>,
}

/// Reads the file of a verifying key of any protocol. Returns its name and its bytes.
pub(super) fn read_verifying_key(path: &Path) -> Result<(String, Vec<u8>)> {
    document::read(path, verifying_key::MAX_BYTES)
}

/// Returns whether the protocol of a verifying key is PLONK.
pub(super) fn is_plonk(name: &str, bytes: &[u8]) -> Result<bool> {
    let document = Document::new(name, bytes, verifying_key::MAX_BYTES)?;
    let protocol = document.parse::<Protocol<'_>>()?.protocol;
    Ok(protocol.is_some_and(|protocol| protocol.value() == PLONK))
}

/// What is known of a curve that is to be written.
fn facts(curve: Curve) -> Result<&'static Facts> {
    Facts::of(curve).ok_or_else(|| Error::argument("curve", format!("snarkjs has no {curve:?}")))
}
