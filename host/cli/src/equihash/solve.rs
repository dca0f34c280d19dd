//! `proofmill equihash solve`: nonces in, whole headers out.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Instant;

use anyhow::{Context as _, bail};
use clap::Args;
use proofmill::equihash::{self, BlockHash, HEADER_BYTES, Network, Params, Personalisation, solve};
use proofmill::{Capability, Device, Submit};
use serde_json::json;

use super::{content, personalisation};
use crate::output::{Exit, Output};
use crate::progress::Progress;
use crate::source::DeviceArguments;

/// Nonces of one request. Its memory serves all of them.
const CHUNK: u64 = 8;
/// The offset of the nonce in a header: its last 32 bytes, a little-endian number.
const NONCE_OFFSET: usize = 108;

#[derive(Args)]
#[command(after_help = examples!(
    "proofmill equihash solve --nonces 1000 --target header header.hex",
    "proofmill equihash solve --params 48,5 --nonces 10 --json header.hex",
))]
pub struct Arguments {
    /// Equihash parameters n,k: 200,9 (Zcash), 144,5, 96,5, or 48,5 (the toy)
    #[arg(long, default_value = "200,9")]
    params: Params,
    /// First 8 bytes of the BLAKE2b personalisation
    #[arg(long, value_name = "TEXT", default_value = "ZcashPoW", value_parser = personalisation)]
    personalisation: Personalisation,
    /// Number of nonces, from that of the header on
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    nonces: u64,
    /// Largest block hash, after which the search ends: header (the target in the header), or 0x and 64 hex digits
    #[arg(long, value_name = "TARGET")]
    target: Option<Target>,
    /// Memory limit of a solver of cpu:, in MiB: less memory takes more time
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(1..))]
    memory: Option<u32>,
    #[command(flatten)]
    device: DeviceArguments,
    /// Writes JSON lines
    #[arg(long)]
    json: bool,
    /// The header: 140 bytes, raw or hex, or a whole header, whose solution is ignored; - is standard input
    #[arg(value_name = "HEADER")]
    header: PathBuf,
}

/// The largest hash of a block.
#[derive(Clone, Copy)]
enum Target {
    /// The header's compact target.
    Header,
    /// A number, most significant byte first.
    Number([u8; 32]),
}

impl FromStr for Target {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "header" {
            return Ok(Self::Header);
        }
        let mut number = [0; 32];
        let digits = text.strip_prefix("0x").unwrap_or_default();
        match hex::decode_to_slice(digits, &mut number) {
            Ok(()) => Ok(Self::Number(number)),
            Err(_) => Err(format!("'{text}'; expected header, or 0x and 64 hex digits")),
        }
    }
}

/// The solutions found so far.
struct Search<'a> {
    arguments: &'a Arguments,
    device: &'a dyn Device,
    /// Compares hashes with the target in the header.
    verifier: &'a dyn Device,
    solutions: u64,
    is_met: bool,
}

/// Solves the header for each nonce, until a solution meets the target.
pub fn run(arguments: &Arguments, output: &mut Output) -> anyhow::Result<Exit> {
    let device = arguments.device.open(&Capability::EquihashSolve(arguments.params))?;
    let name = || arguments.header.display().to_string();
    let mut header = read(arguments).with_context(name)?;
    let verifier = verifier(arguments, &*device)?;
    let verifier = verifier.as_deref().unwrap_or(&*device);
    let mut search = Search { arguments, device: &*device, verifier, solutions: 0, is_met: false };
    let (progress, start) = (Progress::of_parts(1), Instant::now());
    let mut nonces = 0;
    while nonces < arguments.nonces && !search.is_met {
        progress.say("nonces", nonces as f64 / arguments.nonces as f64);
        let count = (arguments.nonces - nonces).min(CHUNK);
        let headers = (0..count).map(|_| {
            let this = header;
            increment(&mut header[NONCE_OFFSET..]);
            this
        });
        search.solve(&headers.collect::<Vec<_>>(), output)?;
        nonces += count;
    }
    progress.finish();
    search.summary(nonces, start.elapsed().as_secs_f64(), output)
}

