//! Joint verification of Groth16 proofs of one key over BLS12-381. The names are those of Groth's paper (ePrint 2016/260).

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

/// Verifies that all proofs of a file are valid. Points are decoded before the clock starts; the check that those of a proof are in the
/// subgroups is within the time for every library. Uses one thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// A list of one [`Proofs`] in JSON, all of them valid.
    pub proofs: PathBuf,
}

/// A key and proofs. Points are uncompressed in Zcash's form, in hex; scalars are 32 bytes, big-endian, in hex.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proofs {
    /// A point of G1.
    pub alpha: String,
    /// A point of G2.
    pub beta: String,
    /// A point of G2.
    pub gamma: String,
    /// A point of G2.
    pub delta: String,
    /// Points of G1: of 1, and of each public input.
    pub ic: Vec<String>,
    /// The proofs.
    pub proofs: Vec<Proof>,
}

/// A proof with its public inputs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof {
    /// The public inputs.
    pub public_inputs: Vec<String>,
    /// A point of G1.
    pub a: String,
    /// A point of G2.
    pub b: String,
    /// A point of G1.
    pub c: String,
}

/// Reads the proofs of a file.
pub fn read(path: &Path) -> Result<Proofs> {
    let text = std::fs::read(path).with_context(|| path.display().to_string())?;
    let [proofs] = serde_json::from_slice(&text)?;
    Ok(proofs)
}

/// Decodes the bytes of a point or a scalar.
pub fn bytes(hex: &str) -> Result<Vec<u8>> {
    let digits = hex.as_bytes().chunks(2);
    let byte = |two: &[u8]| {
        let text = std::str::from_utf8(two)?;
        u8::from_str_radix(text, 16).with_context(|| format!("'{text}' is no byte in hex"))
    };
    digits.map(byte).collect()
}
