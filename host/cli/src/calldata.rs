//! `proofmill calldata`: prints the call of a contract of `proofmill key solidity`.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use proofmill::groth16::snarkjs::{proof, public};
use proofmill::snark::Proof;
use proofmill::solidity::Call;

use crate::output::{Exit, Output};
use crate::source::{is_stream, read_stream, shown, stdin_once};

/// How the call is printed.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// The arguments as arrays of quoted numbers, as `snarkjs generatecall` prints them
    Text,
    /// The selector and the ABI encoding of the arguments
    Hex,
}

#[derive(Args)]
#[command(after_help = examples!(
    "proofmill calldata proof.json public.json",
    "proofmill calldata --format hex proof.json public.json",
))]
pub struct Arguments {
    /// The form of the call
    #[arg(long, default_value = "text")]
    format: Format,
    /// The proof (.json), a file, a pipe or - for standard input
    #[arg(value_name = "PROOF")]
    proof: PathBuf,
    /// The public inputs (.json), a file, a pipe or - for standard input
    #[arg(value_name = "PUBLIC")]
    public: PathBuf,
}

/// Prints a call.
pub fn run(arguments: &Arguments, output: &mut Output) -> anyhow::Result<Exit> {
    let Arguments { format, proof, public } = arguments;
    stdin_once([("PROOF", proof), ("PUBLIC", public)])?;
    let parsed = read_proof(proof)?;
    let public_inputs = match is_stream(public) {
        true => {
            public::parse(&shown(public), &read_stream(public, public::MAX_BYTES)?, parsed.curve())?
        }
        false => public::open(public, parsed.curve())?,
    };
    let call = Call::new(&parsed, &public_inputs);
    let call = call.with_context(|| format!("{} for {}", shown(proof), shown(public)))?;
    output.line(match format {
        Format::Text => call.text(),
        Format::Hex => format!("0x{}", hex::encode(call.bytes())),
    })?;
    Ok(Exit::Valid)
}

fn read_proof(file: &Path) -> anyhow::Result<Proof> {
    Ok(match is_stream(file) {
        true => Proof::parse_any(&shown(file), &read_stream(file, proof::MAX_BYTES)?)?,
        false => Proof::open_any(file)?,
    })
}
