//! The way to a device: how long a question takes there and back, and how fast data goes there. To a card these are packets and registers;
//! to another machine its counters are asked for and bytes are made resident there.

use std::time::{Duration, Instant};

use proofmill::Uri;
use serde_json::{Value, json};

use crate::output::Output;

/// Questions of which the fastest counts.
const QUESTIONS: usize = 20;
/// Bytes that are made resident for the bandwidth, at most.
const BYTES: usize = 16 << 20;

/// Opens the device and asks.
pub fn measured(uri: &Uri) -> anyhow::Result<Value> {
    let Some(way) = proofmill_device::way(uri)? else { return asked(uri) };
    let start = Instant::now();
    let device = proofmill::open_uri(uri)?;
    Ok(json!({
        "uri": device.caps().uri,
        "description": device.caps().description,
        "open_seconds": start.elapsed().as_secs_f64(),
        "register_seconds": way.register.as_secs_f64(),
        "round_trip_seconds": way.round_trip.as_secs_f64(),
        "bytes_per_second": way.bytes_per_second,
    }))
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
    let parked = device.park(bytes.into());
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

/// The same for people.
pub fn show(device: &Value, output: &mut Output) -> anyhow::Result<()> {
    let text = |key: &str| device[key].as_str().unwrap_or_default();
    let number = |key: &str| device[key].as_f64().unwrap_or_default();
    output.line(format_args!("device       {}: {}", text("uri"), text("description")))?;
    let bandwidth = match &device["problem"] {
        Value::String(problem) => problem.clone(),
        _ => format!("{:.0} MiB/s to it", number("bytes_per_second") / f64::from(1 << 20)),
    };
    let register = device["register_seconds"].as_f64();
    let register = register.map_or(String::new(), |it| format!(", register {:.3} ms", it * 1e3));
    output.line(format_args!(
        "             opened in {:.1} ms{register}, round trip {:.3} ms, {bandwidth}",
        number("open_seconds") * 1e3,
        number("round_trip_seconds") * 1e3,
    ))?;
    Ok(())
}
