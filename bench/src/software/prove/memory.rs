//! The memory of a proof: the peak of a program, so that each proof has its own program.

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::ours::Ours;
use super::task::Files;
use crate::software::peak::{of_a_program, peak};

/// Bytes of a program that opens a key and a witness and makes one proof.
#[derive(Serialize, Deserialize)]
pub struct Memory {
    /// The maximum in memory, including mapped files and the program itself.
    pub peak: usize,
    /// The total of the prover's plan: key, witness and working set.
    pub plan: usize,
}

impl Memory {
    /// Measures by running this program.
    pub fn of_a_program(files: &Files, threads: usize) -> Result<Self> {
        let files = [&files.zkey, &files.wtns].map(|path| path.into());
        let threads = threads.to_string().into();
        of_a_program(["prove-once".into()].into_iter().chain(files).chain([threads]))
    }

    /// Makes the proof in the measured program and prints this as JSON.
    pub fn print_own(files: &Files, threads: usize) -> Result<()> {
        let plan = Ours::prove_once(files, threads)?;
        println!("{}", serde_json::to_string(&Self { peak: peak()?, plan })?);
        Ok(())
    }
}
