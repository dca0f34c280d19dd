//! BLS signatures on BLS12-381 with keys in G1, proved to be possessed, verified all together.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

/// The tag that messages are hashed with.
pub const TAG: &[u8] = b"BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_";

/// Are these signatures, one of each key for its message, all valid? Keys are read before the clock starts, as a verifier has them;
/// signatures come in their bytes, and are checked to be in the subgroup. One thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// A list of [`Signed`] in JSON, all of them valid.
    pub signatures: PathBuf,
    /// Do all have the same message?
    pub one_message: bool,
}

/// A signature as it comes from outside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signed {
    /// The key in its compressed form.
    pub key: Vec<u8>,
    /// What is signed.
    pub message: Vec<u8>,
    /// The signature in its compressed form.
    pub signature: Vec<u8>,
}

/// The signatures of a file.
pub fn read(path: &Path) -> Result<Vec<Signed>> {
    let text = std::fs::read(path).with_context(|| path.display().to_string())?;
    Ok(serde_json::from_slice(&text)?)
}
