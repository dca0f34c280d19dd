//! The peak memory of a program. The measured program does nothing else.

use std::ffi::OsString;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use proofmill_algebra::{ISA_VARIABLE, Isa};
use serde::de::DeserializeOwned;

/// Runs this program with these arguments and parses its JSON output.
pub fn of_a_program<T: DeserializeOwned>(
    arguments: impl IntoIterator<Item = OsString>,
) -> Result<T> {
    let done = Command::new(std::env::current_exe()?)
        .env(ISA_VARIABLE, Isa::best().name())
        .args(arguments)
        .output()?;
    ensure!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr).trim());
    Ok(serde_json::from_slice(&done.stdout)?)
}

/// Returns the maximum bytes that this program had in memory.
pub fn peak() -> Result<usize> {
    let status = std::fs::read_to_string("/proc/self/status").context("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).context("no VmHWM")?;
    let kib: usize = line.trim().trim_end_matches(" kB").parse().context("VmHWM")?;
    Ok(1024 * kib)
}
