//! `proofmill verify`: is a proof valid?

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context as _;
use clap::Args;
use proofmill::groth16::{self, snarkjs};
use serde_json::json;

use crate::output::{Exit, Output};

#[derive(Args)]
#[command(after_help = examples!(
    "proofmill verify verification_key.json public.json proof.json",
    "proofmill verify --json verification_key.json public.json proof.json",
))]
pub struct Arguments {
    /// Writes one line of JSON
    #[arg(long)]
    json: bool,
    /// The verification key (.json), as `proofmill key export-vkey` and snarkjs write it
    #[arg(value_name = "VKEY")]
    key: PathBuf,
    /// The public values (.json)
    #[arg(value_name = "PUBLIC")]
    public: PathBuf,
    /// The proof (.json)
    #[arg(value_name = "PROOF")]
    proof: PathBuf,
}

/// Verifies one proof.
pub fn run(arguments: &Arguments, output: &mut Output) -> anyhow::Result<Exit> {
    let key = snarkjs::verifying_key::open(&arguments.key)?;
    let public = snarkjs::public::open(&arguments.public, key.curve)?;
    let proof = snarkjs::proof::open(&arguments.proof)?;
    let start = Instant::now();
    let together = || {
        let [proof, public] = [&arguments.proof, &arguments.public].map(|file| file.display());
        format!("{proof} for {public} with {}", arguments.key.display())
    };
    let valid = groth16::verify(&key, &public, &proof).with_context(together)?;
    let seconds = start.elapsed().as_secs_f64();
    if arguments.json {
        output.line(json!({
            "type": "verify",
            "valid": valid,
            "curve": key.curve.name(),
            "publics": public.len(),
            "seconds": seconds,
        }))?;
    } else {
        let verdict = if valid { "valid" } else { "invalid" };
        output.line(format_args!("{}: {verdict}", arguments.proof.display()))?;
    }
    Ok(if valid { Exit::Valid } else { Exit::Invalid })
}
