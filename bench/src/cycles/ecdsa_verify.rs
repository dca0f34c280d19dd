//! `ecdsa_verify`: cycles a signature.

use anyhow::{Context, Result};
use proofmill_card::SimLibrary;
use proofmill_card::wire;
use proofmill_card::wire::constants::ecdsa_verify::command;
use serde::Deserialize;

use super::{Expected, pass, steady};
use crate::row::{HardwareRow, Kind};
use crate::signatures::{parsed, signatures};

pub const OP: &str = "ecdsa_verify";
/// Signatures in a stream for each context of the engine.
const STREAM: usize = 6;
/// Signatures that go through a card one by one.
const ALONE: usize = 4;

/// What is known of the circuit that this one is compared with, zcash-fpga with the endomorphism, which takes one
/// signature after the other: the mean of 300.
const PUBLISHED: (f64, &str) = (11_899.0, "zcash-fpga in simulation (mean; 10,100 claimed)");

#[derive(Deserialize)]
struct Parameters {
    cores: usize,
    contexts: usize,
}

/// The rows of an engine with these parameters.
pub fn rows(
    library: &SimLibrary,
    config: &str,
    parameters: serde_json::Value,
) -> Result<Vec<HardwareRow>> {
    let Parameters { cores, contexts } = serde_json::from_value(parameters)?;
    let turn = cores * contexts;
    let packets: Vec<_> = parsed(&signatures(STREAM * turn)?)?
        .iter()
        .enumerate()
        .map(|(index, signature)| wire::ecdsa_verify(index as u64, &signature.to_bytes()))
        .collect();
    // All are valid. A verdict that is wrong is an error: cycles of a wrong answer are worth nothing.
    let expected = Expected {
        reply: command::REPLY,
        len: command::REPLY_LEN,
        mask_at: command::reply_fields::mask::OFFSET,
        allowed: 0,
    };
    let stream = pass(library, &packets, &expected)?;
    let whole = (stream.ends[packets.len() - 1] - stream.start) as f64 / packets.len() as f64;
    let mut latencies = Vec::new();
    for packet in &packets[..ALONE] {
        let alone = pass(library, std::slice::from_ref(packet), &expected)?;
        let cycles = wire::bytes_at(&alone.replies[0], command::reply_fields::cycle_cnt::OFFSET);
        latencies.push(u16::from_le_bytes(cycles.context("no cycle_cnt")?));
    }
    let latency = latencies.into_iter().max().context("no signature")?;

    let row = |metric: &str, value: f64| HardwareRow {
        op: OP.into(),
        instance: "secp256k1".into(),
        config: config.into(),
        metric: metric.into(),
        unit: "cycles".into(),
        value,
        published: Some(PUBLISHED.0),
        published_by: Some(PUBLISHED.1.into()),
        kind: Kind::Measured,
    };
    let cores = if cores == 1 { "1 core".into() } else { format!("{cores} cores") };
    Ok(vec![
        row(&format!("per signature in a stream, steady, {cores}"), steady(&stream.ends, turn)),
        row(&format!("per signature, {} in one go, {cores}", packets.len()), whole),
        row("latency of one signature alone (cycle_cnt, the longest of 4)", latency.into()),
    ])
}
