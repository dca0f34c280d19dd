//! Field arithmetic and affine additions beside blst, halo2curves and gnark-crypto: nanoseconds for one.
//!
//! | metric | what is done |
//! |---|---|
//! | multiplication, squaring, addition: throughput | independent ones, eight to a vector ([`lanes`]), operands in the first-level cache |
//! | batch inversion: throughput | a slice of 4096, Montgomery's trick |
//! | affine addition | `lanes::affine`: random buckets, random points of 128 KiB or of 64 MiB, signs, inversions included |
//! | scalar multiplication: throughput, latency | one element at a time: independent ones, or each waiting for the one before |
//! | scalar inversion: latency | one element at a time, constant time |
//!
//! The elements at rest are in each one's own form: ours are structures of eight, the peers' single integers. What
//! a peer does for affine additions stands in its name. All is done by one thread each, in turns.

use anyhow::Result;
use proofmill_algebra::field::{Bls12381Fp, Bls12381Fr, Bn254Fp, Bn254Fr, Secp256k1Fp};
use proofmill_algebra::lanes::Prime;

use crate::peers::algebra::{Task, Work, start_go, start_rust};
use crate::peers::program::Program;
use crate::row::SoftwareRow;
use crate::timing::{Contestant, interleaved_medians};

mod ours;

const BLST: &str = "blst 0.3.17";
const HALO2CURVES: &str = "halo2curves 0.10.0 (asm)";
const GNARK: &str = "gnark-crypto 0.22.0 (Vector, GOAMD64=v4)";

/// How much is done.
struct Effort {
    rounds: usize,
    /// Operations in a turn are divided by this.
    scale: usize,
}

/// The programs; the second one where there is `go`.
struct Peers {
    rust: Program,
    go: Option<Program>,
}

/// What is compared with whom.
struct Comparison<'a> {
    metric: &'a str,
    peer: &'a str,
    work: Work,
    /// Operations in a turn: ours, and the peer's.
    operations: [usize; 2],
}

/// The figures.
pub fn rows(quick: bool) -> Result<Vec<SoftwareRow>> {
    let effort =
        if quick { Effort { rounds: 3, scale: 20 } } else { Effort { rounds: 31, scale: 1 } };
    let go = start_go().inspect_err(|problem| eprintln!("without gnark-crypto: {problem:#}")).ok();
    let mut peers = Peers { rust: start_rust()?, go };
    let mut rows = Vec::new();
    vectors::<Bls12381Fp, 8>(&mut rows, &mut peers, &effort, BLST)?;
    vectors::<Bn254Fp, 5>(&mut rows, &mut peers, &effort, HALO2CURVES)?;
    vectors::<Bls12381Fr, 5>(&mut rows, &mut peers, &effort, GNARK)?;
    vectors::<Bn254Fr, 5>(&mut rows, &mut peers, &effort, GNARK)?;
    vectors::<Secp256k1Fp, 5>(&mut rows, &mut peers, &effort, HALO2CURVES)?;
    scalars::<Bls12381Fp>(&mut rows, &mut peers, &effort, BLST)?;
    scalars::<Bls12381Fr>(&mut rows, &mut peers, &effort, BLST)?;
    let peer = "blst 0.3.17 (sum of points)";
    points::<Bls12381Fp, 8, 2>(&mut rows, &mut peers, &effort, ["bls12_381", peer])?;
    let peer = "halo2curves 0.10.0 (asm, mixed addition)";
    points::<Bn254Fp, 5, 1>(&mut rows, &mut peers, &effort, ["bn254", peer])?;
    Ok(rows)
}

fn vectors<P: Prime<L>, const L: usize>(
    rows: &mut Vec<SoftwareRow>,
    peers: &mut Peers,
    effort: &Effort,
    peer: &str,
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
        let mut ours = ours::Vectors::<P, L>::new(&work);
        let operations = [work.count * work.repeat; 2];
        let comparison = Comparison { metric, peer, work, operations };
        rows.push(compare(P::NAME, &comparison, effort, &mut || ours.seconds(), peers)?);
    }
    Ok(())
}

fn scalars<P: proofmill_algebra::field::PrimeField>(
    rows: &mut Vec<SoftwareRow>,
    peers: &mut Peers,
    effort: &Effort,
    peer: &str,
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
        let comparison = Comparison { metric, peer, work, operations };
        rows.push(compare(P::NAME, &comparison, effort, &mut || ours.seconds(), peers)?);
    }
    Ok(())
}

fn points<P: Prime<L>, const L: usize, const K: usize>(
    rows: &mut Vec<SoftwareRow>,
    peers: &mut Peers,
    effort: &Effort,
    [curve, peer]: [&str; 2],
) -> Result<()> {
    let bytes = 64 * K;
    for (metric, size) in [
        ("affine addition, points in 128 KiB: throughput", 128 << 10),
        ("affine addition, points in 64 MiB: throughput", 64 << 20),
    ] {
        let count = size / bytes;
        // The buckets: as many as points in cache, and 2^15 of a window of 16 bits.
        let mut ours = ours::Points::<P, L, K>::new(count.min(1 << 15), count);
        let turn = if size > 1 << 20 { 1 } else { (16 / effort.scale).max(1) };
        let peers_count = if size > 1 << 20 { count / effort.scale } else { count };
        let work =
            Work { field: P::NAME.into(), task: Task::Points, count: peers_count, repeat: turn };
        let operations = [ours::Points::<P, L, K>::TURN, peers_count * turn];
        let comparison = Comparison { metric, peer, work, operations };
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
    peers: &mut Peers,
) -> Result<SoftwareRow> {
    let &Comparison { metric, peer, ref work, operations } = comparison;
    let program = if peer == GNARK { peers.go.as_mut() } else { Some(&mut peers.rust) };
    let (medians, peer_name) = match program {
        Some(program) => {
            let mut theirs = || program.seconds(work);
            (interleaved_medians(effort.rounds, &mut [ours, &mut theirs])?, peer.to_string())
        }
        None => {
            let [alone] = interleaved_medians(effort.rounds, &mut [ours])?[..] else {
                unreachable!("a median for each")
            };
            (vec![alone, f64::NAN], format!("missing: {peer}"))
        }
    };
    let [ours, peer] = [0, 1].map(|who| medians[who] * 1e9 / operations[who] as f64);
    Ok(SoftwareRow {
        op: "algebra".into(),
        instance: instance.into(),
        metric: metric.into(),
        unit: "ns".into(),
        threads: 1,
        ours,
        peer_name,
        peer,
        ratio: peer / ours,
    })
}
