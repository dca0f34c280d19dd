//! Proofs compared with arkworks, gnark, rapidsnark and snarkjs: milliseconds per proof, the best of a few.
//!
//! The circuits are the chain of [`works::prove`], over BN254 and BLS12-381, whose witness is random, and SHA-256 as
//! circom compiles it, whose witness is mostly bits. Only programs that read circom's files can prove the latter. The protocol is
//! Groth16 where a row names no other; PLONK and FFLONK have a chain over BN254. gnark's PLONK has a row for each step of that
//! chain, as our keys do, with gates, wires and custom columns of its own, so its proofs are other proofs. Ours is timed
//! twice: with a prover that is kept, against peers that keep their key, and from the files of key and witness on, against
//! snarkjs, which has no other mode. Our time includes the verification of the proof before it is returned; a peer's does not.
//! Peers' proofs are verified after the clock has stopped: those in files by us, the others by the peer's own verifier. All
//! have the same number of threads and run alternately. A peer that cannot be built or run has rows with the reason. The peak
//! memory of a program that makes one proof is compared with the prover's plan, and a batch of proofs with one key with the
//! same number of proofs made one after the other by the same prover.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use proofmill::groth16::{Curve, return_freed_memory};

use super::Rows;
use crate::peers::{Peers, contest};
use crate::report;
use crate::row::SoftwareRow;
use crate::timing::Pick;
use memory::Memory;
use ours::{Batch, Batches, Ours};
use peers::{Entrant, Key};
use task::{Files, Task};

mod memory;
mod ours;
mod peers;
mod task;

/// Measures the rows.
pub fn rows(quick: bool) -> Result<Vec<SoftwareRow>> {
    return_freed_memory();
    let mut tasks = Task::small(&folder(), quick)?;
    tasks.extend(Task::all(&folder(), quick)?);
    by_threads(&tasks, true)
}

/// Measures only the rows of small circuits.
pub fn small(quick: bool) -> Result<Vec<SoftwareRow>> {
    return_freed_memory();
    by_threads(&Task::small(&folder(), quick)?, false)
}

/// Measures only the rows of PLONK and FFLONK.
pub fn plonk(quick: bool) -> Result<Vec<SoftwareRow>> {
    return_freed_memory();
    by_threads(&Task::of_plonk(&folder(), quick)?, false)
}

/// Measures tasks, and if `short` is set the batch of the short chain.
fn by_threads(tasks: &[Task], short: bool) -> Result<Vec<SoftwareRow>> {
    let keys = keys()?;
    let processors = std::thread::available_parallelism()?.get();
    let mut rows = Rows::default();
    // The largest number of threads comes first, because it makes the keys fastest.
    for threads in (1..=processors.min(2)).rev() {
        let peers = Peers::on_processors(threads);
        for task in tasks {
            rows.extend(one(&peers, task, &keys, threads)?);
            rows.push(memory(task, threads)?);
            if threads > 1 && task.batch > 0 {
                rows.extend(batch(task, threads)?);
            }
        }
        if short && threads > 1 {
            rows.extend(batch(&Task::short(&folder())?, threads)?);
        }
    }
    Ok(rows.by_threads())
}

/// Measures only the rows of batches, on two threads.
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

/// Prepares a proof on one thread, by a prover that is kept.
pub fn task(log_size: u32) -> Result<super::Task> {
    let ours = Ours::new(&Task::chain(&folder(), Curve::Bn254, log_size, 1)?.files, 1)?;
    Ok(Box::new(move || ours.with_key()))
}

/// Returns the folder of the statements.
fn folder() -> PathBuf {
    report::checkout().join("target/bench/prove")
}

/// Returns the folder of keys that are expensive to make, in the user's cache.
fn keys() -> Result<PathBuf> {
    let cache = std::env::var_os("XDG_CACHE_HOME").filter(|path| !path.is_empty());
    let home = || std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache"));
    let folder =
        cache.map(PathBuf::from).or_else(home).context("neither XDG_CACHE_HOME nor HOME")?;
    let folder = folder.join("proofmill/bench-keys");
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    Ok(folder)
}

/// Makes one proof in this program, which does nothing else, and prints its memory.
pub fn prove_once(zkey: PathBuf, wtns: PathBuf, threads: usize) -> Result<()> {
    return_freed_memory();
    Memory::print_own(&Files { zkey, wtns }, threads)
}

/// Measures one task with a number of threads: one row per peer that supports it.
fn one(peers: &Peers, task: &Task, keys: &Path, threads: usize) -> Result<Vec<SoftwareRow>> {
    let ours = Ours::new(&task.files, threads)?;
    let work = task.work(keys, threads);
    let entrants: Vec<_> = Entrant::ALL.into_iter().filter(|peer| peer.takes(task)).collect();
    let mut theirs: Vec<_> =
        entrants.iter().map(|entrant| entrant.peer(peers, &work, &ours, task)).collect();
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

/// Measures a batch in lanes against proofs one after the other: milliseconds per proof, and the number of busy threads.
fn batch(task: &Task, threads: usize) -> Result<[SoftwareRow; 2]> {
    let ours = Batches::new(&task.files, threads)?;
    // Alternately; the fastest of each counts.
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

/// Measures the peak memory of one proof from files on against the plan.
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
