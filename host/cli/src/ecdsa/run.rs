//! Verifies the signatures of all files.

use std::io::IsTerminal as _;
use std::path::Path;
use std::time::Instant;

use anyhow::Context as _;
use proofmill::Device;
use proofmill::ecdsa::file::Entry;
use proofmill::ecdsa::{Item, Outcome, Pending, Rejection, request_items, submit};

use super::progress::Progress;
use super::report::Report;
use super::{Arguments, open};
use crate::ahead::{Ahead, Results};
use crate::output::{Exit, Output};

/// Some entries of a file, with the device.
struct Batch<'a> {
    file: &'a Path,
    rows: Vec<Row>,
    submitted: Instant,
    pending: Pending,
}

/// An entry: what is written of it, besides its outcome.
struct Row {
    number: u64,
    id: Option<String>,
    /// Why it is not with the device.
    malformed: Option<Rejection>,
}

/// The report and the progress, which may share a terminal.
struct Written<'a> {
    report: Report<'a>,
    progress: Progress,
}

type Queue<'r, 'a> = Ahead<'r, 'a, Written<'a>>;

/// Reads the files and submits their entries.
struct Submission<'a, 'd> {
    arguments: &'a Arguments,
    device: &'d dyn Device,
}

/// Verifies every file.
pub fn run<'a>(
    arguments: &'a Arguments,
    device: &dyn Device,
    output: &'a mut Output,
) -> anyhow::Result<Exit> {
    let progress = Progress::new(&arguments.files);
    let mut written = Written { report: Report::new(arguments, output), progress };
    let submission = Submission { arguments, device };
    let result = Ahead::run(device, &mut written, |queue| {
        arguments.files.iter().try_for_each(|file| {
            let opened = open(file, |source| queue.results.progress.wrap(source));
            match submission.file(queue, file, opened)? {
                Ok(()) => Ok(()),
                Err(error) => queue.broken(file, error),
            }
        })
    });
    written.progress.finish();
    result?;
    written.report.summary(device)
}

impl<'a> Submission<'a, '_> {
    /// Submits a file's entries; the inner result is the reason why the file could not be read to its end.
    fn file<E: Into<anyhow::Error>>(
        &self,
        queue: &mut Queue<'_, 'a>,
        file: &'a Path,
        opened: anyhow::Result<impl Iterator<Item = Result<Entry, E>>>,
    ) -> anyhow::Result<anyhow::Result<()>> {
        let entries = match opened {
            Ok(entries) => entries,
            Err(error) => return Ok(Err(error)),
        };
        let (mut rows, mut items) = (Vec::new(), Vec::new());
        for entry in entries {
            let Entry { number, id, item, .. } = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    self.submit(queue, file, rows, &items)?;
                    return Ok(Err(error.into()));
                }
            };
            let malformed = item.map(|item| items.push(item)).err();
            rows.push(Row { number, id, malformed });
            if rows.len() == request_items(self.device) {
                self.submit(queue, file, std::mem::take(&mut rows), &items)?;
                items.clear();
            }
        }
        self.submit(queue, file, rows, &items)?;
        Ok(Ok(()))
    }

    fn submit(
        &self,
        queue: &mut Queue<'_, 'a>,
        file: &'a Path,
        rows: Vec<Row>,
        items: &[Item],
    ) -> anyhow::Result<()> {
        let Some(first) = rows.first().map(|row| row.number) else { return Ok(()) };
        queue.submit(|| {
            let submitted = Instant::now();
            let pending = submit(self.device, items, self.arguments.policy())
                .with_context(|| place(file, first))?;
            Ok(Batch { file, rows, submitted, pending })
        })
    }
}

impl<'a> Results<'a> for Written<'a> {
    type Batch = Batch<'a>;

    fn write(&mut self, batch: Batch<'a>) -> anyhow::Result<()> {
        let Batch { file, rows, submitted, pending } = batch;
        let (outcomes, answered) = pending.wait_stamped();
        self.report.busy(submitted, answered);
        let first = rows.first().map_or(1, |row| row.number);
        let mut outcomes = outcomes.with_context(|| place(file, first))?.into_iter();
        self.progress.add(rows.len() as u64);
        self.undisturbed(|report| {
            rows.into_iter().try_for_each(|row| {
                let outcome = match row.malformed {
                    Some(rejection) => Some(Outcome::Invalid(rejection)),
                    None => outcomes.next(),
                };
                let outcome = outcome.context("no outcome for a signature")?;
                report.signature(file, row.number, row.id.as_deref(), &outcome)
            })
        })
    }

    fn write_broken(&mut self, file: &'a Path, error: anyhow::Error) -> anyhow::Result<()> {
        self.progress.suspend(|| self.report.broken(file, error))
    }
}

impl<'a> Written<'a> {
    /// Two streams on one terminal must not write into each other's lines.
    fn undisturbed<T>(&mut self, write: impl FnOnce(&mut Report<'a>) -> T) -> T {
        if !std::io::stdout().is_terminal() {
            return write(&mut self.report);
        }
        self.progress.suspend(|| write(&mut self.report))
    }
}

fn place(file: &Path, first: u64) -> String {
    format!("{}, from number {first} on", file.display())
}
