//! `proofmill zcash`: verifies whole blocks.

mod prevouts;
mod run;

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use proofmill::{Device, Uri};
use proofmill_zcash::{Network, VerifierDevices};

use crate::output::{Exit, Output};
use crate::source::stdin_once;

#[derive(clap::Subcommand)]
pub enum Command {
    /// Verifies whole blocks: headers, transactions, proofs and signatures.
    ///
    /// FILE holds blocks as a Zcash node stores them (magic number, size, block: blk*.dat), blocks one after the other, or lines
    /// of hexadecimal digits, a block each. Of a directory, the files blk*, or all if there is none, are read in the order of
    /// their names; - is standard input.
    ///
    /// A transaction is valid, invalid, or incomplete: nothing is wrong, and a part could not be checked. Each such part is
    /// named with the reason. NOT VERIFIED is what depends on the chain: that spent outputs and anchors exist, that nullifiers
    /// are new, the difficulty adjustment, the subsidy, the link to the previous block.
    ///
    /// An output of one of these blocks is known to the later ones, up to about a million outputs. --prevouts adds others: JSON
    /// lines {"txid": …, "index": …, "value": …, "script": …}, the value in zatoshi, the script as hex.
    ///
    /// With --json, each line of output is one JSON object: {"type": "transaction"} with file, height, txid, verdict, invalid
    /// and not_checked; {"type": "block"} with file, height, hash, the number of transactions and the same; {"type": "error"}
    /// with file and message; and at the end {"type": "summary"}.
    ///
    /// Every file is read, even after an error. Exit codes: 0 nothing is invalid, 1 a block is invalid, 2 wrong usage or a
    /// malformed file, 3 the device failed.
    VerifyBlock(Arguments),
}

#[derive(Args)]
#[command(after_help = examples!(
    "proofmill zcash verify-block blk00000.dat",
    "proofmill zcash verify-block --network test --prevouts outputs.jsonl --json blocks.hex",
))]
pub struct Arguments {
    /// The network of the blocks: main or test
    #[arg(long, default_value = "main", value_parser = proofmill_zcash::network)]
    network: Network,
    /// Transparent outputs that the blocks spend, as JSON lines
    #[arg(long, value_name = "FILE")]
    prevouts: Option<PathBuf>,
    /// Device that verifies, may be repeated: the first that offers an operation computes it (Equihash, ECDSA, coprocessor, MSM on
    /// Vesta)
    #[arg(long = "device", value_name = "URI", default_value = "cpu:")]
    devices: Vec<Uri>,
    /// Writes JSON lines
    #[arg(long)]
    json: bool,
    /// Files and directories to verify; - is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// Verifies every file.
pub fn verify_block(arguments: &Arguments, output: &mut Output) -> anyhow::Result<Exit> {
    let prevouts = arguments.prevouts.iter().map(|file| ("--prevouts", file));
    stdin_once(prevouts.chain(arguments.files.iter().map(|file| ("FILE", file))))?;
    let open = |uri| Ok(proofmill::open_uri(uri)?.into());
    let devices: Vec<Arc<dyn Device>> =
        arguments.devices.iter().map(open).collect::<anyhow::Result<_>>()?;
    run::run(arguments, VerifierDevices::choose(&devices)?, output)
}