/// Returns the processor if the target is in the header and the device does not verify headers: a card that solves does not.
fn verifier(arguments: &Arguments, device: &dyn Device) -> anyhow::Result<Option<Box<dyn Device>>> {
    let capability = Capability::EquihashVerify(arguments.params);
    match arguments.target {
        Some(Target::Header) if !device.caps().offers(&capability) => {
            let processor = proofmill::open("cpu:?threads=1")?;
            processor.caps().require(&capability)?;
            Ok(Some(processor))
        }
        _ => Ok(None),
    }
}

impl Search<'_> {
    fn solve(&mut self, headers: &[[u8; HEADER_BYTES]], output: &mut Output) -> anyhow::Result<()> {
        let Arguments { params, personalisation, .. } = *self.arguments;
        let max_bytes = self.arguments.memory.map(|mib| u64::from(mib) << 20);
        let request = solve::Request::new(params, headers.concat());
        let request = solve::Request { personalisation, max_bytes, ..request };
        let found = self.device.submit(request)?.wait()?.solutions;
        for (header, solutions) in headers.iter().zip(found) {
            for solution in solutions {
                let whole = params.whole_header(header, &solution);
                self.solutions += 1;
                self.write(&whole, output)?;
                if self.is_met {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Writes a solution. With a target, only one that meets it is written.
    fn write(&mut self, whole: &[u8], output: &mut Output) -> anyhow::Result<()> {
        let hash = BlockHash::of(whole);
        if let Some(target) = self.arguments.target {
            self.is_met = self.meets(target, hash, whole)?;
            if !self.is_met {
                return Ok(());
            }
        }
        if !self.arguments.json {
            return output.line(hex::encode(whole));
        }
        output.line(json!({
            "type": "solution",
            "nonce": hex::encode(&whole[NONCE_OFFSET..HEADER_BYTES]),
            "hash": hash.to_string(),
            "header": hex::encode(whole),
        }))
    }

    fn meets(&self, target: Target, hash: BlockHash, whole: &[u8]) -> anyhow::Result<bool> {
        match target {
            Target::Number(target) => {
                let mut hash = hash.to_bytes();
                hash.reverse();
                Ok(hash <= target)
            }
            Target::Header => {
                let Arguments { params, personalisation, .. } = *self.arguments;
                let request = equihash::Request::new(params, Network::Limit([0xff; 32]), whole);
                let request = equihash::Request { personalisation, ..request };
                let verdicts = self.verifier.submit(request)?.wait()?.verdicts;
                Ok(verdicts.iter().all(|verdict| verdict.is_valid()))
            }
        }
    }

    fn summary(&self, nonces: u64, seconds: f64, output: &mut Output) -> anyhow::Result<Exit> {
        if self.arguments.json {
            output.line(json!({
                "type": "summary",
                "nonces": nonces,
                "solutions": self.solutions,
                "seconds": seconds,
                "target_met": self.arguments.target.map(|_| self.is_met),
            }))?;
        }
        let is_found = match self.arguments.target {
            Some(_) => self.is_met,
            None => self.solutions > 0,
        };
        Ok(if is_found { Exit::Valid } else { Exit::Invalid })
    }
}

/// Reads the first 140 bytes of a header.
fn read(arguments: &Arguments) -> anyhow::Result<[u8; HEADER_BYTES]> {
    let content = content(&arguments.header)?;
    let text = std::str::from_utf8(&content).ok().map(str::trim);
    let bytes = match text.and_then(|text| hex::decode(text).ok()) {
        Some(bytes) => bytes,
        None => content,
    };
    let (found, whole) = (bytes.len(), arguments.params.header_bytes());
    match bytes.first_chunk() {
        Some(header) if found == HEADER_BYTES || found == whole => Ok(*header),
        _ => bail!(
            "{found} bytes; expected {HEADER_BYTES}, or {whole} of a whole header for ({})",
            arguments.params
        ),
    }
}

/// Adds 1 to a little-endian number.
fn increment(number: &mut [u8]) {
    for byte in number {
        *byte = byte.wrapping_add(1);
        if *byte != 0 {
            return;
        }
    }
}
