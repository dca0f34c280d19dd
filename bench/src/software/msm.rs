//! Multi-scalar multiplication beside arkworks, blst, halo2curves, gnark-crypto and mcl: milliseconds for one.
//!
//! Points are multiples of the generator, parked before; scalars have all bits; nothing is precomputed. Every peer has
//! the same number of threads, and all take turns. The ratio that counts is the one to the fastest peer, and apart from
//! it that to mcl, which uses IFMA too; sizes below 2^16 are there for the plot. Then come scalars and points that are not
//! uniform, beside uniform ones, and apart from all others sums with precomputed multiples, beside those without.

use std::cell::RefCell;

use anyhow::{Context, Result};
use proofmill_algebra::encoding::{Coordinate, pair};
use proofmill_algebra::msm::{Group, MULTIPLES, multiples};
use proofmill_algebra::{bls12_377, bls12_381, bn254};

use crate::peers::msm::{Work, start_go, start_rust};
use crate::peers::program::Program;
use crate::row::SoftwareRow;
use crate::timing::{Contestant, interleaved_medians};
use ours::Ours;

mod ours;

/// The peers that have a group, by the names that their programs know and with what stands in the rows.
const PEERS: [(&str, &str, &[&str]); 5] = [
    ("gnark-crypto", "gnark-crypto 0.22.0 (GOAMD64=v4)", &["bn254", "bls12_381", "bls12_377"]),
    ("arkworks", "arkworks 0.6.0 (asm)", &["bn254", "bls12_381", "bls12_377"]),
    ("blst", "blst 0.3.17", &["bls12_381"]),
    ("halo2curves", "halo2curves 0.10.0 (asm)", &["bn254"]),
    (APART, "mcl (mcl_rust 1.2.0)", &["bn254", "bls12_381"]),
];

/// The peer that uses IFMA too, on BLS12-381: its rows stand apart from the fastest of the others.
const APART: &str = "mcl";

/// Logarithms of the sizes.
const G1_SIZES: [u32; 6] = [10, 12, 14, SMALLEST_IN_TABLE, 18, 20];
const G2_SIZES: [u32; 1] = [SMALLEST_IN_TABLE];
/// Smaller ones are for the plot alone.
const SMALLEST_IN_TABLE: u32 = 16;
/// The only one of a quick run.
const QUICK: [u32; 1] = [10];

/// The figures.
pub fn rows(quick: bool) -> Result<Vec<SoftwareRow>> {
    let go = start_go().inspect_err(|problem| eprintln!("without gnark-crypto: {problem:#}")).ok();
    let processors = std::thread::available_parallelism()?.get();
    let peers = RefCell::new(Peers { rust: start_rust()?, go, processors });
    let g1: &[u32] = if quick { &QUICK } else { &G1_SIZES };
    let g2: &[u32] = if quick { &QUICK } else { &G2_SIZES };
    let mut rows = Vec::new();
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
    Ok(rows)
}

/// The programs, the second one where there is `go`, and how many threads can run at a time.
struct Peers {
    rust: Program,
    go: Option<Program>,
    processors: usize,
}

impl Peers {
    /// Is there such a library for a group, with so many threads? blst has one for every processor, or one in all.
    fn have(&self, library: &str, curves: &[&str], group: &str, threads: usize) -> bool {
        curves.iter().any(|curve| group.starts_with(curve))
            && (library != "gnark-crypto" || self.go.is_some())
            && (library != "blst" || [1, self.processors].contains(&threads))
    }

    fn seconds(&mut self, work: &Work) -> Result<f64> {
        match self.go.as_mut().filter(|_| work.library == "gnark-crypto") {
            Some(go) => go.seconds(work),
            None => self.rust.seconds(work),
        }
    }
}

/// Turns that count: fewer where one takes long, and differs less from the next.
fn rounds(size: u32) -> usize {
    match size {
        ..=14 => 7,
        15..=16 => 5,
        17..=18 => 3,
        _ => 2,
    }
}

