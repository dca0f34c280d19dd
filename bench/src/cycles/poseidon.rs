//! `poseidon`: cycles a hash, by commands of one hash each and in a layer of a tree.

use anyhow::{Context, Result, ensure};
use proofmill_algebra::Isa;
use proofmill_algebra::poseidon::{Domain, ELEMENT_BYTES, Instance, Strength};
use proofmill_card::wire;
use proofmill_card::wire::constants::poseidon::commands::{layer, write};
use proofmill_card::wire::constants::poseidon::{command, strengthened};
use proofmill_card::{SimLibrary, SimTransport, Transport as _};
use serde::Deserialize;

use super::{Expected, LIMIT, Pass, pass};
use crate::row::{HardwareRow, Kind};

pub const OP: &str = "poseidon";
/// Rows in a stream for each row that the engine has under way: so many that bursts of replies change no figure by 0.1 %.
const STREAM: usize = 20;
/// The same in a layer.
const LAYER: usize = 4;

/// The bit of the strengthened instance in the parameter `strengths`.
const STRENGTHENED: u32 = 1 << 1;

/// What is known of the circuit that this one is compared with, by arity: TRIDENT's hashes a second at 100 MHz.
const PUBLISHED: [(usize, f64); 3] = [(2, 101.0), (8, 279.0), (11, 328.0)];
const PUBLISHED_BY: &str = "TRIDENT (C1100, 100 MHz)";

#[derive(Deserialize)]
struct Parameters {
    arities: u32,
    strengths: u32,
    elements: usize,
    rows: usize,
}

/// The rows of an engine with these parameters.
pub fn rows(
    library: &SimLibrary,
    config: &str,
    parameters: serde_json::Value,
) -> Result<Vec<HardwareRow>> {
    let Parameters { arities, strengths, elements, rows } = serde_json::from_value(parameters)?;
    let arities: Vec<usize> = (0..32).filter(|bit| arities >> bit & 1 == 1).collect();
    let mut found = Vec::new();
    let mut add = |metric: String, value: f64, published: Option<f64>| {
        found.push(HardwareRow {
            op: OP.into(),
            instance: "poseidon_bls12_381".into(),
            config: config.into(),
            metric,
            unit: "cycles".into(),
            value,
            published,
            published_by: published.map(|_| PUBLISHED_BY.into()),
            kind: Kind::Measured,
        });
    };
    for &arity in &arities {
        let published =
            PUBLISHED.iter().find(|(known, _)| *known == arity).map(|(_, cycles)| *cycles);
        let in_row = elements / (arity + 1);
        let hashes = vec![arity; STREAM * rows * in_row];
        let stream = hashed(library, Strength::Standard, &hashes)?;
        add(format!("per hash of arity {arity} in a stream, steady"), steady(&stream)?, published);
        if strengths & STRENGTHENED != 0 {
            let stream = hashed(library, Strength::Strengthened, &hashes)?;
            let metric = format!("per strengthened hash of arity {arity} in a stream, steady");
            add(metric, steady(&stream)?, None);
        }
        let alone = hashed(library, Strength::Standard, &[arity])?;
        let latency = (alone.ends[0] - alone.start) as f64;
        add(format!("latency of one hash of arity {arity} alone"), latency, None);
        let digests = LAYER * rows * in_row;
        let layer = layer(library, arity, digests)? as f64 / digests as f64;
        let metric =
            format!("per hash of arity {arity} in a layer of {digests}, from command to reply");
        add(metric, layer, published);
    }
    if arities.len() > 1 {
        let mixed: Vec<_> = arities.iter().copied().cycle().take(STREAM * rows).collect();
        let stream = hashed(library, Strength::Standard, &mixed)?;
        add("per hash, arities in turn, steady".into(), steady(&stream)?, None);
    }
    Ok(found)
}

