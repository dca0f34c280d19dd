//! Other people's multi-scalar multiplications: arkworks, blst and halo2curves in one program of Rust, gnark-crypto in
//! one of Go, mcl in one of C++. Built as those of [`super::algebra`].

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use super::program::{self, Program};

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

/// Starts the program with arkworks, blst and halo2curves.
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

/// The variable that names the folder of mcl's source, in which its library was built: `make lib/libmcl.a
/// MCL_USE_OMP=1`.
pub const MCL: &str = "PROOFMILL_MCL";

/// Starts the program with mcl; an error where there is none.
pub fn start_mcl() -> Result<Program> {
    let mcl = PathBuf::from(std::env::var_os(MCL).with_context(|| format!("no {MCL} is set"))?);
    let source = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/peers/mcl/main.cpp");
    let folder = program::folder("mcl");
    std::fs::create_dir_all(&folder)?;
    let path = folder.join("mcl-peer");
    let built = Command::new("c++")
        .args(["-std=c++17", "-O3", "-march=native", "-DNDEBUG", "-fopenmp", "-I"])
        .arg(mcl.join("include"))
        .arg(source)
        .arg(mcl.join("lib/libmcl.a"))
        .arg("-o")
        .arg(&path)
        .status()
        .context("cannot start c++")?;
    ensure!(built.success(), "c++ cannot build the peer's program");
    Program::start(&path)
}
