//! Other people's Groth16 provers: arkworks in a program of Rust, built as those of [`super::algebra`]; gnark in one of
//! Go; snarkjs in one of Node; rapidsnark, which knows BN254 only, in one of C++, where `tools/rapidsnark.py` can build it.
//!
//! snarkjs and rapidsnark read the files that we read. arkworks and gnark cannot read them: they build the chain, in which x
//! becomes x² + i so many times and the last value is public, themselves, and keep keys of their own in a folder.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};

use super::program::{self, Program};
use crate::report;

#[cfg(feature = "groth16-peer")]
mod serve;
#[cfg(feature = "groth16-peer")]
pub use serve::serve;

/// A proof.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// The curve: "bn254" or "bls12_381".
    pub curve: String,
    /// For who builds a chain, the logarithm of its size: two constraints less than this power of two, so that no prover's domain
    /// is larger.
    pub log_size: u32,
    /// Threads.
    pub threads: usize,
    /// Key and witness, for who reads files.
    pub zkey: PathBuf,
    /// The witness.
    pub wtns: PathBuf,
    /// Where the proof goes, from who reads files; who does not verifies it by himself.
    pub proof: PathBuf,
    /// Where the public values go, likewise.
    pub public: PathBuf,
    /// Where keys are kept that take long to make.
    pub keys: PathBuf,
}

/// Starts the program with arkworks, which has as many threads as it is asked to have.
pub fn start_rust() -> Result<Program> {
    let folder = program::folder("groth16");
    let path = program::build("groth16-peer", Some("groth16-peer"), program::C_FLAGS, &folder)?;
    Program::start(&path)
}

/// Starts the program with gnark for so many processors; an error where it cannot be built.
pub fn start_gnark(threads: usize) -> Result<Program> {
    let path = program::folder("gnark").join("gnark-peer");
    program::build_go("gnark", ".", &path)?;
    Program::run(on_processors(threads).arg(path))
}

/// Starts the program with snarkjs for so many processors; an error where npm cannot install it.
pub fn start_snarkjs(threads: usize) -> Result<Program> {
    let packages = packages()?;
    let mut command = on_processors(threads);
    Program::run(command.arg("node").arg(program::source("snarkjs.cjs")).arg(packages))
}

/// The folder with circom and snarkjs; an error where npm cannot install them.
pub fn packages() -> Result<PathBuf> {
    tool("node_packages.py")
}

/// Starts the program with rapidsnark for so many processors; an error where it cannot be built.
pub fn start_rapidsnark(threads: usize) -> Result<Program> {
    Program::run(on_processors(threads).arg(tool("rapidsnark.py")?))
}

/// A command that sees the first so many processors only: these programs start a thread for each that there is.
fn on_processors(count: usize) -> Command {
    let mut command = Command::new("taskset");
    command.args(["--cpu-list", &format!("0-{}", count - 1)]);
    command
}

/// The key and the witness of a circuit of `interop/circuits`, as circom and snarkjs make them in a folder, from powers of tau
/// of our command.
pub fn circom(circuit: &str, folder: &Path) -> Result<[PathBuf; 2]> {
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo)
        .args(["build", "--quiet", "--release", "--package", "proofmill-cli"])
        .current_dir(report::checkout())
        .status()
        .context("cannot start cargo")?;
    ensure!(built.success(), "cargo cannot build proofmill-cli");
    python(Path::new("interop/circuits.py"), &[circuit.as_ref(), folder.as_os_str()])?;
    Ok(["circuit.zkey", "witness.wtns"].map(|name| folder.join(name)))
}

/// The path that one of our tools prints.
fn tool(name: &str) -> Result<PathBuf> {
    Ok(python(&Path::new("tools").join(name), &[])?.into())
}

/// What a program of ours in Python prints; the error is the last line of what it says, which tells why.
fn python(path: &Path, arguments: &[&OsStr]) -> Result<String> {
    let done = Command::new("python3")
        .arg(report::checkout().join(path))
        .args(arguments)
        .output()
        .context("cannot start python3")?;
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr);
        eprint!("{said}");
        bail!("{}", said.trim().lines().last().unwrap_or("it ended without a word"));
    }
    Ok(String::from_utf8(done.stdout)?.trim().into())
}
