//! Output of the subcommands, and their exit codes.

use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use proofmill::groth16;
use serde_json::json;

use crate::new_file::is_stdout;

/// The exit code of the command. Of several, the greatest counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// Everything was valid.
    Valid,
    /// Something was not.
    Invalid,
    /// The command line, or a file, was not what it should be.
    Input,
    /// The device failed, or could not be opened.
    Device,
    /// The reader of the output has closed it.
    Pipe,
}

impl Exit {
    /// The end that an error makes.
    pub fn of(error: &anyhow::Error) -> Self {
        let io = error.chain().find_map(|cause| cause.downcast_ref::<io::Error>());
        if io.is_some_and(|error| error.kind() == ErrorKind::BrokenPipe) {
            return Self::Pipe;
        }
        let is_device = error.chain().any(|cause| {
            let proof = cause.downcast_ref::<groth16::Error>();
            match (proof, cause.downcast_ref::<proofmill::Error>()) {
                (Some(groth16::Error::Device(error)), _) | (_, Some(error)) => error.is_device(),
                _ => false,
            }
        });
        if is_device { Self::Device } else { Self::Input }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Valid => 0,
            Exit::Invalid => 1,
            Exit::Input => 2,
            Exit::Device => 3,
            // As the shell reports a program that SIGPIPE ended.
            Exit::Pipe => 128 + 13,
        })
    }
}

/// Help on an option that takes one of these names.
pub fn one_of(what: &str, names: &[&str]) -> String {
    format!("{what}: {}", listed(names, "or"))
}

/// Help on what works on all of these.
pub fn on_each(what: &str, names: &[&str]) -> String {
    format!("{what} {}", listed(names, "and"))
}

fn listed(names: &[&str], joined: &str) -> String {
    let (last, others) = names.split_last().expect("names to choose from");
    format!("{} {joined} {last}", others.join(", "))
}

/// Standard output, buffered, on a terminal by the line; a reader that went away is an error, not a panic.
pub struct Output {
    writer: BufWriter<Box<dyn Write + Send>>,
    name: &'static str,
    terminal: bool,
}

impl Output {
    /// The process's own.
    pub fn stdout() -> Self {
        Self::new("standard output", io::stdout())
    }

    /// Standard error, buffered as well.
    pub fn stderr() -> Self {
        Self::new("standard error", io::stderr())
    }

    fn new(name: &'static str, stream: impl Write + io::IsTerminal + Send + 'static) -> Self {
        let terminal = stream.is_terminal();
        Self { writer: BufWriter::new(Box::new(stream)), name, terminal }
    }

    /// Writes to standard error from now on if one of these files goes to standard output, so that the two do not mix.
    pub fn keep_apart_from<'a>(&mut self, files: impl IntoIterator<Item = &'a PathBuf>) {
        if files.into_iter().any(|file| is_stdout(file)) {
            *self = Self::stderr();
        }
    }

    /// Writes a line.
    pub fn line(&mut self, text: impl std::fmt::Display) -> anyhow::Result<()> {
        writeln!(self.writer, "{text}").context(self.name)?;
        if self.terminal { self.flush() } else { Ok(()) }
    }

    /// Reports an error of a file: on standard error, and with JSON output also in a line of it.
    pub fn broken(&mut self, file: &Path, error: anyhow::Error, json: bool) -> anyhow::Result<()> {
        // What stands above on the terminal comes first.
        self.flush()?;
        let message = told(&error);
        report(&error.context(file.display().to_string()));
        if !json {
            return Ok(());
        }
        self.line(json!({ "type": "error", "file": file.to_string_lossy(), "message": message }))
    }

    /// Writes everything out.
    pub fn flush(&mut self) -> anyhow::Result<()> {
        self.writer.flush().context(self.name)
    }
}

/// A number with its noun.
pub fn count(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// Writes a note to standard error. Errors are ignored, since standard error may be closed.
pub fn note(text: impl std::fmt::Display) {
    let _ = writeln!(io::stderr(), "proofmill: {text}");
}

/// Reports an error on standard error. Errors of writing are ignored, since standard error may be closed.
pub fn report(error: &anyhow::Error) {
    let _ = writeln!(io::stderr(), "proofmill: {}", told(error));
}

/// Formats an error and its causes, without those that the previous text already ends with.
fn told(error: &anyhow::Error) -> String {
    let mut told = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !told.ends_with(&cause) {
            told += ": ";
            told += &cause;
        }
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_told_once() {
        let cause = anyhow::anyhow!("gone");
        let error = cause.context("x: gone").context("reading");
        assert_eq!(told(&error), "reading: x: gone");
    }
}
