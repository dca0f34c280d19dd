//! Progress of a run, on standard error and only on a terminal: bytes read, signatures, their rate.

use std::fs;
use std::io::Read;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressBarIter, ProgressDrawTarget, ProgressStyle};

/// A run that is over sooner shows nothing.
const PATIENCE: Duration = Duration::from_millis(300);

pub struct Progress {
    bar: ProgressBar,
    begun: Instant,
    signatures: u64,
}

impl Progress {
    /// Creates a bar for these files. If one has no size, such as a pipe, the bar has no end.
    pub fn new(files: &[PathBuf]) -> Self {
        let size =
            |file: &PathBuf| fs::metadata(file).ok().filter(|it| it.is_file()).map(|it| it.len());
        let total: Option<u64> = files.iter().map(size).sum();
        let template = match total {
            Some(_) => "{wide_bar} {bytes}/{total_bytes}, {msg}, {eta} left",
            None => "{spinner} {bytes}, {msg}",
        };
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Self { bar, begun: Instant::now(), signatures: 0 }
    }

    /// Counts the bytes of a file as they are read.
    pub fn wrap(&self, source: Box<dyn Read>) -> ProgressBarIter<Box<dyn Read>> {
        self.bar.wrap_read(source)
    }

    /// Counts signatures that were verified.
    pub fn add(&mut self, signatures: u64) {
        self.signatures += signatures;
        let elapsed = self.begun.elapsed();
        if elapsed < PATIENCE {
            return;
        }
        if self.bar.is_hidden() {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        let rate = self.signatures as f64 / elapsed.as_secs_f64();
        self.bar.set_message(format!("{} signatures, {rate:.0}/s", self.signatures));
    }

    /// Writes to the same terminal without disturbing the bar.
    pub fn suspend<T>(&self, write: impl FnOnce() -> T) -> T {
        self.bar.suspend(write)
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
