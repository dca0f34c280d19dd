//! `proofmill doctor`: what this machine offers, which code path was chosen and why, and what each reaches.

mod connection;
mod gpus;
pub mod measure;

use std::fs;
use std::thread;

use clap::Args;
use proofmill::Uri;
use proofmill_algebra::Isa;
use serde_json::{Value, json};

use crate::output::{Exit, Output};

#[derive(Args)]
#[command(after_help = examples!(
    "proofmill doctor --measure",
    "proofmill doctor --device tcp://127.0.0.1:7733",
))]
pub struct Arguments {
    /// Measures each code path on this machine, in about five seconds
    #[arg(long)]
    measure: bool,
    /// Measures the connection to this device, too: round trip and bandwidth
    #[arg(long, value_name = "URI")]
    device: Option<Uri>,
    /// Writes one JSON document
    #[arg(long)]
    json: bool,
}

/// Reports on this machine. A machine without devices is no error.
pub fn run(arguments: &Arguments, output: &mut Output) -> anyhow::Result<Exit> {
    let mut seen = look();
    if arguments.measure {
        seen["measured"] = measure::all_levels()?;
    }
    if let Some(uri) = &arguments.device {
        seen["device"] = connection::measured(uri)?;
    }
    if arguments.json {
        output.line(serde_json::to_string_pretty(&seen)?)?;
        return Ok(Exit::Valid);
    }
    let cpu = &seen["cpu"];
    let family = match (&cpu["family"], &cpu["model_number"]) {
        (Value::String(family), Value::String(model)) => format!(", family {family} model {model}"),
        _ => String::new(),
    };
    output.line(format_args!("version      {}", text(&seen["version"])))?;
    output.line(format_args!("processor    {}{family}", text(&cpu["model"])))?;
    output.line(format_args!("threads      {}", cpu["threads"]))?;
    output.line(format_args!("memory       {}", memory(&seen["memory"])))?;
    output.line(format_args!("features     {}", list(&cpu["features"])))?;
    output.line(format_args!("code paths   {}", list(&cpu["code_paths"])))?;
    output.line(format_args!("absent       {}", list(&cpu["absent"])))?;
    if !Isa::not_compiled().is_empty() {
        output.line(format_args!(
            "omitted      {}: build without PROOFMILL_BUILD=native",
            list(&cpu["omitted"])
        ))?;
    }
    output.line(format_args!("chosen       {}: {}", text(&cpu["chosen"]), text(&cpu["reason"])))?;
    let protection = crate::hardening::protection(seen["secrets"]["lock_limit"].as_u64());
    output.line(format_args!("secrets      {protection}"))?;
    simulations(&seen["simulations"], output)?;
    gpus::show(&seen["gpus"], output)?;
    if seen.get("device").is_some() {
        connection::show(&seen["device"], output)?;
    }
    if let Some(measured) = seen["measured"].as_array() {
        output.line("")?;
        measure::table(measured, output)?;
    }
    Ok(Exit::Valid)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or("unknown").to_owned()
}

fn list(value: &Value) -> String {
    let words: Vec<_> = value.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if words.is_empty() { "none".to_owned() } else { words.join(" ") }
}

fn memory(value: &Value) -> String {
    let gib = |key: &str| value[key].as_u64().map(|bytes| bytes as f64 / (1_u64 << 30) as f64);
    match (gib("total"), gib("available")) {
        (Some(total), Some(available)) => format!("{total:.1} GiB, {available:.1} GiB available"),
        _ => "unknown".to_owned(),
    }
}

fn simulations(seen: &Value, output: &mut Output) -> anyhow::Result<()> {
    if let Value::String(problem) = &seen["problem"] {
        output.line(format_args!("simulations  {problem}"))?;
        return Ok(());
    }
    output.line(format_args!("simulations  in {}", text(&seen["folder"])))?;
    let found = seen["found"].as_array();
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
    Ok(())
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
    let present: Vec<_> = Isa::present().into_iter().map(Isa::name).collect();
    let left_out = Isa::not_compiled();
    let absent: Vec<_> =
        Isa::names().filter(|name| !present.contains(name) && !left_out.contains(name)).collect();
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
            "model": told("/proc/cpuinfo", "model name"),
            "family": told("/proc/cpuinfo", "cpu family"),
            "model_number": told("/proc/cpuinfo", "model\t"),
            "threads": thread::available_parallelism().map_or(1, usize::from),
            "features": features(),
            "code_paths": present,
            "absent": absent,
            "omitted": left_out,
            "chosen": Isa::best().name(),
            "reason": reason(&present),
        },
        "memory": {
            "total": kibibytes("MemTotal"),
            "available": kibibytes("MemAvailable"),
        },
        "secrets": { "lock_limit": crate::hardening::lock_limit() },
        "simulations": {
            "folder": proofmill_device::simulation_folder(),
            "found": found,
            "problem": proofmill_device::no_cards(),
        },
        "gpus": gpus::look(),
    })
}

/// Why this path and no other.
fn reason(present: &[&str]) -> String {
    let best = Isa::best().name();
    match present {
        [.., last] if *last != best => {
            format!("limited by --isa or PROOFMILL_ISA; this processor has {last}")
        }
        [_] => "this processor has nothing faster".to_owned(),
        _ => format!("the fastest of those that there are ({})", present.join(", ")),
    }
}

/// Returns the kernel's value of a name, if it reports one.
fn told(file: &str, name: &str) -> Option<String> {
    let content = fs::read_to_string(file).ok()?;
    let line = content.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

fn kibibytes(name: &str) -> Option<u64> {
    let number = told("/proc/meminfo", name)?;
    Some(number.strip_suffix(" kB")?.parse::<u64>().ok()? << 10)
}

/// The processor's name.
#[cfg(feature = "bench")]
pub fn processor() -> Option<String> {
    told("/proc/cpuinfo", "model name")
}

/// The features that some code path of this or a planned engine uses.
fn features() -> Vec<&'static str> {
    #[cfg(target_arch = "x86_64")]
    {
        let known = [
            ("avx2", std::is_x86_feature_detected!("avx2")),
            ("fma", std::is_x86_feature_detected!("fma")),
            ("bmi2", std::is_x86_feature_detected!("bmi2")),
            ("adx", std::is_x86_feature_detected!("adx")),
            ("sha", std::is_x86_feature_detected!("sha")),
            ("avx512f", std::is_x86_feature_detected!("avx512f")),
            ("avx512dq", std::is_x86_feature_detected!("avx512dq")),
            ("avx512vl", std::is_x86_feature_detected!("avx512vl")),
            ("avx512ifma", std::is_x86_feature_detected!("avx512ifma")),
        ];
        known.into_iter().filter(|(_, there)| *there).map(|(name, _)| name).collect()
    }
    #[cfg(not(target_arch = "x86_64"))]
    Vec::new()
}
