//! Provers that are no programs of Rust or Go: snarkjs in one of Node, and rapidsnark, which knows BN254 only, in one of C++, where
//! `tools/rapidsnark.py` can build it. Both read the files that we read, and start a thread for each processor that they see.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use super::program::source;
use crate::report;

/// The program with snarkjs; an error where npm cannot install it.
pub fn snarkjs() -> Result<Command> {
    let packages = packages()?;
    let mut command = Command::new("node");
    command.arg(source("snarkjs/main.cjs")).arg(packages);
    Ok(command)
}

/// The program with rapidsnark; an error where it cannot be built.
pub fn rapidsnark() -> Result<Command> {
    Ok(Command::new(tool("rapidsnark.py")?))
}

/// The folder with circom and snarkjs; an error where npm cannot install them.
pub fn packages() -> Result<PathBuf> {
    tool("node_packages.py")
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
