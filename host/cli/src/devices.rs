//! `proofmill devices`: the devices of this machine.

use clap::Args;
use proofmill::{Device, Error, Listed, Uri};
use serde_json::{Value, json};

use crate::output::{Exit, Output};

#[derive(Args)]
#[command(after_help = examples!(
    "proofmill devices",
    "proofmill devices --device tcp://127.0.0.1:7733 --json",
))]
pub struct Arguments {
    /// Only this device, which may be one of another machine
    #[arg(long, value_name = "URI")]
    device: Option<Uri>,
    /// Writes one JSON document, a list
    #[arg(long)]
    json: bool,
}

/// Opens each device in turn and prints its own description.
pub fn run(arguments: &Arguments, output: &mut Output) -> anyhow::Result<Exit> {
    let rows: Vec<Value> = match &arguments.device {
        Some(uri) => vec![shown(&*proofmill::open_uri(uri)?)],
        None => proofmill::devices().iter().map(describe).collect(),
    };
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
    if arguments.device.is_some() {
        return Ok(Exit::Valid);
    }
    if !rows.iter().any(|row| row["kind"] == "sim") {
        output.line(format_args!("sim:                     {}", no_simulation()))?;
    }
    let gpus = proofmill_device::gpu_support();
    if let Some(problem) = gpus.driver.err().or(gpus.compiler_problem) {
        output.line(format_args!("cuda:                    {problem}"))?;
    }
    let ports = proofmill_device::serial_ports().into_iter();
    let cards = proofmill_device::pcie_cards().into_iter().chain(proofmill_device::f2_slots());
    for (uri, about) in ports.chain(cards).chain(proofmill_device::gpus()) {
        output.line(format_args!("{uri:<24} {about}"))?;
    }
    Ok(Exit::Valid)
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
    let problem = |error: Error| {
        let kind = listed.kind.name();
        json!({ "uri": listed.uri, "kind": kind, "problem": error.to_string() })
    };
    proofmill::open(&listed.uri).map_or_else(problem, |device| shown(&*device))
}

fn shown(device: &dyn Device) -> Value {
    let caps = device.caps();
    let capabilities: Vec<_> = caps.capabilities.iter().map(ToString::to_string).collect();
    json!({
        "uri": caps.uri,
        "kind": caps.kind.name(),
        "description": caps.description,
        "capabilities": capabilities,
        "queue": caps.queue,
    })
}
