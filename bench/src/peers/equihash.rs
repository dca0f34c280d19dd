//! The crate `equihash`, in both of its modes.
//!
//! Its mode is a feature, and a program has a crate with one set of features. So each mode is a program of its
//! own ([`program`]): [`serve`] is its whole life, [`Peer`] the handle to it. Both are built for exactly this
//! processor (`target-cpu=native`), which makes them faster by a tenth (unsafe-verifier) and by half (default);
//! our own code finds out what the processor has when it runs, and is built as it is shipped.

use std::collections::HashMap;
use std::io::{BufRead, Write};
use std::time::Instant;

use anyhow::{Result, ensure};
use proofmill_cpu::thread_pool;
use rayon::ThreadPool;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::program::{self, Program};

/// The crate's modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Without features: portable code.
    Default,
    /// With its feature `unsafe-verifier`: AVX2 where the processor has it.
    UnsafeVerifier,
}

impl Mode {
    fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::UnsafeVerifier => "unsafe-verifier",
        }
    }

    fn feature(self) -> Option<&'static str> {
        match self {
            Self::Default => None,
            Self::UnsafeVerifier => Some("equihash-unsafe-verifier"),
        }
    }
}

/// Some verifications of one header.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Work {
    /// Equihash n.
    pub n: u32,
    /// Equihash k.
    pub k: u32,
    /// The header: 140 bytes, CompactSize, solution.
    pub header: Vec<u8>,
    /// Is the header's SHA-256d computed too?
    pub hashed: bool,
    /// How often it is verified.
    pub repeat: usize,
    /// By how many threads.
    pub threads: usize,
}

/// The program with one mode.
pub struct Peer {
    mode: Mode,
    program: Program,
}

impl Peer {
    /// Builds the program and starts it.
    pub fn start(mode: Mode) -> Result<Self> {
        let path = program::build(
            "equihash-peer",
            mode.feature(),
            program::C_FLAGS,
            &program::folder(mode.name()),
        )?;
        Ok(Self { mode, program: Program::start(&path)? })
    }

    /// Name, version and mode.
    pub fn name(&self) -> String {
        format!("equihash 0.3.1 ({})", self.mode.name())
    }

    /// The seconds that the work takes it; the header must be valid.
    pub fn seconds(&mut self, work: &Work) -> Result<f64> {
        self.program.seconds(work)
    }
}

/// Answers works with seconds, a line each, until the input ends.
pub fn serve(input: impl BufRead, mut output: impl Write) -> Result<()> {
    let mut pools = HashMap::new();
    for line in input.lines() {
        let work: Work = serde_json::from_str(&line?)?;
        let pool = match pools.remove(&work.threads) {
            Some(pool) => pool,
            None => thread_pool(Some(work.threads))?,
        };
        writeln!(output, "{:e}", seconds(&pool, &work)?)?;
        output.flush()?;
        pools.insert(work.threads, pool);
    }
    Ok(())
}

fn seconds(pool: &ThreadPool, work: &Work) -> Result<f64> {
    let solution_at = work.header.len() - (work.n / (work.k + 1) + 1) as usize * (1 << work.k) / 8;
    let (input, nonce) = (&work.header[..108], &work.header[108..140]);
    let solution = &work.header[solution_at..];
    let is_valid = |_| {
        if work.hashed {
            std::hint::black_box(Sha256::digest(Sha256::digest(std::hint::black_box(
                &work.header,
            ))));
        }
        equihash::is_valid_solution(work.n, work.k, input, nonce, std::hint::black_box(solution))
            .is_ok()
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
        let header =
            hex::decode(include_str!("../../../examples/headers/mainnet-346.hex").trim()).unwrap();
        let mut work = Work { n: 200, k: 9, header, hashed: true, repeat: 2, threads: 2 };
        let served = |work: &Work| {
            let line = serde_json::to_string(work).unwrap() + "\n";
            let mut answers = Vec::new();
            serve(line.repeat(2).as_bytes(), &mut answers)?;
            anyhow::Ok(String::from_utf8(answers).unwrap())
        };
        let answers = served(&work).unwrap();
        assert_eq!(
            answers.lines().filter(|answer| answer.parse::<f64>().unwrap() > 0.0).count(),
            2
        );
        work.header[1000] ^= 1;
        assert!(served(&work).is_err());
    }
}
