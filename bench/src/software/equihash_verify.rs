//! `equihash_verify` compared with the crate `equihash`.
//!
//! | metric | work | the peer's work |
//! |---|---|---|
//! | solutions | a batch of headers, no network: the Equihash solution alone | the same |
//! | headers | a batch, difficulty included | the solution, and SHA-256d of the header with the crate `sha2` |
//! | latency of one | a request with one header, no network, until its response arrives | one call |
//!
//! All our figures are taken through the interface that every caller uses (`Device::submit`, `Ticket::wait`). The
//! headers of a batch are copies of one valid header: no step depends on repetitions. The crate stops at the first error, so
//! an invalid header would compare different work. Both of its modes are measured; each row names the mode, and its metric
//! states whether that was the faster or the slower one on this machine.

use std::time::Instant;

use anyhow::{Context, Result, ensure};
use proofmill_cpu::CpuDevice;
use proofmill_op::equihash_verify::{Network, Params, Request};
use proofmill_op::{Data, Submit};
use works::equihash::Work;

use super::{Rows, Task};
use crate::peers::{Library, Peer, Peers, contest};
use crate::row::SoftwareRow;
use crate::timing::Pick;

/// A valid header from the vectors, and the number of headers in a batch.
struct Instance {
    params: Params,
    network: Network,
    header: Vec<u8>,
    batch: usize,
}

/// A comparison: headers per request, threads, and the difficulty rule.
struct Comparison {
    metric: &'static str,
    network: Network,
    count: usize,
    threads: usize,
}

/// Measures the rows.
pub fn rows(quick: bool) -> Result<Vec<SoftwareRow>> {
    let (scale, rounds) = if quick { (16, 3) } else { (1, 31) };
    let instances = [
        zcash()?,
        // A header that was solved for the vectors.
        instance(
            Params::N144_K5,
            include_str!("../../../spec/vectors/equihash_verify/144_5.json"),
            "solved",
        )?,
    ];
    let all = std::thread::available_parallelism()?.get();
    let peers = Peers::default();
    let mut rows = Rows::default();
    for instance in &instances {
        let batch = instance.batch / scale;
        for threads in if all > 1 { vec![1, all] } else { vec![1] } {
            for (metric, network) in [("solutions", Network::None), ("headers", instance.network)] {
                let comparison = Comparison { metric, network, count: batch, threads };
                rows.extend(compare(instance, &comparison, rounds, &peers)?);
            }
        }
        let one =
            Comparison { metric: "latency of one", network: Network::None, count: 1, threads: 1 };
        rows.extend(compare(instance, &one, 100 * rounds, &peers)?);
    }
    Ok(rows.all())
}

/// Prepares a batch on one thread, without difficulty.
pub fn task(count: usize) -> Result<Task> {
    let (Instance { params, header, .. }, device) = (zcash()?, CpuDevice::new(Some(1))?);
    let request = Request::new(params, Network::None, Data::from(header.repeat(count)));
    Ok(Box::new(move || ours(&device, &request)))
}

/// Returns Zcash mainnet block 346.
fn zcash() -> Result<Instance> {
    let vectors = include_str!("../../../spec/vectors/equihash_verify/200_9.json");
    instance(Params::N200_K9, vectors, "mainnet-346")
}

fn instance(params: Params, vectors: &str, base: &str) -> Result<Instance> {
    let vectors: serde_json::Value = serde_json::from_str(vectors)?;
    let header = vectors["bases"][base]
        .as_str()
        .with_context(|| format!("the vectors have no header {base}"))?;
    let network = if base.starts_with("mainnet") { Network::Main } else { Network::Test };
    Ok(Instance {
        params,
        network,
        header: hex::decode(header)?,
        batch: (1 << 18) / params.indices(),
    })
}

/// Measures two rows: against the faster mode of the crate, and against the other.
fn compare(
    instance: &Instance,
    comparison: &Comparison,
    rounds: usize,
    peers: &Peers,
) -> Result<[SoftwareRow; 2]> {
    let &Comparison { metric, network, count, threads } = comparison;
    let device = CpuDevice::new(Some(threads))?;
    let headers: Data = instance.header.repeat(count).into();
    let request = Request::new(instance.params, network, headers);
    let work = Work {
        n: instance.params.n(),
        k: instance.params.k(),
        header: instance.header.clone(),
        hashed: network != Network::None,
        repeat: count,
        threads,
    };
    let work = works::Work::Equihash(work);
    let mut theirs = [Library::Equihash, Library::EquihashUnsafeVerifier]
        .map(|mode| Peer::new(peers, mode, work.clone()));
    let mut ours = || ours(&device, &request);
    let ([ours], seconds) = contest(rounds, Pick::Median, [&mut ours], &mut theirs)?;
    let [a, b] = theirs;
    let mut theirs = [(seconds[0], a), (seconds[1], b)];
    theirs.sort_by(|(a, _), (b, _)| a.total_cmp(b)); // one that is absent comes last
    let (unit, figure): (_, fn(f64, usize) -> f64) = match count {
        1 => ("us", |seconds, _| seconds * 1e6),
        _ => ("headers/s", |seconds, count| count as f64 / seconds),
    };
    let row = |(seconds, peer): (f64, Peer<'_>), place| SoftwareRow {
        op: "equihash_verify".into(),
        instance: instance.params.instance(),
        metric: format!("{metric}, peer's {place} mode"),
        unit: unit.into(),
        threads,
        ours: figure(ours, count),
        peer_name: peer.name + if network == Network::None { "" } else { " + sha2" },
        peer: figure(seconds, count),
        ratio: seconds / ours,
        absent: peer.absent,
    };
    let [faster, slower] = theirs;
    Ok([row(faster, "faster"), row(slower, "slower")])
}

/// Returns the seconds of one request, from submission to response.
fn ours(device: &CpuDevice, request: &Request) -> Result<f64> {
    let start = Instant::now();
    let ticket = device.submit(request.clone())?;
    let response = ticket.wait()?;
    let seconds = start.elapsed().as_secs_f64();
    ensure!(
        response.verdicts.iter().all(|verdict| verdict.is_valid()),
        "we find the header invalid"
    );
    Ok(seconds)
}
