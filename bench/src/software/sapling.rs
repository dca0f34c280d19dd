//! Zcash Sapling proofs with the parameters of the ceremony, compared with sapling-crypto: milliseconds a proof, from the circuit with its
//! inputs to the proof. Parameters are read before. Ours verifies every proof, which is part of its time; the peer does not.

use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result};
use proofmill::Cancel;
use proofmill::groth16::Devices;
use proofmill_cpu::CpuDevice;
use proofmill_zcash::{SaplingParameters, SaplingProver};
use works::sapling::Work;

use super::Rows;
use crate::peers::{Library, Peer, Peers, contest};
use crate::row::SoftwareRow;
use crate::timing::Pick;

#[path = "../../peers/zcash/src/circuits.rs"]
mod circuits;

/// Proofs of a batch.
const BATCH: usize = 16;

/// Measures the rows.
pub fn rows(quick: bool) -> Result<Vec<SoftwareRow>> {
    let rounds = if quick { 1 } else { 5 };
    let (spend, output) = wagyu_zcash_parameters::load_sapling_parameters();
    let parameters = SaplingParameters::from_bytes(spend.into(), output.into())?;
    let all = std::thread::available_parallelism()?.get();
    let (peers, mut rows) = (Peers::default(), Rows::default());
    for threads in if all > 1 { vec![1, all] } else { vec![1] } {
        let device = Arc::new(CpuDevice::new(Some(threads))?);
        let prover = SaplingProver::new(&parameters, Devices::one(device))?;
        for (spend, count) in [(true, 1), (false, 1), (true, BATCH)] {
            let work = Work { spend, count, threads };
            rows.push(compare(&prover, &work, &peers, rounds)?);
        }
    }
    Ok(rows.all())
}

fn compare(
    prover: &SaplingProver,
    work: &Work,
    peers: &Peers,
    rounds: usize,
) -> Result<SoftwareRow> {
    let mut ours = || seconds(prover, work);
    let mut theirs = [Peer::new(peers, Library::Zcash, works::Work::Sapling(work.clone()))];
    let ([ours], peer) = contest(rounds, Pick::Median, [&mut ours], &mut theirs)?;
    let [theirs] = theirs;
    let circuit = if work.spend { "Spend" } else { "Output" };
    let metric = match work.count {
        1 => format!("one {circuit}"),
        count => format!("a {circuit} of {count}"),
    };
    let milliseconds = |seconds: f64| seconds * 1e3 / work.count as f64;
    Ok(SoftwareRow {
        op: "sapling".into(),
        instance: "bls12_381".into(),
        metric,
        unit: "ms".into(),
        threads: work.threads,
        ours: milliseconds(ours),
        peer_name: theirs.name,
        peer: milliseconds(peer[0]),
        ratio: peer[0] / ours,
        absent: theirs.absent,
    })
}

/// Returns the seconds of our proofs.
fn seconds(prover: &SaplingProver, work: &Work) -> Result<f64> {
    let circuit = || circuits::circuits().context("the inputs of the circuits");
    let made: Vec<_> = (0..work.count).map(|_| circuit()).collect::<Result<_>>()?;
    let (mut spends, mut outputs): (Vec<_>, Vec<_>) = made.into_iter().unzip();
    let start = Instant::now();
    // A single proof uses all threads, a batch one for each proof.
    let proofs = match (work.spend, work.count) {
        (true, 1) => spends.drain(..).map(|circuit| prover.prove_spend(circuit)).collect(),
        (false, 1) => outputs.drain(..).map(|circuit| prover.prove_output(circuit)).collect(),
        (true, _) => prover.prove_spends(spends, &Cancel::new())?,
        (false, _) => prover.prove_outputs(outputs, &Cancel::new())?,
    };
    let proofs: Vec<_> = proofs.into_iter().collect::<Result<_, _>>()?;
    let seconds = start.elapsed().as_secs_f64();
    anyhow::ensure!(proofs.len() == work.count, "{} proofs", proofs.len());
    Ok(seconds)
}
