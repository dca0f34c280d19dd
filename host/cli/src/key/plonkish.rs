//! Describes a key for PLONK or FFLONK.

use proofmill::groth16::Result;
use proofmill::groth16::snarkjs::PlonkishKey;
use proofmill::groth16::snarkjs::plonk::Polynomial;
use serde_json::json;

use super::Info;
use crate::output::{Exit, Output};

/// Describes a key of a protocol; `check` checks all of it.
pub fn info<H>(
    arguments: &Info,
    protocol: &str,
    key: &PlonkishKey<H>,
    digest: &str,
    check: impl FnOnce() -> Result<()>,
    output: &mut Output,
) -> anyhow::Result<Exit> {
    if arguments.check {
        check()?;
    }
    let points = key.points();
    let (curve, group) = (key.curve().name(), points.instance());
    let (constraints, additions) = (key.constraints(), key.additions().len());
    let (variables, public_inputs) = (key.variables(), key.public_inputs());
    if arguments.json {
        output.line(json!({
            "type": "key",
            "file": arguments.zkey.to_string_lossy(),
            "protocol": protocol,
            "curve": curve,
            "domain": 1_u64 << key.domain_log(),
            "constraints": constraints,
            "variables": variables,
            "witness_values": key.witness_values(),
            "public_inputs": public_inputs,
            "additions": additions,
            "points": points.count(),
            "bytes": key.file_bytes(),
            "blake2b": digest,
            "checked": arguments.check,
        }))?;
        return Ok(Exit::Valid);
    }
    output.line(format_args!("{}: {protocol}, {curve}, {} bytes", key.name(), key.file_bytes()))?;
    output.line(format_args!("constraints  {constraints} of at most 2^{}", key.domain_log()))?;
    output.line(format_args!(
        "variables    {variables}: 1, {public_inputs} public, {additions} sums, the others private"
    ))?;
    let polynomials = Polynomial::ALL.len();
    output.line(format_args!("polynomials  {polynomials} that the prover reads"))?;
    output.line(format_args!("powers of tau {} points of {group}", points.count()))?;
    output.line(format_args!("blake2b      {digest}"))?;
    if arguments.check {
        output.line("every point is on its curve and in the subgroup, every scalar below r")?;
    }
    Ok(Exit::Valid)
}
