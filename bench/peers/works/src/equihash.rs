//! Verifications of Equihash solutions.

use serde::{Deserialize, Serialize};

/// Some verifications of one header.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// Equihash n.
    pub n: u32,
    /// Equihash k.
    pub k: u32,
    /// The header: 140 bytes, CompactSize, solution.
    pub header: Vec<u8>,
    /// Is the header's SHA-256d computed too?
    pub hashed: bool,
    /// How often it is verified.
    pub repeat: usize,
    /// By how many threads.
    pub threads: usize,
}
