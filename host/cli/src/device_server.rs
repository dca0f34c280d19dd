//! `proofmill device-server`: serves a device of this machine to remote clients.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;
use proofmill::Uri;
use proofmill_remote::{Limits, Server};

use crate::hardening::Hardening;
use crate::logs::Logs;
use crate::output::{Exit, Output};
use crate::source;
use crate::threads::Threads;

#[derive(Args)]
#[command(after_help = examples!(
    "proofmill device-server --device sim:",
    "proofmill device-server --listen 0.0.0.0:7733 --token-file token.txt",
))]
pub struct Arguments {
    /// The device (see `proofmill devices`)
    #[arg(long, value_name = "URI", default_value = "cpu:")]
    device: Uri,
    #[command(flatten)]
    threads: Threads,
    /// Where to listen; port 0 takes a free one. Beyond loopback there must be a token
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:7733")]
    listen: SocketAddr,
    /// A file with the token that clients know, too [default: the variable PROOFMILL_TOKEN, if it is set]
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Connections at a time
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=4096))]
    clients: u16,
    /// Most MiB of data of one request
    #[arg(long, value_name = "MIB", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..))]
    max_request: u32,
    /// Most MiB of data of all requests under way and of all that is resident
    #[arg(long, value_name = "MIB", default_value_t = 4096, value_parser = clap::value_parser!(u32).range(1..))]
    max_memory: u32,
    /// A client that is silent for longer is taken for dead, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=3600))]
    timeout: u16,
    #[command(flatten)]
    hardening: Hardening,
    #[command(flatten)]
    logs: Logs,
}

/// Serves until a signal ends it.
pub fn run(arguments: &Arguments, output: &mut Output) -> anyhow::Result<Exit> {
    arguments.hardening.apply();
    let token = source::token(arguments.token_file.as_deref())?;
    let device = proofmill::open_uri(&arguments.threads.applied(arguments.device.clone())?)?;
    let uri = device.caps().uri.clone();
    arguments.logs.start()?;
    let limits = Limits {
        clients: arguments.clients.into(),
        request_bytes: u64::from(arguments.max_request) << 20,
        memory_bytes: u64::from(arguments.max_memory) << 20,
        timeout: Duration::from_secs(arguments.timeout.into()),
        ..Limits::default()
    };
    let server =
        Server::bind(arguments.listen, Arc::from(device), token, limits).context("--listen")?;
    let (signal, end) = mpsc::channel();
    ctrlc::set_handler(move || {
        let _ = signal.send(());
    })?;
    let mut running = server.start()?;
    output.line(format_args!("serving {uri} at tcp://{}", running.address()))?;
    output.flush()?;
    end.recv()?;
    running.stop();
    let (clients, requests) = running.served();
    output.line(format_args!("{clients} clients, {requests} requests"))?;
    Ok(Exit::Valid)
}
