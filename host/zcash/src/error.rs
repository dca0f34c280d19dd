//! Errors of reading, proving and verifying.

use crate::Circuit;

/// The result of reading, proving or verifying.
pub type Result<T> = std::result::Result<T, Error>;

/// An error of reading, proving or verifying.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file of parameters is not the one of its circuit.
    #[error("{file}: its BLAKE2b-512 hash is {found}, not {expected} of the {circuit} parameters")]
    Hash {
        /// The file.
        file: String,
        /// The circuit.
        circuit: Circuit,
        /// The hash, in hexadecimal digits.
        found: String,
        /// The hash of the parameters.
        expected: &'static str,
    },
    /// A file of parameters is too short or too long, and was not hashed.
    #[error("{file}: {found} bytes, the {circuit} parameters have {expected}")]
    Length {
        /// The file.
        file: String,
        /// The circuit.
        circuit: Circuit,
        /// The length in bytes.
        found: u64,
        /// The length of the parameters.
        expected: u64,
    },
    /// The circuit has no values for its variables: an input is missing, or a point has none of its properties.
    #[error("{circuit} circuit: {problem}")]
    Synthesis {
        /// The circuit.
        circuit: Circuit,
        /// The problem.
        problem: String,
    },
    /// The inputs of the circuit contradict each other.
    #[error("{circuit} circuit: the inputs do not satisfy constraint {constraint}, '{name}'")]
    Unsatisfied {
        /// The circuit.
        circuit: Circuit,
        /// The number of the first such constraint, from 0.
        constraint: usize,
        /// The name that the circuit gives it.
        name: String,
    },
    /// Reading or proving failed.
    #[error(transparent)]
    Proof(#[from] proofmill_proof::Error),
    /// Bytes are no block.
    #[error("{part}: {problem}")]
    Block {
        /// The part of the block.
        part: String,
        /// The problem.
        problem: String,
    },
    /// Blocks could not be read.
    #[error("reading blocks failed: {0}")]
    Read(#[from] std::io::Error),
    /// A device failed.
    #[error(transparent)]
    Device(#[from] proofmill::Error),
}
