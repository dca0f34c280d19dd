//! `proofmill bench`: the throughput of this machine's engines over the size, and the phases of a proof, as a table, as JSON and as a page.
//!
//! The page includes the stored figures, ours and other libraries' from one run, and those of circuits: `make bench` compares with
//! peers, which an installed command does not have.

mod measure;
mod page;
mod plot;

use std::io::Write as _;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, bail, ensure};
use clap::Args;
use proofmill::Uri;
use proofmill_algebra::Isa;
use serde_json::{Value, json};

use crate::doctor;
use crate::new_file::NewFile;
use crate::output::{Exit, Output, note};
use crate::threads::Threads;

#[derive(Args)]
#[command(after_help = examples!(
    "proofmill bench --html report.html",
    "proofmill bench --quick --all-paths --threads 2 --json",
))]
pub struct Arguments {
    /// Small sizes and little time, as a test; the figures are not representative
    #[arg(long)]
    quick: bool,
    /// Every code path that this processor has, one after the other [default: the one that is used]
    #[arg(long)]
    all_paths: bool,
    /// Device to measure (see `proofmill devices`); unsupported operations are omitted
    #[arg(long, value_name = "URI", default_value = "cpu:")]
    device: Uri,
    #[command(flatten)]
    threads: Threads,
    /// Writes one page with plots, which needs no other file; an existing one is replaced
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Writes one JSON document
    #[arg(long)]
    json: bool,
}

/// Measures and prints.
pub fn run(arguments: &Arguments, output: &mut Output) -> anyhow::Result<Exit> {
    if arguments.all_paths && arguments.device.scheme() != "cpu" {
        bail!("--all-paths: {} has no code paths of this processor", arguments.device);
    }
    let uri = arguments.threads.applied(arguments.device.clone())?;
    // Before a minute of measuring: an error of the page's path is reported first.
    let place = |path: &PathBuf| format!("--html: {}", path.display());
    let html = match &arguments.html {
        Some(path) => Some((path, NewFile::create(path).with_context(|| place(path))?)),
        None => None,
    };
    let runs = match arguments.all_paths {
        false => vec![measure::all(&uri, arguments.threads, arguments.quick)?],
        true => each_path(&uri, arguments.quick)?,
    };
    let seen = json!({
        "version": env!("CARGO_PKG_VERSION"), "processor": doctor::processor(), "quick": arguments.quick, "runs": runs,
    });
    if let Some((path, mut file)) = html {
        let written = file.write_all(page::page(&seen).as_bytes()).and_then(|()| file.finish());
        written.with_context(|| place(path))?;
    }
    if arguments.json {
        output.line(serde_json::to_string_pretty(&seen)?)?;
    } else {
        show(&seen, output)?;
    }
    if let Some(path) = &arguments.html {
        note(format_args!("wrote {}", path.display()));
    }
    Ok(Exit::Valid)
}

/// Runs this program once for each code path up to the selected one: some paths apply to a whole process.
fn each_path(uri: &Uri, quick: bool) -> anyhow::Result<Vec<Value>> {
    let program = std::env::current_exe().context("this program's file")?;
    let mut runs = Vec::new();
    for isa in Isa::present().into_iter().filter(|isa| *isa <= Isa::best()) {
        let mut command = Command::new(&program);
        command.args(["--isa", isa.name(), "bench", "--json", "--device", &uri.to_string()]);
        command.args(quick.then_some("--quick"));
        let done = command.output().with_context(|| format!("bench --isa {isa}"))?;
        let said = String::from_utf8_lossy(&done.stderr);
        ensure!(done.status.success(), "bench --isa {isa}: {said}");
        let mut seen: Value = serde_json::from_slice(&done.stdout).context("its JSON")?;
        runs.extend(seen["runs"].as_array_mut().into_iter().flatten().map(Value::take));
    }
    Ok(runs)
}

/// Prints a table of the rates, one column per code path, and one of the phases of a proof.
fn show(seen: &Value, output: &mut Output) -> anyhow::Result<()> {
    let runs = list(&seen["runs"]);
    output.line(format_args!(
        "{}, proofmill {}",
        text(&seen["processor"]),
        text(&seen["version"])
    ))?;
    let line = |name: &str, unit: &str, cells: Vec<String>| {
        let cells: String = cells.iter().map(|cell| format!(" {cell:>16}")).collect();
        format!("{name:<32} {unit:<14}{cells}")
    };
    let of_each = |cell: &dyn Fn(&Value) -> String| runs.iter().map(cell).collect::<Vec<_>>();
    output.line(line("", "", of_each(&|run| text(&run["path"]).into())))?;
    let Some(first) = runs.first() else { return Ok(()) };
    for (number, row) in list(&first["rows"]).iter().enumerate() {
        let unit = format!("{}/s", text(&row["unit"]));
        let rate = |run: &Value| cell(&run["rows"][number]["per_second"], 0);
        output.line(line(&measure::name(row), &unit, of_each(&rate)))?;
    }
    let phases = list(&first["proof"]["phases"]);
    if phases.is_empty() {
        return Ok(());
    }
    output.line("")?;
    let whole = format!("proof, {} constraints", first["proof"]["constraints"]);
    output.line(line(&whole, "ms", of_each(&|run| cell(&run["proof"]["ms"], 2))))?;
    for (number, phase) in phases.iter().enumerate() {
        let ms = |run: &Value| cell(&run["proof"]["phases"][number]["ms"], 2);
        output.line(line(&format!("  {}", text(&phase["phase"])), "ms", of_each(&ms)))?;
    }
    Ok(())
}

fn cell(number: &Value, digits: usize) -> String {
    number.as_f64().map_or("-".into(), |number| format!("{number:.digits$}"))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("unknown")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
