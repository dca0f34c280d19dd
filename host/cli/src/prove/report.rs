//! What is said of a proof that was made, or would be.

use std::fs;

use proofmill::groth16::snarkjs::{Witness, Zkey};
use proofmill::groth16::{Proved, Prover, Redone, Timed};
use serde_json::json;

use super::Arguments;
use crate::curve::name_of;
use crate::output::Output;

/// How a proof came about, as text or as JSON.
pub fn proved(
    arguments: &Arguments,
    key: &Zkey,
    prover: &Prover,
    proved: &Proved,
    output: &mut Output,
) -> anyhow::Result<()> {
    let (report, counts) = (&proved.report, prover.counts());
    if let Some(Redone { devices, problem }) = &report.redone {
        // Whatever is read of the output, a device that is wrong must not go unseen.
        eprintln!("proofmill: {}: {problem}; all was done again on cpu:", devices.join(", "));
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
            "curve": name_of(key.curve()),
            "domain": 1_u64 << key.domain_log(),
            "variables": key.variables(),
            "publics": key.publics(),
            "seconds": report.seconds,
            "steps": steps.collect::<Vec<_>>(),
            "memory": peak_memory(),
            "self_check": !arguments.no_self_check,
            "redone": report.redone.as_ref().map(|redone| {
                json!({ "devices": redone.devices, "problem": redone.problem })
            }),
            "wrong_answers": counts.wrong,
            "failures": counts.failures,
            "proof": arguments.output.to_string_lossy(),
            "public": arguments.public.to_string_lossy(),
        }));
    }
    let key = format_args!("{}, 2^{} rows", name_of(key.curve()), key.domain_log());
    output.line(format_args!("{:<10} {:>12}  {key}", "step", "time"))?;
    for Timed { step, device, seconds } in &report.steps {
        let device = device.as_deref().unwrap_or("this process");
        output.line(format_args!(
            "{:<10} {:>9.3} ms  {device}",
            step.to_string(),
            seconds * 1e3
        ))?;
    }
    let mut line = format!("{}: {:.3} s", arguments.output.display(), report.seconds);
    line += if arguments.no_self_check { ", not verified" } else { ", verified" };
    if let Some(bytes) = peak_memory() {
        line += &format!(", {} MiB of memory", bytes >> 20);
    }
    output.line(line)?;
    Ok(())
}

/// The most memory that this process ever had in use, in bytes, pages of files among it; where the system tells.
fn peak_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}
