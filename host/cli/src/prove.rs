//! `proofmill prove`: a proving key and a witness in, a proof and its public values out.

mod report;

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use proofmill::Uri;
use proofmill::groth16::snarkjs::{self, Witness, Zkey};
use proofmill::groth16::{Error, Prover, Settings, Watch, devices_beside, return_freed_memory};

use crate::new_file::{keep_apart, write_all};
use crate::output::{Exit, Output};
use crate::progress::Progress;
use crate::threads::Threads;

/// The steps of a proof, for the progress: five MSMs, rows, quotient, assembly, check.
const STEPS: usize = 9;

#[derive(Args)]
#[command(after_help = examples!(
    "proofmill prove circuit.zkey witness.wtns",
    "proofmill prove circuit.zkey --plan",
))]
pub struct Arguments {
    /// Where to write the proof; an existing file is replaced
    #[arg(short, long, value_name = "FILE", default_value = "proof.json")]
    output: PathBuf,
    /// Where to write the public values; an existing file is replaced
    #[arg(long, value_name = "FILE", default_value = "public.json")]
    public: PathBuf,
    /// Device for NTTs and MSMs (see `proofmill devices`); cpu: does what it does not offer
    #[arg(long, value_name = "URI", default_value = "cpu:")]
    device: Uri,
    #[command(flatten)]
    threads: Threads,
    /// Skips the verification of the proof: a wrong result of a device goes unnoticed
    #[arg(long)]
    no_self_check: bool,
    /// Fails when a device fails or returns a wrong result, instead of redoing the work on cpu:
    #[arg(long)]
    no_redo: bool,
    /// Shows which device would do what and how much memory it takes; makes no proof
    #[arg(long)]
    plan: bool,
    /// Writes one line of JSON: what was done where, time and memory
    #[arg(long)]
    json: bool,
    /// The proving key (.zkey)
    #[arg(value_name = "ZKEY")]
    zkey: PathBuf,
    /// The witness (.wtns); not needed with --plan
    #[arg(value_name = "WTNS", required_unless_present = "plan")]
    witness: Option<PathBuf>,
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
    let Arguments { output: proof, public, zkey, threads, .. } = arguments;
    let read = [Some(zkey), arguments.witness.as_ref()];
    let read: Vec<_> = ["ZKEY", "WTNS"].into_iter().zip(read.into_iter().flatten()).collect();
    keep_apart(&[("--output", proof), ("--public", public)], &read)?;
    return_freed_memory(); // as the plan has it
    let uri = threads.applied(arguments.device.clone())?;
    let devices = devices_beside(&uri, &threads.processor()?)?;
    let named = devices.device.caps().uri.clone();
    let (prover, witness) = threads.run(|| {
        let key = Zkey::open(zkey)?;
        let witness = arguments.witness.as_ref().map(Witness::open).transpose()?;
        let prover = Prover::new(&key, devices, arguments.settings())?;
        Ok((prover, witness))
    })?;
    let plan = prover.plan()?;
    if !plan.steps.iter().any(|step| step.device.as_ref() == Some(&named)) {
        // Whoever names a device does not want all to be done beside it.
        let what = format!("any step of a proof over {}", plan.curve.name());
        return Err(proofmill::Error::Unsupported { device: named, what }.into());
    }
    let Some(witness) = witness.filter(|_| !arguments.plan) else {
        report::plan(&plan, arguments.json, output)?;
        return Ok(Exit::Valid);
    };
    let progress = Arc::new(Progress::of_parts(STEPS));
    let watch: Watch = {
        let progress = progress.clone();
        Arc::new(move |step, part| progress.say(&report::name(step), part))
    };
    let proved = threads.run(|| Ok(prover.prove(&witness, Some(&watch))))?;
    progress.finish();
    let proved = proved.map_err(|error| match error {
        Error::File(_) => error.into(),
        other => {
            let together = format!("{} with {}", zkey.display(), witness.name());
            anyhow::Error::new(other).context(together)
        }
    })?;
    write_all(&[
        ("--output", proof, snarkjs::proof::text(&proved.proof)?.as_bytes()),
        ("--public", public, snarkjs::public::text(&proved.public).as_bytes()),
    ])?;
    report::proved(arguments, &plan, &prover.counts(), &proved, output)?;
    Ok(Exit::Valid)
}
