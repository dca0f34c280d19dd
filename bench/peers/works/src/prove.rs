//! Proofs.
//!
//! A library that cannot read circom's files builds the chain itself, in which x becomes x² + i repeatedly and the last value is
//! public, and keeps its own keys for Groth16 in a folder.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// A proof.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// The protocol by snarkjs's name: "groth16", "plonk" or "fflonk".
    pub protocol: String,
    /// The curve: "bn254" or "bls12_381".
    pub curve: String,
    /// The logarithm of the size, for a library that builds a chain: two constraints less than this power of two, and six less
    /// for PLONK and FFLONK, so that no prover's domain is larger.
    pub log_size: u32,
    /// Threads.
    pub threads: usize,
    /// The proving key, for a library that reads files.
    pub zkey: PathBuf,
    /// The witness.
    pub wtns: PathBuf,
    /// The output file of the proof, for a library that reads files; others verify the proof themselves.
    pub proof: PathBuf,
    /// The output file of the public inputs, likewise.
    pub public: PathBuf,
    /// The folder for keys that are expensive to make.
    pub keys: PathBuf,
}
