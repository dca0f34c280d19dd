//! Groth16 proofs.
//!
//! Who cannot read circom's files builds the chain, in which x becomes x² + i so many times and the last value is public, himself,
//! and keeps keys of his own in a folder.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// A proof.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// The curve: "bn254" or "bls12_381".
    pub curve: String,
    /// For who builds a chain, the logarithm of its size: two constraints less than this power of two, so that no prover's domain
    /// is larger.
    pub log_size: u32,
    /// Threads.
    pub threads: usize,
    /// The proving key, for who reads files.
    pub zkey: PathBuf,
    /// The witness.
    pub wtns: PathBuf,
    /// Where the proof goes, from who reads files; who does not verifies it by himself.
    pub proof: PathBuf,
    /// Where the public values go, likewise.
    pub public: PathBuf,
    /// Where keys are kept that take long to make.
    pub keys: PathBuf,
}
