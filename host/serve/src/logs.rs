//! Lines on standard error: what was asked and how it ended, never what it was about.

use std::io;

use tracing::Level;

/// How a line is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// For people.
    #[default]
    Text,
    /// An object a line.
    Json,
}

/// From now on everything of this level and above is written. Each job is a span; at `DEBUG` its proof is one within it, and within that each phase and what a device is asked.
pub fn start(format: Format, level: Level) -> anyhow::Result<()> {
    let lines = tracing_subscriber::fmt()
        .with_max_level(level)
        .with_ansi(false)
        .with_target(false)
        .with_writer(io::stderr);
    let started = match format {
        Format::Text => lines.try_init(),
        Format::Json => lines.json().flatten_event(true).try_init(),
    };
    started.map_err(|problem| anyhow::anyhow!("logs: {problem}"))
}
