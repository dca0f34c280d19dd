//! `proofmill prove`: a proving key and a witness in, a proof and its public inputs out.

mod protocol;
mod report;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use clap::Args;
use proofmill::groth16::snarkjs::{self, AnyZkey, Witness};
use proofmill::groth16::{Control, Error, Settings, devices_with_fallback, return_freed_memory};
use proofmill::{SecretBytes, Uri};

use crate::hardening::Hardening;
use crate::new_file::{keep_apart, write_all};
use crate::output::{Exit, Output};
use crate::progress::Progress;
use crate::source::{is_stream, open, require_file, shown};
use crate::threads::Threads;
use protocol::ProvingKey;

#[derive(Args)]
#[command(after_help = examples!(
    "proofmill prove circuit.zkey witness.wtns",
    "proofmill prove circuit.zkey --plan",
))]
pub struct Arguments {
    /// Where to write the proof; an existing file is replaced, - is standard output
    #[arg(short, long, value_name = "FILE", default_value = "proof.json")]
    output: PathBuf,
    /// Where to write the public inputs; an existing file is replaced, - is standard output
    #[arg(long, value_name = "FILE", default_value = "public.json")]
    public: PathBuf,
    /// Device for NTTs and MSMs (see `proofmill devices`); cpu: does what it does not offer
    #[arg(long, value_name = "URI", default_value = "cpu:")]
    device: Uri,
    #[command(flatten)]
    threads: Threads,
    #[command(flatten)]
    hardening: Hardening,
    /// Skips the verification of the proof: a wrong result of a device goes unnoticed
    #[arg(long)]
    no_self_check: bool,
    /// Fails when a device fails or returns a wrong result, instead of repeating the proof on cpu:
    #[arg(long)]
    no_retry: bool,
    /// Shows which device would do what and how much memory it takes; makes no proof
    #[arg(long)]
    plan: bool,
    /// Writes one line of JSON: what was done where, time and memory. The report goes to standard error if - is an output
    #[arg(long)]
    json: bool,
    /// The proving key (.zkey), a regular file
    #[arg(value_name = "ZKEY")]
    zkey: PathBuf,
    /// The witness (.wtns), a file, a pipe or - for standard input; not needed with --plan
    #[arg(value_name = "WTNS", required_unless_present = "plan")]
    witness: Option<PathBuf>,
}

impl Arguments {
    fn settings(&self) -> Settings {
        Settings {
            self_check: !self.no_self_check,
            retry_on_fallback: !self.no_retry,
            ..Settings::default()
        }
    }
}

/// Proves, or shows the plan.
pub fn run(arguments: &Arguments, output: &mut Output) -> anyhow::Result<Exit> {
    let Arguments { output: proof, public, zkey, .. } = arguments;
    let read = [Some(zkey), arguments.witness.as_ref()];
    let read: Vec<_> = ["ZKEY", "WTNS"].into_iter().zip(read.into_iter().flatten()).collect();
    arguments.hardening.apply();
    keep_apart(&[("--output", proof), ("--public", public)], &read)?;
    require_file("ZKEY", zkey)?;
    if !arguments.plan {
        output.keep_apart_from([proof, public]);
    }
    return_freed_memory(); // as the plan has it
    match arguments.threads.run(|| Ok(AnyZkey::open(zkey)?))? {
        AnyZkey::Groth16(key) => with_key(&key, arguments, output),
        AnyZkey::Plonk(key) => with_key(&key, arguments, output),
    }
}

/// Proves with a key of either protocol, or shows the plan.
fn with_key<K: ProvingKey>(
    key: &K,
    arguments: &Arguments,
    output: &mut Output,
) -> anyhow::Result<Exit> {
    let Arguments { output: proof, public, zkey, threads, .. } = arguments;
    let uri = threads.applied(arguments.device.clone())?;
    let devices = devices_with_fallback(&uri, &threads.processor()?)?;
    let named = devices.device.caps().uri.clone();
    let (prover, witness) = threads.run(|| {
        let witness =
            arguments.witness.as_deref().map(|file| read_witness(file, key)).transpose()?;
        let prover = key.prover(devices, arguments.settings())?;
        Ok((prover, witness))
    })?;
    let plan = K::plan(&prover)?;
    if !plan.steps.iter().any(|step| step.device.as_ref() == Some(&named)) {
        // A named device that computes no step is an error of the caller.
        let what = format!("any step of a proof over {}", plan.curve.name());
        return Err(proofmill::Error::Unsupported { device: named, what }.into());
    }
    let Some(witness) = witness.filter(|_| !arguments.plan) else {
        report::plan(&plan, arguments.json, output)?;
        return Ok(Exit::Valid);
    };
    let progress = Arc::new(Progress::of_parts(K::STEPS));
    let control = {
        let progress = progress.clone();
        let report = move |step: K::Step, part| progress.say(&step.to_string(), part);
        Control::none().with_progress(Arc::new(report))
    };
    let proved = threads.run(|| Ok(K::prove(&prover, &witness, &control)))?;
    progress.finish();
    let proved = proved.map_err(|error| match error {
        Error::File(_) => error.into(),
        other => {
            let together = format!("{} with {}", zkey.display(), witness.name());
            anyhow::Error::new(other).context(together)
        }
    })?;
    write_all(&[
        ("--output", proof, K::text(&proved.proof)?.as_bytes()),
        ("--public", public, snarkjs::public::text(&proved.public_inputs).as_bytes()),
    ])?;
    report::proved(arguments, &plan, &K::counts(&prover), &proved, output)?;
    Ok(Exit::Valid)
}

/// Maps a witness file, or reads a witness for this key from a stream into memory for secrets.
fn read_witness(file: &Path, key: &impl ProvingKey) -> anyhow::Result<Witness> {
    if !is_stream(file) {
        return Ok(Witness::open(file)?);
    }
    let name = shown(file);
    let max_bytes = Witness::max_file_bytes(key.witness_values());
    let bytes = open(file).and_then(|mut stream| SecretBytes::read_to_end(&mut stream, max_bytes));
    let bytes = bytes.map_err(|error| match error.kind() {
        io::ErrorKind::FileTooLarge => {
            anyhow::anyhow!("{error}, the most of a witness for {}", key.name())
        }
        _ => error.into(),
    });
    let bytes = bytes.with_context(|| format!("WTNS: {name}"))?;
    Ok(Witness::from_bytes(name, bytes)?)
}
