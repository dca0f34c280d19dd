//! Joint verification of BLS signatures on BLS12-381 with keys in G1 that have proved possession.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

/// The tag of the hash to the curve.
pub const TAG: &[u8] = b"BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_";

/// Verifies that these signatures, one of each key for its message, are all valid. Keys are decoded before the clock starts, as verifiers do;
/// signatures are decoded within the time, with the check of the subgroup. Uses one thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// A list of [`Signed`] in JSON, all of them valid.
    pub signatures: PathBuf,
    /// Uses the same message for all signatures.
    pub one_message: bool,
}

/// An encoded signature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signed {
    /// The key in its compressed form.
    pub key: Vec<u8>,
    /// The message.
    pub message: Vec<u8>,
    /// The signature in its compressed form.
    pub signature: Vec<u8>,
}

/// Reads the signatures of a file.
pub fn read(path: &Path) -> Result<Vec<Signed>> {
    let text = std::fs::read(path).with_context(|| path.display().to_string())?;
    Ok(serde_json::from_slice(&text)?)
}
