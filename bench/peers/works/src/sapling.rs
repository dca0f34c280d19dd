//! Sapling proofs with the parameters of the ceremony.

use serde::{Deserialize, Serialize};

/// Prove one circuit several times.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Work {
    /// The circuit is Spend, otherwise Output.
    pub spend: bool,
    /// The number of proofs.
    pub count: usize,
    /// Number of threads.
    pub threads: usize,
}
