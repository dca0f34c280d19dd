//! Whole Zcash blocks.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Verify the blocks of a file, each several times.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Work {
    /// Blocks of mainnet with magic number and length, as zcashd stores them.
    pub file: PathBuf,
    /// The number of verifications of the file.
    pub repeat: usize,
    /// Number of threads.
    pub threads: usize,
}
