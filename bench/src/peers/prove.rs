//! Provers that are neither Rust nor Go programs: snarkjs in Node, and rapidsnark in C++, which supports BN254 only, where
//! `tools/rapidsnark.py` can build it. Both read the same files as ours, and start a thread for each processor that they see.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use super::program::source;
use crate::report;

/// Returns the program with snarkjs, or an error if npm cannot install it.
pub fn snarkjs() -> Result<Command> {
    let packages = packages()?;
    let mut command = Command::new("node");
    command.arg(source("snarkjs/main.cjs")).arg(packages);
    Ok(command)
}

/// Returns the program with rapidsnark, or an error if it cannot be built.
pub fn rapidsnark() -> Result<Command> {
    Ok(Command::new(tool("rapidsnark.py")?))
}

/// Returns the folder with circom and snarkjs, or an error if npm cannot install them.
pub fn packages() -> Result<PathBuf> {
    tool("node_packages.py")
}

/// Returns the folder with the generator and the inputs of a circuit of `interop/generators.py`, which circom compiles the first time.
pub fn generator(circuit: &str) -> Result<PathBuf> {
    Ok(python(Path::new("interop/generators.py"), &[circuit.as_ref()])?.into())
}

/// Returns the key and the witness of a circuit of `interop/circuits`, which circom and snarkjs make in a folder from powers of
/// tau of our command.
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

/// Returns the path that one of our tools prints.
fn tool(name: &str) -> Result<PathBuf> {
    Ok(python(&Path::new("tools").join(name), &[])?.into())
}

/// Runs one of our Python programs and returns its output. The error is the last line of the output, which has the reason.
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
