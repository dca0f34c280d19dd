//! Equihash solving compared with the crate `equihash`: milliseconds per nonce at (200,9), solutions and all.
//!
//! Ours solves one nonce after the other on all threads; the crate has one thread a nonce, so it solves as many nonces side by side. Both
//! of its modes are measured. (144,5) has no peer.

use std::time::Instant;

use anyhow::Result;
use proofmill_cpu::CpuDevice;
use proofmill_op::Submit;
use proofmill_op::equihash_solve::{HEADER_BYTES, Params, Request};
use works::equihash::Solving;

use super::{Rows, Task};
use crate::peers::{Library, Peer, Peers, contest};
use crate::row::SoftwareRow;
use crate::timing::Pick;

/// Nonces of a row.
const NONCES: usize = 8;

/// Measures the rows.
pub fn rows(quick: bool) -> Result<Vec<SoftwareRow>> {
    let (peers, mut rows) = (Peers::default(), Rows::default());
    let (nonces, rounds) = if quick { (2, 1) } else { (NONCES, 5) };
    let all = std::thread::available_parallelism()?.get();
    for threads in if all > 1 { vec![1, 2] } else { vec![1] } {
        let headers = headers(nonces);
        let device = CpuDevice::new(Some(threads))?;
        let request = Request::new(Params::N200_K9, headers.concat());
        let found = device.submit(request.clone())?.wait()?.solutions;
        let solutions = found.iter().map(Vec::len).sum();
        let mut ours = task(device, request);
        let work = works::Work::EquihashSolving(Solving { headers, solutions, threads });
        let libraries = [Library::EquihashSolver, Library::EquihashUnsafeSolver];
        let mut theirs = libraries.map(|library| Peer::new(&peers, library, work.clone()));
        let ([ours], seconds) = contest(rounds, Pick::Median, [&mut *ours], &mut theirs)?;
        for (peer, seconds) in theirs.into_iter().zip(seconds) {
            rows.push(row(
                Params::N200_K9,
                threads,
                nonces,
                ours,
                (peer.name, seconds, peer.absent),
            ));
        }
    }
    if !quick {
        let device = CpuDevice::new(None)?;
        let mut ours = task(device, Request::new(Params::N144_K5, headers(1).concat()));
        let ([ours], _) = contest(3, Pick::Median, [&mut *ours], &mut [])?;
        rows.push(row(Params::N144_K5, all, 1, ours, ("none".into(), f64::NAN, None)));
    }
    Ok(rows.by_threads())
}

fn task(device: CpuDevice, request: Request) -> Task {
    Box::new(move || {
        let start = Instant::now();
        let _solutions = device.submit(request.clone())?.wait()?;
        Ok(start.elapsed().as_secs_f64())
    })
}

/// Returns headers that differ in their nonces.
fn headers(count: usize) -> Vec<Vec<u8>> {
    let header = |nonce: usize| {
        let mut header = vec![7; HEADER_BYTES];
        header[HEADER_BYTES - 32..][..8].copy_from_slice(&nonce.to_le_bytes());
        header
    };
    (0..count).map(header).collect()
}

fn row(
    params: Params,
    threads: usize,
    nonces: usize,
    ours: f64,
    (peer_name, peer, absent): (String, f64, Option<String>),
) -> SoftwareRow {
    let each = 1e3 / nonces as f64;
    SoftwareRow {
        op: "equihash_solve".into(),
        instance: params.instance(),
        metric: "all solutions of a nonce".into(),
        unit: "ms/nonce".into(),
        threads,
        ours: ours * each,
        peer_name,
        peer: peer * each,
        ratio: peer / ours,
        absent,
    }
}
