//! Verifications of Equihash solutions.

use serde::{Deserialize, Serialize};

/// Verifications of one header to measure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// Equihash n.
    pub n: u32,
    /// Equihash k.
    pub k: u32,
    /// The header: 140 bytes, CompactSize, solution.
    pub header: Vec<u8>,
    /// Computes the header's SHA-256d, too.
    pub hashed: bool,
    /// The number of verifications.
    pub repeat: usize,
    /// The number of threads.
    pub threads: usize,
}

/// Headers of (200,9) to solve.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Solving {
    /// The headers: 140 bytes each.
    pub headers: Vec<Vec<u8>>,
    /// The number of their solutions as ours has it: another one is an error.
    pub solutions: usize,
    /// The number of threads.
    pub threads: usize,
}
