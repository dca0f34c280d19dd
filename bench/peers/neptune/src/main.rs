//! The crate `neptune`, on the processor: from its own elements to its own elements.

use std::time::Instant;

use anyhow::{Context as _, Result, bail, ensure};
use blstrs::Scalar;
use ff::PrimeField as _;
use generic_array::typenum::{U2, U4, U8, U11};
use neptune::Arity;
use neptune::poseidon::{Poseidon, PoseidonConstants};
use rayon::ThreadPool;
use rayon::prelude::*;
use works::poseidon::{Work, checksum, preimages};
use works::{Kept, thread_pool};

/// Elements of preimages, by arity and count.
type Elements = Kept<(usize, usize), Vec<Scalar>>;

fn elements(arity: usize, count: usize) -> Result<Vec<Scalar>> {
    let element = |bytes: &[u8; 32]| {
        Option::from(Scalar::from_repr(*bytes)).context("an element that is not below the modulus")
    };
    preimages(arity, count).as_chunks().0.iter().map(element).collect()
}

/// The seconds of the hashes, and their checksum. In a batch each thread keeps its hasher.
fn hashed<A: Arity<Scalar> + Sync>(
    pool: &ThreadPool,
    work: &Work,
    elements: &[Scalar],
) -> (f64, u64) {
    let constants = PoseidonConstants::<Scalar, A>::new();
    let hasher = || Poseidon::new(&constants);
    let start = Instant::now();
    let digests: Vec<Scalar> = if work.alone {
        let mut hasher = hasher();
        elements.chunks(work.arity).map(|list| hash(&mut hasher, list)).collect()
    } else {
        let lists = elements.par_chunks(work.arity);
        pool.install(|| lists.map_init(hasher, |hasher, list| hash(hasher, list)).collect())
    };
    let seconds = start.elapsed().as_secs_f64();
    let bytes: Vec<u8> = digests.iter().flat_map(Scalar::to_repr).collect();
    (seconds, checksum(&bytes))
}

fn hash<A: Arity<Scalar>>(hasher: &mut Poseidon<'_, Scalar, A>, list: &[Scalar]) -> Scalar {
    hasher.reset();
    hasher.set_preimage(list);
    hasher.hash()
}

fn seconds(kept: &mut Elements, work: &Work) -> Result<f64> {
    let elements = kept.get((work.arity, work.count), |&(arity, count)| elements(arity, count))?;
    let pool = thread_pool(work.threads)?;
    let (seconds, found) = match work.arity {
        2 => hashed::<U2>(&pool, work, elements),
        4 => hashed::<U4>(&pool, work, elements),
        8 => hashed::<U8>(&pool, work, elements),
        11 => hashed::<U11>(&pool, work, elements),
        arity => bail!("arity {arity}"),
    };
    ensure!(found == work.checksum, "other digests than ours");
    Ok(seconds)
}

fn main() -> Result<()> {
    let mut kept = Elements::default();
    works::serve(|work| match &work {
        works::Work::Poseidon(work) => seconds(&mut kept, work),
        _ => work.refused(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_and_single_hashes_agree_and_other_digests_are_an_error() {
        let pool = thread_pool(2).unwrap();
        let work = |alone, checksum| Work { arity: 8, count: 5, threads: 2, alone, checksum };
        let elements = elements(8, 5).unwrap();
        let (_, single) = hashed::<U8>(&pool, &work(true, 0), &elements);
        let (_, batch) = hashed::<U8>(&pool, &work(false, 0), &elements);
        assert_eq!(single, batch);
        assert!(seconds(&mut Elements::default(), &work(false, single)).unwrap() > 0.0);
        assert!(seconds(&mut Elements::default(), &work(false, single ^ 1)).is_err());
    }
}
