//! `proofmill-bench`: takes the figures.

use std::path::PathBuf;

use anyhow::Result;
use clap::{Parser, Subcommand};
use proofmill_algebra::Isa;
use proofmill_bench::{cycles, gpu, ours, software};

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
        /// A part of the rows: of prove, `batches`, `plonk` or `small`; of msm, `small`; they go to target/bench/parts
        #[arg(long)]
        only: Option<String>,
    },
    /// Our own code in several build profiles, side by side, without peers
    Profiles {
        /// A profile of Cargo.toml; the first is what the others are compared with
        #[arg(default_values = ["release", "dist"])]
        profiles: Vec<String>,
    },
    /// Our own code on every path that this processor has, side by side, without peers
    Paths,
    /// One side of `profiles` and `paths`
    #[command(hide = true)]
    Serve,
    /// Cycles of an operation's circuit, counted on a simulated card
    Cycles {
        /// The operation, such as equihash_verify
        op: String,
        /// The simulated card's configuration; may be given several times
        #[arg(long, default_value = "card")]
        sim: Vec<String>,
    },
    /// A GPU beside all cores of its machine: a JSON object a line
    Gpu {
        /// The GPU
        #[arg(long, default_value = "cuda:0")]
        device: String,
        /// Small sizes
        #[arg(long)]
        quick: bool,
        /// Parts whose names begin so, joined by commas, such as "msm bn254_g1,ntt"
        #[arg(long)]
        only: Option<String>,
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
    /// One witness of `software witness`, for its time
    #[command(hide = true)]
    WitnessOnce {
        /// The generator
        wasm: PathBuf,
        /// The inputs
        input: PathBuf,
        /// Where the witness goes
        output: PathBuf,
    },
    /// One tree of `software poseidon`, for its time and its memory
    #[command(hide = true)]
    TreeOnce {
        /// Children of a node
        arity: usize,
        /// The leaves
        from: PathBuf,
        /// Where its rows go
        to: PathBuf,
        /// Threads
        threads: usize,
    },
}

fn main() -> Result<()> {
    let command = Arguments::parse().command;
    match &command {
        Command::Software { isa: Some(isa), .. } => Isa::limit(isa)?,
        _ => Isa::requested()?,
    };
    match command {
        Command::Software { op, quick, isa, only } => {
            software::run(&op, quick, isa.as_deref(), only.as_deref())
        }
        Command::Profiles { profiles } => ours::profiles(&profiles),
        Command::Paths => ours::paths(),
        Command::Serve => ours::serve(std::io::stdin().lock(), std::io::stdout()),
        Command::Cycles { op, sim } => cycles::run(&op, &sim),
        Command::Gpu { device, quick, only } => gpu::run(&device, quick, only.as_deref()),
        Command::ProveOnce { zkey, wtns, threads } => software::prove_once(zkey, wtns, threads),
        Command::WitnessOnce { wasm, input, output } => {
            software::calculate_once(&wasm, &input, &output)
        }
        Command::TreeOnce { arity, from, to, threads } => {
            software::build_tree_once(arity, &from, &to, threads)
        }
    }
}
