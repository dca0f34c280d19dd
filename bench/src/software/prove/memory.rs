//! The memory of a proof: a program's peak, so each proof has a program of its own.

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::ours::Ours;
use super::task::Files;
use crate::software::peak::{of_a_program, peak};

/// Bytes of a program that opens a key and a witness and makes one proof.
#[derive(Serialize, Deserialize)]
pub struct Memory {
    /// The most that it had at a time, mapped files and the program itself among them.
    pub peak: usize,
    /// What the prover's plan says: key, witness and working set.
    pub plan: usize,
}

impl Memory {
    /// Of this program begun anew.
    pub fn of_a_program(files: &Files, threads: usize) -> Result<Self> {
        let files = [&files.zkey, &files.wtns].map(|path| path.into());
        let threads = threads.to_string().into();
        of_a_program(["prove-once".into()].into_iter().chain(files).chain([threads]))
    }

    /// The program's side: makes the proof and prints this as JSON.
    pub fn print_own(files: &Files, threads: usize) -> Result<()> {
        let plan = Ours::prove_once(files, threads)?;
        println!("{}", serde_json::to_string(&Self { peak: peak()?, plan })?);
        Ok(())
    }
}
