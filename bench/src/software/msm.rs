//! Multi-scalar multiplication compared with arkworks, blst, halo2curves, gnark-crypto and mcl: milliseconds per MSM.
//!
//! Points are multiples of the generator, loaded before; scalars have all bits; nothing is precomputed. Every peer has
//! the same number of threads, and all run alternately. The main ratio is that to the fastest peer; a separate one is that to
//! mcl, which uses IFMA too. Sizes below 2^16 are for the plot. Other rows compare scalars and points that are not uniform
//! with uniform ones, and MSMs with precomputed multiples with those without.

use anyhow::{Context, Result, bail};
use proofmill_algebra::encoding::{Coordinate, pair};
use proofmill_algebra::msm::{Group, MULTIPLES, multiples};
use proofmill_algebra::{bls12_377, bls12_381, bn254};
use works::msm::Work;

use super::{Rows, Task};
use crate::peers::{Library, Package, Peer, Peers, contest};
use crate::row::SoftwareRow;
use crate::timing::{Contestant, Pick, interleaved};
use ours::Ours;

mod ours;

/// The peers with their curves.
const PEERS: [(Library, &[&str]); 5] = [
    (Library::GnarkCrypto(Package::Msm), &["bn254", "bls12_381", "bls12_377"]),
    (Library::Arkworks, &["bn254", "bls12_381", "bls12_377"]),
    (Library::Blst, &["bls12_381"]),
    (Library::Halo2curves, &["bn254"]),
    (WITH_IFMA, &["bn254", "bls12_381"]),
];

/// The peer that uses IFMA too, on BLS12-381: its rows are separate from the fastest of the others.
const WITH_IFMA: Library = Library::Mcl;

/// Logarithms of small sizes.
const SMALL: [u32; 6] = [0, 1, 2, 4, 6, 8];
/// Logarithms of the other sizes.
const G1_SIZES: [u32; 6] = [10, 12, 14, SMALLEST_IN_TABLE, 18, 20];
const G2_SIZES: [u32; 1] = [SMALLEST_IN_TABLE];
/// The minimum size in the table; smaller ones are for the plot.
const SMALLEST_IN_TABLE: u32 = 16;
/// The only size of a quick run.
const QUICK: [u32; 1] = [10];

/// Measures the rows.
pub fn rows(quick: bool) -> Result<Vec<SoftwareRow>> {
    let peers = Peers::default();
    let g1: &[u32] = if quick { &QUICK } else { &G1_SIZES };
    let g2: &[u32] = if quick { &QUICK } else { &G2_SIZES };
    let mut rows = Rows::default();
    few(&mut rows, &peers, quick)?;
    group::<bn254::G1>(&mut rows, &peers, g1)?;
    group::<bls12_381::G1>(&mut rows, &peers, g1)?;
    group::<bls12_377::G1>(&mut rows, &peers, g1)?;
    group::<bn254::G2>(&mut rows, &peers, g2)?;
    group::<bls12_381::G2>(&mut rows, &peers, g2)?;
    group::<bls12_377::G2>(&mut rows, &peers, g2)?;
    distributions::<bls12_381::G1>(&mut rows, g2[0])?;
    precomputed::<bn254::G1>(&mut rows, g2[0])?;
    precomputed::<bls12_381::G1>(&mut rows, g2[0])?;
    precomputed::<bn254::G2>(&mut rows, g2[0])?;
    Ok(rows.all())
}

/// Measures only the rows of few points.
pub fn small(quick: bool) -> Result<Vec<SoftwareRow>> {
    let mut rows = Rows::default();
    few(&mut rows, &Peers::default(), quick)?;
    Ok(rows.all())
}

fn few(rows: &mut Rows, peers: &Peers, quick: bool) -> Result<()> {
    let sizes: &[u32] = if quick { &SMALL[..1] } else { &SMALL };
    group::<bn254::G1>(rows, peers, sizes)?;
    group::<bls12_381::G1>(rows, peers, sizes)?;
    group::<bn254::G2>(rows, peers, sizes)?;
    group::<bls12_381::G2>(rows, peers, sizes)
}

