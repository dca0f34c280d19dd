//! Products of pairings beside arkworks, blst, halo2curves, gnark-crypto and mcl: microseconds for one.
//!
//! | metric | what is done |
//! |---|---|
//! | pairing | e(P, Q), nothing prepared |
//! | product of 4 pairings | what verifies a Groth16 proof; ours has three of the second points prepared |
//! | product of 64 pairings | one final exponentiation; with two threads, each has half of the pairs |

use std::cell::RefCell;
use std::hint::black_box;
use std::time::Instant;

use anyhow::{Context, Result};
use proofmill_algebra::Isa;
use proofmill_algebra::curve::{Affine, Curve, Projective};
use proofmill_algebra::pairing::{
    Bls12377, Bls12381, Bn254, Pair, Pairing, Prepared, final_exponentiation_on, miller_product,
    pairing,
};
use proofmill_algebra::tower::Fp12;
use proofmill_cpu::thread_pool;
use rayon::ThreadPool;
use rayon::prelude::*;

use crate::peers::pairing::{Work, start_go, start_rust};
use crate::peers::program::Program;
use crate::row::SoftwareRow;
use crate::timing::{Contestant, interleaved_medians};

/// The peers that have a curve, by the names that their programs know and with what stands in the rows.
const PEERS: [(&str, &str, &[&str]); 5] = [
    ("gnark-crypto", "gnark-crypto 0.22.0 (GOAMD64=v4)", &["bn254", "bls12_381", "bls12_377"]),
    ("arkworks", "arkworks 0.6.0 (asm)", &["bn254", "bls12_381", "bls12_377"]),
    ("blst", "blst 0.3.17", &["bls12_381"]),
    ("halo2curves", "halo2curves 0.10.0 (asm)", &["bn254"]),
    ("mcl", "mcl (mcl_rust 1.2.0)", &["bn254", "bls12_381"]),
];

/// What is done: its name, the number of pairs, of threads, and how often in a turn.
const TASKS: [(&str, usize, usize, usize); 4] = [
    ("pairing", 1, 1, 16),
    ("product of 4 pairings", 4, 1, 8),
    ("product of 64 pairings", 64, 1, 1),
    ("product of 64 pairings", 64, 2, 1),
];

/// The figures.
pub fn rows(quick: bool) -> Result<Vec<SoftwareRow>> {
    let go = start_go().inspect_err(|problem| eprintln!("without gnark-crypto: {problem:#}")).ok();
    let peers = Peers { rust: RefCell::new(start_rust()?), go: go.map(RefCell::new) };
    let rounds = if quick { 3 } else { 31 };
    let mut rows = Vec::new();
    let processors = std::thread::available_parallelism()?.get();
    for (metric, count, threads, repeat) in TASKS {
        if threads > processors {
            continue;
        }
        let comparison = Comparison { metric, count, threads, repeat, rounds };
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
    /// Who does a library's work with so many threads; none without `go`, and halo2curves has one thread.
    fn program(&self, library: &str, threads: usize) -> Option<&RefCell<Program>> {
        match library {
            "gnark-crypto" => self.go.as_ref(),
            "halo2curves" if threads > 1 => None,
            _ => Some(&self.rust),
        }
    }
}

/// What is done, how often in a turn and in how many rounds.
struct Comparison {
    metric: &'static str,
    count: usize,
    threads: usize,
    repeat: usize,
    rounds: usize,
}

fn compare<E: Pairing>(
    rows: &mut Vec<SoftwareRow>,
    peers: &Peers,
    comparison: &Comparison,
) -> Result<()> {
    let &Comparison { metric, count, threads, repeat, rounds } = comparison;
    let pairs: Vec<_> =
        multiples::<E::G1>(count).into_iter().zip(multiples::<E::G2>(count)).collect();
    let ours = Ours::<E>::new(&pairs, threads)?;
    let mut turns: Vec<Box<dyn FnMut() -> Result<f64> + '_>> =
        vec![Box::new(|| Ok(ours.seconds(repeat)))];
    let mut names = Vec::new();
    for (library, name, curves) in PEERS {
        let Some(program) = peers.program(library, threads).filter(|_| curves.contains(&E::NAME))
        else {
            continue;
        };
        let (library, instance) = (library.into(), E::NAME.into());
        let work = Work { library, instance, count, threads, repeat };
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
            threads,
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

/// Our side.
struct Ours<'a, E: Pairing> {
    pairs: &'a [Pair<E>],
    /// The second points of all pairs but the first.
    prepared: Vec<Prepared<E>>,
    pool: ThreadPool,
}

impl<'a, E: Pairing> Ours<'a, E> {
    fn new(pairs: &'a [Pair<E>], threads: usize) -> Result<Self> {
        let prepared = pairs.iter().skip(1).map(|(_, q)| Prepared::new(q)).collect();
        Ok(Self { pairs, prepared, pool: thread_pool(Some(threads))? })
    }

    fn seconds(&self, repeat: usize) -> f64 {
        self.pool.install(|| {
            let start = Instant::now();
            for _ in 0..repeat {
                black_box(self.value());
            }
            start.elapsed().as_secs_f64()
        })
    }

    fn value(&self) -> Fp12<E::Tower> {
        let isa = Isa::best();
        let miller_value = match black_box(self.pairs) {
            [(p, q)] => return pairing::<E>(p, q),
            [fresh, others @ ..] if others.len() == 3 => {
                let prepared = others.iter().zip(&self.prepared).map(|((p, _), q)| (*p, q));
                miller_product::<E>(isa, &[*fresh], &prepared.collect::<Vec<_>>())
            }
            pairs => {
                let shares =
                    pairs.par_chunks(pairs.len().div_ceil(self.pool.current_num_threads()));
                let values = shares.map(|share| miller_product::<E>(isa, share, &[]));
                values.reduce(|| Fp12::ONE, |product, value| product * value)
            }
        };
        final_exponentiation_on::<E>(isa, miller_value)
    }
}
