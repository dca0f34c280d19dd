//! Cycles of the circuits, counted at the doors of a Verilated card: the packets go in at full speed, and the cycle
//! in which each reply's last word leaves is noted. The driver is not in the way: this speaks to the card itself.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use proofmill_card::wire::constants::equihash_verify::command;
use proofmill_card::wire::{self, Header};
use proofmill_card::{SimLibrary, SimTransport, Transport};
use proofmill_op::equihash_verify::{Params, Personalisation, Verdict};
use proofmill_testkit::vectors;
use serde::Deserialize;

use crate::report;
use crate::row::{HardwareRow, Kind};

const OP: &str = "equihash_verify";
/// Headers in a stream for (200,9); smaller parameter sets take more, about the same time.
const STREAM: usize = 24;
/// A multiple of every engine's number of SHA-256 cores: replies come in a rhythm of that period.
const TURN: usize = 12;
/// The longest that the whole stream may take on the clock on the wall.
const LIMIT: Duration = Duration::from_secs(600);

/// What is published of the circuit that this one is compared with, zcash-fpga, for (200,9).
const PUBLISHED_STREAM: (f64, &str) = (1443.0, "zcash-fpga document (duplicate check)");
const PUBLISHED_LATENCY: (f64, &str) = (1323.0, "zcash-fpga in simulation (slow clock)");

/// What a library says of itself, as far as it matters here.
#[derive(Deserialize)]
struct Manifest {
    config: String,
    engines: Vec<Engine>,
}

#[derive(Deserialize)]
struct Engine {
    op: String,
    parameters: Parameters,
}

#[derive(Deserialize)]
struct Parameters {
    n: Option<u32>,
    k: Option<u32>,
}

/// Counts the cycles of one operation's engines on the simulated card of this name, writes
/// `cycles-<op>.json` and prints the table.
pub fn run(op: &str, simulation: &str) -> Result<()> {
    ensure!(op == OP, "op: '{op}' has no circuit whose cycles could be counted; there is {OP}");
    let library = find(simulation)?;
    let manifest: Manifest = serde_json::from_str(&library.manifest())
        .with_context(|| format!("the manifest of {}", library.path().display()))?;
    let mut rows = Vec::new();
    for engine in manifest.engines.iter().filter(|engine| engine.op == op) {
        let Parameters { n: Some(n), k: Some(k) } = engine.parameters else { continue };
        rows.extend(measure(&library, Params::new(n, k)?, &manifest.config)?);
    }
    ensure!(!rows.is_empty(), "the simulation '{simulation}' has no engine for {op}");
    print!("{}", report::table(&rows)?);
    println!("{}", report::write(&format!("cycles-{op}"), &rows)?.display());
    Ok(())
}

fn find(simulation: &str) -> Result<SimLibrary> {
    let mut known = proofmill_device::list().into_iter().filter_map(|listed| listed.simulation);
    let found = known.find(|known| known.name == simulation && !known.traced);
    let found =
        found.with_context(|| format!("there is no simulation '{simulation}'; run `make sim`"))?;
    Ok(SimLibrary::load(&found.path)?)
}

fn measure(library: &SimLibrary, params: Params, config: &str) -> Result<Vec<HardwareRow>> {
    let headers = solved_headers(params)?;
    // A smaller parameter set has fewer leaves to hash: more headers, until the pipeline is as long full.
    let count = STREAM * (Params::N200_K9.indices() / params.indices()).clamp(1, 8);
    let stream: Vec<&[u8]> = headers.iter().map(Vec::as_slice).cycle().take(count).collect();
    let (start, ends) = pass(library, &stream)?;
    // The first third fills queues and pipeline; the rest is a whole number of turns of the SHA-256 cores.
    let last = count - 1;
    let from = last - (last - count / 3) / TURN * TURN;
    let steady = (ends[last] - ends[from]) as f64 / (last - from) as f64;
    let whole = (ends[last] - start) as f64 / count as f64;
    let (start, ends) = pass(library, &stream[..1])?;
    let latency = (ends[0] - start) as f64;

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
    Ok(vec![
        row("per header in a stream, steady", steady, zcash.then_some(PUBLISHED_STREAM)),
        row(&format!("per header, {count} in one go"), whole, zcash.then_some(PUBLISHED_STREAM)),
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

/// Sends headers to a fresh card as fast as it takes them: the cycle of the first word in, and of each reply's last
/// word out. A verdict that is wrong is an error: cycles of a wrong answer are worth nothing.
fn pass(library: &SimLibrary, headers: &[&[u8]]) -> Result<(u64, Vec<u64>)> {
    let mut card = SimTransport::new(library)?;
    for (index, header) in headers.iter().enumerate() {
        card.send(&wire::equihash_verify(index as u64, header))?;
    }
    let end = Instant::now() + LIMIT;
    let mut ends = Vec::with_capacity(headers.len());
    while ends.len() < headers.len() {
        let left = end.saturating_duration_since(Instant::now());
        let (reply, cycle) = card.receive_stamped(left)?.context("the card gave no answer")?;
        let header = Header { len: command::REPLY_LEN, cmd: command::REPLY };
        ensure!(Header::of(&reply) == Some(header), "not a verdict: {reply:02x?}");
        let [mask] =
            wire::bytes_at(&reply, command::reply_fields::mask::OFFSET).context("no mask")?;
        ensure!(
            mask & !Verdict::DIFFICULTY_FAIL == 0,
            "header {}: error bits {mask:02x}",
            ends.len()
        );
        ends.push(cycle);
    }
    let start = card.first_word(0).context("the card forgot its first packet")?;
    Ok((start, ends))
}
