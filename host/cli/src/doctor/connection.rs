//! Measures the connection to a device: round-trip time and bandwidth. To a card these use packets and registers; to another machine,
//! requests for its counters and uploads of resident bytes.

use std::time::{Duration, Instant};

use proofmill::Uri;
use proofmill_device::Way;
use serde_json::{Value, json};

use crate::output::Output;

/// Number of round trips, of which the fastest counts.
const QUESTIONS: usize = 20;
/// Maximum bytes of an upload.
const BYTES: usize = 16 << 20;

/// Opens the device and measures.
pub fn measured(uri: &Uri) -> anyhow::Result<Value> {
    let ways = proofmill_device::ways(uri)?;
    let Some((_, slowest)) = ways.iter().max_by_key(|(_, way)| way.round_trip) else {
        return asked(uri);
    };
    let start = Instant::now();
    let device = proofmill::open_uri(uri)?;
    let mut seen = json!({
        "uri": device.caps().uri,
        "description": device.caps().description,
        "open_seconds": start.elapsed().as_secs_f64(),
    });
    add(&mut seen, slowest);
    if ways.len() > 1 {
        let card = |(uri, way): &(String, Way)| {
            let mut card = json!({ "uri": uri });
            add(&mut card, way);
            card
        };
        seen["cards"] = ways.iter().map(card).collect();
    }
    Ok(seen)
}

/// Adds the measurements of a card; of several cards, those of the slowest.
fn add(seen: &mut Value, way: &Way) {
    seen["register_seconds"] = way.register.as_secs_f64().into();
    seen["round_trip_seconds"] = way.round_trip.as_secs_f64().into();
    seen["bytes_per_second"] = way.bytes_per_second.into();
}

fn asked(uri: &Uri) -> anyhow::Result<Value> {
    let start = Instant::now();
    let device = proofmill::open_uri(uri)?;
    let opened = start.elapsed();
    let question = || {
        let start = Instant::now();
        device.metrics();
        start.elapsed()
    };
    let round_trip = (0..QUESTIONS).map(|_| question()).min().unwrap_or_default();
    let bytes = vec![0u8; BYTES];
    let start = Instant::now();
    let parked = device.load(bytes.into());
    let taken = start.elapsed().max(Duration::from_nanos(1));
    let (bandwidth, problem) = match parked {
        Ok(_) => (Some(BYTES as f64 / taken.as_secs_f64()), None),
        Err(error) => (None, Some(error.to_string())),
    };
    Ok(json!({
        "uri": device.caps().uri,
        "description": device.caps().description,
        "open_seconds": opened.as_secs_f64(),
        "round_trip_seconds": round_trip.as_secs_f64(),
        "bytes_per_second": bandwidth,
        "problem": problem,
    }))
}

/// Prints the measurements.
pub fn show(device: &Value, output: &mut Output) -> anyhow::Result<()> {
    let text = |key: &str| device[key].as_str().unwrap_or_default();
    let number = |key: &str| device[key].as_f64().unwrap_or_default();
    output.line(format_args!("device       {}: {}", text("uri"), text("description")))?;
    let opened = number("open_seconds") * 1e3;
    if let Some(cards) = device["cards"].as_array() {
        output.line(format_args!("             opened in {opened:.1} ms"))?;
        for card in cards {
            let uri = card["uri"].as_str().unwrap_or_default();
            output.line(format_args!("             {uri}: {}", reached(card)))?;
        }
        return Ok(());
    }
    output.line(format_args!("             opened in {opened:.1} ms, {}", reached(device)))?;
    Ok(())
}

/// Formats the measurements.
fn reached(device: &Value) -> String {
    let number = |key: &str| device[key].as_f64().unwrap_or_default();
    let bandwidth = match &device["problem"] {
        Value::String(problem) => problem.clone(),
        _ => format!("{:.0} MiB/s to it", number("bytes_per_second") / f64::from(1 << 20)),
    };
    let register = device["register_seconds"].as_f64();
    let register = register.map_or(String::new(), |it| format!("register {:.3} ms, ", it * 1e3));
    format!("{register}round trip {:.3} ms, {bandwidth}", number("round_trip_seconds") * 1e3)
}
