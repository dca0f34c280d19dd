//! Log lines on standard error of commands that run until a signal ends them: requests and their results, never their contents.

use std::io;

use clap::{Args, ValueEnum};
use tracing_subscriber::filter::LevelFilter;

/// The options of such a command.
#[derive(Args)]
pub struct Logs {
    /// How lines are written to standard error
    #[arg(long, value_enum, default_value_t)]
    log_format: Format,
    /// Level of messages: `debug` adds the phases of each proof, requests to devices, and read-only requests
    #[arg(long, value_name = "LEVEL", default_value = "info", value_parser = ["error", "warn", "info", "debug"])]
    log_level: String,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum Format {
    /// For people
    #[default]
    Text,
    /// An object a line
    Json,
}

impl Logs {
    /// Starts logging at this level and above. A request, a job or a client is a span. At `debug` a proof is one within it, and within that each
    /// phase and each request to a device.
    pub fn start(&self) -> anyhow::Result<()> {
        let lines = tracing_subscriber::fmt()
            .with_max_level(self.log_level.parse::<LevelFilter>()?)
            .with_ansi(false)
            .with_target(false)
            .with_writer(io::stderr);
        let started = match self.log_format {
            Format::Text => lines.try_init(),
            Format::Json => lines.json().flatten_event(true).try_init(),
        };
        started.map_err(|problem| anyhow::anyhow!("logs: {problem}"))
    }
}
