//! `proofmill devices`: the devices of this machine.

use std::fs::{self, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use clap::Args;
use proofmill::Listed;
use serde_json::{Value, json};

use crate::output::{Exit, Output};

#[derive(Args)]
#[command(after_help = examples!(
    "proofmill devices",
    "proofmill devices --json",
))]
pub struct Arguments {
    /// Writes one JSON document, a list
    #[arg(long)]
    json: bool,
}

/// Opens each in turn, so that it says itself what it is.
pub fn run(arguments: &Arguments, output: &mut Output) -> anyhow::Result<Exit> {
    let rows: Vec<Value> = proofmill::devices().iter().map(describe).collect();
    if arguments.json {
        output.line(serde_json::to_string_pretty(&rows)?)?;
        return Ok(Exit::Valid);
    }
    for row in &rows {
        let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
        output.line(format_args!(
            "{:<24} {}",
            text("uri"),
            text("description") + &text("problem")
        ))?;
        for capability in row["capabilities"].as_array().into_iter().flatten() {
            output.line(format_args!(
                "{:<24}   {}",
                "",
                capability.as_str().unwrap_or_default()
            ))?;
        }
    }
    if !rows.iter().any(|row| row["kind"] == "sim") {
        output.line(format_args!("sim:                     {}", no_simulation()))?;
    }
    for port in ports() {
        output.line(format_args!("{:<24} {}", format!("uart:{}", port.display()), about(&port)))?;
    }
    Ok(Exit::Valid)
}

/// The serial ports of this machine that a board may be at. What is there is not asked: it may be something else.
fn ports() -> Vec<PathBuf> {
    let entries = fs::read_dir("/dev").into_iter().flatten().flatten();
    let named = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with("ttyUSB") || name.starts_with("ttyACM")
    };
    let mut found: Vec<_> = entries.map(|entry| entry.path()).filter(named).collect();
    found.sort();
    found
}

/// Can this port be opened, and if not, what helps?
fn about(port: &Path) -> String {
    match OpenOptions::new().read(true).write(true).custom_flags(rustix::fs::OFlags::NONBLOCK.bits() as i32).open(port) {
        Ok(_) => "a serial port; `proofmill selftest --device` says whether a card is there".into(),
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            "a serial port without permission: add yourself to its group, often `dialout`, and log in again".into()
        }
        Err(error) => format!("a serial port that does not open: {error}"),
    }
}

/// Why there is none.
fn no_simulation() -> String {
    proofmill_device::no_cards().unwrap_or_else(|| {
        let folder = proofmill_device::simulation_folder();
        let folder =
            folder.map_or("any known folder".into(), |folder| folder.display().to_string());
        format!("no simulation in {folder}; `make sim` builds them")
    })
}

fn describe(listed: &Listed) -> Value {
    let kind = listed.kind.name();
    match proofmill::open(&listed.uri) {
        Ok(device) => {
            let caps = device.caps();
            let capabilities: Vec<_> = caps.capabilities.iter().map(ToString::to_string).collect();
            json!({
                "uri": listed.uri,
                "kind": kind,
                "description": caps.description,
                "capabilities": capabilities,
                "queue": caps.queue,
            })
        }
        Err(error) => json!({ "uri": listed.uri, "kind": kind, "problem": error.to_string() }),
    }
}
