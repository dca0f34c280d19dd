//! `proofmill prove`: a key and a witness in, a proof and its public values out.

mod report;

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context as _;
use clap::Args;
use proofmill::Uri;
use proofmill::groth16::snarkjs::{self, Witness, Zkey};
use proofmill::groth16::{Prover, Settings, Watch, devices_beside};

use crate::new_file::{keep_apart, write_all};
use crate::output::{Exit, Output};
use crate::progress::Progress;
use crate::threads::Threads;

/// The steps of a proof, for the progress: five sums, rows, quotient, assembly, check.
const STEPS: usize = 9;

#[derive(Args)]
pub struct Arguments {
    /// The file of the proof; replaced when it is there
    #[arg(short, long, value_name = "FILE", default_value = "proof.json")]
    output: PathBuf,
    /// The file of the public values; replaced when it is there
    #[arg(long, value_name = "FILE", default_value = "public.json")]
    public: PathBuf,
    /// Device that transforms and sums (see `proofmill devices`); cpu: does what it does not offer
    #[arg(long, value_name = "URI", default_value = "cpu:")]
    device: Uri,
    #[command(flatten)]
    threads: Threads,
    /// Does not verify the proof: a wrong answer of a device goes unseen
    #[arg(long)]
    no_self_check: bool,
    /// Fails when a device fails or gives a wrong answer, instead of making the proof again on cpu:
    #[arg(long)]
    no_redo: bool,
    /// Says which device would do what, and in how much memory; makes no proof
    #[arg(long)]
    plan: bool,
    /// Writes a line of JSON: what was done where, in what time and memory
    #[arg(long)]
    json: bool,
    /// The proving key
    #[arg(value_name = "ZKEY")]
    zkey: PathBuf,
    /// The witness
    #[arg(value_name = "WTNS")]
    witness: PathBuf,
}

impl Arguments {
    fn settings(&self) -> Settings {
        Settings {
            self_check: !self.no_self_check,
            redo_on_helper: !self.no_redo,
            ..Settings::default()
        }
    }
}

/// Proves, or says how it would.
pub fn run(arguments: &Arguments, output: &mut Output) -> anyhow::Result<Exit> {
    let Arguments { output: proof, public, zkey, witness, .. } = arguments;
    let (written, read) =
        ([("--output", &**proof), ("--public", public)], [("ZKEY", &**zkey), ("WTNS", witness)]);
    keep_apart(&written, &read)?;
    let (threads, uri) = (arguments.threads, arguments.device.clone());
    let devices = devices_beside(&threads.applied(uri)?, &threads.processor()?)?;
    let (key, witness, prover) = threads.run(|| {
        let (key, witness) = (Zkey::open(zkey)?, Witness::open(witness)?);
        let prover = Prover::new(&key, devices, arguments.settings())?;
        Ok((key, witness, prover))
    })?;
    if arguments.plan {
        return Ok(Exit::Valid);
    }
    let progress = Arc::new(Progress::of_parts(STEPS));
    let watch: Watch = {
        let progress = progress.clone();
        Arc::new(move |step, part| progress.say(&step.to_string(), part))
    };
    let proved = threads.run(|| Ok(prover.prove(&witness, Some(&watch))?));
    progress.finish();
    let proved = proved.with_context(|| format!("{} with {}", key.name(), witness.name()))?;
    write_all(&[
        ("--output", proof, snarkjs::proof::text(&proved.proof)?.as_bytes()),
        ("--public", public, snarkjs::public::text(&proved.public).as_bytes()),
    ])?;
    report::proved(arguments, &key, &prover, &proved, output)?;
    Ok(Exit::Valid)
}
