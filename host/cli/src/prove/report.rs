//! Reports of a proof and of a plan.

use std::fs;

use indicatif::HumanBytes;
use proofmill::snark::{Counts, Plan, Planned, Proved, Retry, Timed};
use serde_json::json;

use super::Arguments;
use crate::new_file::is_stdout;
use crate::output::{Output, note};

/// Prints the plan of a proof, as text or as JSON.
pub fn plan(plan: &Plan, as_json: bool, output: &mut Output) -> anyhow::Result<()> {
    let Plan { curve, variables, public_inputs, domain, key, witness, resident, working, .. } =
        *plan;
    if as_json {
        let steps = plan.steps.iter().map(|planned| {
            json!({
                "step": planned.step.to_string(),
                "device": planned.device,
                "working": planned.working,
            })
        });
        return output.line(json!({
            "type": "plan",
            "curve": curve.name(),
            "domain": domain,
            "variables": variables,
            "public_inputs": public_inputs,
            "steps": steps.collect::<Vec<_>>(),
            "key": key,
            "witness": witness,
            "resident": resident,
            "working": working,
            "memory": plan.memory(),
        }));
    }
    let of = format_args!("{}, 2^{} rows", curve.name(), domain.ilog2());
    output.line(format_args!("{:<15} {:>12}  {of}", "step", "working set"))?;
    for Planned { step, device, working, .. } in &plan.steps {
        line(&step.to_string(), &shown(*working), device.as_deref(), output)?;
    }
    output.line("")?;
    let parts = [("key", key), ("witness", witness), ("matrices", resident), ("working", working)];
    for (what, bytes) in parts.into_iter().chain([("at most", plan.memory())]) {
        output.line(format_args!("{what:<15} {:>12}", shown(bytes)))?;
    }
    Ok(())
}

/// Prints the report of a proof, as text or as JSON.
pub fn proved(
    arguments: &Arguments,
    plan: &Plan,
    counts: &Counts,
    proved: &Proved,
    output: &mut Output,
) -> anyhow::Result<()> {
    let report = &proved.report;
    if let Some(Retry { devices, problem, .. }) = &report.retried {
        // Whatever is read of the output, a device that is wrong must not go unseen.
        note(format_args!("{}: {problem}; the proof was repeated on cpu:", devices.join(", ")));
    }
    if arguments.json {
        let steps = report.steps.iter().map(|timed| {
            json!({
                "step": timed.step.to_string(),
                "device": timed.device,
                "seconds": timed.seconds,
            })
        });
        return output.line(json!({
            "type": "prove",
            "curve": plan.curve.name(),
            "domain": plan.domain,
            "variables": plan.variables,
            "public_inputs": plan.public_inputs,
            "seconds": report.seconds,
            "steps": steps.collect::<Vec<_>>(),
            "memory": peak_memory(),
            "planned_memory": plan.memory(),
            "self_check": !arguments.no_self_check,
            "retried": report.retried.as_ref().map(|retried| {
                json!({ "devices": retried.devices, "problem": retried.problem })
            }),
            "wrong_answers": counts.wrong,
            "failures": counts.failures,
            "proof": arguments.output.to_string_lossy(),
            "public": arguments.public.to_string_lossy(),
        }));
    }
    let of = format_args!("{}, 2^{} rows", plan.curve.name(), plan.domain.ilog2());
    output.line(format_args!("{:<15} {:>12}  {of}", "step", "time"))?;
    for Timed { step, device, seconds, .. } in &report.steps {
        let time = format!("{:.3} ms", seconds * 1e3);
        line(&step.to_string(), &time, device.as_deref(), output)?;
    }
    let name = match is_stdout(&arguments.output) {
        true => "standard output".into(),
        false => arguments.output.display().to_string(),
    };
    let mut line = format!("{name}: {:.3} s", report.seconds);
    line += if arguments.no_self_check { ", not verified" } else { ", verified" };
    if let Some(bytes) = peak_memory() {
        line += &format!(", {} of memory", shown(bytes as usize));
    }
    output.line(line)?;
    Ok(())
}

/// A step: what it takes, and who does it.
fn line(step: &str, takes: &str, device: Option<&str>, output: &mut Output) -> anyhow::Result<()> {
    let who = device.unwrap_or("this process");
    output.line(format_args!("{step:<15} {takes:>12}  {who}"))
}

fn shown(bytes: usize) -> String {
    HumanBytes(bytes as u64).to_string()
}

/// Returns the maximum memory of this process in bytes, including pages of files; `None` if the system does not report it.
fn peak_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}
