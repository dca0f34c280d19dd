//! Other people's pairings: arkworks, blst and halo2curves in one program of Rust, gnark-crypto in one of Go. Built as
//! those of [`super::algebra`].

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::program::{self, Program};

#[cfg(feature = "pairing-peer")]
mod serve;
#[cfg(feature = "pairing-peer")]
pub use serve::serve;

/// A product of pairings of multiples of the generators, by one thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// Whose code.
    pub library: String,
    /// The curve by its name in `spec`.
    pub instance: String,
    /// The number of pairs.
    pub count: usize,
    /// How often.
    pub repeat: usize,
}

/// Starts the program with arkworks, blst and halo2curves.
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