/// Sends a hash of each of these arities, and compares the digests with the processor's.
fn hashed(library: &SimLibrary, strength: Strength, arities: &[usize]) -> Result<Pass> {
    let most = arities.iter().max().context("no hash")? * ELEMENT_BYTES;
    let preimage = |number: usize, arity: usize| {
        let mut bytes: Vec<_> = (number..number + most).map(|i| (i * i % 251) as u8).collect();
        bytes.truncate(arity * ELEMENT_BYTES);
        bytes
            .iter_mut()
            .skip(ELEMENT_BYTES - 1)
            .step_by(ELEMENT_BYTES)
            .for_each(|top| *top &= 0x3f);
        bytes
    };
    let packets: Vec<_> = (0..)
        .zip(arities)
        .map(|(number, &arity)| {
            let tag = Domain::MerkleTree.tag(arity);
            wire::poseidon(number as u64, strength, &[&tag[..], &preimage(number, arity)].concat())
        })
        .collect();
    let expected = Expected {
        reply: match strength {
            Strength::Standard => command::REPLY,
            Strength::Strengthened => strengthened::REPLY,
        },
        len: command::REPLY_LEN,
        mask_at: command::reply_fields::status::OFFSET,
        allowed: 0,
    };
    let done = pass(library, &packets, &expected)?;
    for ((number, &arity), reply) in (0..).zip(arities).zip(&done.replies) {
        let instance = Instance::of(arity, strength).context("no such arity")?;
        let mut wanted = [0; ELEMENT_BYTES];
        let preimage = preimage(number, arity);
        instance.hash(Isa::words(), Domain::MerkleTree, &preimage, &mut wanted)?;
        let found = wire::bytes_at(reply, command::reply_fields::digest::OFFSET);
        ensure!(found == Some(wanted), "hash {number}, arity {arity}: a wrong digest");
    }
    Ok(done)
}

/// Cycles from the first word of the command for a layer of so many digests to its reply's last word. The nodes lie in the card's memory; the
/// last digest is compared with the processor's.
fn layer(library: &SimLibrary, arity: usize, digests: usize) -> Result<u64> {
    let nodes: Vec<_> = (0..digests * arity).flat_map(node).collect();
    let mut card = SimTransport::new(library)?;
    let granule = (write::LEN - write::fields::data::OFFSET) as usize;
    for (number, data) in nodes.chunks(granule).enumerate() {
        card.send(&wire::poseidon_write(number as u64, (number * granule) as u64, data))?;
        let reply = card.receive(LIMIT)?.context("no reply to a write")?;
        let [status] =
            wire::bytes_at(&reply, write::reply_fields::status::OFFSET).context("short")?;
        ensure!(status == 0, "write {number}: status {status}");
    }
    let packets = nodes.len().div_ceil(granule) as u64;
    let (to, tag) = (packets * granule as u64, Domain::MerkleTree.tag(arity));
    card.send(&wire::poseidon_layer(packets, 0, to, digests as u64, arity as u64, &tag))?;
    let (reply, end) = card.receive_stamped(LIMIT)?.context("no reply to a layer")?;
    let start = card.first_word(packets).context("the card forgot the command")?;
    let instance = Instance::of(arity, Strength::Standard).context("no such arity")?;
    let mut wanted = [0; ELEMENT_BYTES];
    let last = &nodes[nodes.len() - arity * ELEMENT_BYTES..];
    instance.hash(Isa::words(), Domain::MerkleTree, last, &mut wanted)?;
    let found = wire::bytes_at(&reply, layer::reply_fields::digest::OFFSET);
    ensure!(found == Some(wanted), "a layer of arity {arity}: a wrong digest");
    Ok(end - start)
}

/// Some element.
fn node(number: usize) -> [u8; ELEMENT_BYTES] {
    let mut node = [0; ELEMENT_BYTES];
    node[..8]
        .copy_from_slice(&(number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes());
    node
}

/// Cycles from a reply to the next, by least squares, since rows overtake each other and replies come in bursts: without the first third, which
/// fills queues and pipelines, and without what comes when nothing more goes in.
fn steady(stream: &Pass) -> Result<f64> {
    let from = stream.ends.len() / 3;
    let to = stream
        .ends
        .iter()
        .rposition(|&end| end < stream.fed)
        .context("no reply while commands go in")?;
    ensure!(to > 2 * from - from / 2, "too few hashes for a figure");
    let ends = &stream.ends[from..=to];
    let middle = (ends.len() - 1) as f64 / 2.0;
    let place = |number: usize| number as f64 - middle;
    let since = |end: u64| (end - ends[0]) as f64;
    let together: f64 = ends.iter().enumerate().map(|(i, &end)| place(i) * since(end)).sum();
    let apart: f64 = (0..ends.len()).map(|i| place(i) * place(i)).sum();
    Ok(together / apart)
}