/// All sizes of a group, each with one and with two threads: the programs prepare a size once.
fn group<C: Group<Base: Coordinate>>(
    rows: &mut Vec<SoftwareRow>,
    peers: &RefCell<Peers>,
    sizes: &[u32],
) -> Result<()> {
    let largest = sizes.iter().copied().max().context("a size at least")?;
    let points: Vec<u8> = multiples::<C>(1, 1 << largest).iter().flat_map(pair::encode).collect();
    for &size in sizes {
        for threads in (1..=2).filter(|&threads| threads <= peers.borrow().processors) {
            contest::<C>(rows, peers, &points, size, threads)?;
        }
    }
    Ok(())
}

/// One size with a number of threads: a row a peer.
fn contest<C: Group<Base: Coordinate>>(
    rows: &mut Vec<SoftwareRow>,
    peers: &RefCell<Peers>,
    points: &[u8],
    size: u32,
    threads: usize,
) -> Result<()> {
    let count = 1 << size;
    let ours = Ours::new::<C>(&points[..count * pair::bytes::<C>()], threads, 0)?;
    let uniform = ours.uniform::<C>(count);
    let present: Vec<_> = PEERS
        .iter()
        .filter(|(library, _, curves)| peers.borrow().have(library, curves, C::NAME, threads))
        .collect();
    let mut turns: Vec<Box<dyn FnMut() -> Result<f64> + '_>> =
        vec![Box::new(|| ours.seconds(&uniform))];
    for (library, ..) in &present {
        let (library, instance) = (library.to_string(), C::NAME.to_string());
        let work = Work { library, instance, count, threads };
        turns.push(Box::new(move || peers.borrow_mut().seconds(&work)));
    }
    let medians = milliseconds(rounds(size), &mut turns)?;
    let (ours, theirs) = medians.split_first().context("we take part")?;
    let others = present.iter().zip(theirs).filter(|((library, ..), _)| *library != APART);
    let fastest = others.map(|(_, &peer)| peer).fold(f64::INFINITY, f64::min);
    for ((library, name, _), &peer) in present.iter().zip(theirs) {
        let place = match *library {
            APART => "mcl",
            _ if peer == fastest => "fastest peer",
            _ => "slower peer",
        };
        let shown = if size < SMALLEST_IN_TABLE { " (plot)" } else { "" };
        let metric = format!("2^{size} points, {place}{shown}");
        rows.push(row::<C>(metric, threads, *ours, name, peer));
    }
    Ok(())
}

/// Scalars of other distributions beside uniform ones.
fn distributions<C: Group<Base: Coordinate>>(rows: &mut Vec<SoftwareRow>, size: u32) -> Result<()> {
    let count = 1 << size;
    let points: Vec<u8> = multiples::<C>(1, count).iter().flat_map(pair::encode).collect();
    let ours = Ours::new::<C>(&points, 1, 0)?;
    // Every second point the identity, as many are in the keys of circuits.
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

/// Points with multiples of them beside the points alone.
fn precomputed<C: Group<Base: Coordinate>>(rows: &mut Vec<SoftwareRow>, size: u32) -> Result<()> {
    let count = 1 << size;
    let points: Vec<u8> = multiples::<C>(1, count).iter().flat_map(pair::encode).collect();
    let alone = Ours::new::<C>(&points, 1, 0)?;
    let bytes = alone.plan::<C>(count, 0)?.parked;
    let mut plans = Vec::new();
    for multiples in MULTIPLES {
        plans.push(alone.plan::<C>(count, multiples * bytes)?);
    }
    plans.dedup();
    let (_, plans) = plans.split_first().context("points alone at least")?;
    let with = plans.iter().map(|plan| Ours::new::<C>(&points, 1, plan.parked));
    let all: Vec<Ours> = std::iter::once(Ok(alone)).chain(with).collect::<Result<_>>()?;
    let sums: Vec<_> = all.iter().map(|ours| (ours, ours.uniform::<C>(count))).collect();
    let mut turns: Vec<Box<dyn FnMut() -> Result<f64> + '_>> = Vec::new();
    for (ours, sums) in &sums {
        turns.push(Box::new(move || ours.seconds(sums)));
    }
    let medians = milliseconds(rounds(size), &mut turns)?;
    for (plan, ours) in plans.iter().zip(&medians[1..]) {
        let (multiples, kibibytes) = (plan.multiples, plan.parked >> 10);
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
    let medians = interleaved_medians(rounds, &mut contestants)?;
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
    }
}
