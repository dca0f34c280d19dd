//! Verifies the headers of all files. At most one file is in memory, and as many requests as the device can use.

use std::io::IsTerminal as _;
use std::path::Path;
use std::time::Instant;

use anyhow::Context as _;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use proofmill::equihash::read::{self, Headers};
use proofmill::equihash::{BlockHash, Request, Response, Verdict};
use proofmill::{Bytes, Device, Submit, Ticket};
use serde_json::json;

use super::{Arguments, content};
use crate::ahead::{Ahead, Results};
use crate::busy::Busy;
use crate::output::{Exit, Output, count};

/// Headers in one request.
const CHUNK: usize = 64;
/// Minimum number of headers for a progress bar.
const MANY: u64 = 1000;

/// Some headers of a file, with the device.
struct Batch<'a> {
    file: &'a Path,
    /// The first one's number in the file, from 1.
    first: usize,
    headers: Bytes,
    submitted: Instant,
    ticket: Ticket<Response>,
}

/// What was found so far.
#[derive(Default)]
struct Tally {
    valid: u64,
    invalid: u64,
    malformed: u64,
    busy: Busy,
}

/// What is written, and the progress bar beside it.
struct Report<'a> {
    arguments: &'a Arguments,
    output: &'a mut Output,
    tally: Tally,
    bar: ProgressBar,
}

/// Verifies every file.
pub fn run<'a>(
    arguments: &'a Arguments,
    device: &dyn Device,
    output: &'a mut Output,
) -> anyhow::Result<Exit> {
    let bar = progress(arguments.files.len());
    let mut report = Report { arguments, output, tally: Tally::default(), bar };
    let result = Ahead::run(device, &mut report, |queue| {
        arguments.files.iter().try_for_each(|file| {
            match content(file).and_then(|bytes| Ok(read::headers(&bytes, arguments.params)?)) {
                Ok(headers) => submit(arguments, device, queue, file, &headers),
                Err(error) => queue.broken(file, error),
            }
        })
    });
    report.bar.finish_and_clear();
    result?;
    report.summary(device)?;
    Ok(match report.tally {
        Tally { malformed: 1.., .. } => Exit::Input,
        Tally { invalid: 1.., .. } => Exit::Invalid,
        _ => Exit::Valid,
    })
}

/// Submits the headers of a file.
fn submit<'a>(
    arguments: &Arguments,
    device: &dyn Device,
    queue: &mut Ahead<'_, 'a, Report<'a>>,
    file: &'a Path,
    headers: &Headers,
) -> anyhow::Result<()> {
    queue.results.expect(headers.len() as u64);
    let Arguments { params, network, personalisation, .. } = *arguments;
    let chunks = headers.as_bytes().chunks(CHUNK * params.header_bytes());
    for (first, chunk) in (1..).step_by(CHUNK).zip(chunks) {
        queue.submit(|| {
            let headers = Bytes::from(chunk);
            let request = Request::new(params, network, headers.clone());
            let request = Request { personalisation, ..request };
            let submitted = Instant::now();
            let ticket = device.submit(request).with_context(|| place(file, first))?;
            Ok(Batch { file, first, headers, submitted, ticket })
        })?;
    }
    Ok(())
}

impl<'a> Results<'a> for Report<'a> {
    type Batch = Batch<'a>;

    fn write(&mut self, batch: Batch<'a>) -> anyhow::Result<()> {
        let verdicts = self.verdicts(batch.ticket, batch.submitted);
        let verdicts = verdicts.with_context(|| place(batch.file, batch.first))?;
        let headers = batch.headers.chunks_exact(self.arguments.params.header_bytes());
        let mut rows = (batch.first..).zip(headers.zip(&verdicts));
        let bar = self.bar.clone();
        let mut write = || {
            rows.try_for_each(|(number, (header, verdict))| {
                self.header(batch.file, number, header, *verdict)
            })
        };
        // Two streams on one terminal must not write into each other's lines.
        if std::io::stdout().is_terminal() {
            bar.suspend(write)?
        } else {
            write()?
        }
        bar.inc(verdicts.len() as u64);
        Ok(())
    }

    fn write_broken(&mut self, file: &'a Path, error: anyhow::Error) -> anyhow::Result<()> {
        self.bar.clone().suspend(|| self.malformed(file, error))?;
        self.bar.inc(1);
        Ok(())
    }
}

impl Report<'_> {
    /// Adds the headers of a file to the progress bar, which has counted the file as one.
    fn expect(&mut self, headers: u64) {
        self.bar.inc_length(headers - 1);
        if self.bar.is_hidden() && self.bar.length() >= Some(MANY) {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }

    fn verdicts(
        &mut self,
        ticket: Ticket<Response>,
        submitted: Instant,
    ) -> anyhow::Result<Vec<Verdict>> {
        let (response, completed) = ticket.wait_stamped();
        self.tally.busy.add(submitted, completed);
        Ok(response?.verdicts)
    }

    fn header(
        &mut self,
        file: &Path,
        number: usize,
        header: &[u8],
        verdict: Verdict,
    ) -> anyhow::Result<()> {
        let hash = BlockHash::of(header);
        *(if verdict.is_valid() { &mut self.tally.valid } else { &mut self.tally.invalid }) += 1;
        if !self.arguments.json {
            return self.output.line(format_args!("{}:{number} {hash} {verdict}", file.display()));
        }
        self.output.line(json!({
            "type": "header",
            "file": file.to_string_lossy(),
            "number": number,
            "hash": hash.to_string(),
            "valid": verdict.is_valid(),
            "errors": verdict.errors().collect::<Vec<_>>(),
        }))
    }

    fn malformed(&mut self, file: &Path, error: anyhow::Error) -> anyhow::Result<()> {
        self.tally.malformed += 1;
        self.output.broken(file, error, self.arguments.json)
    }

    fn summary(&mut self, device: &dyn Device) -> anyhow::Result<()> {
        let Tally { valid, invalid, malformed, ref busy } = self.tally;
        let headers = valid + invalid;
        if self.arguments.json {
            return self.output.line(json!({
                "type": "summary",
                "valid": valid,
                "invalid": invalid,
                "malformed_files": malformed,
                "device_seconds": busy.seconds(),
                "headers_per_second": busy.rate(headers),
                "cycles": device.metrics().cycles,
                "device": device.caps().uri,
                "params": self.arguments.params.to_string(),
            }));
        }
        let mut line = format!("{}: {valid} valid, {invalid} invalid", count(headers, "header"));
        if malformed > 0 {
            line += &format!("; {} malformed", count(malformed, "file"));
        }
        line += &busy.summary(headers, "headers", device);
        self.output.line(line)
    }
}

fn place(file: &Path, first: usize) -> String {
    format!("{}, from header {first} on", file.display())
}

/// A bar on standard error, hidden until there are many headers; files not yet read count as one.
fn progress(files: usize) -> ProgressBar {
    let style =
        ProgressStyle::with_template("{wide_bar} {human_pos}/{human_len} headers, {eta} left");
    let bar = ProgressBar::with_draw_target(Some(files as u64), ProgressDrawTarget::hidden());
    style.map_or_else(|_| bar.clone(), |style| bar.clone().with_style(style))
}
