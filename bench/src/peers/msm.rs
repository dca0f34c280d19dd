//! Other people's multi-scalar multiplications: arkworks, blst, halo2curves and mcl in one program of Rust,
//! gnark-crypto in one of Go. Built as those of [`super::algebra`]; mcl's crate carries its source and wants cmake.

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::program::{self, Program};

#[cfg(feature = "msm-peer")]
mod mcl;
#[cfg(feature = "msm-peer")]
mod serve;
#[cfg(feature = "msm-peer")]
pub use serve::serve;

/// A sum over multiples of the generator, with scalars of all bits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// Whose code.
    pub library: String,
    /// The group by its name in `spec`.
    pub instance: String,
    /// The number of points.
    pub count: usize,
    /// Threads.
    pub threads: usize,
}

/// Starts the program with arkworks, blst, halo2curves and mcl.
pub fn start_rust() -> Result<Program> {
    Program::start(&program::build(
        "msm-peer",
        Some("msm-peer"),
        program::C_FLAGS,
        &program::folder("msm"),
    )?)
}

/// Starts the program with gnark-crypto; an error where it cannot be built.
pub fn start_go() -> Result<Program> {
    Program::start(&program::build_gnark_crypto("./msm", "gnark-crypto-msm-peer")?)
}
