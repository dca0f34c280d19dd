//! The crate `equihash`, in the mode that it was built in.

use std::hint::black_box;
use std::time::Instant;

use anyhow::{Result, ensure};
use rayon::ThreadPool;
use rayon::prelude::*;
use sha2::{Digest, Sha256};
use works::equihash::Work;
use works::{Kept, thread_pool};

fn main() -> Result<()> {
    let mut pools = Kept::default();
    works::serve(|work| match &work {
        works::Work::Equihash(work) => {
            seconds(pools.get(work.threads, |&threads| thread_pool(threads))?, work)
        }
        _ => work.refused(),
    })
}

fn seconds(pool: &ThreadPool, work: &Work) -> Result<f64> {
    let solution_at = work.header.len() - (work.n / (work.k + 1) + 1) as usize * (1 << work.k) / 8;
    let (input, nonce) = (&work.header[..108], &work.header[108..140]);
    let solution = &work.header[solution_at..];
    let is_valid = |_| {
        if work.hashed {
            black_box(Sha256::digest(Sha256::digest(black_box(&work.header))));
        }
        equihash::is_valid_solution(work.n, work.k, input, nonce, black_box(solution)).is_ok()
    };
    pool.install(|| {
        let start = Instant::now();
        let valid = match work.threads {
            1 => (0..work.repeat).all(is_valid),
            _ => (0..work.repeat).into_par_iter().all(is_valid),
        };
        let seconds = start.elapsed().as_secs_f64();
        ensure!(valid, "the crate equihash finds the header invalid");
        Ok(seconds)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_answered_with_seconds_and_an_invalid_header_is_refused() {
        let text = include_str!("../../../../examples/headers/mainnet-346.hex").trim();
        let byte = |i: usize| u8::from_str_radix(&text[i..i + 2], 16).unwrap();
        let header = (0..text.len()).step_by(2).map(byte).collect();
        let mut work = Work { n: 200, k: 9, header, hashed: true, repeat: 2, threads: 2 };
        let pool = thread_pool(2).unwrap();
        assert!(seconds(&pool, &work).unwrap() > 0.0);
        work.header[1000] ^= 1;
        assert!(seconds(&pool, &work).is_err());
    }
}
