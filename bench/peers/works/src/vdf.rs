//! Repeated squaring modulo an RSA modulus.

use serde::{Deserialize, Serialize};

/// Squarings one after the other. Numbers are hex digits, most significant first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// The modulus.
    pub modulus: String,
    /// The number that is squared.
    pub input: String,
    /// Squarings.
    pub squarings: u32,
    /// The result as ours has it: another one is an error.
    pub output: String,
}
