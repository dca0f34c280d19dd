//! One run over all files. Requests are submitted ahead, across files, so that a device that takes many at once is
//! kept busy; verdicts are written in the order of the files. What is ahead is bounded: one file's headers, and as
//! many requests as the device can use.

use std::collections::VecDeque;
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
use crate::busy::Busy;
use crate::output::{Exit, Output, count};

/// Headers in one request.
const CHUNK: usize = 64;
/// Minimum number of headers for a progress bar.
const MANY: u64 = 1000;

/// What will be written, in this order.
enum Entry<'a> {
    Batch(Batch<'a>),
    Malformed(&'a Path, anyhow::Error),
}

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

pub struct Run<'a> {
    arguments: &'a Arguments,
    device: Box<dyn Device>,
    output: &'a mut Output,
    ahead: VecDeque<Entry<'a>>,
    tally: Tally,
    bar: ProgressBar,
}

impl<'a> Run<'a> {
    pub fn new(arguments: &'a Arguments, device: Box<dyn Device>, output: &'a mut Output) -> Self {
        let bar = progress(arguments.files.len());
        let (ahead, tally) = (VecDeque::new(), Tally::default());
        Self { arguments, device, output, ahead, tally, bar }
    }

    /// Verifies every file.
    pub fn all(mut self) -> anyhow::Result<Exit> {
        let gone_through = self.go_through();
        if gone_through.is_err() {
            // What was answered before is not kept back.
            while let Ok(true) = self.write_oldest() {}
        }
        self.bar.finish_and_clear();
        gone_through?;
        self.summary()?;
        Ok(match self.tally {
            Tally { malformed: 1.., .. } => Exit::Input,
            Tally { invalid: 1.., .. } => Exit::Invalid,
            _ => Exit::Valid,
        })
    }

    fn go_through(&mut self) -> anyhow::Result<()> {
        let arguments = self.arguments;
        for file in &arguments.files {
            match content(file).and_then(|bytes| Ok(read::headers(&bytes, arguments.params)?)) {
                Ok(headers) => self.submit(file, &headers)?,
                Err(error) => {
                    self.make_room()?;
                    self.ahead.push_back(Entry::Malformed(file, error));
                }
            }
        }
        while self.write_oldest()? {}
        Ok(())
    }

    fn submit(&mut self, file: &'a Path, headers: &Headers) -> anyhow::Result<()> {
        // The bar has counted the file as one header.
        self.bar.inc_length(headers.len() as u64 - 1);
        if self.bar.is_hidden() && self.bar.length() >= Some(MANY) {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        let Arguments { params, network, personalisation, .. } = *self.arguments;
        let chunks = headers.as_bytes().chunks(CHUNK * params.header_bytes());
        for (first, chunk) in (1..).step_by(CHUNK).zip(chunks) {
            self.make_room()?;
            let headers = Bytes::from(chunk);
            let request = Request::new(params, network, headers.clone());
            let request = Request { personalisation, ..request };
            let submitted = Instant::now();
            let ticket = self.device.submit(request).with_context(|| place(file, first))?;
            let batch = Batch { file, first, headers, submitted, ticket };
            self.ahead.push_back(Entry::Batch(batch));
        }
        Ok(())
    }

    fn make_room(&mut self) -> anyhow::Result<()> {
        if self.ahead.len() >= self.device.caps().queue.max(2) {
            self.write_oldest()?;
        }
        Ok(())
    }

    /// Waits for the oldest entry and writes it; false when there is none.
    fn write_oldest(&mut self) -> anyhow::Result<bool> {
        match self.ahead.pop_front() {
            None => return Ok(false),
            Some(Entry::Malformed(file, error)) => {
                self.bar.clone().suspend(|| self.malformed(file, error))?;
                self.bar.inc(1);
            }
            Some(Entry::Batch(batch)) => {
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
            }
        }
        Ok(true)
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

    fn summary(&mut self) -> anyhow::Result<()> {
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
                "cycles": self.device.metrics().cycles,
                "device": self.device.caps().uri,
                "params": self.arguments.params.to_string(),
            }));
        }
        let mut line = format!("{}: {valid} valid, {invalid} invalid", count(headers, "header"));
        if malformed > 0 {
            line += &format!("; {} malformed", count(malformed, "file"));
        }
        line += &busy.summary(headers, "headers", &*self.device);
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
