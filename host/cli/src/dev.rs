//! `proofmill dev`: circuits and INSECURE keys for tests and figures.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, ensure};
use clap::{Args, ValueEnum};
use proofmill::groth16::dev::{Circuit, InsecurePowersOfTau, Statement};
use proofmill::groth16::snarkjs::AnyZkey;

use crate::curve::CurveArgument;
use crate::new_file::{NewFile, write_all};
use crate::output::{Exit, Output, count, note};
use crate::progress::Progress;
use crate::threads::Threads;

#[derive(clap::Subcommand)]
pub enum Command {
    /// Writes an INSECURE powers-of-tau file, from which snarkjs makes keys for circuits of up to 2^N constraints.
    ///
    /// INSECURE: tau, alpha and beta are derived from the seed. Whoever knows the seed can forge proofs.
    Ptau(Ptau),
    /// Writes an INSECURE proving key for a sample circuit, its constraints, a witness and the verification key.
    ///
    /// The files are INSECURE.zkey, circuit.r1cs, witness.wtns and verification_key.json.
    ///
    /// INSECURE: the key's secrets are derived from the seed. Whoever knows the seed can forge proofs.
    Circuit(CircuitArguments),
}

#[derive(Args)]
#[command(after_help = examples!(
    "proofmill dev ptau --power 14",
    "proofmill dev ptau --power 10 --curve bls12_381 --out small.ptau",
))]
pub struct Ptau {
    /// Base-2 logarithm of the number of constraints, at most 24
    #[arg(long, value_name = "N")]
    power: u32,
    /// Where to write it; an existing file is replaced [default: INSECURE_N.ptau]
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
#[command(after_help = examples!(
    "proofmill dev circuit sha256 --constraints 25000 --out made",
    "proofmill dev circuit chain --constraints 65536 --curve bls12_381 --protocol plonk --out made",
))]
pub struct CircuitArguments {
    /// The circuit. chain: steps x := x^2 + i, every value as wide as the field. sha256: a preimage of a SHA-256 digest, mostly
    /// bits
    #[arg(value_enum)]
    kind: Kind,
    /// Number of constraints: exact for chain, rounded to whole blocks for sha256
    #[arg(long, value_name = "N")]
    constraints: usize,
    /// The protocol of the key
    #[arg(long, value_enum, default_value_t = Protocol::Groth16)]
    protocol: Protocol,
    /// Folder for the files; created if missing
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
struct Common {
    #[command(flatten)]
    curve: CurveArgument,
    /// Text from which the secrets are derived
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

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Protocol {
    Groth16,
    Plonk,
    /// On bn254 only
    Fflonk,
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
    let CircuitArguments { kind, constraints, protocol, out, common } = arguments;
    let statement = match kind {
        Kind::Chain => Statement::Chain { constraints: *constraints },
        Kind::Sha256 => Statement::sha256_of_about(*constraints),
    };
    let circuit = Circuit::new(common.curve.get(), &statement)?;
    let place = || format!("--out: {}", out.display());
    ensure!(!out.exists() || out.is_dir(), "{}: not a folder", place());
    fs::create_dir_all(out).with_context(place)?;
    let at = |name: &str| out.join(name);
    let (key, witness, verifying) =
        (at("INSECURE.zkey"), at("witness.wtns"), at("verification_key.json"));
    output.line(format_args!(
        "{}, {}, {} of them public",
        count(circuit.constraints() as u64, "constraint"),
        count(circuit.variables() as u64, "variable"),
        circuit.public_inputs()
    ))?;
    let start = Instant::now();
    common.threads.run(|| {
        let seed = common.seed.as_bytes();
        write("--out", &key, |to| match protocol {
            Protocol::Groth16 => circuit.write_insecure_key(seed, to),
            Protocol::Plonk => circuit.write_insecure_plonk_key(seed, to),
            Protocol::Fflonk => circuit.write_insecure_fflonk_key(seed, to),
        })
    })?;
    said(&key, start, output)?;
    write("--out", &at("circuit.r1cs"), |to| circuit.write_r1cs(to))?;
    write("--out", &witness, |to| circuit.write_witness(to))?;
    let exported = AnyZkey::open(&key)?.verifying_key()?.text()?;
    write_all(&[("--out", &verifying, exported.as_bytes())])?;
    warn();
    Ok(Exit::Valid)
}

/// Writes a file under a temporary name, and renames it when it is complete.
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
    note("INSECURE: for tests only; whoever knows the seed can forge proofs");
}
