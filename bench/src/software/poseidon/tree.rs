//! A tree from file to file: its time, and the memory of a program that builds nothing else.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use proofmill::poseidon::tree::{self, Leaves, Shape};
use proofmill_cpu::CpuDevice;
use serde::{Deserialize, Serialize};
use works::poseidon::preimages;

use super::batch_task;
use crate::report;
use crate::row::SoftwareRow;
use crate::software::peak::{of_a_program, peak};

const ARITY: usize = 8;
/// The logarithm of the number of leaves; that of a quick run.
const LOG: u32 = 24;
const QUICK_LOG: u32 = 12;
/// Leaves that are painted at a time.
const PIECE: usize = 1 << 12;
/// Bytes of a node.
const NODE: u64 = 32;

/// What building it took.
#[derive(Serialize, Deserialize)]
struct Once {
    seconds: f64,
    /// Bytes.
    peak: usize,
}

/// The figures.
pub fn rows(quick: bool, threads: usize) -> Result<[SoftwareRow; 2]> {
    let log = if quick { QUICK_LOG } else { LOG };
    let shape = Shape::new(ARITY, 1 << log)?;
    let folder = report::checkout().join("target/bench/tree");
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let [leaves, rows] = ["leaves", "rows"].map(|name| folder.join(name));
    paint(&leaves, shape.leaves())?;
    let (arity, threads_given) = (ARITY.to_string().into(), threads.to_string().into());
    let files = [&leaves, &rows].map(|path| path.into());
    let once: Result<Once> =
        of_a_program(["tree-once".into(), arity].into_iter().chain(files).chain([threads_given]));
    std::fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let once = once?;

    let nodes: u64 = shape.rows().skip(1).sum();
    // The hashes in pieces: they fit into memory then.
    let piece = nodes.min(1 << 16);
    let hashes =
        batch_task(ARITY, piece as usize, threads)?.seconds()? * (nodes as f64 / piece as f64);
    let mib = |bytes: f64| bytes / f64::from(1 << 20);
    let all = shape.bytes().context("a size that can be counted")?;
    let row = |metric, unit: &str, ours: f64, peer_name: &str, peer: f64| SoftwareRow {
        op: "poseidon".into(),
        instance: format!("arity {ARITY}"),
        metric: format!("tree of 2^{log} leaves, {metric}"),
        unit: unit.into(),
        threads,
        ours,
        peer_name: peer_name.into(),
        peer,
        ratio: peer / ours,
        absent: None,
    };
    Ok([
        row("from file to file", "s", once.seconds, "our hashes of its nodes alone", hashes),
        row("peak memory", "MiB", mib(once.peak as f64), "all of its rows", mib(all as f64)),
    ])
}

fn paint(to: &Path, leaves: u64) -> Result<()> {
    let piece = preimages(1, PIECE);
    let mut file = BufWriter::new(File::create(to).with_context(|| to.display().to_string())?);
    for _ in 0..leaves / PIECE as u64 {
        file.write_all(&piece)?;
    }
    file.flush()?;
    ensure!(std::fs::metadata(to)?.len() == leaves * NODE, "whole pieces");
    Ok(())
}

/// Builds one tree in this program, which does nothing else, and prints what it took.
pub fn build_once(arity: usize, from: &PathBuf, to: &PathBuf, threads: usize) -> Result<()> {
    let device = CpuDevice::new(Some(threads))?;
    let mut leaves = File::open(from).with_context(|| from.display().to_string())?;
    let shape = Shape::new(arity, leaves.metadata()?.len() / NODE)?;
    let mut rows = File::create(to).with_context(|| to.display().to_string())?;
    let start = Instant::now();
    tree::build(&device, shape, Leaves::Nodes, &mut leaves, &mut rows)?;
    let seconds = start.elapsed().as_secs_f64();
    println!("{}", serde_json::to_string(&Once { seconds, peak: peak()? })?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_painted_tree_is_built() {
        let folder = tempfile::tempdir().unwrap();
        let [leaves, rows] = ["leaves", "rows"].map(|name| folder.path().join(name));
        let shape = Shape::new(ARITY, 1 << QUICK_LOG).unwrap();
        paint(&leaves, shape.leaves()).unwrap();
        build_once(ARITY, &leaves, &rows, 1).unwrap();
        assert_eq!(std::fs::metadata(&rows).unwrap().len(), shape.bytes().unwrap());
        assert!(peak().unwrap() > 0);
    }
}
