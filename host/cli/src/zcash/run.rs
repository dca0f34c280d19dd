//! Verifies the blocks of all files in groups, so that their proofs and signatures are in one batch. At most one group is in memory.

use std::fs::File;
use std::io::{IsTerminal as _, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use proofmill_zcash::verify::{Findings, Verdict};
use proofmill_zcash::{
    Block, BlockGroup, BlockReader, BlockReport, BlockVerifier, VerifierDevices,
};
use serde_json::{Value, json};

use super::{Arguments, prevouts};
use crate::output::{Exit, Output, count};
use crate::source::{is_stdin, shown};
use crate::threads;

/// The number of blocks and of transactions with each verdict.
#[derive(Default)]
struct Tally {
    blocks: [u64; 3],
    transactions: [u64; 3],
    malformed: u64,
    busy: Duration,
}

/// A run over files.
struct Run<'a> {
    arguments: &'a Arguments,
    output: &'a mut Output,
    verifier: BlockVerifier,
    threads: Option<usize>,
    group: BlockGroup,
    /// The file of each block of the group.
    files: Vec<PathBuf>,
    tally: Tally,
    bar: ProgressBar,
}

/// Verifies every file.
pub fn run(
    arguments: &Arguments,
    devices: VerifierDevices,
    output: &mut Output,
) -> anyhow::Result<Exit> {
    let mut verifier = BlockVerifier::with_devices(devices.clone(), arguments.network);
    if let Some(file) = &arguments.prevouts {
        prevouts::add(file, &mut verifier)?;
    }
    let mut run = Run {
        arguments,
        output,
        verifier,
        threads: devices.pairings.caps().threads,
        group: BlockGroup::default(),
        files: Vec::new(),
        tally: Tally::default(),
        bar: ProgressBar::hidden(),
    };
    let result = run.files();
    run.bar.finish_and_clear();
    result?;
    run.summary(&devices)?;
    let Tally { blocks: [_, _, invalid], malformed, .. } = run.tally;
    Ok(match (malformed, invalid) {
        (1.., _) => Exit::Input,
        (0, 1..) => Exit::Invalid,
        _ => Exit::Valid,
    })
}

