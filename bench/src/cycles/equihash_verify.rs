//! `equihash_verify`: cycles a header.

use anyhow::{Result, ensure};
use proofmill_card::SimLibrary;
use proofmill_card::wire;
use proofmill_card::wire::constants::equihash_verify::command;
use proofmill_op::equihash_verify::{Params, Personalisation, Verdict};
use proofmill_testkit::vectors;
use serde::Deserialize;

use super::{Expected, pass, steady};
use crate::row::{HardwareRow, Kind};

pub const OP: &str = "equihash_verify";
/// Headers in a stream for (200,9); smaller parameter sets take more, about the same time.
const STREAM: usize = 24;
/// A multiple of every engine's number of SHA-256 cores: replies come in a rhythm of that period.
const TURN: usize = 12;

/// What is published of the circuit that this one is compared with, zcash-fpga, for (200,9).
const PUBLISHED_STREAM: (f64, &str) = (1443.0, "zcash-fpga document (duplicate check)");
const PUBLISHED_LATENCY: (f64, &str) = (1323.0, "zcash-fpga in simulation (slow clock)");

#[derive(Deserialize)]
struct Parameters {
    n: u32,
    k: u32,
}

/// The rows of an engine with these parameters.
pub fn rows(
    library: &SimLibrary,
    config: &str,
    parameters: serde_json::Value,
) -> Result<Vec<HardwareRow>> {
    let Parameters { n, k } = serde_json::from_value(parameters)?;
    let params = Params::new(n, k)?;
    let headers = solved_headers(params)?;
    // A smaller parameter set has fewer leaves to hash: more headers, until the pipeline is as long full.
    let count = STREAM * (Params::N200_K9.indices() / params.indices()).clamp(1, 8);
    let packets: Vec<_> = headers
        .iter()
        .cycle()
        .take(count)
        .enumerate()
        .map(|(index, header)| wire::equihash_verify(index as u64, header))
        .collect();
    // A verdict that is wrong is an error: cycles of a wrong answer are worth nothing.
    let expected = Expected {
        reply: command::REPLY,
        len: command::REPLY_LEN,
        mask_at: command::reply_fields::mask::OFFSET,
        allowed: Verdict::DIFFICULTY_FAIL,
    };
    let stream = pass(library, &packets, &expected)?;
    let whole = (stream.ends[count - 1] - stream.start) as f64 / count as f64;
    let alone = pass(library, &packets[..1], &expected)?;
    let latency = (alone.ends[0] - alone.start) as f64;

    let zcash = params == Params::N200_K9;
    let row = |metric: &str, value: f64, published: Option<(f64, &str)>| HardwareRow {
        op: OP.into(),
        instance: params.instance(),
        config: config.into(),
        metric: metric.into(),
        unit: "cycles".into(),
        value,
        published: published.map(|(value, _)| value),
        published_by: published.map(|(_, by)| by.into()),
        kind: Kind::Measured,
    };
    let published = zcash.then_some(PUBLISHED_STREAM);
    Ok(vec![
        row("per header in a stream, steady", steady(&stream.ends, TURN), published),
        row(&format!("per header, {count} in one go"), whole, published),
        row("latency of one header alone", latency, zcash.then_some(PUBLISHED_LATENCY)),
    ])
}

/// Headers with a solution. Whether they meet mainnet's difficulty, which a fresh card checks, does not matter to
/// the cycles.
fn solved_headers(params: Params) -> Result<Vec<Vec<u8>>> {
    let cases = vectors::equihash_verify().map_err(anyhow::Error::msg)?;
    let solved = |case: &vectors::EquihashCase| {
        case.params == params
            && case.verdict.mask() & !Verdict::DIFFICULTY_FAIL == 0
            && case.personalisation == Personalisation::default()
    };
    let mut headers: Vec<_> = cases.into_iter().filter(solved).map(|case| case.header).collect();
    headers.dedup();
    ensure!(!headers.is_empty(), "spec/vectors has no header with a solution for ({params})");
    Ok(headers)
}
