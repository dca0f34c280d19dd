//! What a run writes: a line a signature, what is wrong with a file, and the summary.

use std::path::Path;
use std::time::Instant;

use proofmill::Device;
use proofmill::ecdsa::Outcome;
use serde_json::json;

use super::Arguments;
use crate::busy::Busy;
use crate::output::{Exit, Output, count, report};

/// What was found so far, and where it is written.
pub struct Report<'a> {
    arguments: &'a Arguments,
    output: &'a mut Output,
    valid: u64,
    invalid: u64,
    broken: u64,
    busy: Busy,
}

impl<'a> Report<'a> {
    pub fn new(arguments: &'a Arguments, output: &'a mut Output) -> Self {
        Self { arguments, output, valid: 0, invalid: 0, broken: 0, busy: Busy::default() }
    }

    /// Counts the device's time with a request.
    pub fn busy(&mut self, submitted: Instant, answered: Instant) {
        self.busy.add(submitted, answered);
    }

    /// Counts a signature, and writes its line.
    pub fn signature(
        &mut self,
        file: &Path,
        number: u64,
        id: Option<&str>,
        outcome: &Outcome,
    ) -> anyhow::Result<()> {
        let valid = outcome.is_valid();
        *(if valid { &mut self.valid } else { &mut self.invalid }) += 1;
        if valid && self.arguments.quiet {
            return Ok(());
        }
        if !self.arguments.json {
            let id = id.map_or(String::new(), |id| format!("{id:?} "));
            return self.output.line(format_args!("{}:{number} {id}{outcome}", file.display()));
        }
        let mut line = json!({
            "type": "signature",
            "file": file.to_string_lossy(),
            "number": number,
            "id": id,
            "valid": valid,
        });
        if let Some(rejection) = outcome.rejection() {
            line["errors"] = json!(rejection.names());
            line["reason"] = json!(rejection.to_string());
        }
        self.output.line(line)
    }

    /// Counts and names a file that could not be read, or not to its end.
    pub fn broken(&mut self, file: &Path, error: anyhow::Error) -> anyhow::Result<()> {
        self.broken += 1;
        // What stands above on the terminal comes first.
        self.output.flush()?;
        let message = format!("{error:#}");
        report(&error.context(file.display().to_string()));
        if !self.arguments.json {
            return Ok(());
        }
        self.output
            .line(json!({ "type": "error", "file": file.to_string_lossy(), "message": message }))
    }

    /// Writes what was found, and says how the command ends.
    pub fn summary(&mut self, device: &dyn Device) -> anyhow::Result<Exit> {
        let Self { valid, invalid, broken, .. } = *self;
        let signatures = valid + invalid;
        let seconds = self.busy.seconds();
        let rate = (signatures > 0).then(|| signatures as f64 / seconds);
        let (cycles, caps) = (device.metrics().cycles, device.caps());
        let exit = match (broken, invalid) {
            (1.., _) => Exit::Input,
            (_, 1..) => Exit::Invalid,
            _ => Exit::Valid,
        };
        if self.arguments.json {
            self.output.line(json!({
                "type": "summary",
                "valid": valid,
                "invalid": invalid,
                "broken_files": broken,
                "low_s": self.arguments.low_s,
                "device_seconds": seconds,
                "signatures_per_second": rate,
                "cycles": cycles,
                "device": caps.uri,
            }))?;
            return Ok(exit);
        }
        let mut line =
            format!("{}: {valid} valid, {invalid} invalid", count(signatures, "signature"));
        if broken > 0 {
            line += &format!("; {} broken", count(broken, "file"));
        }
        if let Some(rate) = rate {
            let time = seconds * 1e3;
            line += &format!("; {time:.3} ms of work on {}, {rate:.0} signatures/s", caps.uri);
        }
        if let Some(cycles) = cycles {
            line += &format!("; {cycles} cycles of the card");
        }
        self.output.line(line)?;
        Ok(exit)
    }
}
