//! The peak of a program's memory.

use anyhow::{Context, Result};

/// The most bytes that this program had in memory at a time.
pub fn peak() -> Result<usize> {
    let status = std::fs::read_to_string("/proc/self/status").context("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).context("no VmHWM")?;
    let kib: usize = line.trim().trim_end_matches(" kB").parse().context("VmHWM")?;
    Ok(1024 * kib)
}
