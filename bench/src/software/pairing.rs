//! Products of pairings compared with arkworks, blst, halo2curves, gnark-crypto and mcl: microseconds per product.
//!
//! | metric | work |
//! |---|---|
//! | pairing | e(P, Q), nothing prepared |
//! | product of 4 pairings | as in the verification of a Groth16 proof; ours has three of the second points prepared |
//! | product of 64 pairings | one final exponentiation; with two threads, each has half of the pairs |
//! | 64 Groth16 proofs | see [`groth16`]: a batch of one key; milliseconds |
//! | 1000 BLS signatures | see [`bls`]: with one message and with distinct ones; milliseconds |

mod bls;
mod groth16;

use std::hint::black_box;
use std::time::Instant;

use anyhow::Result;
use proofmill_algebra::Isa;
use proofmill_algebra::bls12_381::Fr;
use proofmill_algebra::curve::{Affine, Curve, Projective};
use proofmill_algebra::field::PrimeField;
use proofmill_algebra::pairing::{
    Bls12377, Bls12381, Bn254, Pair, Pairing, Prepared, final_exponentiation, miller_product,
    pairing,
};
use proofmill_algebra::tower::Fp12;
use proofmill_cpu::thread_pool;
use rayon::ThreadPool;
use rayon::prelude::*;
use sha2::{Digest, Sha256};
use works::pairing::Work;

use super::{Rows, Task};
use crate::peers::{Library, Package, Peer, Peers, contest};
use crate::row::SoftwareRow;
use crate::timing::Pick;

/// The peers with their curves, and whether they use threads.
const PEERS: [(Library, &[&str], bool); 5] = [
    (Library::GnarkCrypto(Package::Pairing), &["bn254", "bls12_381", "bls12_377"], true),
    (Library::Arkworks, &["bn254", "bls12_381", "bls12_377"], true),
    (Library::Blst, &["bls12_381"], true),
    (Library::Halo2curves, &["bn254"], false),
    (Library::Mcl, &["bn254", "bls12_381"], true),
];

/// The tasks: name, number of pairs, number of threads, and repetitions per run.
const TASKS: [(&str, usize, usize, usize); 4] = [
    ("pairing", 1, 1, 16),
    ("product of 4 pairings", 4, 1, 8),
    ("product of 64 pairings", 64, 1, 1),
    ("product of 64 pairings", 64, 2, 1),
];

/// Measures the rows.
pub fn rows(quick: bool) -> Result<Vec<SoftwareRow>> {
    let peers = Peers::default();
    let rounds = if quick { 3 } else { 31 };
    let mut rows = Rows::default();
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
    groth16::rows(&mut rows, &peers, quick)?;
    bls::rows(&mut rows, &peers, quick)?;
    Ok(rows.all())
}

/// The work, repetitions per run, and the number of rounds.
struct Comparison {
    metric: &'static str,
    count: usize,
    threads: usize,
    repeat: usize,
    rounds: usize,
}

fn compare<E: Pairing>(rows: &mut Rows, peers: &Peers, comparison: &Comparison) -> Result<()> {
    let &Comparison { metric, count, threads, repeat, rounds } = comparison;
    let ours = Ours::<E>::new(count, threads)?;
    let work = Work { instance: E::NAME.into(), count, threads, repeat };
    let work = works::Work::Pairing(work);
    let mut theirs: Vec<_> = PEERS
        .into_iter()
        .filter(|(_, curves, threaded)| curves.contains(&E::NAME) && (*threaded || threads == 1))
        .map(|(library, ..)| Peer::new(peers, library, work.clone()))
        .collect();
    let mut turn = || Ok(ours.seconds(repeat));
    let ([ours], seconds) = contest(rounds, Pick::Median, [&mut turn], &mut theirs)?;
    for (peer, seconds) in theirs.into_iter().zip(seconds) {
        rows.push(SoftwareRow {
            op: "pairing".into(),
            instance: E::NAME.into(),
            metric: metric.into(),
            unit: "us".into(),
            threads,
            ours: ours * 1e6 / repeat as f64,
            peer_name: peer.name,
            peer: seconds * 1e6 / repeat as f64,
            ratio: seconds / ours,
            absent: peer.absent,
        });
    }
    Ok(())
}

/// Measures a joint verification on one thread: one row per peer, in milliseconds.
fn verified(
    rows: &mut Rows,
    metric: &str,
    rounds: usize,
    mut ours: impl FnMut() -> Result<f64>,
    mut theirs: Vec<Peer<'_>>,
) -> Result<()> {
    let ([ours], seconds) = contest(rounds, Pick::Median, [&mut ours], &mut theirs)?;
    for (peer, seconds) in theirs.into_iter().zip(seconds) {
        rows.push(SoftwareRow {
            op: "pairing".into(),
            instance: Bls12381::NAME.into(),
            metric: metric.into(),
            unit: "ms".into(),
            threads: 1,
            ours: ours * 1e3,
            peer_name: peer.name,
            peer: seconds * 1e3,
            ratio: seconds / ours,
            absent: peer.absent,
        });
    }
    Ok(())
}

/// Returns element number i of a list that is derived from its name.
fn scalar(list: &str, i: usize) -> Fr {
    let digest = |last: u8| {
        Sha256::new().chain_update(list).chain_update(i.to_le_bytes()).chain_update([last])
    };
    let bytes = [digest(0).finalize(), digest(1).finalize()].concat();
    Fr::reduce_wide_le(&bytes.try_into().expect("two digests of 32 bytes"))
}

/// Prepares a pairing on one thread.
pub fn task() -> Result<Task> {
    let ours = Ours::<Bls12381>::new(1, 1)?;
    Ok(Box::new(move || Ok(ours.seconds(4))))
}

/// Returns the first multiples of the generator.
fn multiples<C: Curve>(count: usize) -> Vec<Affine<C>> {
    let next = |point: &Projective<C>| Some(*point + C::GENERATOR);
    let points = std::iter::successors(Some(Projective::generator()), next);
    Affine::batch(&points.take(count).collect::<Vec<_>>())
}

/// Our side.
struct Ours<E: Pairing> {
    pairs: Vec<Pair<E>>,
    /// The second points of all pairs but the first.
    prepared: Vec<Prepared<E>>,
    pool: ThreadPool,
}

impl<E: Pairing> Ours<E> {
    fn new(count: usize, threads: usize) -> Result<Self> {
        let (p, q) = (multiples::<E::G1>(count), multiples::<E::G2>(count));
        let prepared = q.iter().skip(1).map(Prepared::new).collect();
        let pairs = p.into_iter().zip(q).collect();
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
        let miller_value = match black_box(&self.pairs[..]) {
            [(p, q)] => return pairing::<E>(isa, p, q),
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
        final_exponentiation::<E>(isa, miller_value)
    }
}
