//! `proofmill demo`: what `make run` shows. Real headers of both networks and real signatures, as far as the device
//! offers their operations, and the time that they take.

use std::time::Instant;

use clap::Args;
use proofmill::ecdsa::{self, Item, Policy, file::Reader};
use proofmill::equihash::{self, BlockHash, Network, Params, read};
use proofmill::{Capability, Device, Uri};

use crate::output::{Exit, Output};

/// A header that is built in: public data of the Zcash chains, from `examples/headers`.
struct Example {
    name: &'static str,
    network: Network,
    hex: &'static str,
}

macro_rules! example {
    ($network:expr, $name:literal) => {
        Example {
            name: $name,
            network: $network,
            hex: include_str!(concat!("../../../examples/headers/", $name, ".hex")),
        }
    };
}

const EXAMPLES: [Example; 5] = [
    example!(Network::Main, "mainnet-0"),
    example!(Network::Main, "mainnet-1"),
    example!(Network::Main, "mainnet-346"),
    example!(Network::Main, "mainnet-1687106"),
    example!(Network::Test, "testnet-0"),
];

/// Signatures of transparent inputs of mainnet transactions, from `examples/signatures`.
const SIGNATURES: &str = include_str!("../../../examples/signatures/mainnet.jsonl");

/// The parameters of the headers.
const PARAMS: Params = Params::N200_K9;
/// Headers in the request whose rate is shown.
const MANY_HEADERS: usize = 500;
/// Signatures in the call whose rate is shown.
const MANY_SIGNATURES: usize = 10_000;
/// Signatures that are shown one by one.
const SOME: usize = 3;

#[derive(Args)]
pub struct Arguments {
    /// Device that verifies
    #[arg(long, value_name = "URI", default_value = "cpu:")]
    device: Uri,
}

/// Verifies them one by one, then many at once where that takes no time.
pub fn run(arguments: &Arguments, output: &mut Output) -> anyhow::Result<Exit> {
    let device = proofmill::open_uri(&arguments.device)?;
    let (device, many) = (&*device, arguments.device.scheme() == "cpu");
    output.line(format_args!("{}  {}", arguments.device, device.caps().description))?;
    let (blocks, inputs) = (Capability::EquihashVerify(PARAMS), Capability::EcdsaVerify);
    let mut valid = true;
    match (device.caps().offers(&blocks), device.caps().offers(&inputs)) {
        (false, false) => device.caps().demand(&blocks)?,
        (equihash, ecdsa) => {
            if equihash {
                valid &= headers(device, many, output)?;
            }
            if ecdsa {
                valid &= signatures(device, many, output)?;
            }
        }
    }
    if let Some(cycles) = device.metrics().cycles {
        output.line(format_args!("{cycles} cycles of the card"))?;
    }
    Ok(if valid { Exit::Valid } else { Exit::Invalid })
}

/// True if all are valid.
fn headers(device: &dyn Device, many: bool, output: &mut Output) -> anyhow::Result<bool> {
    output.line(format_args!("{:<16} {:<64} {:>9}  verdict", "block", "hash", "time"))?;
    let (mut all_valid, mut main) = (true, Vec::new());
    for example in &EXAMPLES {
        let headers = read::headers(example.hex.as_bytes(), PARAMS)?;
        for header in headers.iter() {
            let start = Instant::now();
            let verdict = equihash::verify(device, PARAMS, example.network, header)?;
            let (time, hash) = (milliseconds(start), BlockHash::of(header));
            output.line(format_args!("{:<16} {hash} {time:>9}  {verdict}", example.name))?;
            all_valid &= verdict.is_valid();
            if example.network == Network::Main {
                main.extend_from_slice(header);
            }
        }
    }
    if many {
        let bytes = MANY_HEADERS * PARAMS.header_bytes();
        let headers: Vec<u8> = main.iter().copied().cycle().take(bytes).collect();
        let start = Instant::now();
        let verdicts = equihash::verify_many(device, PARAMS, Network::Main, headers)?;
        let valid = verdicts.iter().filter(|verdict| verdict.is_valid()).count();
        let rate = MANY_HEADERS as f64 / start.elapsed().as_secs_f64();
        output.line(format_args!(
            "{MANY_HEADERS} headers in one request: {valid} valid, {}, {rate:.0} headers/s",
            milliseconds(start)
        ))?;
        all_valid &= valid == MANY_HEADERS;
    }
    Ok(all_valid)
}

/// True if all are valid.
fn signatures(device: &dyn Device, many: bool, output: &mut Output) -> anyhow::Result<bool> {
    output.line(format_args!(
        "{:<16} {:<64} {:>9}  outcome",
        "spending input", "of transaction", "time"
    ))?;
    let mut items: Vec<Item> = Vec::new();
    for entry in Reader::new(SIGNATURES.as_bytes())? {
        let entry = entry?;
        let (item, id) = (entry.item?, entry.id.unwrap_or_default());
        if items.len() < SOME {
            let start = Instant::now();
            let outcome = ecdsa::verify(device, &item, Policy::default())?;
            let time = milliseconds(start);
            let (transaction, input) = id.split_once(':').unwrap_or((&id, ""));
            output.line(format_args!("{input:<16} {transaction:<64} {time:>9}  {outcome}"))?;
        }
        items.push(item);
    }
    let real = items.len();
    if many {
        items = items.iter().cloned().cycle().take(MANY_SIGNATURES).collect();
    }
    let start = Instant::now();
    let invalid = ecdsa::find_invalid(device, &items, Policy::default())?;
    let rate = items.len() as f64 / start.elapsed().as_secs_f64();
    output.line(format_args!(
        "{} signatures, {real} of them different: {} valid, {}, {rate:.0} signatures/s with their parsing",
        items.len(),
        items.len() - invalid.len(),
        milliseconds(start)
    ))?;
    Ok(invalid.is_empty())
}

fn milliseconds(start: Instant) -> String {
    format!("{:.3} ms", start.elapsed().as_secs_f64() * 1e3)
}
