//! Repeated squaring compared with GMP: nanoseconds per squaring, and the verification of proofs.

use std::time::Instant;

use anyhow::{Context as _, Result};
use proofmill::vdf::wesolowski::{self, Settings};
use proofmill::vdf::{self, Claim, Group, moduli};
use proofmill_cpu::CpuDevice;
use proofmill_op::Submit;
use proofmill_op::vdf::Request;
use works::vdf::Work;

use super::{Rows, Task};
use crate::peers::{Library, Peer, Peers, contest};
use crate::row::SoftwareRow;
use crate::timing::Pick;

/// Bits of the moduli.
const BITS: [usize; 3] = [1024, 2048, 3072];
/// Squarings of a row.
const SQUARINGS: u32 = 100_000;
/// Proofs that are verified at a time.
const PROOFS: usize = 1000;

/// Measures the rows.
pub fn rows(quick: bool) -> Result<Vec<SoftwareRow>> {
    let (peers, mut rows) = (Peers::default(), Rows::default());
    let squarings = if quick { SQUARINGS / 100 } else { SQUARINGS };
    for bits in BITS {
        rows.push(row(&peers, bits, squarings)?);
    }
    let mut rows = rows.by_threads();
    let threads = std::thread::available_parallelism()?.get();
    for threads in if threads > 1 { vec![1, 2] } else { vec![1] } {
        rows.push(verification(if quick { 10 } else { PROOFS }, threads)?);
    }
    Ok(rows)
}

/// A modulus of some bits, all of whose limbs are full.
fn modulus(bits: usize) -> Vec<u8> {
    let limbs = (1..).map(|i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1 << 63 | 1);
    limbs.take(bits / 64).flat_map(u64::to_le_bytes).collect()
}

fn row(peers: &Peers, bits: usize, squarings: u32) -> Result<SoftwareRow> {
    let digits = |bytes: &[u8]| hex::encode(bytes.iter().rev().copied().collect::<Vec<_>>());
    let (modulus, input) = (modulus(bits), vec![3; bits / 8]);
    let device = CpuDevice::new(Some(1))?;
    let request = Request::new(&*modulus, &*input, squarings.into());
    let output = device.submit(request.clone())?.wait()?;
    let mut ours: Task = Box::new(move || {
        let start = Instant::now();
        device.submit(request.clone())?.wait()?;
        Ok(start.elapsed().as_secs_f64())
    });
    let work = works::Work::Vdf(Work {
        modulus: digits(&modulus),
        input: digits(&input),
        squarings,
        output: digits(output.output()),
    });
    let mut theirs = [Peer::new(peers, Library::Gmp, work)];
    let ([ours], seconds) = contest(5, Pick::Median, [&mut *ours], &mut theirs)?;
    let [peer] = theirs;
    let each = 1e9 / f64::from(squarings);
    Ok(SoftwareRow {
        op: "vdf".into(),
        instance: format!("{bits} bits"),
        metric: "one squaring".into(),
        unit: "ns".into(),
        threads: 1,
        ours: ours * each,
        peer_name: peer.name,
        peer: seconds[0] * each,
        ratio: seconds[0] / ours,
        absent: peer.absent,
    })
}

/// Proofs of Wesolowski modulo RSA-2048, without a peer.
fn verification(count: usize, threads: usize) -> Result<SoftwareRow> {
    let group = Group::new(&vdf::parse_number(moduli::RSA_2048).context("a number")?)?;
    let device = CpuDevice::new(Some(threads))?;
    let proofs = (0..count).map(|i| {
        let input = (i as u64 + 2).to_le_bytes();
        let claim = Claim::new(&group, &input, 64)?;
        let proof = wesolowski::prove(&device, &claim, &Settings::default())?;
        Ok((claim, proof))
    });
    let proofs = proofs.collect::<Result<Vec<_>>>()?;
    let pool = proofmill_cpu::thread_pool(Some(threads))?;
    let mut ours: Task = Box::new(move || {
        let start = Instant::now();
        let verdicts = pool.install(|| wesolowski::verify_batch(&proofs));
        anyhow::ensure!(verdicts.iter().all(|verdict| matches!(verdict, Ok(true))));
        Ok(start.elapsed().as_secs_f64())
    });
    let ([ours], _) = contest(3, Pick::Median, [&mut *ours], &mut [])?;
    Ok(SoftwareRow {
        op: "vdf".into(),
        instance: "2048 bits".into(),
        metric: format!("verification of {count} proofs"),
        unit: "us/proof".into(),
        threads,
        ours: ours * 1e6 / count as f64,
        peer_name: "none".into(),
        peer: f64::NAN,
        ratio: f64::NAN,
        absent: None,
    })
}
