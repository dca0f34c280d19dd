//! `proofmill key`: describes and verifies a proving key and exports its verification key.

mod check;
mod contributions;
mod plonkish;
mod solidity;
mod verify;

use std::path::PathBuf;

use clap::Args;
use proofmill::groth16::snarkjs::{AnyZkey, Matrix, Section, Zkey};
use serde_json::json;

use crate::new_file::{keep_apart, write_all};
use crate::output::{Exit, Output};
use crate::source::require_file;

pub use solidity::solidity;
pub use verify::{Verify, verify};

#[derive(clap::Subcommand)]
pub enum Command {
    /// Describes a proving key: curve, sizes, sections, contributions, hash.
    Info(Info),
    /// Writes the verification key, byte for byte as snarkjs does.
    ExportVkey(ExportVkey),
    /// Verifies that a Groth16 key belongs to a circuit, to powers of tau and to its contributions, as `snarkjs zkey verify`.
    Verify(Verify),
    /// Writes a Solidity contract that verifies proofs on a chain.
    Solidity(solidity::Solidity),
}

#[derive(Args)]
#[command(after_help = examples!(
    "proofmill key info circuit.zkey",
    "proofmill key info --check circuit.zkey",
))]
pub struct Info {
    /// Checks that every point of the key is on the curve and in the subgroup
    #[arg(long)]
    check: bool,
    /// Writes one line of JSON
    #[arg(long)]
    json: bool,
    /// The proving key (.zkey), a regular file
    #[arg(value_name = "ZKEY")]
    zkey: PathBuf,
}

#[derive(Args)]
#[command(after_help = examples!(
    "proofmill key export-vkey circuit.zkey",
    "proofmill key export-vkey circuit.zkey --output vkey.json",
))]
pub struct ExportVkey {
    /// Where to write it; an existing file is replaced, - is standard output
    #[arg(short, long, value_name = "FILE", default_value = "verification_key.json")]
    output: PathBuf,
    /// The proving key (.zkey), a regular file
    #[arg(value_name = "ZKEY")]
    zkey: PathBuf,
}

/// Exports.
pub fn export_vkey(arguments: &ExportVkey) -> anyhow::Result<Exit> {
    let ExportVkey { output, zkey } = arguments;
    keep_apart(&[("--output", output)], &[("ZKEY", zkey)])?;
    require_file("ZKEY", zkey)?;
    let exported = AnyZkey::open(zkey)?.verifying_key()?.text()?;
    write_all(&[("--output", output, exported.as_bytes())])?;
    Ok(Exit::Valid)
}

/// Describes a key.
pub fn info(arguments: &Info, output: &mut Output) -> anyhow::Result<Exit> {
    require_file("ZKEY", &arguments.zkey)?;
    let key = AnyZkey::open(&arguments.zkey)?;
    let digest = hex::encode(key.digest());
    match key {
        AnyZkey::Groth16(key) => groth16(arguments, &key, &digest, output),
        AnyZkey::Plonk(key) => {
            plonkish::info(arguments, "plonk", &key, &digest, || key.check(), output)
        }
        AnyZkey::Fflonk(key) => {
            plonkish::info(arguments, "fflonk", &key, &digest, || key.check(), output)
        }
    }
}

fn groth16(
    arguments: &Info,
    key: &Zkey,
    digest: &str,
    output: &mut Output,
) -> anyhow::Result<Exit> {
    let contributions = key.contributions()?;
    if arguments.check {
        check::all_points(key)?;
    }
    let [mut a, mut b] = [0_usize; 2];
    for entry in key.coefficients().iter() {
        *(if entry?.matrix == Matrix::A { &mut a } else { &mut b }) += 1;
    }
    let sections = Section::ALL.map(|section| (section, key.points(section)));
    if arguments.json {
        let sections = sections.iter().map(|(section, points)| {
            let bytes = points.count() * points.instance().point_bytes();
            json!({ "name": format!("{section:?}"), "points": points.count(), "bytes": bytes })
        });
        output.line(json!({
            "type": "key",
            "file": arguments.zkey.to_string_lossy(),
            "protocol": "groth16",
            "curve": key.curve().name(),
            "domain": 1_u64 << key.domain_log(),
            "variables": key.variables(),
            "public_inputs": key.public_inputs(),
            "entries": { "A": a, "B": b },
            "sections": sections.collect::<Vec<_>>(),
            "bytes": key.file_bytes(),
            "blake2b": digest,
            "circuit_hash": hex::encode(contributions.circuit_hash),
            "contributions": contributions::json(&contributions),
            "checked": arguments.check,
        }))?;
        return Ok(Exit::Valid);
    }
    let curve = key.curve().name();
    output.line(format_args!("{}: groth16, {curve}, {} bytes", key.name(), key.file_bytes()))?;
    let (variables, public_inputs) = (key.variables(), key.public_inputs());
    output.line(format_args!("constraints  at most 2^{}", key.domain_log()))?;
    output.line(format_args!(
        "variables    {variables}: 1, {public_inputs} public, the others private"
    ))?;
    output.line(format_args!("entries      {a} in A, {b} in B"))?;
    for (section, points) in sections {
        let (count, group) = (points.count(), points.instance());
        output.line(format_args!(
            "section {:<4} {count} points of {group}",
            format!("{section:?}")
        ))?;
    }
    output.line(format_args!("blake2b      {digest}"))?;
    contributions::print(&contributions, output)?;
    if arguments.check {
        output.line("every point is on its curve and in the subgroup")?;
    }
    Ok(Exit::Valid)
}
