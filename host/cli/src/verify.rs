//! `proofmill verify`: verifies proofs.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, ensure};
use clap::Args;
use proofmill::groth16::Curve;
use proofmill::groth16::snarkjs::{proof, public};
use proofmill::snark::{AnyVerifyingKey, PreparedVerifyingKey, Proof, Protocol, Scalar};
use serde_json::json;

use crate::output::{Exit, Output};
use crate::source::{DeviceArguments, is_stream, read_stream, require_file, shown, stdin_once};

#[derive(Args)]
#[command(after_help = examples!(
    "proofmill verify verification_key.json public.json proof.json",
    "proofmill verify --batch verification_key.json public1.json proof1.json public2.json proof2.json",
))]
pub struct Arguments {
    /// Verifies several proofs at once, faster than one by one; PUBLIC and PROOF come again for each
    #[arg(long)]
    batch: bool,
    #[command(flatten)]
    device: DeviceArguments,
    /// Writes one line of JSON a proof
    #[arg(long)]
    json: bool,
    /// The verification key (.json), as `proofmill key export-vkey` and snarkjs write it; a regular file
    #[arg(value_name = "VKEY")]
    key: PathBuf,
    /// The public inputs (.json), a file, a pipe or - for standard input
    #[arg(value_name = "PUBLIC")]
    public: PathBuf,
    /// The proof (.json), a file, a pipe or - for standard input
    #[arg(value_name = "PROOF")]
    proof: PathBuf,
    /// With --batch: the public inputs and the proof of each further one
    #[arg(value_name = "PUBLIC PROOF", requires = "batch")]
    more: Vec<PathBuf>,
}

impl Arguments {
    /// The files of a proof.
    fn told(&self, [public, proof]: &[&PathBuf; 2]) -> String {
        let [proof, public, key] = [proof, public, &self.key].map(|file| shown(file));
        format!("{proof} for {public} with {key}")
    }
}

/// Verifies one proof, or a batch.
pub fn run(arguments: &Arguments, output: &mut Output) -> anyhow::Result<Exit> {
    let Arguments { key, public, proof, more, .. } = arguments;
    require_file("VKEY", key)?;
    let names = ["PUBLIC", "PROOF"].into_iter().cycle();
    stdin_once(names.zip([public, proof].into_iter().chain(more)))?;
    let key = AnyVerifyingKey::open(key)?;
    if arguments.batch { many(&key, arguments, output) } else { one(&key, arguments, output) }
}

fn one(key: &AnyVerifyingKey, arguments: &Arguments, output: &mut Output) -> anyhow::Result<Exit> {
    let public = read_public(&arguments.public, key.curve())?;
    let proof = read_proof(key.protocol(), &arguments.proof)?;
    let (valid, seconds) = arguments.device.pairings(|pairings| {
        let start = Instant::now();
        let prepared = PreparedVerifyingKey::with_pairings(key, pairings);
        let valid = prepared.and_then(|key| key.verify(&public, &proof));
        let valid =
            valid.with_context(|| arguments.told(&[&arguments.public, &arguments.proof]))?;
        Ok((valid, start.elapsed().as_secs_f64()))
    })?;
    let verdict = Verdict { valid, curve: key.curve(), public_inputs: public.len(), seconds };
    verdict.tell(arguments, &arguments.proof, output)
}

fn many(key: &AnyVerifyingKey, arguments: &Arguments, output: &mut Output) -> anyhow::Result<Exit> {
    let (further, rest) = arguments.more.as_chunks::<2>();
    ensure!(
        rest.is_empty(),
        "PUBLIC PROOF: {} has no proof",
        arguments.more[2 * further.len()].display()
    );
    let first = [&arguments.public, &arguments.proof];
    let files: Vec<_> = [first].into_iter().chain(further.iter().map(|[a, b]| [a, b])).collect();
    let read = |[public, proof]: &[&PathBuf; 2]| {
        Ok((read_public(public, key.curve())?, read_proof(key.protocol(), proof)?))
    };
    let proofs = files.iter().map(read).collect::<anyhow::Result<Vec<_>>>()?;
    let batch: Vec<_> = proofs.iter().map(|(public, proof)| (&public[..], proof)).collect();
    let (invalid, seconds) = arguments.device.pairings(|pairings| {
        let start = Instant::now();
        let prepared = PreparedVerifyingKey::with_pairings(key, pairings)?;
        let invalid = prepared.find_invalid(&batch).or_else(|error| {
            // One after the other, so that the files are named of which one makes no sense.
            for ((public, proof), files) in batch.iter().zip(&files) {
                prepared.verify(public, proof).with_context(|| arguments.told(files))?;
            }
            Err(error).with_context(|| format!("with {}", arguments.key.display()))
        })?;
        Ok((invalid, start.elapsed().as_secs_f64() / files.len() as f64))
    })?;
    let mut exit = Exit::Valid;
    for (at, [_, file]) in files.iter().enumerate() {
        let valid = !invalid.contains(&at);
        let verdict =
            Verdict { valid, curve: key.curve(), public_inputs: key.public_inputs(), seconds };
        exit = exit.max(verdict.tell(arguments, file, output)?);
    }
    Ok(exit)
}

fn read_public(file: &Path, curve: Curve) -> anyhow::Result<Vec<Scalar>> {
    Ok(match is_stream(file) {
        true => public::parse(&shown(file), &read_stream(file, public::MAX_BYTES)?, curve)?,
        false => public::open(file, curve)?,
    })
}

fn read_proof(protocol: Protocol, file: &Path) -> anyhow::Result<Proof> {
    Ok(match is_stream(file) {
        true => Proof::parse(protocol, &shown(file), &read_stream(file, proof::MAX_BYTES)?)?,
        false => Proof::open(protocol, file)?,
    })
}

/// The output for a proof.
struct Verdict {
    valid: bool,
    curve: Curve,
    public_inputs: usize,
    seconds: f64,
}

impl Verdict {
    fn tell(
        &self,
        arguments: &Arguments,
        file: &Path,
        output: &mut Output,
    ) -> anyhow::Result<Exit> {
        let Self { valid, curve, public_inputs, seconds } = *self;
        if arguments.json {
            let mut told = json!({
                "type": "verify",
                "valid": valid,
                "curve": curve.name(),
                "public_inputs": public_inputs,
                "seconds": seconds,
            });
            if arguments.batch {
                told["file"] = file.to_string_lossy().into();
            }
            output.line(told)?;
        } else {
            let verdict = if valid { "valid" } else { "invalid" };
            output.line(format_args!("{}: {verdict}", file.display()))?;
        }
        Ok(if valid { Exit::Valid } else { Exit::Invalid })
    }
}
