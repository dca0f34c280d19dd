//! `proofmill doctor`: what this machine offers, which code path was chosen and why.

use std::fs;
use std::thread;

use clap::Args;
use proofmill_algebra::Isa;
use serde_json::{Value, json};

use crate::output::{Exit, Output};

#[derive(Args)]
#[command(after_help = examples!(
    "proofmill doctor",
    "proofmill doctor --measure",
))]
pub struct Arguments {
    /// Writes one JSON document
    #[arg(long)]
    json: bool,
}

/// Looks, and says what it saw; an empty machine is no error.
pub fn run(arguments: &Arguments, output: &mut Output) -> anyhow::Result<Exit> {
    let seen = look();
    if arguments.json {
        output.line(serde_json::to_string_pretty(&seen)?)?;
        return Ok(Exit::Valid);
    }
    let text = |value: &Value| value.as_str().unwrap_or("unknown").to_owned();
    let list = |value: &Value| {
        let words: Vec<_> =
            value.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        if words.is_empty() { "none".to_owned() } else { words.join(" ") }
    };
    let cpu = &seen["cpu"];
    output.line(format_args!("version      {}", text(&seen["version"])))?;
    output.line(format_args!("processor    {}", text(&cpu["model"])))?;
    output.line(format_args!("threads      {}", cpu["threads"]))?;
    output.line(format_args!("features     {}", list(&cpu["features"])))?;
    output.line(format_args!("code paths   {}", list(&cpu["code_paths"])))?;
    output.line(format_args!("chosen       {}: {}", text(&cpu["chosen"]), text(&cpu["reason"])))?;
    let simulations = &seen["simulations"];
    output.line(format_args!("simulations  in {}", text(&simulations["folder"])))?;
    let found = simulations["found"].as_array();
    if found.is_none_or(Vec::is_empty) {
        output.line("             none; `make sim` builds them")?;
    }
    for simulation in found.into_iter().flatten() {
        output.line(format_args!("             {}", text(&simulation["uri"])))?;
        let what = match simulation.get("problem") {
            Some(problem) => text(problem),
            None => built(&simulation["manifest"]),
        };
        output.line(format_args!("               {what}"))?;
    }
    Ok(Exit::Valid)
}

/// One line of a simulation's manifest; --json has all of it.
fn built(manifest: &Value) -> String {
    let text = |key: &str| manifest[key].as_str().unwrap_or("unknown").to_owned();
    let engines = manifest["engines"].as_array().into_iter().flatten();
    let engines: Vec<_> = engines.filter_map(|engine| engine["instance"].as_str()).collect();
    let engines = if engines.is_empty() { "none".to_owned() } else { engines.join(" ") };
    format!("{} {}, content {}, engines {engines}", text("top"), text("version"), text("content"))
}

fn look() -> Value {
    let paths: Vec<_> = Isa::available().into_iter().map(Isa::name).collect();
    let chosen = Isa::best();
    let reason = match paths.len() {
        1 => "this processor has nothing faster".to_owned(),
        _ => format!("the widest of those that this processor has ({})", paths.join(", ")),
    };
    let found: Vec<_> = proofmill::devices().into_iter().filter_map(|listed| listed.simulation).map(|simulation| {
        let mut row = json!({ "uri": simulation.uri(), "file": simulation.path, "traced": simulation.traced });
        match simulation.manifest() {
            Ok(text) => row["manifest"] = serde_json::from_str(&text).unwrap_or(Value::String(text)),
            Err(error) => row["problem"] = error.to_string().into(),
        }
        row
    }).collect();
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "cpu": {
            "model": model(),
            "threads": thread::available_parallelism().map_or(1, usize::from),
            "features": features(),
            "code_paths": paths,
            "chosen": chosen.name(),
            "reason": reason,
        },
        "simulations": {
            "folder": proofmill_device::simulation_folder(),
            "found": found,
        },
    })
}

/// The processor's name, where the kernel tells it.
fn model() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// The features that some code path of this or a planned engine uses.
fn features() -> Vec<&'static str> {
    #[cfg(target_arch = "x86_64")]
    {
        let known = [
            ("avx2", std::is_x86_feature_detected!("avx2")),
            ("bmi2", std::is_x86_feature_detected!("bmi2")),
            ("adx", std::is_x86_feature_detected!("adx")),
            ("sha", std::is_x86_feature_detected!("sha")),
            ("avx512f", std::is_x86_feature_detected!("avx512f")),
            ("avx512ifma", std::is_x86_feature_detected!("avx512ifma")),
        ];
        known.into_iter().filter(|(_, there)| *there).map(|(name, _)| name).collect()
    }
    #[cfg(not(target_arch = "x86_64"))]
    Vec::new()
}
