//! `proofmill key verify`: a key against its circuit, its powers of tau and its ceremony.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::bail;
use clap::Args;
use proofmill::Uri;
use proofmill::groth16::ceremony::{Check, MAX_LOG_ITERATIONS, verify_key};
use proofmill::groth16::devices_with_fallback;
use proofmill::groth16::snarkjs::{AnyZkey, PowersOfTau};
use serde_json::json;

use super::contributions;
use crate::output::{Exit, Output};
use crate::progress::Progress;
use crate::r1cs;
use crate::source::{require_file, require_regular};
use crate::threads::Threads;

#[derive(Args)]
#[command(after_help = examples!(
    "proofmill key verify circuit.zkey circuit.r1cs powers.ptau",
    "proofmill key verify circuit.zkey circuit.r1cs powers.ptau --json",
))]
pub struct Verify {
    /// Device for MSMs and NTTs (see `proofmill devices`); cpu: does what it does not offer
    #[arg(long, value_name = "URI", default_value = "cpu:")]
    device: Uri,
    #[command(flatten)]
    threads: Threads,
    /// log2 of the most iterations of a beacon that are recomputed
    #[arg(long, value_name = "LOG", default_value_t = MAX_LOG_ITERATIONS)]
    #[arg(value_parser = clap::value_parser!(u8).range(..=63))]
    max_beacon: u8,
    /// Writes one line of JSON
    #[arg(long)]
    json: bool,
    /// The proving key (.zkey), a regular file
    #[arg(value_name = "ZKEY")]
    zkey: PathBuf,
    /// The constraint system of the circuit (.r1cs), a regular file
    #[arg(value_name = "R1CS")]
    r1cs: PathBuf,
    /// The powers of tau (.ptau), prepared for the second phase, a regular file
    #[arg(value_name = "PTAU")]
    ptau: PathBuf,
}

/// Verifies a key: a line for each check, and the hashes to compare with those that contributors published.
pub fn verify(arguments: &Verify, output: &mut Output) -> anyhow::Result<Exit> {
    let Verify { zkey, r1cs, ptau, threads, .. } = arguments;
    require_file("ZKEY", zkey)?;
    require_regular("PTAU", "a file of powers of tau", ptau)?;
    let uri = threads.applied(arguments.device.clone())?;
    let devices = devices_with_fallback(&uri, &threads.processor()?)?;
    let start = Instant::now();
    let progress = Progress::of_parts(Check::ALL.len());
    let (key, findings, valid) = threads.run(|| {
        let key = match AnyZkey::open(zkey)? {
            AnyZkey::Groth16(key) => key,
            other => bail!(
                "ZKEY: {}: a key of protocol {protocol} has no contributions: run `snarkjs {protocol} setup` again and compare the files",
                zkey.display(),
                protocol = other.protocol(),
            ),
        };
        let circuit = r1cs::open("R1CS", r1cs)?;
        let powers = PowersOfTau::open(ptau)?;
        let mut findings = Vec::new();
        let limit = arguments.max_beacon;
        let valid = verify_key(&key, &circuit, &powers, &devices, limit, &mut |check, finding| {
            progress.say(&check.to_string(), 1.0);
            findings.push((check, finding.clone()));
        })?;
        Ok((key, findings, valid))
    })?;
    progress.finish();
    let seconds = start.elapsed().as_secs_f64();
    let contributions = key.contributions()?;
    if arguments.json {
        let checks = findings.iter().map(|(check, problem)| {
            json!({ "check": check.to_string(), "passed": problem.is_none(), "problem": problem })
        });
        output.line(json!({
            "type": "key_verification",
            "file": zkey.to_string_lossy(),
            "valid": valid,
            "checks": checks.collect::<Vec<_>>(),
            "circuit_hash": hex::encode(contributions.circuit_hash),
            "contributions": contributions::json(&contributions),
            "seconds": seconds,
        }))?;
    } else {
        for (check, problem) in &findings {
            match problem {
                None => output.line(format_args!("passed  {check}"))?,
                Some(problem) => output.line(format_args!("FAILED  {check}: {problem}"))?,
            }
        }
        contributions::print(&contributions, output)?;
        let verdict = if valid { "valid" } else { "INVALID" };
        output.line(format_args!("{}: {verdict}, {seconds:.1} s", zkey.display()))?;
    }
    Ok(if valid { Exit::Valid } else { Exit::Invalid })
}
