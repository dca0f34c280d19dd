//! The output of a run: a line per signature, errors of files, and the summary.

use std::path::Path;
use std::time::Instant;

use proofmill::Device;
use proofmill::ecdsa::Outcome;
use serde_json::json;

use super::Arguments;
use crate::busy::Busy;
use crate::output::{Exit, Output, count};

/// Counts of a run, and its output.
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
        self.output.broken(file, error, self.arguments.json)
    }

    /// Writes the summary and returns the exit code.
    pub fn summary(&mut self, device: &dyn Device) -> anyhow::Result<Exit> {
        let Self { valid, invalid, broken, .. } = *self;
        let signatures = valid + invalid;
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
                "device_seconds": self.busy.seconds(),
                "signatures_per_second": self.busy.rate(signatures),
                "cycles": device.metrics().cycles,
                "device": device.caps().uri,
            }))?;
            return Ok(exit);
        }
        let mut line =
            format!("{}: {valid} valid, {invalid} invalid", count(signatures, "signature"));
        if broken > 0 {
            line += &format!("; {} broken", count(broken, "file"));
        }
        line += &self.busy.summary(signatures, "signatures", device);
        self.output.line(line)?;
        Ok(exit)
    }
}
