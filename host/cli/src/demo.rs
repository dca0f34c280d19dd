//! `proofmill demo`: what `make run` shows. Real headers of both networks, and the time that they take.

use std::time::Instant;

use clap::Args;
use proofmill::Uri;
use proofmill::equihash::{self, BlockHash, Network, Params, read};

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

/// Headers in the request whose rate is shown.
const MANY: usize = 500;

#[derive(Args)]
pub struct Arguments {
    /// Device that verifies
    #[arg(long, value_name = "URI", default_value = "cpu:")]
    device: Uri,
}

/// Verifies them one by one, then many at once where that takes no time.
pub fn run(arguments: &Arguments, output: &mut Output) -> anyhow::Result<Exit> {
    let device = proofmill::open_uri(&arguments.device)?;
    let params = Params::N200_K9;
    output.line(format_args!("{}  {}", arguments.device, device.caps().description))?;
    output.line(format_args!("{:<16} {:<64} {:>9}  verdict", "block", "hash", "time"))?;
    let mut exit = Exit::Valid;
    let mut main = Vec::new();
    for example in &EXAMPLES {
        let headers = read::headers(example.hex.as_bytes(), params)?;
        for header in headers.iter() {
            let start = Instant::now();
            let verdict = equihash::verify(&*device, params, example.network, header)?;
            let time = format!("{:.3} ms", start.elapsed().as_secs_f64() * 1e3);
            output.line(format_args!(
                "{:<16} {} {time:>9}  {verdict}",
                example.name,
                BlockHash::of(header)
            ))?;
            if !verdict.is_valid() {
                exit = Exit::Invalid;
            }
            if example.network == Network::Main {
                main.extend_from_slice(header);
            }
        }
    }
    if arguments.device.scheme() == "cpu" {
        let each = params.header_bytes();
        let many: Vec<u8> = main.iter().copied().cycle().take(MANY * each).collect();
        let start = Instant::now();
        let verdicts = equihash::verify_many(&*device, params, Network::Main, many)?;
        let seconds = start.elapsed().as_secs_f64();
        let valid = verdicts.iter().filter(|verdict| verdict.is_valid()).count();
        let rate = MANY as f64 / seconds;
        output.line(format_args!(
            "{MANY} headers in one request: {valid} valid, {:.1} ms, {rate:.0} headers/s",
            seconds * 1e3
        ))?;
        if valid != MANY {
            exit = Exit::Invalid;
        }
    } else if let Some(cycles) = device.metrics().cycles {
        output.line(format_args!("{cycles} cycles of the card"))?;
    }
    Ok(exit)
}
