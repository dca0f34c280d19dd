//! Groth16 proofs of one key over BLS12-381, verified. The names are those of Groth's paper (ePrint 2016/260).

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

/// Are all proofs of a file valid? Points are read before the clock starts; that those of a proof are in the subgroups is checked by
/// everybody within the time. One thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// A list of one [`Proofs`] in JSON, all of them valid.
    pub proofs: PathBuf,
}

/// A key and proofs. Points are uncompressed, as Zcash writes them, in hex; scalars are 32 bytes, highest first, in hex.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proofs {
    /// In G1.
    pub alpha: String,
    /// In G2.
    pub beta: String,
    /// In G2.
    pub gamma: String,
    /// In G2.
    pub delta: String,
    /// In G1: of 1, and of each public value.
    pub ic: Vec<String>,
    /// The proofs.
    pub proofs: Vec<Proof>,
}

/// A proof with its public values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof {
    /// The public values.
    pub public_inputs: Vec<String>,
    /// In G1.
    pub a: String,
    /// In G2.
    pub b: String,
    /// In G1.
    pub c: String,
}

/// The proofs of a file.
pub fn read(path: &Path) -> Result<Proofs> {
    let text = std::fs::read(path).with_context(|| path.display().to_string())?;
    let [proofs] = serde_json::from_slice(&text)?;
    Ok(proofs)
}

/// The bytes of a point or a scalar.
pub fn bytes(hex: &str) -> Result<Vec<u8>> {
    let digits = hex.as_bytes().chunks(2);
    let byte = |two: &[u8]| {
        let text = std::str::from_utf8(two)?;
        u8::from_str_radix(text, 16).with_context(|| format!("'{text}' is no byte in hex"))
    };
    digits.map(byte).collect()
}
