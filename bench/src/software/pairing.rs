//! Products of pairings beside arkworks, blst, halo2curves and gnark-crypto: microseconds for one, by one thread each.
//!
//! | metric | what is done |
//! |---|---|
//! | pairing | e(P, Q), nothing prepared |
//! | product of 64 pairings | one final exponentiation; ours has its Miller loops in eight lanes |

use std::cell::RefCell;
use std::hint::black_box;
use std::time::Instant;

use anyhow::{Context, Result};
use proofmill_algebra::Isa;
use proofmill_algebra::curve::{Affine, Curve, Projective};
use proofmill_algebra::pairing::{Bls12377, Bls12381, Bn254, Pair, Pairing, pairing, product};

use crate::peers::pairing::{Work, start_go, start_rust};
use crate::peers::program::Program;
use crate::row::SoftwareRow;
use crate::timing::{Contestant, interleaved_medians};

/// The peers that have a curve, by the names that their programs know and with what stands in the rows.
const PEERS: [(&str, &str, &[&str]); 4] = [
    ("gnark-crypto", "gnark-crypto 0.22.0 (GOAMD64=v4)", &["bn254", "bls12_381", "bls12_377"]),
    ("arkworks", "arkworks 0.6.0 (asm)", &["bn254", "bls12_381", "bls12_377"]),
    ("blst", "blst 0.3.17", &["bls12_381"]),
    ("halo2curves", "halo2curves 0.10.0 (asm)", &["bn254"]),
];

/// The figures.
pub fn rows(quick: bool) -> Result<Vec<SoftwareRow>> {
    let go = start_go().inspect_err(|problem| eprintln!("without gnark-crypto: {problem:#}")).ok();
    let peers = Peers { rust: RefCell::new(start_rust()?), go: go.map(RefCell::new) };
    let rounds = if quick { 3 } else { 31 };
    let mut rows = Vec::new();
    for (metric, count, repeat) in [("pairing", 1, 16), ("product of 64 pairings", 64, 1)] {
        let comparison = Comparison { metric, count, repeat, rounds };
        compare::<Bn254>(&mut rows, &peers, &comparison)?;
        compare::<Bls12381>(&mut rows, &peers, &comparison)?;
        compare::<Bls12377>(&mut rows, &peers, &comparison)?;
    }
    Ok(rows)
}

/// The programs; the second one where there is `go`.
struct Peers {
    rust: RefCell<Program>,
    go: Option<RefCell<Program>>,
}

impl Peers {
    /// Who does a library's work; none without `go`.
    fn program(&self, library: &str) -> Option<&RefCell<Program>> {
        if library == "gnark-crypto" { self.go.as_ref() } else { Some(&self.rust) }
    }
}

/// What is done, how often in a turn and in how many rounds.
struct Comparison {
    metric: &'static str,
    count: usize,
    repeat: usize,
    rounds: usize,
}

fn compare<E: Pairing>(
    rows: &mut Vec<SoftwareRow>,
    peers: &Peers,
    comparison: &Comparison,
) -> Result<()> {
    let &Comparison { metric, count, repeat, rounds } = comparison;
    let pairs: Vec<_> =
        multiples::<E::G1>(count).into_iter().zip(multiples::<E::G2>(count)).collect();
    let mut turns: Vec<Box<dyn FnMut() -> Result<f64> + '_>> =
        vec![Box::new(|| Ok(ours::<E>(&pairs, repeat)))];
    let mut names = Vec::new();
    for (library, name, curves) in PEERS {
        let Some(program) = peers.program(library).filter(|_| curves.contains(&E::NAME)) else {
            continue;
        };
        let work = Work { library: library.into(), instance: E::NAME.into(), count, repeat };
        names.push(name);
        turns.push(Box::new(move || program.borrow_mut().seconds(&work)));
    }
    let mut contestants: Vec<&mut dyn Contestant> =
        turns.iter_mut().map(|turn| turn as &mut dyn Contestant).collect();
    let medians = interleaved_medians(rounds, &mut contestants)?;
    let microseconds: Vec<_> = medians.iter().map(|s| s * 1e6 / repeat as f64).collect();
    let (&ours, theirs) = microseconds.split_first().context("we take part")?;
    for (name, &peer) in names.into_iter().zip(theirs) {
        rows.push(SoftwareRow {
            op: "pairing".into(),
            instance: E::NAME.into(),
            metric: metric.into(),
            unit: "us".into(),
            threads: 1,
            ours,
            peer_name: name.into(),
            peer,
            ratio: peer / ours,
        });
    }
    Ok(())
}

/// The first multiples of the generator.
fn multiples<C: Curve>(count: usize) -> Vec<Affine<C>> {
    let next = |point: &Projective<C>| Some(*point + C::GENERATOR);
    let points = std::iter::successors(Some(Projective::generator()), next);
    Affine::batch(&points.take(count).collect::<Vec<_>>())
}

/// The seconds that our side takes.
fn ours<E: Pairing>(pairs: &[Pair<E>], repeat: usize) -> f64 {
    let start = Instant::now();
    for _ in 0..repeat {
        let pairs = black_box(pairs);
        black_box(match pairs {
            [(p, q)] => pairing::<E>(p, q),
            pairs => product::<E>(Isa::best(), pairs),
        });
    }
    start.elapsed().as_secs_f64()
}
