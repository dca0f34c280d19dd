//! Poseidon hashes compared with neptune: microseconds per hash.
//!
//! Ours goes from canonical bytes to canonical bytes; neptune goes from its own elements to its own. Each run of it is checked against
//! the checksum of our digests; with other digests it is absent. A tree from a file of leaves to a file of rows is compared with its
//! hashes alone, and its peak memory with the bytes of its rows, which builders of trees in memory need.

use std::time::Instant;

use anyhow::{Context as _, Result};
use proofmill_algebra::Isa;
use proofmill_algebra::poseidon::{Domain, ELEMENT_BYTES, Instance, Strength};
use proofmill_cpu::CpuDevice;
use proofmill_op::poseidon::Request;
use proofmill_op::{Data, Submit};
use works::poseidon::{Work, checksum, preimages};

use super::{Rows, Task};
use crate::peers::{Library, Peer, Peers, contest};
use crate::row::SoftwareRow;
use crate::timing::Pick;

pub use tree::build_once as build_tree_once;

mod tree;

/// Filecoin's arities.
const ARITIES: [usize; 4] = [2, 4, 8, 11];
/// Number of hashes of a batch, and of those one after the other.
const BATCH: usize = 1 << 14;
const ALONE: usize = 1 << 9;

/// Measures the rows.
pub fn rows(quick: bool) -> Result<Vec<SoftwareRow>> {
    let (peers, mut rows) = (Peers::default(), Rows::default());
    let threads = std::thread::available_parallelism()?.get();
    for arity in ARITIES {
        let batch = if quick { 1 << 8 } else { BATCH };
        rows.push(row(&peers, arity, ALONE, 1, true)?);
        rows.push(row(&peers, arity, batch, 1, false)?);
        if threads > 1 {
            rows.push(row(&peers, arity, batch, 2, false)?);
        }
    }
    let mut rows = rows.by_threads();
    rows.extend(tree::rows(quick, threads)?);
    Ok(rows)
}

fn row(
    peers: &Peers,
    arity: usize,
    count: usize,
    threads: usize,
    alone: bool,
) -> Result<SoftwareRow> {
    let checksum = checksum(&digests(arity, count)?);
    let work = works::Work::Poseidon(Work { arity, count, threads, alone, checksum });
    let mut ours =
        if alone { alone_task(arity, count)? } else { batch_task(arity, count, threads)? };
    let mut theirs = [Peer::new(peers, Library::Neptune, work)];
    let ([ours], seconds) = contest(5, Pick::Median, [&mut *ours], &mut theirs)?;
    let [peer] = theirs;
    let each = 1e6 / count as f64;
    Ok(SoftwareRow {
        op: "poseidon".into(),
        instance: format!("arity {arity}"),
        metric: if alone { "one after the other".into() } else { format!("batch of {count}") },
        unit: "us/hash".into(),
        threads,
        ours: ours * each,
        peer_name: peer.name,
        peer: seconds[0] * each,
        ratio: seconds[0] / ours,
        absent: peer.absent,
    })
}

fn instance(arity: usize) -> Result<&'static Instance> {
    Instance::of(arity, Strength::Standard).context("an arity that there is")
}

fn digests(arity: usize, count: usize) -> Result<Vec<u8>> {
    let mut digests = vec![0; count * ELEMENT_BYTES];
    let preimages = preimages(arity, count);
    instance(arity)?.hash(Isa::best(), Domain::MerkleTree, &preimages, &mut digests)?;
    Ok(digests)
}

/// Prepares one hash after the other, without a device.
fn alone_task(arity: usize, count: usize) -> Result<Task> {
    let (instance, preimages) = (instance(arity)?, preimages(arity, count));
    let mut digests = vec![0; count * ELEMENT_BYTES];
    Ok(Box::new(move || {
        let lists = preimages.chunks(arity * ELEMENT_BYTES);
        let start = Instant::now();
        for (list, digest) in lists.zip(digests.chunks_mut(ELEMENT_BYTES)) {
            instance.hash(Isa::best(), Domain::MerkleTree, list, digest)?;
        }
        Ok(start.elapsed().as_secs_f64())
    }))
}

/// Prepares a batch through the device.
fn batch_task(arity: usize, count: usize, threads: usize) -> Result<Task> {
    let device = CpuDevice::new(Some(threads))?;
    let preimages: Data = preimages(arity, count).into();
    Ok(Box::new(move || {
        let request = Request::new(arity, preimages.clone());
        let start = Instant::now();
        let _response = device.submit(request)?.wait()?;
        let seconds = start.elapsed().as_secs_f64();
        Ok(seconds)
    }))
}

/// Prepares a batch of arity 8 on one thread.
pub fn task(count: usize) -> Result<Task> {
    batch_task(8, count, 1)
}
