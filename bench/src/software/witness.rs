//! Witnesses by circom's WebAssembly generators compared with circom's JavaScript in Node: milliseconds of a program that reads
//! the generator and the inputs and writes the witness, its start included, the median of a few.
//!
//! Ours is this program, which runs the generator in its own process; the peer is `generate_witness.js` as circom writes it
//! beside the generator. Both are held to one processor and run alternately. Their files must be the same, byte by byte.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use proofmill::snark::{Inputs, WitnessCalculator};

use super::Rows;
use crate::peers::prove::{generator, packages};
use crate::report;
use crate::row::SoftwareRow;
use crate::timing::{Pick, interleaved};

/// Circuits of `interop/generators.py`: the name there, and the name in rows.
const CIRCUITS: [(&str, &str); 3] = [
    ("sha256_512", "SHA-256 of 512 bytes"),
    ("merkle_32", "Poseidon Merkle path of depth 32"),
    ("signature", "EdDSA-Poseidon verification"),
];

/// The number of rounds, and that of a quick run.
const ROUNDS: [usize; 2] = [11, 1];

/// Measures the rows. Nothing is measured where npm cannot install circom.
pub fn rows(quick: bool) -> Result<Vec<SoftwareRow>> {
    let packages = packages().context("there are no generators without circom's packages")?;
    let peer = peer(&packages)?;
    let mut rows = Rows::default();
    for (circuit, name) in CIRCUITS {
        rows.push(one(circuit, name, &peer, ROUNDS[usize::from(quick)])?);
    }
    Ok(rows.all())
}

/// Returns the peer's name, with the versions of circom and Node.
fn peer(packages: &Path) -> Result<String> {
    let manifest = std::fs::read_to_string(packages.join("node_modules/circom2/package.json"))?;
    let manifest: serde_json::Value = serde_json::from_str(&manifest)?;
    let circom = manifest["version"].as_str().context("circom2's package.json has no version")?;
    let done = Command::new("node").arg("--version").output().context("cannot start node")?;
    let node = String::from_utf8(done.stdout)?;
    Ok(format!("circom2 {circom}, Node {}", node.trim().trim_start_matches('v')))
}

/// Calculates a witness in this program, which does nothing else.
pub fn calculate_once(wasm: &Path, input: &Path, output: &Path) -> Result<()> {
    let witness = WitnessCalculator::open(wasm)?.calculate(&Inputs::open(input)?)?;
    std::fs::write(output, &*witness.to_file()).with_context(|| output.display().to_string())
}

/// Measures one circuit.
fn one(circuit: &str, name: &str, peer: &str, rounds: usize) -> Result<SoftwareRow> {
    let made = generator(circuit)?;
    let input = made.join("input.json");
    let wasm = made.join(format!("{circuit}_js/{circuit}.wasm"));
    let script = wasm.with_file_name("generate_witness.js");
    let folder = report::checkout().join("target/bench/witness").join(circuit);
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let [ours, theirs] = ["ours.wtns", "theirs.wtns"].map(|name| folder.join(name));
    let own = [std::env::current_exe()?, "witness-once".into()];
    let mut our_turn = || seconds(&own, [&wasm, &input, &ours]);
    let node = [PathBuf::from("node"), script];
    let mut their_turn = || seconds(&node, [&wasm, &input, &theirs]);
    let taken = interleaved(rounds, Pick::Median, &mut [&mut our_turn, &mut their_turn])?;
    let read = |path: &Path| std::fs::read(path).with_context(|| path.display().to_string());
    ensure!(read(&ours)? == read(&theirs)?, "{name}: the witnesses differ");
    Ok(SoftwareRow {
        op: "witness".into(),
        instance: "bn254".into(),
        metric: format!("{name}, from files, start included"),
        unit: "ms".into(),
        threads: 1,
        ours: taken[0] * 1e3,
        peer_name: peer.into(),
        peer: taken[1] * 1e3,
        ratio: taken[1] / taken[0],
        absent: None,
    })
}

/// Returns the seconds of a program on one processor.
fn seconds(program: &[PathBuf], files: [&Path; 3]) -> Result<f64> {
    let mut command = Command::new("taskset");
    command.args(["--cpu-list", "0"]).args(program).args(files);
    let start = Instant::now();
    let done = command.output().context("cannot start taskset")?;
    let seconds = start.elapsed().as_secs_f64();
    let name = program.last().map(|path| path.display().to_string()).unwrap_or_default();
    ensure!(done.status.success(), "{name}: {}", String::from_utf8_lossy(&done.stderr).trim());
    Ok(seconds)
}
