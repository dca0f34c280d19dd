//! `proofmill-bench`: takes the figures.

use std::path::PathBuf;

use anyhow::Result;
use clap::{Parser, Subcommand};
use proofmill_bench::place::ensure_isa;
use proofmill_bench::{cycles, software};

#[derive(Parser)]
#[command(about = "Takes proofmill's figures and writes them to target/bench", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// An operation on this machine's processor, side by side with other software
    Software {
        /// The operation, such as equihash_verify
        op: String,
        /// Little work and few rounds: shows that the bench runs, not what the figures are; its rows go to target/bench/quick
        #[arg(long)]
        quick: bool,
        /// Our code path, such as avx2, instead of the best that the processor has
        #[arg(long)]
        isa: Option<String>,
    },
    /// Cycles of an operation's circuit, counted on a simulated card
    Cycles {
        /// The operation, such as equihash_verify
        op: String,
        /// The simulated card's configuration; may be given several times
        #[arg(long, default_value = "card")]
        sim: Vec<String>,
    },
    /// One proof of `software prove`, for its memory
    #[command(hide = true)]
    ProveOnce {
        /// The key
        zkey: PathBuf,
        /// The witness
        wtns: PathBuf,
        /// Threads
        threads: usize,
    },
}

fn main() -> Result<()> {
    match Arguments::parse().command {
        Command::Software { op, quick, isa: Some(isa) } => {
            on_path(&isa, || software::run(&op, quick, Some(&isa)))
        }
        Command::Software { op, quick, isa: None } => software::run(&op, quick, None),
        Command::Cycles { op, sim } => cycles::run(&op, &sim),
        Command::ProveOnce { zkey, wtns, threads } => software::prove_once(zkey, wtns, threads),
    }
}

/// Does something on a code path: the library reads its name where a program begins, so this one begins again with it.
fn on_path(isa: &str, work: impl FnOnce() -> Result<()>) -> Result<()> {
    const NAME: &str = "PROOFMILL_ISA";
    if std::env::var(NAME).is_ok_and(|set| set == isa) {
        ensure_isa(isa)?;
        return work();
    }
    let mut again = std::process::Command::new(std::env::current_exe()?);
    let ended = again.args(std::env::args_os().skip(1)).env(NAME, isa).status()?;
    std::process::exit(ended.code().unwrap_or(1));
}
