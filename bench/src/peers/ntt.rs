//! Other people's transforms: arkworks in a program of Rust, gnark-crypto in one of Go, both built as those of
//! [`super::algebra`], and Plonky3 and plonky2_field in one that is no part of the workspace.

use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use super::program::{self, Program};

#[cfg(feature = "ntt-peer")]
mod serve;
#[cfg(feature = "ntt-peer")]
pub use serve::serve;

/// A forward transform.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// Whose code: a library, or one of its transforms.
    pub library: String,
    /// The field by its name in `spec`.
    pub instance: String,
    /// The logarithm of the number of elements.
    pub log_size: u32,
    /// Threads.
    pub threads: usize,
    /// From canonical bytes to canonical bytes, lowest first, both in natural order; else from the library's own elements to
    /// the same, in the order that it takes the least time in.
    pub bytes: bool,
}

/// Starts the program with arkworks.
pub fn start_rust() -> Result<Program> {
    let folder = program::folder("ntt");
    Program::start(&program::build("ntt-peer", Some("ntt-peer"), program::C_FLAGS, &folder)?)
}

/// Starts the program with gnark-crypto; an error where it cannot be built.
pub fn start_go() -> Result<Program> {
    Program::start(&program::build_gnark_crypto("./ntt", "gnark-crypto-ntt-peer")?)
}

/// Starts the program with Plonky3 and plonky2_field.
pub fn start_plonky() -> Result<Program> {
    let folder = program::folder("plonky");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo)
        .args(["build", "--quiet", "--release", "--locked", "--target-dir"])
        .arg(&folder)
        .env("RUSTC_BOOTSTRAP", "1") // for plonky2_field
        .env("RUSTFLAGS", "-C target-cpu=native")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .current_dir(program::source("plonky"))
        .status()
        .context("cannot start cargo")?;
    ensure!(built.success(), "cargo cannot build the peer's program plonky-peer");
    Program::start(&folder.join("release/plonky-peer"))
}
