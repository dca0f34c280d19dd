//! Other people's multi-scalar multiplications: arkworks, blst, halo2curves and mcl in one program of Rust,
//! gnark-crypto in one of Go. Built as those of [`super::algebra`]; mcl's crate carries its source and wants cmake.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};
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
    let source = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/peers/gnark_crypto");
    let path = program::folder("gnark-crypto").join("gnark-crypto-msm-peer");
    let built = Command::new("go")
        .args(["build", "-o"])
        .arg(&path)
        .arg("./msm")
        .env("GOAMD64", "v4")
        .current_dir(source)
        .status()
        .context("cannot start go")?;
    ensure!(built.success(), "go cannot build the peer's program");
    Program::start(&path)
}