/// Returns whether a library has the group, with this number of threads. blst uses one thread for every processor, or a single one.
fn takes_part(library: Library, curves: &[&str], group: &str, [threads, all]: [usize; 2]) -> bool {
    curves.iter().any(|curve| group.starts_with(curve))
        && (library != Library::Blst || [1, all].contains(&threads))
}

/// Returns the number of rounds: fewer where one takes long and varies less.
fn rounds(size: u32) -> usize {
    match size {
        ..=8 => 51,
        9..=14 => 7,
        15..=16 => 5,
        17..=18 => 3,
        _ => 2,
    }
}

/// Measures all sizes of a group, each with one and with two threads, so that the programs prepare a size once.
fn group<C: Group<Base: Coordinate>>(rows: &mut Rows, peers: &Peers, sizes: &[u32]) -> Result<()> {
    let largest = sizes.iter().copied().max().context("a size at least")?;
    let points: Vec<u8> = multiples::<C>(1, 1 << largest).iter().flat_map(pair::encode).collect();
    let processors = std::thread::available_parallelism()?.get();
    for &size in sizes {
        for threads in 1..=processors.min(2) {
            one::<C>(rows, peers, &points, size, threads)?;
        }
    }
    Ok(())
}

/// Measures one size with a number of threads: one row per peer.
fn one<C: Group<Base: Coordinate>>(
    rows: &mut Rows,
    peers: &Peers,
    points: &[u8],
    size: u32,
    threads: usize,
) -> Result<()> {
    let count = 1 << size;
    let ours = Ours::new::<C>(&points[..count * pair::bytes::<C>()], threads, 0)?;
    let uniform = ours.uniform::<C>(count);
    let processors = std::thread::available_parallelism()?.get();
    let work = works::Work::Msm(Work { instance: C::NAME.into(), count, threads });
    let mut theirs: Vec<_> = PEERS
        .into_iter()
        .filter(|(library, curves)| takes_part(*library, curves, C::NAME, [threads, processors]))
        .map(|(library, _)| Peer::new(peers, library, work.clone()))
        .collect();
    let mut turn = || ours.seconds(&uniform);
    let ([ours], seconds) = contest(rounds(size), Pick::Median, [&mut turn], &mut theirs)?;
    let others = theirs.iter().zip(&seconds).filter(|(peer, _)| peer.library != WITH_IFMA);
    let fastest = others.map(|(_, &seconds)| seconds).fold(f64::INFINITY, f64::min);
    for (peer, seconds) in theirs.into_iter().zip(seconds) {
        let place = match peer.library {
            WITH_IFMA => "mcl",
            _ if peer.absent.is_some() => "absent peer",
            _ if seconds == fastest => "fastest peer",
            _ => "slower peer",
        };
        let is_shown = size >= SMALLEST_IN_TABLE || SMALL.contains(&size);
        let shown = if is_shown { "" } else { " (plot)" };
        let metric = format!("2^{size} points, {place}{shown}");
        let row = row::<C>(metric, threads, ours * 1e3, &peer.name, seconds * 1e3);
        rows.push(SoftwareRow { absent: peer.absent, ..row });
    }
    Ok(())
}

/// Prepares an MSM of 2^size points on one thread.
pub fn task(instance: &str, size: u32) -> Result<Task> {
    match instance {
        "bn254_g1" => task_of::<bn254::G1>(size),
        "bls12_381_g1" => task_of::<bls12_381::G1>(size),
        _ => bail!("task: no MSM in '{instance}'; there are bn254_g1 and bls12_381_g1"),
    }
}

fn task_of<C: Group<Base: Coordinate>>(size: u32) -> Result<Task> {
    let points: Vec<u8> = multiples::<C>(1, 1 << size).iter().flat_map(pair::encode).collect();
    let ours = Ours::new::<C>(&points, 1, 0)?;
    let uniform = ours.uniform::<C>(1 << size);
    Ok(Box::new(move || ours.seconds(&uniform)))
}

