//! `proofmill prove`: a proving key and a witness in, a proof and its public inputs out.

mod report;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use clap::Args;
use proofmill::Uri;
use proofmill::groth16::snarkjs::{self, R1cs, Symbols};
use proofmill::groth16::{devices_with_fallback, return_freed_memory};
use proofmill::snark::{AnyZkey, Control, Error, Prover, Settings, Step, Witness};

use crate::hardening::Hardening;
use crate::new_file::{keep_apart, write_all};
use crate::output::{Exit, Output, report as report_error};
use crate::progress::Progress;
use crate::r1cs::{self, Names};
use crate::source::{read_witness, require_file};
use crate::threads::Threads;
use crate::witness::{Diagnosis, MAX};

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
    /// The circuit's constraint system (.r1cs), a regular file: if the proof does not verify, prints the constraints that the
    /// witness violates, with VALUES OF THE WITNESS, which is secret
    #[arg(long, value_name = "FILE", conflicts_with = "no_self_check")]
    r1cs: Option<PathBuf>,
    #[command(flatten)]
    names: Names,
    /// The proving key (.zkey), a regular file
    #[arg(value_name = "ZKEY")]
    zkey: PathBuf,
    #[cfg(feature = "witness")]
    #[command(flatten)]
    generator: crate::generator::Calculated,
    /// The witness (.wtns), a file, a pipe or - for standard input; not needed with --plan
    #[cfg_attr(feature = "witness", arg(value_name = "WTNS", required_unless_present_any = ["plan", "wasm"]))]
    #[cfg_attr(
        not(feature = "witness"),
        arg(value_name = "WTNS", required_unless_present = "plan")
    )]
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
    let Arguments { output: proof, public, zkey, threads, .. } = arguments;
    let read = [
        ("ZKEY", Some(zkey)),
        ("WTNS", arguments.witness.as_ref()),
        ("--r1cs", arguments.r1cs.as_ref()),
        ("--sym", arguments.names.file()),
        #[cfg(feature = "witness")]
        ("--wasm", arguments.generator.wasm()),
        #[cfg(feature = "witness")]
        ("--input", arguments.generator.input()),
    ];
    let read: Vec<_> = read.into_iter().filter_map(|(name, file)| Some((name, file?))).collect();
    arguments.hardening.apply();
    keep_apart(&[("--output", proof), ("--public", public)], &read)?;
    require_file("ZKEY", zkey)?;
    if !arguments.plan {
        output.keep_apart_from([proof, public]);
    }
    return_freed_memory(); // as the plan has it
    let key = threads.run(|| Ok(AnyZkey::open(zkey)?))?;
    let uri = threads.applied(arguments.device.clone())?;
    let devices = devices_with_fallback(&uri, &threads.processor()?)?;
    let named = devices.device.caps().uri.clone();
    let (prover, witness, circuit) = threads.run(|| {
        let open = |file| Circuit::open(file, &arguments.names);
        let circuit = arguments.r1cs.as_deref().map(open).transpose()?;
        let read = |file| read_witness(file, key.witness_values(), key.name());
        let witness = arguments.witness.as_deref().map(read).transpose()?;
        #[cfg(feature = "witness")]
        let witness = match witness {
            None if !arguments.plan => arguments.generator.calculate(&key)?,
            other => other,
        };
        if let (Some(circuit), Some(witness)) = (&circuit, &witness) {
            circuit
                .system
                .require(witness)
                .with_context(|| format!("{} with {}", circuit.system.name(), witness.name()))?;
        }
        let prover = Prover::new(&key, devices, arguments.settings())?;
        Ok((prover, witness, circuit))
    })?;
    let plan = prover.plan()?;
    if !plan.steps.iter().any(|step| step.device.as_ref() == Some(&named)) {
        // A named device that computes no step is an error of the caller.
        let what = format!("any step of a proof over {}", plan.curve.name());
        return Err(proofmill::Error::Unsupported { device: named, what }.into());
    }
    let Some(witness) = witness.filter(|_| !arguments.plan) else {
        report::plan(&plan, arguments.json, output)?;
        return Ok(Exit::Valid);
    };
    let progress = Arc::new(Progress::of_parts(plan.steps.len()));
    let control = {
        let progress = progress.clone();
        let report = move |step: Step, part| progress.say(&step.to_string(), part);
        Control::none().with_progress(Arc::new(report))
    };
    let proved = threads.run(|| Ok(prover.prove_with(&witness, &control)))?;
    progress.finish();
    let proved = match proved {
        Ok(proved) => proved,
        Err(error @ Error::File(_)) => return Err(error.into()),
        Err(error) => {
            let does_not_verify = matches!(error, Error::DoesNotVerify);
            let together = format!("{} with {}", zkey.display(), witness.name());
            let error = anyhow::Error::new(error).context(together);
            let Some(circuit) = circuit.filter(|_| does_not_verify) else { return Err(error) };
            return circuit.explain(&error, witness, *threads);
        }
    };
    write_all(&[
        ("--output", proof, proved.proof.text()?.as_bytes()),
        ("--public", public, snarkjs::public::text(&proved.public_inputs).as_bytes()),
    ])?;
    report::proved(arguments, &plan, &prover.counts(), &proved, output)?;
    Ok(Exit::Valid)
}

/// The constraints of `--r1cs`, and the names of their signals.
struct Circuit {
    system: R1cs,
    names: Option<Symbols>,
}

impl Circuit {
    fn open(file: &Path, names: &Names) -> anyhow::Result<Self> {
        let system = r1cs::open("--r1cs", file)?;
        let names = names.open(&system)?;
        Ok(Self { system, names })
    }

    /// Reports the error, then the violated constraints on standard error. Returns the error's exit code.
    fn explain(
        self,
        error: &anyhow::Error,
        witness: Witness,
        threads: Threads,
    ) -> anyhow::Result<Exit> {
        report_error(error);
        let Self { system, names } = self;
        let violations = threads.run(|| Ok(system.check(&witness, MAX)?))?;
        let mut output = Output::stderr();
        if violations.count == 0 {
            let name = system.name();
            let problem = "the key is damaged, or it belongs to another circuit";
            output.line(format_args!("{name}: the witness violates no constraint: {problem}"))?;
        } else {
            Diagnosis { system, witness, names }.print(&violations, &mut output)?;
        }
        output.flush()?;
        Ok(Exit::of(error))
    }
}