impl Run<'_> {
    fn files(&mut self) -> anyhow::Result<()> {
        let mut files = Vec::new();
        for file in &self.arguments.files {
            match listed(file) {
                Ok(listed) => files.extend(listed),
                Err(error) => self.broken(file, error)?,
            }
        }
        self.bar = progress(&files);
        files.iter().try_for_each(|file| self.file(file))?;
        self.finish_group()
    }

    fn file(&mut self, file: &Path) -> anyhow::Result<()> {
        let source: Box<dyn Read> = match is_stdin(file) {
            true => Box::new(std::io::stdin().lock()),
            false => match File::open(file) {
                Ok(source) => Box::new(source),
                Err(error) => return self.broken(file, error.into()),
            },
        };
        let mut blocks = BlockReader::new(source, self.arguments.network).peekable();
        if blocks.peek().is_none() {
            return self.broken(file, anyhow::anyhow!("there is no block"));
        }
        for block in blocks {
            match block {
                Ok(block) => self.push(file, block)?,
                Err(error) => self.broken(file, error.into())?,
            }
        }
        Ok(())
    }

    fn push(&mut self, file: &Path, block: Block) -> anyhow::Result<()> {
        self.group.push(block);
        self.files.push(file.to_owned());
        if self.group.is_full() { self.finish_group() } else { Ok(()) }
    }

    /// Verifies the blocks that were read and writes their reports.
    fn finish_group(&mut self) -> anyhow::Result<()> {
        let bytes = self.group.bytes() as u64;
        let (files, blocks) = (std::mem::take(&mut self.files), self.group.take());
        if blocks.is_empty() {
            return Ok(());
        }
        let begun = Instant::now();
        let verifier = &mut self.verifier;
        let reports = threads::run(self.threads, || Ok(verifier.verify(blocks)?))?;
        self.tally.busy += begun.elapsed();
        let bar = self.bar.clone();
        let mut write =
            || files.iter().zip(&reports).try_for_each(|(file, report)| self.report(file, report));
        // Two streams on one terminal must not write into each other's lines.
        if std::io::stdout().is_terminal() {
            bar.suspend(write)?
        } else {
            write()?
        }
        bar.inc(bytes);
        Ok(())
    }

    fn broken(&mut self, file: &Path, error: anyhow::Error) -> anyhow::Result<()> {
        self.finish_group()?;
        self.tally.malformed += 1;
        let bar = self.bar.clone();
        bar.suspend(|| self.output.broken(file, error, self.arguments.json))
    }

    fn report(&mut self, file: &Path, report: &BlockReport) -> anyhow::Result<()> {
        let BlockReport { hash, height, findings, transactions, .. } = report;
        for transaction in transactions {
            let verdict = transaction.findings.verdict();
            self.tally.transactions[verdict as usize] += 1;
            let name = format!("{height} transaction {} {verdict}", transaction.txid);
            match self.arguments.json {
                true => {
                    let fields = json!({ "type": "transaction", "height": height });
                    self.object(file, fields, serde_json::to_value(transaction)?)?;
                }
                false => self.text(file, &name, &transaction.findings)?,
            }
        }
        let verdict = report.verdict();
        self.tally.blocks[verdict as usize] += 1;
        if !self.arguments.json {
            return self.text(file, &format!("{height} block {hash} {verdict}"), findings);
        }
        let mut object = serde_json::to_value(report)?;
        object["transactions"] = transactions.len().into();
        self.object(file, json!({ "type": "block" }), object)
    }

    fn text(&mut self, file: &Path, name: &str, findings: &Findings) -> anyhow::Result<()> {
        self.output.line(format_args!("{}: {name}", shown(file)))?;
        for finding in &findings.invalid {
            self.output.line(format_args!("    INVALID {finding}"))?;
        }
        let not_checked = &mut findings.not_checked.iter();
        not_checked.try_for_each(|it| self.output.line(format_args!("    not checked {it}")))
    }

    /// Writes the fields of two objects and the file's name as one object.
    fn object(&mut self, file: &Path, mut fields: Value, more: Value) -> anyhow::Result<()> {
        fields["file"] = file.to_string_lossy().into();
        if let (Value::Object(fields), Value::Object(more)) = (&mut fields, more) {
            fields.extend(more);
        }
        self.output.line(fields)
    }

    fn summary(&mut self, devices: &VerifierDevices) -> anyhow::Result<()> {
        let Tally { blocks, transactions, malformed, busy } = &self.tally;
        let (block_count, count_of_transactions) = (blocks.iter().sum(), transactions.iter().sum());
        let seconds = busy.as_secs_f64();
        if self.arguments.json {
            let by_verdict = |[valid, incomplete, invalid]: [u64; 3]| json!({ "valid": valid, "incomplete": incomplete, "invalid": invalid });
            return self.output.line(json!({
                "type": "summary",
                "blocks": by_verdict(*blocks),
                "transactions": by_verdict(*transactions),
                "malformed": malformed,
                "seconds": seconds,
                "devices": devices.to_string(),
            }));
        }
        let [valid, incomplete, invalid] = transactions;
        let mut line = format!(
            "{} with {}: {valid} valid, {incomplete} incomplete, {invalid} invalid",
            count(block_count, "block"),
            count(count_of_transactions, "transaction"),
        );
        if blocks[Verdict::Invalid as usize] > 0 {
            line += &format!("; {} invalid", count(blocks[Verdict::Invalid as usize], "block"));
        }
        if *malformed > 0 {
            line += &format!("; {} malformed", count(*malformed, "part"));
        }
        line += &format!("; {seconds:.3} s on {devices}");
        self.output.line(line)
    }
}

/// The files of a directory in the order of their names, only `blk*` if there are some; otherwise the file itself.
fn listed(file: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if is_stdin(file) || !file.is_dir() {
        return Ok(vec![file.to_owned()]);
    }
    let mut files = Vec::new();
    for entry in file.read_dir()? {
        let path = entry?.path();
        if path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    // Beside its block files, zcashd stores what undoes them.
    let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let is_block_file = |path: &PathBuf| name(path).starts_with("blk");
    if files.iter().any(is_block_file) {
        files.retain(is_block_file);
    }
    anyhow::ensure!(!files.is_empty(), "a directory without files");
    Ok(files)
}

/// A bar on standard error over the bytes of the files. Hidden without a terminal.
fn progress(files: &[PathBuf]) -> ProgressBar {
    let length = |file: &PathBuf| file.metadata().ok().filter(|it| it.is_file()).map(|it| it.len());
    let bytes = files.iter().map(length).sum::<Option<u64>>();
    let bar = ProgressBar::with_draw_target(bytes, ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{wide_bar} {bytes}/{total_bytes}, {eta} left");
    style.map_or_else(|_| bar.clone(), |style| bar.clone().with_style(style))
}