/// Measures scalars of other distributions against uniform ones.
fn distributions<C: Group<Base: Coordinate>>(rows: &mut Rows, size: u32) -> Result<()> {
    let count = 1 << size;
    let points: Vec<u8> = multiples::<C>(1, count).iter().flat_map(pair::encode).collect();
    let ours = Ours::new::<C>(&points, 1, 0)?;
    // Every second point is the identity, as many are in the keys of circuits.
    let mut half = points;
    for point in half.chunks_mut(pair::bytes::<C>()).step_by(2) {
        point.fill(0);
    }
    let half = Ours::new::<C>(&half, 1, 0)?;
    let lists = ours.distributions::<C>(count);
    let (uniform, of_half) = (ours.uniform::<C>(count), half.uniform::<C>(count));
    let mut turns: Vec<Box<dyn FnMut() -> Result<f64> + '_>> =
        vec![Box::new(|| ours.seconds(&uniform)), Box::new(|| half.seconds(&of_half))];
    for (_, scalars) in &lists {
        turns.push(Box::new(|| ours.seconds(scalars)));
    }
    let medians = milliseconds(rounds(size), &mut turns)?;
    let names = lists.iter().map(|(name, _)| *name);
    let names = std::iter::once("every second one the identity").chain(names);
    for (name, ours) in names.zip(&medians[1..]) {
        let metric = format!("2^{size} points, {name}");
        rows.push(row::<C>(metric, 1, *ours, "ours, uniform scalars", medians[0]));
    }
    Ok(())
}

/// Measures points with multiples of them against the points alone.
fn precomputed<C: Group<Base: Coordinate>>(rows: &mut Rows, size: u32) -> Result<()> {
    let count = 1 << size;
    let points: Vec<u8> = multiples::<C>(1, count).iter().flat_map(pair::encode).collect();
    let alone = Ours::new::<C>(&points, 1, 0)?;
    let bytes = alone.plan::<C>(count, 0)?.resident;
    let mut plans = Vec::new();
    for multiples in MULTIPLES {
        plans.push(alone.plan::<C>(count, multiples * bytes)?);
    }
    plans.dedup();
    let (_, plans) = plans.split_first().context("points alone at least")?;
    let with = plans.iter().map(|plan| Ours::new::<C>(&points, 1, plan.resident));
    let all: Vec<Ours> = std::iter::once(Ok(alone)).chain(with).collect::<Result<_>>()?;
    let requests: Vec<_> = all.iter().map(|ours| (ours, ours.uniform::<C>(count))).collect();
    let mut turns: Vec<Box<dyn FnMut() -> Result<f64> + '_>> = Vec::new();
    for (ours, request) in &requests {
        turns.push(Box::new(move || ours.seconds(request)));
    }
    let medians = milliseconds(rounds(size), &mut turns)?;
    for (plan, ours) in plans.iter().zip(&medians[1..]) {
        let (multiples, kibibytes) = (plan.multiples, plan.resident >> 10);
        let metric =
            format!("2^{size} points, with precomputation: {multiples} multiples, {kibibytes} KiB");
        rows.push(row::<C>(metric, 1, *ours, "ours, without", medians[0]));
    }
    Ok(())
}

fn milliseconds(
    rounds: usize,
    turns: &mut [Box<dyn FnMut() -> Result<f64> + '_>],
) -> Result<Vec<f64>> {
    let mut contestants: Vec<&mut dyn Contestant> =
        turns.iter_mut().map(|turn| turn as &mut dyn Contestant).collect();
    let medians = interleaved(rounds, Pick::Median, &mut contestants)?;
    Ok(medians.iter().map(|seconds| seconds * 1e3).collect())
}

fn row<C: Group>(
    metric: String,
    threads: usize,
    ours: f64,
    peer_name: &str,
    peer: f64,
) -> SoftwareRow {
    SoftwareRow {
        op: "msm".into(),
        instance: C::NAME.into(),
        metric,
        unit: "ms".into(),
        threads,
        ours,
        peer_name: peer_name.into(),
        peer,
        ratio: peer / ours,
        absent: None,
    }
}
