//! `proofmill equihash`: `verify`, files in, verdicts out, and `solve`.

mod run;
pub mod solve;

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::Args;
use proofmill::Capability;
use proofmill::equihash::{Network, Params, Personalisation};

use crate::output::{Exit, Output};
use crate::source::{DeviceArguments, is_stdin, stdin_once};

/// A file is read as a whole; a larger one, or a stream that does not end, is refused.
const MOST_BYTES: u64 = 1 << 30;

#[derive(clap::Subcommand)]
pub enum Command {
    /// Verifies block headers: the Equihash solution and the difficulty target of the network.
    ///
    /// FILE holds raw bytes or hex: consecutive headers, or a block (a header and its transactions), or
    /// blocks as a Zcash node stores them (magic, size, block). In hex, each line may hold one of these. A
    /// block's transactions are not verified: only their count and the version of the first are read. A file
    /// holds at most 1 GiB.
    ///
    /// The time and rate at the end count only while the device had at least one request. Reading files,
    /// hashing and writing are not counted.
    ///
    /// With --json, each line of output is one JSON object: {"type": "header"} with file, number (from 1),
    /// hash, valid and errors; {"type": "error"} with file and message for a malformed file; and at the end
    /// {"type": "summary"}, with that time as device_seconds.
    ///
    /// Every file is read, even after an error. Exit codes: 0 all valid, 1 a header is invalid, 2 wrong
    /// usage or a malformed file, 3 the device failed.
    Verify(Arguments),
    /// Finds the solutions of a header (Wagner's algorithm), for each nonce from that of the header on.
    ///
    /// Writes a whole header in hex for each solution, as `equihash verify` reads it. Every solution is verified. With --target, the
    /// search ends at the first solution whose block hash is at most the target, and only that one is written.
    ///
    /// A nonce takes about 150 MB of memory at (200,9) and 1.7 GB at (144,5), and has about two solutions.
    ///
    /// With --json, each line of output is one JSON object: {"type": "solution"} with nonce, hash and header, and at the end
    /// {"type": "summary"}. Exit codes: 0 a solution was found, 1 none was, 2 wrong usage or a malformed header, 3 the device failed.
    Solve(solve::Arguments),
}

#[derive(Args)]
#[command(after_help = examples!(
    "proofmill equihash verify block.bin",
    "proofmill equihash verify --device sim: --network test header.hex",
))]
pub struct Arguments {
    /// Equihash parameters n,k: 200,9 (Zcash), 144,5, or 48,5 (the toy)
    #[arg(long, default_value = "200,9")]
    params: Params,
    /// Network whose difficulty limit applies: main, test or regtest; none skips the difficulty check
    #[arg(long, default_value = "main")]
    network: Network,
    /// First 8 bytes of the BLAKE2b personalisation
    #[arg(long, value_name = "TEXT", default_value = "ZcashPoW", value_parser = personalisation)]
    personalisation: Personalisation,
    #[command(flatten)]
    device: DeviceArguments,
    /// Writes JSON lines
    #[arg(long)]
    json: bool,
    /// Files to verify; - is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

fn personalisation(text: &str) -> Result<Personalisation, String> {
    let bytes = text.as_bytes().try_into();
    bytes.map(Personalisation).map_err(|_| format!("{} bytes; expected 8", text.len()))
}

/// Verifies every file.
pub fn verify(arguments: &Arguments, output: &mut Output) -> anyhow::Result<Exit> {
    stdin_once(arguments.files.iter().map(|file| ("FILE", file)))?;
    let device = arguments.device.open(&Capability::EquihashVerify(arguments.params))?;
    run::run(arguments, &*device, output)
}

fn content(file: &Path) -> anyhow::Result<Vec<u8>> {
    if is_stdin(file) {
        return all(std::io::stdin().lock());
    }
    let file = File::open(file)?;
    let metadata = file.metadata()?;
    if metadata.is_file() && metadata.len() > MOST_BYTES {
        bail!("{} bytes; expected at most {MOST_BYTES} in one file", metadata.len());
    }
    all(file)
}

fn all(source: impl Read) -> anyhow::Result<Vec<u8>> {
    let mut content = Vec::new();
    source.take(MOST_BYTES + 1).read_to_end(&mut content)?;
    if content.len() as u64 > MOST_BYTES {
        bail!("more than {MOST_BYTES} bytes; expected at most these in one file");
    }
    Ok(content)
}
