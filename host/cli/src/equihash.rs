//! `proofmill equihash verify`: files in, verdicts out.

use std::collections::VecDeque;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use proofmill::equihash::{BlockHash, Network, Params, Personalisation, Request, Verdict, read};
use proofmill::{Answer, Device, Ticket, Uri};
use serde_json::json;

use crate::output::{Exit, Output, report};

/// Headers in one request.
const CHUNK: usize = 64;
/// Fewer headers than this are verified before anybody would look at a progress bar.
const MANY: usize = 1000;

#[derive(clap::Subcommand)]
pub enum Command {
    /// Verifies block headers: the Equihash solution, and the difficulty of the network.
    ///
    /// A FILE holds raw bytes or hex: headers one after the other, or a block (a header and its
    /// transactions), or blocks as the Zcash node stores them (magic, size, block). In hex, each line may
    /// hold one of these. A block's transactions are not verified: only their count and the version of the
    /// first are looked at.
    ///
    /// With --json, each line of output is one JSON object: {"type": "header"} with file, number (from 1),
    /// hash, valid and errors; {"type": "error"} with file and message for a file that is malformed; and at
    /// the end {"type": "summary"}.
    ///
    /// All files are gone through. Exit codes: 0 all valid, 1 a header is invalid, 2 wrong usage or a file
    /// is malformed, 3 the device failed.
    Verify(Arguments),
}

#[derive(Args)]
pub struct Arguments {
    /// Equihash parameters n,k: 200,9 (Zcash), 144,5, or 48,5 (the toy)
    #[arg(long, default_value = "200,9")]
    params: Params,
    /// Whose limit the target must keep: main, test, regtest; none does not look at the difficulty
    #[arg(long, default_value = "main")]
    network: Network,
    /// First 8 characters of the hash function's personalisation
    #[arg(long, value_name = "TEXT", default_value = "ZcashPoW", value_parser = personalisation)]
    personalisation: Personalisation,
    /// Device that verifies: cpu:, sim:, … (see `proofmill devices`)
    #[arg(long, value_name = "URI", default_value = "cpu:")]
    device: Uri,
    /// Writes a waveform (VCD) of the card; simulations only
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Writes JSON lines
    #[arg(long)]
    json: bool,
    /// Files to verify; - is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

fn personalisation(text: &str) -> Result<Personalisation, String> {
    let bytes = text.as_bytes().try_into();
    bytes.map(Personalisation).map_err(|_| format!("{} bytes; expected 8", text.len()))
}

/// What was found so far.
#[derive(Default)]
struct Tally {
    valid: u64,
    invalid: u64,
    malformed: u64,
    time: Duration,
}

struct Run<'a> {
    arguments: &'a Arguments,
    device: Box<dyn Device>,
    output: &'a mut Output,
    tally: Tally,
}

/// Verifies every file.
pub fn verify(arguments: &Arguments, output: &mut Output) -> anyhow::Result<Exit> {
    if arguments.files.iter().filter(|file| is_stdin(file)).count() > 1 {
        bail!("FILE: standard input (-) can be read only once");
    }
    let device = proofmill::open_uri(&uri(arguments)?)?;
    let mut run = Run { arguments, device, output, tally: Tally::default() };
    for file in &arguments.files {
        run.file(file)?;
    }
    run.summary()?;
    Ok(match run.tally {
        Tally { malformed: 1.., .. } => Exit::Input,
        Tally { invalid: 1.., .. } => Exit::Invalid,
        _ => Exit::Valid,
    })
}

fn uri(arguments: &Arguments) -> anyhow::Result<Uri> {
    let uri = arguments.device.clone();
    let Some(trace) = &arguments.trace else { return Ok(uri) };
    let trace = trace.to_str().context("--trace: the file's name is not UTF-8")?;
    if uri.scheme() == "cpu" {
        bail!("--trace: {uri} has no waveform; a simulation has, such as --device sim:");
    }
    Ok(uri.with_option("trace", trace))
}

