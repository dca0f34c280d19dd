//! Groth16 proofs beside arkworks, gnark, rapidsnark and snarkjs: milliseconds for one, the best of a few.
//!
//! The circuits are the chain of [`crate::peers::prove`], over BN254 and BLS12-381, whose witness is random, and SHA-256 as
//! circom compiles it, whose witness is mostly bits: only who reads circom's files can prove that. Ours is timed twice: with a
//! prover that stays, beside peers whose key stays, and from the files of key and witness on, beside snarkjs, which knows nothing
//! else. Our time contains the verification of the proof, which we do before we give it out; a peer's does not. Peers' proofs are
//! verified after the clock has stopped: those that come in files by us, the others by the peer's own verifier. Everybody has the
//! same number of threads, and all take turns. A peer that cannot be started has rows without figures; the run says why. The
//! peak memory of a program that makes one proof stands beside what the prover's plan says.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use proofmill::groth16::return_freed_memory;

use crate::report;
use crate::row::SoftwareRow;
use crate::timing::{Contestant, interleaved_best};
use memory::Memory;
use ours::Ours;
use peers::{Key, Peer};
use task::{Files, Task};

mod memory;
mod ours;
mod peers;
mod task;

/// The figures.
pub fn rows(quick: bool) -> Result<Vec<SoftwareRow>> {
    return_freed_memory();
    let keys = keys()?;
    let tasks = Task::all(&report::checkout().join("target/bench/prove"), quick)?;
    let processors = std::thread::available_parallelism()?.get();
    let mut rows = Vec::new();
    // The most threads come first: with them keys are made fastest, and then they are there.
    for threads in (1..=processors.min(2)).rev() {
        let mut peers = Peer::all(threads);
        for task in &tasks {
            rows.extend(contest(&mut peers, task, &keys, threads)?);
            rows.push(memory(task, threads)?);
        }
    }
    rows.sort_by_key(|row| row.threads);
    Ok(rows)
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
fn contest(
    peers: &mut [Peer],
    task: &Task,
    keys: &Path,
    threads: usize,
) -> Result<Vec<SoftwareRow>> {
    let ours = Ours::new(&task.files, threads)?;
    let work = task.work(keys, threads);
    let (mut there, absent): (Vec<_>, Vec<_>) =
        peers.iter_mut().filter(|peer| peer.takes(task)).partition(|peer| peer.program.is_some());
    let mut turns: Vec<Box<dyn FnMut() -> Result<f64> + '_>> =
        vec![Box::new(|| ours.with_key()), Box::new(|| ours.with_files(&task.files))];
    for peer in &mut there {
        turns.push(Box::new(|| peer.seconds(&work, &ours, task.curve)));
    }
    let mut contestants: Vec<&mut dyn Contestant> =
        turns.iter_mut().map(|turn| turn as &mut dyn Contestant).collect();
    let best = interleaved_best(task.rounds, &mut contestants)?;
    drop(turns);
    let (ours, theirs) = best.split_first_chunk::<2>().context("we take part twice")?;
    let fastest = theirs.iter().copied().fold(f64::INFINITY, f64::min);
    let beside = |peer: &Peer, place: &str, seconds: f64| {
        let (ours, form) = match peer.key {
            Key::Stays => (ours[0], "key resident"),
            Key::IsRead => (ours[1], "from files"),
        };
        let metric = format!("{form}, {place}");
        row(task, threads, &metric, "ms", ours * 1e3, peer.name, seconds * 1e3)
    };
    let measured = there.iter().zip(theirs).map(|(peer, &seconds)| {
        let place = if seconds == fastest { "fastest peer" } else { "slower peer" };
        beside(peer, place, seconds)
    });
    let missing = absent.iter().map(|peer| beside(peer, "absent peer", f64::NAN));
    Ok(measured.chain(missing).collect())
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
    }
}
