//! `proofmill ecdsa`: signatures in files.

mod convert;
mod progress;
mod report;
mod run;

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use clap::Args;
use proofmill::Capability;
use proofmill::ecdsa::Policy;
use proofmill::ecdsa::file::Reader;

use crate::output::{Exit, Output};
use crate::source::{self, DeviceArguments, stdin_once};
pub use convert::convert;

#[derive(clap::Subcommand)]
pub enum Command {
    /// Verifies ECDSA signatures on secp256k1, those of Bitcoin and of transparent Zcash.
    ///
    /// FILE holds JSON lines, or the compact form that `proofmill ecdsa convert` writes. Each line is an
    /// object with "key" (SEC 1, 33 or 65 bytes), "der" or "compact" (the signature: strict DER, or r and s
    /// of 32 bytes each), and "digest" (32 bytes) or "message" with "hash" (sha256 or sha256d). An "id" is
    /// optional. Bytes are hex. Files are streamed and may be larger than memory.
    ///
    /// A malformed line, an unreadable key or signature, and a signature that does not verify all count as
    /// invalid, each with its reason.
    ///
    /// The time and rate at the end count only while the device had at least one request, parsing of keys
    /// and signatures included. Reading and writing files is not counted.
    ///
    /// With --json, each line of output is one JSON object: {"type": "signature"} with file, number (line or
    /// record, from 1), id, valid, errors (names) and reason; {"type": "error"} with file and message for a
    /// broken file; and at the end {"type": "summary"}, with that time as device_seconds.
    ///
    /// Every file is read, even after an error. Exit codes: 0 all valid, 1 a signature is invalid, 2 wrong
    /// usage or a broken file, 3 the device failed.
    Verify(Arguments),
    /// Converts signatures to the compact form, which is smaller and faster to read.
    ///
    /// A signature that the compact form cannot hold, such as one with malformed DER, is reported and omitted.
    ///
    /// Exit codes: 0 all written, 1 some were omitted, 2 wrong usage, a broken file, or nothing to write; then
    /// no file is made.
    Convert(convert::Arguments),
}

#[derive(Args)]
#[command(after_help = examples!(
    "proofmill ecdsa verify signatures.jsonl",
    "proofmill ecdsa verify --low-s --json --quiet signatures.pmsig",
))]
pub struct Arguments {
    /// Rejects a signature whose s is above n / 2
    #[arg(long)]
    low_s: bool,
    #[command(flatten)]
    device: DeviceArguments,
    /// Writes JSON lines
    #[arg(long)]
    json: bool,
    /// Writes only invalid signatures and the summary
    #[arg(long)]
    quiet: bool,
    /// Files to verify; - is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

impl Arguments {
    fn policy(&self) -> Policy {
        Policy { low_s: self.low_s }
    }
}

/// Verifies every file.
pub fn verify(arguments: &Arguments, output: &mut Output) -> anyhow::Result<Exit> {
    stdin_once(arguments.files.iter().map(|file| ("FILE", file)))?;
    let device = arguments.device.open(&Capability::EcdsaVerify)?;
    run::run(arguments, &*device, output)
}

/// Opens a file, or standard input; `wrap` sees what is read.
fn open<R: Read + 'static>(
    file: &Path,
    wrap: impl FnOnce(Box<dyn Read>) -> R,
) -> anyhow::Result<Reader<Box<dyn BufRead>>> {
    let source = wrap(Box::new(source::open(file)?));
    Ok(Reader::new(Box::new(BufReader::with_capacity(1 << 16, source)) as Box<dyn BufRead>)?)
}
