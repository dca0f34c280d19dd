//! Other people's pairings: arkworks, blst, halo2curves and mcl in one program of Rust, gnark-crypto in one of Go. Built
//! as those of [`super::algebra`]; mcl's crate carries its source and wants cmake.

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::program::{self, Program};

#[cfg(feature = "pairing-peer")]
mod mcl;
#[cfg(feature = "pairing-peer")]
mod serve;
#[cfg(feature = "pairing-peer")]
pub use serve::serve;

/// A product of pairings of multiples of two points.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// Whose code.
    pub library: String,
    /// The curve by its name in `spec`.
    pub instance: String,
    /// The number of pairs.
    pub count: usize,
    /// The number of threads; each has a share of the pairs, and one the final exponentiation.
    pub threads: usize,
    /// How often.
    pub repeat: usize,
}

/// Starts the program with arkworks, blst, halo2curves and mcl.
pub fn start_rust() -> Result<Program> {
    Program::start(&program::build(
        "pairing-peer",
        Some("pairing-peer"),
        program::C_FLAGS,
        &program::folder("pairing"),
    )?)
}

/// Starts the program with gnark-crypto; an error where it cannot be built.
pub fn start_go() -> Result<Program> {
    Program::start(&program::build_gnark_crypto("./pairing", "gnark-crypto-pairing-peer")?)
}
