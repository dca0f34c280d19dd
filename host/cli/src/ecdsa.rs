//! `proofmill ecdsa`: signatures in files.

mod convert;
mod progress;
mod report;
mod run;

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use clap::Args;
use proofmill::Capability;
use proofmill::ecdsa::Policy;
use proofmill::ecdsa::file::Reader;

use crate::output::{Exit, Output};
use crate::source::{DeviceArguments, is_stdin, stdin_once};
pub use convert::convert;
use run::Run;

#[derive(clap::Subcommand)]
pub enum Command {
    /// Verifies ECDSA signatures on secp256k1, those of Bitcoin and of transparent Zcash.
    ///
    /// A FILE holds JSON lines, or the compact form that `proofmill ecdsa convert` makes. A line is an object
    /// with "key" (SEC 1: 33 or 65 bytes), "der" or "compact" (the signature: strict DER, or r and s of 32
    /// bytes), and "digest" (32 bytes) or "message" with "hash" (sha256 or sha256d); an "id" may stand beside
    /// them. Bytes are hex. Files are read as a stream and may be larger than the memory.
    ///
    /// A line that is not of this form, a key or a signature that cannot be read, and a signature that does
    /// not hold are all invalid, each with its reason.
    ///
    /// The time and the rate at the end are the device's, with the parsing of keys and signatures: the time
    /// during which it had at least one request. Reading files and writing are not in it.
    ///
    /// With --json, each line of output is one JSON object: {"type": "signature"} with file, number (the line
    /// or record, from 1), id, valid, errors (names) and reason; {"type": "error"} with file and message for a
    /// file that is broken; and at the end {"type": "summary"}, with that time as device_seconds.
    ///
    /// All files are gone through. Exit codes: 0 all valid, 1 a signature is invalid, 2 wrong usage or a file
    /// is broken, 3 the device failed.
    Verify(Arguments),
    /// Writes signatures into a file of the compact form, which is smaller and faster to read.
    ///
    /// What that form cannot hold, such as a signature that is no DER, is named and left out.
    ///
    /// Exit codes: 0 all written, 1 something was left out, 2 wrong usage or a file is broken.
    Convert(convert::Arguments),
}

#[derive(Args)]
pub struct Arguments {
    /// Takes an s above n / 2 for invalid
    #[arg(long)]
    low_s: bool,
    #[command(flatten)]
    device: DeviceArguments,
    /// Writes JSON lines
    #[arg(long)]
    json: bool,
    /// Writes only what is not valid, and the summary
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
    stdin_once(&arguments.files)?;
    let device = arguments.device.open(&Capability::EcdsaVerify)?;
    Run::new(arguments, device, output).all()
}

/// Opens a file, or standard input; `wrap` sees what is read.
fn open<R: Read + 'static>(
    file: &Path,
    wrap: impl FnOnce(Box<dyn Read>) -> R,
) -> anyhow::Result<Reader<Box<dyn BufRead>>> {
    let source: Box<dyn Read> = match is_stdin(file) {
        true => Box::new(std::io::stdin()),
        false => Box::new(File::open(file)?),
    };
    Ok(Reader::new(Box::new(BufReader::with_capacity(1 << 16, wrap(source))) as Box<dyn BufRead>)?)
}
