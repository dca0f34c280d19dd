//! Progress of long work, on standard error and only on a terminal.

#[cfg(feature = "dev")]
use std::io::Write;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

#[cfg(feature = "dev")]
use indicatif::ProgressBarIter;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A work that is over sooner shows nothing.
const PATIENCE: Duration = Duration::from_millis(300);
/// How fine parts of a whole are shown.
const PARTS: f64 = 1000.0;

/// A line that is taken away at the end.
pub struct Progress {
    bar: ProgressBar,
    begun: Instant,
    /// Of work in parts, the part of each that is done.
    parts: Mutex<Vec<(String, f64)>>,
    count: usize,
}

impl Progress {
    /// Creates a bar for work in `count` parts, each with a name.
    pub fn of_parts(count: usize) -> Self {
        let length = count as f64 * PARTS;
        Self::new(Some(length as u64), "{bar:40} {percent:>3} %  {msg}  {elapsed}", count)
    }

    /// Creates a bar for a file to write.
    #[cfg(feature = "dev")]
    pub fn of_bytes(name: &str) -> Self {
        let progress = Self::new(None, "{spinner} {msg} {bytes}  {elapsed}", 0);
        progress.bar.set_message(name.to_owned());
        progress
    }

    fn new(length: Option<u64>, template: &str, count: usize) -> Self {
        let bar = ProgressBar::with_draw_target(length, ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Self { bar, begun: Instant::now(), parts: Mutex::default(), count }
    }

    /// Sets the completed fraction of a part, from 0 to 1. May be called by any thread.
    pub fn say(&self, name: &str, done: f64) {
        self.show();
        let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        match parts.iter_mut().find(|(known, _)| known == name) {
            Some((_, part)) => *part = done,
            None => parts.push((name.to_owned(), done)),
        }
        let whole: f64 = parts.iter().map(|(_, part)| part).sum();
        self.bar.set_position((whole.min(self.count as f64) * PARTS) as u64);
        self.bar.set_message(name.to_owned());
    }

    /// Counts the bytes that are written.
    #[cfg(feature = "dev")]
    pub fn wrap<W: Write>(&self, to: W) -> ProgressBarIter<W> {
        self.bar.set_draw_target(ProgressDrawTarget::stderr());
        self.bar.wrap_write(to)
    }

    /// Takes the line away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn show(&self) {
        if self.bar.is_hidden() && self.begun.elapsed() > PATIENCE {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }
}
