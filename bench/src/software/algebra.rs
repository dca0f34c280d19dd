//! Field arithmetic and affine additions compared with blst, halo2curves and gnark-crypto: nanoseconds per operation.
//!
//! | metric | work |
//! |---|---|
//! | multiplication, squaring, addition: throughput | independent ones, eight to a vector ([`lanes`]), operands in the first-level cache |
//! | batch inversion: throughput | a slice of 4096, Montgomery's trick |
//! | affine addition | `lanes::affine`: random buckets, random points of 128 KiB or of 64 MiB, signs, inversions included |
//! | scalar multiplication: throughput, latency | one element at a time: independent ones, or each waiting for the one before |
//! | scalar inversion: latency | one element at a time, constant time |
//!
//! Elements in memory are in each library's own form: ours are structures of eight, the peers' single integers. A peer's
//! name contains its method of affine additions. Each uses one thread; all run alternately.

use anyhow::Result;
use proofmill_algebra::field::{Bls12381Fp, Bls12381Fr, Bn254Fp, Bn254Fr, Secp256k1Fp};
use proofmill_algebra::lanes::Prime;
use works::algebra::{Task, Work};

use super::Rows;
use crate::peers::{Library, Package, Peer, Peers, contest};
use crate::row::SoftwareRow;
use crate::timing::{Contestant, Pick};

mod ours;

const GNARK: Library = Library::GnarkCrypto(Package::Algebra);

/// The amount of work.
struct Effort {
    rounds: usize,
    /// Divisor of the operations per run.
    scale: usize,
}

/// A comparison with a peer.
struct Comparison<'a> {
    metric: &'a str,
    peer: Library,
    /// The peer's method, if it differs.
    how: &'a str,
    work: Work,
    /// Operations per run: ours, and the peer's.
    operations: [usize; 2],
}

/// Measures the rows.
pub fn rows(quick: bool) -> Result<Vec<SoftwareRow>> {
    let effort =
        if quick { Effort { rounds: 3, scale: 20 } } else { Effort { rounds: 31, scale: 1 } };
    let peers = &Peers::default();
    let mut rows = Rows::default();
    vectors::<Bls12381Fp, 8>(&mut rows, peers, &effort, Library::Blst)?;
    vectors::<Bn254Fp, 5>(&mut rows, peers, &effort, Library::Halo2curves)?;
    vectors::<Bls12381Fr, 5>(&mut rows, peers, &effort, GNARK)?;
    vectors::<Bn254Fr, 5>(&mut rows, peers, &effort, GNARK)?;
    vectors::<Secp256k1Fp, 5>(&mut rows, peers, &effort, Library::Halo2curves)?;
    scalars::<Bls12381Fp>(&mut rows, peers, &effort, Library::Blst)?;
    scalars::<Bls12381Fr>(&mut rows, peers, &effort, Library::Blst)?;
    let peer = (Library::Blst, " (sum of points)");
    points::<Bls12381Fp, 8, 2>(&mut rows, peers, &effort, "bls12_381", peer)?;
    let peer = (Library::Halo2curves, " (mixed addition)");
    points::<Bn254Fp, 5, 1>(&mut rows, peers, &effort, "bn254", peer)?;
    Ok(rows.all())
}

fn vectors<P: Prime<L>, const L: usize>(
    rows: &mut Rows,
    peers: &Peers,
    effort: &Effort,
    peer: Library,
) -> Result<()> {
    let tasks = [
        ("multiplication: throughput", Task::Multiply, 192, 200),
        ("squaring: throughput", Task::Square, 192, 200),
        ("addition: throughput", Task::Add, 192, 1000),
        ("batch inversion of 4096: throughput", Task::BatchInvert, 4096, 10),
    ];
    for (metric, task, count, repeat) in tasks {
        if peer == GNARK && task == Task::Square {
            continue; // its vectors have no square
        }
        let work = work::<P>(task, count, repeat, effort);
        let mut ours = ours::lists::<P, L>(&work);
        let operations = [work.count * work.repeat; 2];
        let how = if peer == GNARK { " (Vector)" } else { "" };
        let comparison = Comparison { metric, peer, how, work, operations };
        rows.push(compare(P::NAME, &comparison, effort, &mut || ours(), peers)?);
    }
    Ok(())
}

fn scalars<P: proofmill_algebra::field::PrimeField>(
    rows: &mut Rows,
    peers: &Peers,
    effort: &Effort,
    peer: Library,
) -> Result<()> {
    let tasks = [
        ("scalar multiplication: throughput", Task::Multiply, 192, 100),
        ("scalar multiplication: latency", Task::Chain, 192, 100),
        ("scalar squaring: throughput", Task::Square, 192, 100),
        ("scalar inversion: latency", Task::Invert, 20, 20),
    ];
    for (metric, task, count, repeat) in tasks {
        let work = work::<P>(task, count, repeat, effort);
        let mut ours = ours::Scalars::<P>::new(&work);
        let operations = [work.count * work.repeat; 2];
        let comparison = Comparison { metric, peer, how: "", work, operations };
        rows.push(compare(P::NAME, &comparison, effort, &mut || ours.seconds(), peers)?);
    }
    Ok(())
}

fn points<P: Prime<L>, const L: usize, const K: usize>(
    rows: &mut Rows,
    peers: &Peers,
    effort: &Effort,
    curve: &str,
    (peer, how): (Library, &str),
) -> Result<()> {
    let bytes = 64 * K;
    for (metric, size) in [
        ("affine addition, points in 128 KiB: throughput", 128 << 10),
        ("affine addition, points in 64 MiB: throughput", 64 << 20),
    ] {
        let count = size / bytes;
        // The buckets: as many as points in the cache, and 2^15 of a window of 16 bits.
        let mut ours = ours::Points::<P, L, K>::new(count.min(1 << 15), count);
        let turn = if size > 1 << 20 { 1 } else { (16 / effort.scale).max(1) };
        let peers_count = if size > 1 << 20 { count / effort.scale } else { count };
        let work =
            Work { field: P::NAME.into(), task: Task::Points, count: peers_count, repeat: turn };
        let operations = [ours::Points::<P, L, K>::TURN, peers_count * turn];
        let comparison = Comparison { metric, peer, how, work, operations };
        rows.push(compare(curve, &comparison, effort, &mut || Ok(ours.seconds()), peers)?);
    }
    Ok(())
}

fn work<P: proofmill_algebra::field::PrimeField>(
    task: Task,
    count: usize,
    repeat: usize,
    effort: &Effort,
) -> Work {
    Work { field: P::NAME.into(), task, count, repeat: repeat.div_ceil(effort.scale) }
}

fn compare(
    instance: &str,
    comparison: &Comparison<'_>,
    effort: &Effort,
    ours: &mut dyn Contestant,
    peers: &Peers,
) -> Result<SoftwareRow> {
    let &Comparison { metric, peer, how, ref work, operations } = comparison;
    let name = peer.name() + how;
    let peer = Peer::new(peers, peer, works::Work::Algebra(work.clone())).named(name);
    let mut theirs = [peer];
    let ([ours], peer) = contest(effort.rounds, Pick::Median, [ours], &mut theirs)?;
    let [theirs] = theirs;
    let [ours, peer] = [(ours, operations[0]), (peer[0], operations[1])]
        .map(|(seconds, count)| seconds * 1e9 / count as f64);
    Ok(SoftwareRow {
        op: "algebra".into(),
        instance: instance.into(),
        metric: metric.into(),
        unit: "ns".into(),
        threads: 1,
        ours,
        peer_name: theirs.name,
        peer,
        ratio: peer / ours,
        absent: theirs.absent,
    })
}
