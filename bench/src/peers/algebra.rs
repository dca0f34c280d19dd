//! Other people's field arithmetic: blst and halo2curves in one program of Rust, gnark-crypto in one of Go.
//!
//! Both are built for exactly this processor (`target-cpu=native`, `GOAMD64=v4`). The Go program needs `go`, and
//! is missing where that is; ours and the other peers are measured all the same.

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::program::{self, Program};

#[cfg(feature = "algebra-peer")]
mod serve;
#[cfg(feature = "algebra-peer")]
pub use serve::serve;

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Task {
    /// Products of `count` pairs of elements.
    Multiply,
    /// Squares of `count` elements.
    Square,
    /// Sums of `count` pairs.
    Add,
    /// Inverses of `count` elements, all at once.
    BatchInvert,
    /// Inverses of `count` elements, one by one.
    Invert,
    /// A product of `count` factors, each multiplication waiting for the one before.
    Chain,
    /// Additions of `count` affine points: whatever the peer does it with (see its name).
    Points,
}

/// Some work in one field, or on the curve over it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Work {
    /// The field by its name in `spec`.
    pub field: String,
    /// What is done.
    pub task: Task,
    /// With how many operands.
    pub count: usize,
    /// How often.
    pub repeat: usize,
}

/// Starts the program with blst and halo2curves.
pub fn start_rust() -> Result<Program> {
    let folder = program::folder("algebra");
    Program::start(&program::build(
        "algebra-peer",
        Some("algebra-peer"),
        program::C_FLAGS,
        &folder,
    )?)
}

/// Starts the program with gnark-crypto; an error where it cannot be built.
pub fn start_go() -> Result<Program> {
    Program::start(&program::build_gnark_crypto(".", "gnark-crypto-peer")?)
}
