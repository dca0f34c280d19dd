//! Groth16 proofs beside arkworks, gnark, rapidsnark and snarkjs: milliseconds for one, the best of a few.
//!
//! The circuits are the chain of [`works::prove`], over BN254 and BLS12-381, whose witness is random, and SHA-256 as
//! circom compiles it, whose witness is mostly bits: only who reads circom's files can prove that. Ours is timed twice: with a
//! prover that stays, beside peers whose key stays, and from the files of key and witness on, beside snarkjs, which knows nothing
//! else. Our time contains the verification of the proof, which we do before we give it out; a peer's does not. Peers' proofs are
//! verified after the clock has stopped: those that come in files by us, the others by the peer's own verifier. Everybody has the
//! same number of threads, and all take turns. A peer that cannot be built or run has rows that say why. The
//! peak memory of a program that makes one proof stands beside what the prover's plan says, and a batch of proofs with one key beside as many made one after
//! the other by the same prover.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use proofmill::groth16::{Curve, return_freed_memory};

use super::Rows;
use crate::peers::{Peers, contest};
use crate::report;
use crate::row::SoftwareRow;
use crate::timing::Pick;
use memory::Memory;
use ours::{Batch, Ours};
use peers::{Entrant, Key};
use task::{Files, Task};

mod memory;
mod ours;
mod peers;
mod task;

/// The figures.
pub fn rows(quick: bool) -> Result<Vec<SoftwareRow>> {
    return_freed_memory();
    let keys = keys()?;
    let tasks = Task::all(&folder(), quick)?;
    let processors = std::thread::available_parallelism()?.get();
    let mut rows = Rows::default();
    // The most threads come first: with them keys are made fastest, and then they are there.
    for threads in (1..=processors.min(2)).rev() {
        let peers = Peers::on_processors(threads);
        for task in &tasks {
            rows.extend(one(&peers, task, &keys, threads)?);
            rows.push(memory(task, threads)?);
            if threads > 1 && task.batch > 0 {
                rows.extend(batch(task, threads)?);
            }
        }
        if threads > 1 {
            rows.extend(batch(&Task::short(&folder())?, threads)?);
        }
    }
    Ok(rows.by_threads())
}

/// Of these the rows of batches alone, on two threads.
pub fn batches(quick: bool) -> Result<Vec<SoftwareRow>> {
    return_freed_memory();
    let mut tasks = Task::all(&folder(), quick)?;
    tasks.push(Task::short(&folder())?);
    let mut rows = Vec::new();
    for task in tasks.iter().filter(|task| task.batch > 0) {
        rows.extend(batch(task, 2)?);
    }
    Ok(rows)
}

/// A proof on one thread, by a prover that stays.
pub fn task(log_size: u32) -> Result<super::Task> {
    let ours = Ours::new(&Task::chain(&folder(), Curve::Bn254, log_size, 1)?.files, 1)?;
    Ok(Box::new(move || ours.with_key()))
}

/// The folder of what is proved.
fn folder() -> PathBuf {
    report::checkout().join("target/bench/prove")
}

/// The folder of keys that take long to make, in the user's cache.
fn keys() -> Result<PathBuf> {
    let cache = std::env::var_os("XDG_CACHE_HOME").filter(|path| !path.is_empty());
    let home = || std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache"));
    let folder =
        cache.map(PathBuf::from).or_else(home).context("neither XDG_CACHE_HOME nor HOME")?;
    let folder = folder.join("proofmill/bench-keys");
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    Ok(folder)
}

/// Makes one proof in this program, which does nothing else, and prints what memory it took.
pub fn prove_once(zkey: PathBuf, wtns: PathBuf, threads: usize) -> Result<()> {
    return_freed_memory();
    Memory::print_own(&Files { zkey, wtns }, threads)
}

/// One task with a number of threads: a row a peer that takes it.
fn one(peers: &Peers, task: &Task, keys: &Path, threads: usize) -> Result<Vec<SoftwareRow>> {
    let ours = Ours::new(&task.files, threads)?;
    let work = task.work(keys, threads);
    let entrants: Vec<_> = Entrant::ALL.into_iter().filter(|peer| peer.takes(task)).collect();
    let mut theirs: Vec<_> =
        entrants.iter().map(|entrant| entrant.peer(peers, &work, &ours, task.curve)).collect();
    let (mut with_key, mut with_files) = (|| ours.with_key(), || ours.with_files(&task.files));
    let (ours, seconds) =
        contest(task.rounds, Pick::Best, [&mut with_key, &mut with_files], &mut theirs)?;
    let fastest = seconds.iter().copied().fold(f64::INFINITY, f64::min);
    let all = entrants.iter().zip(theirs).zip(seconds);
    Ok(all
        .map(|((entrant, peer), seconds)| {
            let (ours, form) = match entrant.key {
                Key::Stays => (ours[0], "key resident"),
                Key::IsRead => (ours[1], "from files"),
            };
            let place = match peer.absent {
                Some(_) => "absent",
                None if seconds == fastest => "fastest",
                None => "slower",
            };
            let metric = format!("{form}, {place} peer");
            let row = row(task, threads, &metric, "ms", ours * 1e3, &peer.name, seconds * 1e3);
            SoftwareRow { absent: peer.absent, ..row }
        })
        .collect())
}

/// Proofs of a batch in lanes, beside those of one after the other: milliseconds for one, and how many threads work.
fn batch(task: &Task, threads: usize) -> Result<[SoftwareRow; 2]> {
    let ours = Ours::new(&task.files, threads)?;
    // In turns; the fastest of each.
    let mut best: [Option<Batch>; 2] = [None; 2];
    for _ in 0..task.rounds {
        for (best, took) in
            best.iter_mut().zip([ours.in_lanes(task.batch)?, ours.one_after_the_other(task.batch)?])
        {
            *best = (*best).filter(|best| best.seconds < took.seconds).or(Some(took));
        }
    }
    let [lanes, alone] = best.map(|best| best.expect("there is a round"));
    let each = |batch: Batch| batch.seconds * 1e3 / task.batch as f64;
    let name = format!("{} proofs with one key", task.batch);
    let row = |metric: &str, unit, ours, peer| {
        row(task, threads, metric, unit, ours, "one after the other", peer)
    };
    let busy = SoftwareRow {
        ratio: lanes.busy / alone.busy,
        ..row(&format!("{name}, busy threads"), "threads", lanes.busy, alone.busy)
    };
    Ok([row(&format!("{name}, each"), "ms", each(lanes), each(alone)), busy])
}

/// The peak memory of one proof from files on, beside the plan's.
fn memory(task: &Task, threads: usize) -> Result<SoftwareRow> {
    let Memory { peak, plan } = Memory::of_a_program(&task.files, threads)?;
    let [peak, plan] = [peak, plan].map(|bytes| bytes as f64 / f64::from(1 << 20));
    let metric = "from files, peak memory";
    Ok(row(task, threads, metric, "MiB", peak, "the plan's memory", plan))
}

fn row(
    task: &Task,
    threads: usize,
    metric: &str,
    unit: &str,
    ours: f64,
    peer_name: &str,
    peer: f64,
) -> SoftwareRow {
    SoftwareRow {
        op: "prove".into(),
        instance: task.curve.name().into(),
        metric: format!("{}, {metric}", task.name),
        unit: unit.into(),
        threads,
        ours,
        peer_name: peer_name.into(),
        peer,
        ratio: peer / ours,
        absent: None,
    }
}
