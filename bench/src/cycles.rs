//! Cycles of the circuits, counted at the ports of a Verilated card: packets enter at full speed, and the cycle in which each
//! reply's last word leaves is recorded. No driver is involved: this module accesses the card directly. One file per
//! operation.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use proofmill_card::wire::{self, Header};
use proofmill_card::{SimLibrary, SimTransport, Transport};
use serde::Deserialize;

use crate::report;

mod ecdsa_verify;
mod equihash_verify;
mod poseidon;

/// Maximum wall-clock time of the whole stream.
const LIMIT: Duration = Duration::from_secs(600);

/// The fields of a library's description that this module uses.
#[derive(Deserialize)]
struct Manifest {
    config: String,
    engines: Vec<Engine>,
}

#[derive(Deserialize)]
struct Engine {
    op: String,
    parameters: serde_json::Value,
}

/// Counts the cycles of one operation's engines on the simulated cards of these names, writes
/// `cycles-<op>.json` and prints the table.
pub fn run(op: &str, simulations: &[String]) -> Result<()> {
    let measure = match op {
        ecdsa_verify::OP => ecdsa_verify::rows,
        equihash_verify::OP => equihash_verify::rows,
        poseidon::OP => poseidon::rows,
        _ => bail!(
            "op: '{op}' has no circuit whose cycles could be counted; there are {}, {} and {}",
            ecdsa_verify::OP,
            equihash_verify::OP,
            poseidon::OP
        ),
    };
    let mut rows = Vec::new();
    for simulation in simulations {
        let library = find(simulation)?;
        let manifest: Manifest = serde_json::from_str(&library.manifest())
            .with_context(|| format!("the manifest of {}", library.path().display()))?;
        let engines = manifest.engines.into_iter().filter(|engine| engine.op == op);
        for engine in engines {
            rows.extend(measure(&library, &manifest.config, engine.parameters)?);
        }
    }
    ensure!(!rows.is_empty(), "no engine for {op} in the simulations {}", simulations.join(", "));
    print!("{}", report::table(&rows)?);
    println!("{}", report::write(&format!("cycles-{op}"), &rows)?.display());
    Ok(())
}

fn find(simulation: &str) -> Result<SimLibrary> {
    let mut known = proofmill_device::list().into_iter().filter_map(|listed| listed.simulation);
    let found = known.find(|known| known.name == simulation && !known.traced);
    let found = found.with_context(|| {
        format!("there is no simulation '{simulation}'; run `make sim CONFIG={simulation}`")
    })?;
    Ok(SimLibrary::load(&found.path)?)
}

/// The expected replies.
struct Expected {
    reply: u32,
    len: u32,
    /// Offset of the error bits, and the bits that may be set.
    mask_at: u32,
    allowed: u8,
}

/// A run of packets through a card.
struct Pass {
    /// The cycle of the first word in.
    start: u64,
    /// The cycle of the last packet's first word in.
    fed: u64,
    /// The cycle of each reply's last word out.
    ends: Vec<u64>,
    replies: Vec<Vec<u8>>,
}

/// Sends packets to a card after a reset as fast as it accepts them.
fn pass(library: &SimLibrary, packets: &[Vec<u8>], expected: &Expected) -> Result<Pass> {
    let mut card = SimTransport::new(library)?;
    for packet in packets {
        card.send(packet)?;
    }
    let end = Instant::now() + LIMIT;
    let (mut ends, mut replies) = (Vec::new(), Vec::new());
    while ends.len() < packets.len() {
        let left = end.saturating_duration_since(Instant::now());
        let (reply, cycle) = card.receive_stamped(left)?.context("the card gave no answer")?;
        let header = Header { len: expected.len, cmd: expected.reply };
        ensure!(Header::of(&reply) == Some(header), "not a verdict: {reply:02x?}");
        let [mask] = wire::bytes_at(&reply, expected.mask_at).context("no mask")?;
        ensure!(mask & !expected.allowed == 0, "reply {}: error bits {mask:02x}", ends.len());
        ends.push(cycle);
        replies.push(reply);
    }
    let start = card.first_word(0).context("the card forgot its first packet")?;
    let fed =
        card.first_word(packets.len() as u64 - 1).context("the card forgot its last packet")?;
    Ok(Pass { start, fed, ends, replies })
}

/// Returns the cycles from a reply to the next, without the first third, which fills queues and pipelines, over whole periods
/// of the engine.
fn steady(ends: &[u64], turn: usize) -> f64 {
    let last = ends.len() - 1;
    let from = last - (last - ends.len() / 3) / turn * turn;
    (ends[last] - ends[from]) as f64 / (last - from) as f64
}
