//! `proofmill vdf`: repeated squaring, its proofs, and their verification.

mod evaluate;
mod verify;

use std::path::PathBuf;

use clap::Args;
use proofmill::vdf::{Claim, record};
use proofmill::{Capability, Device, Uri};

pub use evaluate::{evaluate, prove};
pub use verify::verify;

#[derive(clap::Subcommand)]
pub enum Command {
    /// Computes x^(2^t) modulo N and prints the smaller of the result and its negative.
    ///
    /// With --states, the states after each --stride squarings are appended to a file. The same command continues from it.
    /// The evaluation takes one thread, because every squaring needs the one before.
    Eval(Evaluate),
    /// Computes x^(2^t) modulo N and proves it (Wesolowski, ePrint 2018/623).
    ///
    /// The proof is one line of JSON, on standard output or in the file of --output. It takes all threads, and a fraction of the time
    /// of the evaluation. It is verified before it is written.
    Prove(Prove),
    /// Verifies proofs of Wesolowski and Pietrzak modulo N, and of Chia's VDF.
    ///
    /// FILE holds JSON objects, one in each line, as `vdf prove` writes them, or one object. The member "scheme" is wesolowski,
    /// pietrzak or chia. Proofs are verified on all threads.
    ///
    /// --modulus, --input and --squarings are what you expect: a proof of another claim is invalid.
    ///
    /// With --json, each line of output is one JSON object: {"type": "vdf"} with file, number (from 1), scheme and valid, and error for a
    /// malformed proof. Exit codes: 0 all valid, 1 a proof is invalid, 2 wrong usage or a malformed proof.
    Verify(Verify),
}

#[derive(Args)]
pub struct ClaimArguments {
    /// The modulus N: rsa-1024 or rsa-2048 (of the RSA Factoring Challenge), decimal digits, or 0x and hex digits
    #[arg(long, value_name = "NUMBER")]
    modulus: String,
    /// The input x, from 2 to N - 2: decimal digits, or 0x and hex digits
    #[arg(long, value_name = "NUMBER")]
    input: String,
    /// The number t of squarings
    #[arg(long, value_name = "T")]
    squarings: u64,
    /// File of states: created, or continued from
    #[arg(long, value_name = "FILE")]
    states: Option<PathBuf>,
    /// Squarings between two states of the file [default: that of the file, or 65536]
    #[arg(long, value_name = "S", requires = "states", value_parser = clap::value_parser!(u64).range(1..))]
    stride: Option<u64>,
    /// Device that squares (see `proofmill devices`)
    #[arg(long, value_name = "URI", default_value = "cpu:")]
    device: Uri,
}

#[derive(Args)]
#[command(after_help = examples!(
    "proofmill vdf eval --modulus rsa-2048 --input 5 --squarings 100000",
    "proofmill vdf eval --modulus rsa-2048 --input 5 --squarings 100000000 --states states.jsonl --json",
))]
pub struct Evaluate {
    #[command(flatten)]
    claim: ClaimArguments,
    /// Writes one line of JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
#[command(after_help = examples!(
    "proofmill vdf prove --modulus rsa-2048 --input 5 --squarings 100000 --output proof.json",
    "proofmill vdf prove --modulus rsa-2048 --input 5 --squarings 100000000 --states states.jsonl",
))]
pub struct Prove {
    #[command(flatten)]
    claim: ClaimArguments,
    /// Memory limit for states and buckets, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..))]
    memory: u32,
    /// File of the proof; an existing file is replaced
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

#[derive(Args)]
#[command(after_help = examples!(
    "proofmill vdf verify proof.json",
    "proofmill vdf verify --modulus rsa-2048 --input 5 --squarings 100000 proof.json",
))]
pub struct Verify {
    /// The modulus that every proof must have
    #[arg(long, value_name = "NUMBER")]
    modulus: Option<String>,
    /// The input that every proof must have
    #[arg(long, value_name = "NUMBER")]
    input: Option<String>,
    /// The number of squarings that every proof must have
    #[arg(long, value_name = "T")]
    squarings: Option<u64>,
    #[command(flatten)]
    threads: crate::threads::Threads,
    /// Writes JSON lines
    #[arg(long)]
    json: bool,
    /// Files of proofs; - is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

impl ClaimArguments {
    fn claim(&self) -> anyhow::Result<Claim> {
        let claim = record::claim(&self.modulus, &self.input, self.squarings);
        claim.map_err(|error| anyhow::anyhow!("--{error}"))
    }

    fn open(&self) -> anyhow::Result<Box<dyn Device>> {
        let device = proofmill::open_uri(&self.device)?;
        device.caps().require(&Capability::Vdf)?;
        Ok(device)
    }
}