impl Run<'_> {
    fn file(&mut self, file: &Path) -> anyhow::Result<()> {
        let headers = match content(file)
            .and_then(|content| Ok(read::headers(&content, self.arguments.params)?))
        {
            Ok(headers) => headers,
            Err(error) => return self.malformed(file, error.context(file.display().to_string())),
        };
        let bar = progress(headers.len());
        let start = Instant::now();
        let mut number = 0;
        let mut chunks = headers.as_bytes().chunks(CHUNK * self.arguments.params.header_bytes());
        let mut under_way: VecDeque<(&[u8], Ticket)> = VecDeque::new();
        loop {
            while under_way.len() < self.device.caps().queue.max(2)
                && let Some(chunk) = chunks.next()
            {
                under_way.push_back((chunk, self.submit(chunk)?));
            }
            let Some((chunk, ticket)) = under_way.pop_front() else { break };
            let Answer::EquihashVerify(response) = ticket.wait()? else {
                bail!("an answer to another question")
            };
            let each = self.arguments.params.header_bytes();
            for (header, verdict) in chunk.chunks_exact(each).zip(response.verdicts) {
                number += 1;
                bar.suspend(|| self.header(file, number, header, verdict))?;
            }
            bar.inc((chunk.len() / each) as u64);
        }
        self.tally.time += start.elapsed();
        bar.finish_and_clear();
        Ok(())
    }

    fn submit(&self, headers: &[u8]) -> proofmill::Result<Ticket> {
        let Arguments { params, network, personalisation, .. } = *self.arguments;
        let request = Request { personalisation, ..Request::new(params, network, headers) };
        self.device.submit(proofmill::Request::EquihashVerify(request))
    }

    fn header(
        &mut self,
        file: &Path,
        number: u64,
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
        // What stands above on the terminal comes first.
        self.output.flush()?;
        report(&error);
        if !self.arguments.json {
            return Ok(());
        }
        let message = error.root_cause().to_string();
        self.output
            .line(json!({ "type": "error", "file": file.to_string_lossy(), "message": message }))
    }

    fn summary(&mut self) -> anyhow::Result<()> {
        let Tally { valid, invalid, malformed, time } = self.tally;
        let headers = valid + invalid;
        let seconds = time.as_secs_f64();
        let rate = (headers > 0).then(|| headers as f64 / seconds);
        let cycles = self.device.metrics().cycles;
        let caps = self.device.caps();
        if self.arguments.json {
            return self.output.line(json!({
                "type": "summary",
                "valid": valid,
                "invalid": invalid,
                "malformed_files": malformed,
                "seconds": seconds,
                "headers_per_second": rate,
                "cycles": cycles,
                "device": caps.uri,
                "params": self.arguments.params.to_string(),
            }));
        }
        let mut line = format!("{headers} headers: {valid} valid, {invalid} invalid");
        if malformed > 0 {
            line += &format!("; {malformed} files malformed");
        }
        if let Some(rate) = rate {
            line += &format!("; {:.3} ms, {rate:.0} headers/s on {}", seconds * 1e3, caps.uri);
        }
        if let Some(cycles) = cycles {
            line += &format!("; {cycles} cycles of the card");
        }
        self.output.line(line)
    }
}

fn is_stdin(file: &Path) -> bool {
    file == Path::new("-")
}

fn content(file: &Path) -> anyhow::Result<Vec<u8>> {
    if !is_stdin(file) {
        return Ok(std::fs::read(file)?);
    }
    let mut content = Vec::new();
    std::io::stdin().lock().read_to_end(&mut content)?;
    Ok(content)
}

/// A bar on standard error where that is a terminal and it will be seen.
fn progress(headers: usize) -> ProgressBar {
    if headers < MANY {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template(
        "{wide_bar} {human_pos}/{human_len} headers, {per_sec}, {eta}",
    );
    let bar = ProgressBar::new(headers as u64);
    style.map_or_else(|_| bar.clone(), |style| bar.clone().with_style(style))
}
