//! `proofmill selftest`: the conformance suite on a device, with vectors that are built in.

use clap::Args;
use proofmill::Uri;
use proofmill_testkit::conformance::{Outcome, conformance};
use serde_json::json;

use crate::output::{Exit, Output};

#[derive(Args)]
#[command(after_help = examples!(
    "proofmill selftest",
    "proofmill selftest --device sim: --filter equihash",
))]
pub struct Arguments {
    /// Device to test
    #[arg(long, value_name = "URI", default_value = "cpu:")]
    device: Uri,
    /// Runs only the checks whose name contains this text
    #[arg(long, value_name = "TEXT", default_value = "")]
    filter: String,
    /// Writes one JSON document
    #[arg(long)]
    json: bool,
}

/// Runs the suite; a mismatch is exit code 1, a device that is lost on the way 3.
pub fn run(arguments: &Arguments, output: &mut Output) -> anyhow::Result<Exit> {
    let device = proofmill::open_uri(&arguments.device)?;
    let report = conformance(&*device, &arguments.filter);
    if report.checks.is_empty() {
        anyhow::bail!(
            "--filter: no check of {} has '{}' in its name",
            arguments.device,
            arguments.filter
        );
    }
    let failures: Vec<_> = report
        .failures()
        .map(|check| match &check.outcome {
            Outcome::Failed(problem) => (&check.name, &problem[..]),
            Outcome::Passed => (&check.name, ""),
        })
        .collect();
    let (passed, failed) = (report.passed(), failures.len());
    let cycles = device.metrics().cycles;
    if arguments.json {
        let failures: Vec<_> = failures
            .iter()
            .map(|(name, problem)| json!({ "check": name, "problem": problem }))
            .collect();
        let document = json!({
            "device": arguments.device.to_string(),
            "passed": passed,
            "failed": failed,
            "failures": failures,
            "lost": report.lost.as_ref().map(ToString::to_string),
            "cycles": cycles,
        });
        output.line(serde_json::to_string_pretty(&document)?)?;
    } else {
        for (name, problem) in failures {
            output.line(format_args!("FAILED {name}: {problem}"))?;
        }
        let cycles = cycles.map_or(String::new(), |cycles| format!(", {cycles} cycles"));
        output.line(format_args!(
            "{}  {passed} checks passed, {failed} failed{cycles}",
            arguments.device
        ))?;
    }
    if let Some(error) = report.lost {
        return Err(anyhow::Error::new(error).context("the suite is not complete"));
    }
    Ok(if report.is_success() { Exit::Valid } else { Exit::Invalid })
}
