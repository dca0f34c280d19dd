//! The command `proofmill serve`: proofs over HTTP.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use proofmill::Uri;
use proofmill_serve::{Limits, NamedKey, Settings};

use crate::hardening::Hardening;
use crate::logs::Logs;
use crate::output::{Exit, Output};
use crate::source::{self, require_file, require_regular};
use crate::threads::Threads;

#[derive(Args)]
#[command(after_help = examples!(
    "proofmill serve --key age=age.zkey,age.wasm",
    "proofmill serve --key age=age.zkey --listen 0.0.0.0:8080 --token-file token.txt --log-format json",
))]
pub struct Arguments {
    /// A proving key (.zkey) and its name in requests, and the generator (.wasm) that circom 2 writes with --wasm, if requests may have
    /// inputs in place of a witness. Regular files, without a comma in their names; may be given several times
    #[arg(long = "key", value_name = "NAME=ZKEY[,WASM]", required = true)]
    keys: Vec<NamedKey>,
    /// Address to listen on; port 0 selects a free port. An address that is not loopback requires a token
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
    /// File with the token that clients must show [default: the variable PROOFMILL_TOKEN, if it is set]
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Device for NTTs and MSMs (see `proofmill devices`); cpu: executes operations that it does not offer
    #[arg(long, value_name = "URI", default_value = "cpu:")]
    device: Uri,
    #[command(flatten)]
    threads: Threads,
    /// Maximum number of waiting jobs; further requests are rejected with 429
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u16).range(0..=10_000))]
    queue: u16,
    /// Number of jobs that run at a time, each with its own working set
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=1024))]
    workers: u16,
    /// Memory limit of each calculation of a witness from inputs, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 2048, value_parser = clap::value_parser!(u32).range(1..=4096))]
    generator_memory: u32,
    /// Time limit of each calculation of a witness from inputs, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 600, value_parser = clap::value_parser!(u32).range(1..))]
    generator_seconds: u32,
    /// How long accepted jobs may run after SIGTERM, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    grace: u32,
    #[command(flatten)]
    hardening: Hardening,
    #[command(flatten)]
    logs: Logs,
}

impl Arguments {
    fn generator_limits(&self) -> proofmill::snark::Limits {
        proofmill::snark::Limits {
            max_bytes: usize::try_from(u64::from(self.generator_memory) << 20)
                .unwrap_or(usize::MAX),
            max_time: Duration::from_secs(self.generator_seconds.into()),
        }
    }
}

/// Serves until a signal ends the service.
pub fn run(arguments: &Arguments, output: &mut Output) -> anyhow::Result<Exit> {
    for key in &arguments.keys {
        require_file("--key", &key.file)?;
        if let Some(generator) = &key.generator {
            require_regular("--key", "a witness generator", generator)?;
        }
    }
    let settings = Settings {
        listen: arguments.listen,
        token: source::token(arguments.token_file.as_deref())?,
        keys: arguments.keys.clone(),
        device: arguments.threads.applied(arguments.device.clone())?,
        fallback: arguments.threads.processor()?,
        queue: arguments.queue.into(),
        workers: arguments.workers.into(),
        grace: Duration::from_secs(arguments.grace.into()),
        limits: Limits { generator: arguments.generator_limits(), ..Limits::default() },
    };
    settings.check()?;
    arguments.hardening.apply();
    arguments.logs.start()?;
    proofmill::groth16::return_freed_memory();
    let mut printed = Ok(());
    let summary = proofmill_serve::run(settings, |address| {
        printed =
            output.line(format_args!("serving on http://{address}")).and_then(|()| output.flush());
    })?;
    printed?;
    output.line(summary)?;
    Ok(Exit::Valid)
}
