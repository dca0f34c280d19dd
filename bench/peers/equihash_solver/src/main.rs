//! The solver of the crate `equihash`, in the mode that it was built in: one nonce a thread.

use std::time::Instant;

use anyhow::{Result, ensure};
use rayon::ThreadPool;
use rayon::prelude::*;
use works::equihash::Solving;
use works::{Kept, thread_pool};

fn main() -> Result<()> {
    let mut pools = Kept::default();
    works::serve(|work| match &work {
        works::Work::EquihashSolving(work) => {
            seconds(pools.get(work.threads, |&threads| thread_pool(threads))?, work)
        }
        _ => work.refused(),
    })
}

fn seconds(pool: &ThreadPool, work: &Solving) -> Result<f64> {
    let solve = |header: &Vec<u8>| {
        let (input, nonce) = header.split_at(108);
        let mut nonce = <[u8; 32]>::try_from(nonce).ok();
        equihash::tromp::solve_200_9(input, || nonce.take()).len()
    };
    pool.install(|| {
        let start = Instant::now();
        let solutions: usize = match work.threads {
            1 => work.headers.iter().map(solve).sum(),
            _ => work.headers.par_iter().map(solve).sum(),
        };
        let seconds = start.elapsed().as_secs_f64();
        ensure!(solutions == work.solutions, "{solutions} solutions, not {}", work.solutions);
        Ok(seconds)
    })
}
