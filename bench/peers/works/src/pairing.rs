//! Products of pairings.

use std::time::Instant;

use anyhow::Result;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::thread_pool;

/// A product of pairings of multiples of two points.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// The curve by its name in `spec`.
    pub instance: String,
    /// The number of pairs.
    pub count: usize,
    /// The number of threads; each has a share of the pairs, and one computes the final exponentiation.
    pub threads: usize,
    /// The number of repetitions.
    pub repeat: usize,
}

/// A prepared product that can be repeated.
pub type Task = Box<dyn FnMut() + Send>;

/// Returns the seconds of work with a library. Points are made before the clock starts.
pub fn seconds(work: &Work, task: impl FnOnce(&Work) -> Result<Task>) -> Result<f64> {
    let pool = thread_pool(work.threads)?;
    let mut task = task(work)?;
    Ok(pool.install(|| {
        let start = Instant::now();
        for _ in 0..work.repeat {
            task();
        }
        start.elapsed().as_secs_f64()
    }))
}

/// Computes the product of the Miller values of shares of the pairs, one thread per share.
pub fn in_shares<P: Sync, Q: Sync, M: Send>(
    threads: usize,
    (p, q): (&[P], &[Q]),
    miller_loop: impl Fn(&[P], &[Q]) -> M + Sync,
    times: impl Fn(M, M) -> M,
) -> Option<M> {
    if threads == 1 {
        return Some(miller_loop(p, q));
    }
    let share = p.len().div_ceil(threads);
    let shares = p.par_chunks(share).zip(q.par_chunks(share));
    let values: Vec<M> = shares.map(|(p, q)| miller_loop(p, q)).collect();
    values.into_iter().reduce(times)
}

/// Returns the first multiples of a generator.
pub fn multiples<G: Copy + std::ops::Add<Output = G>>(generator: G, count: usize) -> Vec<G> {
    std::iter::successors(Some(generator), |point| Some(*point + generator)).take(count).collect()
}

/// Checks in a library's tests that products on these curves, on up to so many threads, are supported, and others refused.
pub fn examine(task: fn(&Work) -> Result<Task>, curves: &[&str], most_threads: usize) {
    let answer = |curve: &str, threads| {
        seconds(&Work { instance: curve.into(), count: 3, threads, repeat: 2 }, task)
    };
    for threads in 1..=most_threads {
        for curve in curves {
            assert!(answer(curve, threads).unwrap() > 0.0, "{curve}");
        }
    }
    assert!(answer("toy", 1).is_err());
}
