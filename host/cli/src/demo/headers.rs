//! Real headers of both Zcash networks.

use std::time::Instant;

use proofmill::Device;
use proofmill::equihash::{self, BlockHash, Network, Params, read};

use super::table::{Row, milliseconds};
use crate::output::Output;

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
            hex: include_str!(concat!("data/", $name, ".hex")),
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

/// The parameters of the headers.
pub const PARAMS: Params = Params::N200_K9;
/// Headers in the request whose rate is shown.
const MANY: usize = 500;

/// Verifies them one by one, then, on request, many at once. Returns whether all are valid.
pub fn show(
    device: &dyn Device,
    many: bool,
    output: &mut Output,
    rows: &mut Vec<Row>,
) -> anyhow::Result<bool> {
    output.line(format_args!("{:<16} {:<64} {:>9}  verdict", "block", "hash", "time"))?;
    let (mut all_valid, mut main) = (true, Vec::new());
    for example in &EXAMPLES {
        let headers = read::headers(example.hex.as_bytes(), PARAMS)?;
        for header in headers.iter() {
            let start = Instant::now();
            let verdict = equihash::verify(device, PARAMS, example.network, header)?;
            let (time, hash) = (milliseconds(start.elapsed()), BlockHash::of(header));
            output.line(format_args!("{:<16} {hash} {time:>9}  {verdict}", example.name))?;
            all_valid &= verdict.is_valid();
            if example.network == Network::Main {
                main.extend_from_slice(header);
            }
        }
    }
    if many {
        let bytes = MANY * PARAMS.header_bytes();
        let headers: Vec<u8> = main.iter().copied().cycle().take(bytes).collect();
        let start = Instant::now();
        let verdicts = equihash::verify_many(device, PARAMS, Network::Main, headers)?;
        let time = start.elapsed();
        let valid = verdicts.iter().filter(|verdict| verdict.is_valid()).count();
        output.line(format_args!("{MANY} headers in one request: {valid} valid"))?;
        let what = "equihash verify: block headers, (200,9)".into();
        rows.push(Row { what, number: MANY, time });
        all_valid &= valid == MANY;
    }
    Ok(all_valid)
}
