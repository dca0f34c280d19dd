//! `proofmill serve`: proofs over HTTP.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use proofmill::Uri;
use proofmill_serve::{Level, NamedKey, Settings, Token, logs};

use crate::output::{Exit, Output};
use crate::threads::Threads;

#[derive(Args)]
#[command(after_help = examples!(
    "proofmill serve --key age=age.zkey",
    "proofmill serve --key age=age.zkey --listen 0.0.0.0:8080 --token-file token.txt --log-format json",
))]
pub struct Arguments {
    /// A proving key (.zkey) and the name by which requests call it; may come several times
    #[arg(long = "key", value_name = "NAME=ZKEY", required = true)]
    keys: Vec<NamedKey>,
    /// Where to listen; port 0 takes a free one. Beyond loopback clients must show a token
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
    /// A file with the token that clients show [default: the variable PROOFMILL_TOKEN, if it is set]
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Device for NTTs and MSMs (see `proofmill devices`); cpu: does what it does not offer
    #[arg(long, value_name = "URI", default_value = "cpu:")]
    device: Uri,
    #[command(flatten)]
    threads: Threads,
    /// Jobs that may wait; further requests are refused with 429
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u16).range(0..=10_000))]
    queue: u16,
    /// Jobs that are worked on at a time, each in a working set of its own
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=1024))]
    workers: u16,
    /// How long accepted jobs may go on after SIGTERM, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    grace: u32,
    /// How lines are written to standard error
    #[arg(long, value_enum, default_value_t)]
    log_format: LogFormat,
    /// What is written: `debug` adds the phases of each proof, and requests that only look
    #[arg(long, value_name = "LEVEL", default_value = "info", value_parser = ["error", "warn", "info", "debug"])]
    log_level: String,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum LogFormat {
    /// For people
    #[default]
    Text,
    /// An object a line
    Json,
}

/// Serves until a signal ends it.
pub fn run(arguments: &Arguments, output: &mut Output) -> anyhow::Result<Exit> {
    let settings = Settings {
        listen: arguments.listen,
        token: Token::find(arguments.token_file.as_deref())?,
        keys: arguments.keys.clone(),
        device: arguments.threads.applied(arguments.device.clone())?,
        processor: arguments.threads.processor()?,
        queue: arguments.queue.into(),
        workers: arguments.workers.into(),
        grace: Duration::from_secs(arguments.grace.into()),
    };
    settings.check()?;
    let format = match arguments.log_format {
        LogFormat::Text => logs::Format::Text,
        LogFormat::Json => logs::Format::Json,
    };
    logs::start(format, arguments.log_level.parse::<Level>()?)?;
    proofmill::groth16::return_freed_memory();
    let mut told = Ok(());
    let summary = proofmill_serve::run(settings, |address| {
        told =
            output.line(format_args!("serving on http://{address}")).and_then(|()| output.flush());
    })?;
    told?;
    output.line(summary)?;
    Ok(Exit::Valid)
}
