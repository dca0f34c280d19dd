//! The GPUs of this machine, their driver, and what is missing for them.

use serde_json::{Value, json};

use crate::output::Output;

/// Returns the GPUs and their driver, for `--json`.
pub fn look() -> Value {
    let support = proofmill_device::gpu_support();
    let found: Vec<_> = proofmill_device::gpus()
        .into_iter()
        .map(|(uri, description)| json!({ "uri": uri, "description": description }))
        .collect();
    let (driver, problem) = match support.driver {
        Ok(version) => (Some(version), None),
        Err(problem) => (None, Some(problem)),
    };
    json!({
        "found": found,
        "driver": driver,
        "problem": problem,
        "compiler_problem": support.compiler_problem,
        "kernels": support.folder,
        "emulation": support.emulation,
    })
}

/// Prints a line for each GPU, and what is known of its driver and its kernels. Without a GPU, prints the reason in one line.
pub fn show(seen: &Value, output: &mut Output) -> anyhow::Result<()> {
    let text = |key: &str| seen[key].as_str();
    if let Some(problem) = text("problem") {
        output.line(format_args!("GPUs         none: {problem}"))?;
    } else {
        output.line(format_args!(
            "GPUs         driver for CUDA {}",
            text("driver").unwrap_or("unknown")
        ))?;
        for gpu in seen["found"].as_array().into_iter().flatten() {
            let text = |key: &str| gpu[key].as_str().unwrap_or_default();
            output.line(format_args!("             {}: {}", text("uri"), text("description")))?;
        }
        let folder = text("kernels").unwrap_or("no known folder");
        output.line(format_args!("             kernels in {folder}"))?;
        if let Some(problem) = text("compiler_problem") {
            output.line(format_args!("             {problem}"))?;
        }
    }
    if let Some(library) = text("emulation") {
        output.line(format_args!("             cuda:emulated: {library}"))?;
    }
    Ok(())
}
