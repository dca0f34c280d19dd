//! `proofmill serve`: proofs over HTTP.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use proofmill::Uri;
use proofmill_serve::{NamedKey, Settings, Token};

use crate::logs::Logs;
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
    #[command(flatten)]
    logs: Logs,
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
    arguments.logs.start()?;
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
