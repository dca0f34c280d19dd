//! One run over all files. Signatures are read and submitted ahead, across files; outcomes are written in the order of
//! the files. What is ahead is bounded by the requests that the device can use, so that the memory is, however large
//! the files are.

use std::collections::VecDeque;
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
use crate::output::{Exit, Output};

/// What will be written, in this order.
enum Ahead<'a> {
    Batch(Batch<'a>),
    Broken(&'a Path, anyhow::Error),
}

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

pub struct Run<'a> {
    arguments: &'a Arguments,
    device: Box<dyn Device>,
    ahead: VecDeque<Ahead<'a>>,
    report: Report<'a>,
    progress: Progress,
}

impl<'a> Run<'a> {
    pub fn new(arguments: &'a Arguments, device: Box<dyn Device>, output: &'a mut Output) -> Self {
        let progress = Progress::new(&arguments.files);
        let report = Report::new(arguments, output);
        Self { arguments, device, ahead: VecDeque::new(), report, progress }
    }

    /// Verifies every file.
    pub fn all(mut self) -> anyhow::Result<Exit> {
        let gone_through = self.go_through();
        if gone_through.is_err() {
            // What was answered before is not kept back.
            while let Ok(true) = self.write_oldest() {}
        }
        self.progress.finish();
        gone_through?;
        self.report.summary(&*self.device)
    }

    fn go_through(&mut self) -> anyhow::Result<()> {
        let arguments = self.arguments;
        for file in &arguments.files {
            let opened = open(file, |source| self.progress.wrap(source));
            if let Err(error) = self.file(file, opened)? {
                self.make_room()?;
                self.ahead.push_back(Ahead::Broken(file, error));
            }
        }
        while self.write_oldest()? {}
        Ok(())
    }

    /// Submits a file's entries; inside, why the file could not be read to its end.
    fn file<E: Into<anyhow::Error>>(
        &mut self,
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
                    self.submit(file, rows, &items)?;
                    return Ok(Err(error.into()));
                }
            };
            let malformed = item.map(|item| items.push(item)).err();
            rows.push(Row { number, id, malformed });
            if rows.len() == request_items(&*self.device) {
                self.submit(file, std::mem::take(&mut rows), &items)?;
                items.clear();
            }
        }
        self.submit(file, rows, &items)?;
        Ok(Ok(()))
    }

    fn submit(&mut self, file: &'a Path, rows: Vec<Row>, items: &[Item]) -> anyhow::Result<()> {
        let Some(first) = rows.first() else { return Ok(()) };
        self.make_room()?;
        let submitted = Instant::now();
        let pending = submit(&*self.device, items, self.arguments.policy())
            .with_context(|| place(file, first.number))?;
        self.ahead.push_back(Ahead::Batch(Batch { file, rows, submitted, pending }));
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
            Some(Ahead::Broken(file, error)) => {
                self.progress.suspend(|| self.report.broken(file, error))?
            }
            Some(Ahead::Batch(batch)) => {
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
                })?;
            }
        }
        Ok(true)
    }

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
