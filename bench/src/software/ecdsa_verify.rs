//! `ecdsa_verify` beside libsecp256k1 and k256.
//!
//! | metric | what is done | what the peer does |
//! |---|---|---|
//! | batch | a request of many signatures under many keys, as integers | one call a signature, signature and key as the peer keeps them |
//! | batch with parsing | the same from 33 bytes of key and a signature in DER, by `proofmill::ecdsa` | the same, one by one |
//! | latency of one | a request of one signature | one call |
//!
//! All our figures are taken through the interfaces that every caller uses (`Device::submit`, `proofmill::ecdsa`). All
//! signatures are valid, with a small s, and each is another one under another key.

use std::path::Path;
use std::time::Instant;

use anyhow::{Result, ensure};
use proofmill::ecdsa::{self, Item, Outcome, Policy, Request, Signature};
use proofmill_cpu::CpuDevice;
use proofmill_op::{Data, Submit};
use works::ecdsa::{Encoded, Work};

use super::{Rows, Task};
use crate::peers::{Library, Peer, Peers, contest};
use crate::report;
use crate::row::SoftwareRow;
use crate::signatures::{items, parsed, signatures};
use crate::timing::Pick;

/// Signatures in a batch.
const BATCH: usize = 2048;

/// One comparison.
struct Comparison {
    metric: &'static str,
    parsing: bool,
    count: usize,
    threads: usize,
    rounds: usize,
}

/// The figures.
pub fn rows(quick: bool) -> Result<Vec<SoftwareRow>> {
    let (batch, rounds) = if quick { (BATCH / 16, 3) } else { (BATCH, 31) };
    let encoded = signatures(batch)?;
    let path = report::write("inputs/signatures", &encoded)?;
    let peers = Peers::default();
    let all = std::thread::available_parallelism()?.get();
    let mut rows = Rows::default();
    for threads in if all > 1 { vec![1, all] } else { vec![1] } {
        for (metric, parsing) in [("batch", false), ("batch with parsing", true)] {
            let comparison = Comparison { metric, parsing, count: batch, threads, rounds };
            rows.extend(compare(&encoded, &path, &comparison, &peers)?);
        }
    }
    let (metric, rounds) = ("latency of one", 100 * rounds);
    let one = Comparison { metric, parsing: false, count: 1, threads: 1, rounds };
    rows.extend(compare(&encoded, &path, &one, &peers)?);
    Ok(rows.all())
}

/// A batch on one thread.
pub fn task(count: usize) -> Result<Task> {
    let device = CpuDevice::new(Some(1))?;
    let bytes: Vec<_> = parsed(&signatures(count)?)?.iter().flat_map(Signature::to_bytes).collect();
    let signatures = Data::from(bytes);
    Ok(Box::new(move || {
        let start = Instant::now();
        verify(&device, signatures.clone())?;
        Ok(start.elapsed().as_secs_f64())
    }))
}

/// A row for each peer.
fn compare(
    encoded: &[Encoded],
    path: &Path,
    comparison: &Comparison,
    peers: &Peers,
) -> Result<Vec<SoftwareRow>> {
    let &Comparison { metric, parsing, count, threads, rounds } = comparison;
    let encoded = &encoded[..count];
    let device = CpuDevice::new(Some(threads))?;
    let items = items(encoded);
    let bytes: Vec<_> = parsed(encoded)?.iter().flat_map(Signature::to_bytes).collect();
    let signatures = Data::from(bytes);
    let mut ours = || {
        let start = Instant::now();
        match parsing {
            true => parse_and_verify(&device, &items, threads)?,
            false => verify(&device, signatures.clone())?,
        }
        Ok(start.elapsed().as_secs_f64())
    };
    let work = works::Work::Ecdsa(Work { signatures: path.into(), parsing, count, threads });
    let mut theirs = [Library::Libsecp256k1, Library::K256]
        .map(|library| Peer::new(peers, library, work.clone()));
    let ([ours], seconds) = contest(rounds, Pick::Median, [&mut ours], &mut theirs)?;
    let (unit, figure): (_, fn(f64, usize) -> f64) = match count {
        1 => ("us", |seconds, _| seconds * 1e6),
        _ => ("signatures/s", |seconds, count| count as f64 / seconds),
    };
    let row = |(peer, seconds): (Peer<'_>, f64)| SoftwareRow {
        op: "ecdsa_verify".into(),
        instance: "secp256k1".into(),
        metric: metric.into(),
        unit: unit.into(),
        threads,
        ours: figure(ours, count),
        peer_name: peer.name,
        peer: figure(seconds, count),
        ratio: seconds / ours,
        absent: peer.absent,
    };
    Ok(theirs.into_iter().zip(seconds).map(row).collect())
}

/// Has the signatures parsed and verified by no more threads than this. One thread parses and then waits for the other
/// that verifies; as many as there are processors share these with the one that parses ahead.
fn parse_and_verify(device: &CpuDevice, items: &[Item<&[u8]>], threads: usize) -> Result<()> {
    let outcomes = match threads {
        1 => ecdsa::submit(device, items, Policy::default())?.wait()?,
        _ => ecdsa::verify_batch(device, items, Policy::default())?,
    };
    let valid = outcomes.len() == items.len() && outcomes.iter().all(|o| *o == Outcome::Valid);
    ensure!(valid, "we find a signature invalid");
    Ok(())
}

/// Has the signatures verified, from the request to the response.
fn verify(device: &CpuDevice, signatures: Data) -> Result<()> {
    let response = device.submit(Request::new(signatures))?.wait()?;
    let valid = response.verdicts.iter().all(|verdict| verdict.is_valid());
    ensure!(valid, "we find a signature invalid");
    Ok(())
}
