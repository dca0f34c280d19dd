//! Operations on this machine's processor compared with other software. One file per operation.
//!
//! Threads of ours and of Rust peers are bound to a processor each if there are enough ([`proofmill_cpu::thread_pool`]). Not bound
//! are those of Rust peers in MSMs and proofs, because arkworks starts its own pools, whose threads would inherit one processor;
//! those of blst's own pool; and those of other programs.

use anyhow::{Context, Result, bail};

use crate::place::Place;
use crate::report;
use crate::row::{Placed, SoftwareRow};
use crate::timing::Contestant;

mod algebra;
mod ecdsa_verify;
mod equihash_solve;
mod equihash_verify;
mod msm;
mod ntt;
mod pairing;
mod peak;
mod poseidon;
mod prove;
mod rows;
mod sapling;
mod vdf;
mod witness;
mod zcash;

pub use poseidon::build_tree_once;
pub use prove::prove_once;
use rows::Rows;
pub use witness::calculate_once;

/// Measures an operation, writes the rows and prints them. The rows of a requested path go to a separate file.
pub fn run(op: &str, quick: bool, isa: Option<&str>, only: Option<&str>) -> Result<()> {
    if cfg!(debug_assertions) {
        bail!("this is a debug build; run it with cargo run --release -p proofmill-bench");
    }
    const PARTS: [(&str, &[&str]); 2] =
        [("prove", &["batches", "plonk", "small"]), ("msm", &["small"])];
    if let Some(only) = only
        && !PARTS.iter().any(|(whole, parts)| *whole == op && parts.contains(&only))
    {
        bail!(
            "only: '{op}' has no part '{only}'; prove has batches, plonk and small, msm has small"
        );
    }
    let rows = match op {
        "prove" if only == Some("batches") => prove::batches(quick)?,
        "prove" if only == Some("plonk") => prove::plonk(quick)?,
        "prove" if only == Some("small") => prove::small(quick)?,
        "msm" if only == Some("small") => msm::small(quick)?,
        "algebra" => algebra::rows(quick)?,
        "ecdsa_verify" => ecdsa_verify::rows(quick)?,
        "equihash_solve" => equihash_solve::rows(quick)?,
        "equihash_verify" => equihash_verify::rows(quick)?,
        "msm" => msm::rows(quick)?,
        "ntt" => ntt::rows(quick)?,
        "pairing" => pairing::rows(quick)?,
        "poseidon" => poseidon::rows(quick)?,
        "prove" => prove::rows(quick)?,
        "sapling" => sapling::rows(quick)?,
        "vdf" => vdf::rows(quick)?,
        "witness" => witness::rows(quick)?,
        "zcash" => zcash::rows(quick)?,
        _ => bail!(
            "op: '{op}' has no bench; expected algebra, ecdsa_verify, equihash_solve, equihash_verify, msm, ntt, pairing, poseidon, prove, sapling, vdf, witness or zcash"
        ),
    };
    let folder = match (quick, only) {
        (true, _) => "quick/",
        (false, Some(_)) => "parts/",
        (false, None) => "",
    };
    let path = isa.map_or(String::new(), |isa| format!("@{isa}"));
    write(&format!("{folder}{op}{path}"), &rows)
}

/// Writes rows with their place, and prints them.
pub fn write(name: &str, rows: &[SoftwareRow]) -> Result<()> {
    let place = &Place::current()?;
    let placed: Vec<_> = rows.iter().map(|row| Placed { row, place }).collect();
    let path = report::write(name, &placed)?;
    println!("{}\n{}written to {}", place.line(), report::table(rows)?, path.display());
    Ok(())
}

/// A prepared measurement of our own work without peers, which can be repeated.
pub type Task = Box<dyn Contestant>;

/// One task of each operation, on one thread: the operation, the instance, and the work.
pub const TASKS: [&str; 7] = [
    "ecdsa_verify secp256k1, 512 signatures",
    "equihash_verify equihash_200_9, 64 headers",
    "msm bls12_381_g1, 2^13 points",
    "ntt bn254_fr, 2^16 elements",
    "pairing bls12_381, 4 pairings",
    "poseidon arity 8, 512 hashes",
    "prove bn254, 2^12 constraints",
];

/// Prepares the task with this name; MSMs may have any size.
pub fn task(name: &str) -> Result<Task> {
    let (subject, what) = name.split_once(", ").unwrap_or((name, ""));
    match subject.split_once(' ') {
        Some(("ecdsa_verify", _)) => ecdsa_verify::task(512),
        Some(("equihash_verify", _)) => equihash_verify::task(64),
        Some(("msm", instance)) => {
            let size = what.strip_prefix("2^").and_then(|size| size.split(' ').next());
            msm::task(instance, size.context("task: an MSM has a size")?.parse()?)
        }
        Some(("ntt", _)) => ntt::task(16),
        Some(("pairing", _)) => pairing::task(),
        Some(("poseidon", _)) => poseidon::task(512),
        Some(("prove", _)) => prove::task(12),
        _ => bail!("task: '{name}' is not known; there are {}", TASKS.join("; ")),
    }
}
