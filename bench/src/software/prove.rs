//! Groth16 proofs over BN254 beside arkworks, gnark, rapidsnark and snarkjs: milliseconds for one, the best of a few.
//!
//! The circuit is the chain of [`crate::peers::prove`]. Ours is timed twice: with a prover that stays, beside peers whose key
//! stays, and from the files of key and witness on, beside snarkjs, which knows nothing else. Our time contains the
//! verification of the proof, which we do before we give it out; a peer's does not. Peers' proofs are verified after the clock
//! has stopped: those that come in files by us, the others by the peer's own verifier. Everybody has the same number of
//! threads, and all take turns. The peak memory of a program that makes one proof stands beside what the prover's plan says.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use proofmill::groth16::{self, snarkjs};

use crate::peers::program::Program;
use crate::peers::prove::{Work, start_gnark, start_rapidsnark, start_rust, start_snarkjs};
use crate::report;
use crate::row::SoftwareRow;
use crate::timing::{Contestant, interleaved_best};
use memory::Memory;
use ours::{Files, Ours};

mod memory;
mod ours;

/// Logarithms of the sizes, and how many rounds there are at each.
const SIZES: [(u32, usize); 3] = [(14, 5), (16, 4), (18, 3)];
/// The same of a quick run.
const QUICK: [(u32, usize); 1] = [(10, 1)];

/// What a peer's key does between proofs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Key {
    /// It stays in memory, in the peer's own form.
    Stays,
    /// It is read from its file for every proof.
    IsRead,
}

/// A peer that could be started.
struct Peer {
    name: &'static str,
    key: Key,
    /// The proof is left in files, for us to verify.
    leaves_files: bool,
    program: Program,
}

/// The figures.
pub fn rows(quick: bool) -> Result<Vec<SoftwareRow>> {
    let keys = keys()?;
    let sizes: &[_] = if quick { &QUICK } else { &SIZES };
    let processors = std::thread::available_parallelism()?.get();
    let mut rows = Vec::new();
    // The most threads come first: with them keys are made fastest, and then they are there.
    for threads in (1..=processors.min(2)).rev() {
        let mut peers = start(threads)?;
        for &(log_size, rounds) in sizes {
            let files = Files::new(&report::checkout().join("target/bench/prove"), log_size)?;
            let work = work(&files, &keys, log_size, threads);
            contest(&mut rows, &mut peers, &files, &work, rounds)?;
            rows.push(memory(&files, &work)?);
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

/// Starts all peers that there are.
fn start(threads: usize) -> Result<Vec<Peer>> {
    let arkworks = Peer {
        name: "arkworks 0.6.0 (asm)",
        key: Key::Stays,
        leaves_files: false,
        program: start_rust()?,
    };
    type Start = fn(usize) -> Result<Program>;
    let others: [(_, _, _, Start); 3] = [
        ("gnark 0.16.0 (GOAMD64=v4)", Key::Stays, false, start_gnark),
        ("rapidsnark 0.0.8", Key::Stays, true, start_rapidsnark),
        ("snarkjs 0.7.6", Key::IsRead, true, start_snarkjs),
    ];
    let others = others.into_iter().filter_map(|(name, key, leaves_files, start)| {
        let started =
            start(threads).inspect_err(|problem| eprintln!("without {name}: {problem:#}"));
        Some(Peer { name, key, leaves_files, program: started.ok()? })
    });
    Ok(std::iter::once(arkworks).chain(others).collect())
}

/// Makes one proof in this program, which does nothing else, and prints what memory it took.
pub fn prove_once(zkey: PathBuf, wtns: PathBuf, threads: usize) -> Result<()> {
    Memory::print_own(&Files { zkey, wtns }, threads)
}

/// What everybody is to do.
fn work(files: &Files, keys: &Path, log_size: u32, threads: usize) -> Work {
    Work {
        log_size,
        threads,
        zkey: files.zkey.clone(),
        wtns: files.wtns.clone(),
        proof: files.zkey.with_extension("proof.json"),
        public: files.zkey.with_extension("public.json"),
        keys: keys.into(),
    }
}

/// One size with a number of threads: a row a peer.
fn contest(
    rows: &mut Vec<SoftwareRow>,
    peers: &mut [Peer],
    files: &Files,
    work: &Work,
    rounds: usize,
) -> Result<()> {
    let ours = Ours::new(files, work.threads)?;
    let mut turns: Vec<Box<dyn FnMut() -> Result<f64> + '_>> =
        vec![Box::new(|| ours.with_key()), Box::new(|| ours.with_files(files))];
    for peer in &mut *peers {
        turns.push(Box::new(|| {
            let seconds = peer.program.seconds(work)?;
            if peer.leaves_files {
                verify(&ours, work).context(peer.name)?;
            }
            Ok(seconds)
        }));
    }
    let mut contestants: Vec<&mut dyn Contestant> =
        turns.iter_mut().map(|turn| turn as &mut dyn Contestant).collect();
    let best = interleaved_best(rounds, &mut contestants)?;
    drop(turns);
    let (ours, theirs) = best.split_first_chunk::<2>().context("we take part twice")?;
    let fastest = theirs.iter().copied().fold(f64::INFINITY, f64::min);
    for (peer, &seconds) in peers.iter().zip(theirs) {
        let place = if seconds == fastest { "fastest peer" } else { "slower peer" };
        let (ours, form) = match peer.key {
            Key::Stays => (ours[0], "key resident"),
            Key::IsRead => (ours[1], "from files"),
        };
        let metric = format!("{form}, {place}");
        rows.push(row(work, &metric, "ms", ours * 1e3, peer.name, seconds * 1e3));
    }
    Ok(())
}

/// The peak memory of one proof from files on, beside the plan's.
fn memory(files: &Files, work: &Work) -> Result<SoftwareRow> {
    let Memory { peak, plan } = Memory::of_a_program(files, work.threads)?;
    let [peak, plan] = [peak, plan].map(|bytes| bytes as f64 / f64::from(1 << 20));
    Ok(row(work, "from files, peak memory", "MiB", peak, "the plan's memory", plan))
}

fn row(
    work: &Work,
    metric: &str,
    unit: &str,
    ours: f64,
    peer_name: &str,
    peer: f64,
) -> SoftwareRow {
    SoftwareRow {
        op: "prove".into(),
        instance: "bn254".into(),
        metric: format!("2^{} constraints, {metric}", work.log_size),
        unit: unit.into(),
        threads: work.threads,
        ours,
        peer_name: peer_name.into(),
        peer,
        ratio: peer / ours,
    }
}

/// Does the proof in a peer's files verify?
fn verify(ours: &Ours, work: &Work) -> Result<()> {
    let proof = snarkjs::proof::open(&work.proof)?;
    let public = snarkjs::public::open(&work.public, groth16::Curve::Bn254)?;
    ensure!(ours.verifying().verify(&public, &proof)?, "the proof does not verify");
    Ok(())
}
