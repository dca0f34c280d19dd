//! `proofmill dev`: circuits and INSECURE keys for tests and figures.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use proofmill::groth16::dev::{Circuit, InsecurePowersOfTau, Statement, WARNING};
use proofmill::groth16::snarkjs::{Zkey, verifying_key};

use crate::curve::CurveArgument;
use crate::new_file::{NewFile, write_all};
use crate::output::{Exit, Output, count, note};
use crate::progress::Progress;
use crate::threads::Threads;

#[derive(clap::Subcommand)]
pub enum Command {
    /// Writes an INSECURE powers-of-tau file, from which snarkjs makes keys for circuits of up to 2^N constraints.
    ///
    /// INSECURE: tau, alpha and beta follow from the seed, and whoever knows them proves anything.
    Ptau(Ptau),
    /// Writes a circuit's INSECURE key, a witness and the verifying key: INSECURE.zkey, witness.wtns, verification_key.json.
    ///
    /// INSECURE: the key's secrets follow from the seed, and whoever knows them proves anything.
    Circuit(CircuitArguments),
}

#[derive(Args)]
pub struct Ptau {
    /// The logarithm of the number of constraints, at most 24
    #[arg(long, value_name = "N")]
    power: u32,
    /// The file to be written; replaced when it is there [default: INSECURE_N.ptau]
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
pub struct CircuitArguments {
    /// What is proved: steps x := x^2 + i, whose numbers are all as wide as the field; or a preimage of a SHA-256 digest, mostly
    /// of bits
    #[arg(value_enum)]
    kind: Kind,
    /// How many constraints: of chain exactly, of sha256 about, in whole blocks
    #[arg(long, value_name = "N")]
    constraints: usize,
    /// The folder of the files; made when it is not there
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
struct Common {
    #[command(flatten)]
    curve: CurveArgument,
    /// What the secrets follow from
    #[arg(long, value_name = "TEXT", default_value = "proofmill")]
    seed: String,
    #[command(flatten)]
    threads: Threads,
}

#[derive(Clone, Copy, ValueEnum)]
enum Kind {
    Chain,
    Sha256,
}

/// Writes powers of tau.
pub fn ptau(arguments: &Ptau, output: &mut Output) -> anyhow::Result<Exit> {
    let Ptau { power, out, common } = arguments;
    let file = out.clone().unwrap_or_else(|| format!("INSECURE_{power}.ptau").into());
    let powers = InsecurePowersOfTau::new(common.curve.get(), *power, common.seed.as_bytes())?;
    let start = Instant::now();
    common.threads.run(|| write("--out", &file, |to| powers.write(to)))?;
    said(&file, start, output)?;
    warn();
    Ok(Exit::Valid)
}

/// Writes a circuit's files.
pub fn circuit(arguments: &CircuitArguments, output: &mut Output) -> anyhow::Result<Exit> {
    let CircuitArguments { kind, constraints, out, common } = arguments;
    let statement = match kind {
        Kind::Chain => Statement::Chain { constraints: *constraints },
        Kind::Sha256 => Statement::sha256_of_about(*constraints),
    };
    let circuit = Circuit::new(common.curve.get(), &statement)?;
    fs::create_dir_all(out).with_context(|| format!("--out: {}", out.display()))?;
    let at = |name: &str| out.join(name);
    let (key, witness, verifying) =
        (at("INSECURE.zkey"), at("witness.wtns"), at("verification_key.json"));
    output.line(format_args!(
        "{}, {}, {} of them public",
        count(circuit.constraints() as u64, "constraint"),
        count(circuit.variables() as u64, "variable"),
        circuit.publics()
    ))?;
    let start = Instant::now();
    common.threads.run(|| {
        let seed = common.seed.as_bytes();
        write("--out", &key, |to| circuit.write_insecure_key(seed, to))
    })?;
    said(&key, start, output)?;
    write("--out", &witness, |to| circuit.write_witness(to))?;
    let exported = verifying_key::text(&Zkey::open(&key)?.verifying_key()?)?;
    write_all(&[("--out", &verifying, exported.as_bytes())])?;
    warn();
    Ok(Exit::Valid)
}

/// Writes a file, which is there when it is whole.
fn write(
    argument: &str,
    file: &Path,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()> + Send,
) -> anyhow::Result<()> {
    let place = || format!("{argument}: {}", file.display());
    let progress = Progress::of_bytes(&file.display().to_string());
    let mut new = NewFile::create(file).with_context(place)?;
    content(&mut progress.wrap(&mut new)).with_context(place)?;
    progress.finish();
    new.finish().with_context(place)
}

fn said(file: &Path, start: Instant, output: &mut Output) -> anyhow::Result<()> {
    let (bytes, time) = (fs::metadata(file)?.len(), start.elapsed().as_secs_f64());
    output.line(format_args!("{}: {bytes} bytes in {time:.3} s", file.display()))
}

fn warn() {
    note(WARNING);
}
