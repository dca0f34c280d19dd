//! `proofmill ntt`: elements from a file, transformed, to a file.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context as _;
use clap::Args;
use proofmill::ntt::{self, Direction, Field, Request};
use proofmill::{Capability, Uri};

use crate::output::{Exit, Output, one_of};

#[derive(Args)]
#[command(after_help = examples!(
    "proofmill ntt --field bn254_fr coefficients values",
    "proofmill ntt --field goldilocks --inverse values coefficients",
))]
pub struct Arguments {
    #[arg(long, help = one_of("The field", &Field::ALL.map(Field::name)))]
    field: Field,
    /// Inverse NTT: from values to coefficients
    #[arg(long)]
    inverse: bool,
    /// Shift g of a coset NTT: values at g times the powers of the root of unity
    #[arg(long, value_name = "HEX")]
    coset: Option<String>,
    /// Device that computes (see `proofmill devices`)
    #[arg(long, value_name = "URI", default_value = "cpu:")]
    device: Uri,
    /// Writes one line of JSON: the number of elements, and seconds
    #[arg(long)]
    json: bool,
    /// Elements: 32 bytes each (goldilocks: 8), little-endian, below the modulus; their number is a power of two
    #[arg(value_name = "FROM")]
    from: PathBuf,
    /// Where to write the result, in the same form; an existing file is replaced
    #[arg(value_name = "TO")]
    to: PathBuf,
}

/// Transforms a file.
pub fn run(arguments: &Arguments, output: &mut Output) -> anyhow::Result<Exit> {
    let Arguments { field, inverse, ref from, ref to, .. } = *arguments;
    let coset = arguments.coset.as_deref().map(|text| element(field, text)).transpose()?;
    let device = proofmill::open_uri(&arguments.device)?;
    device.caps().require(&Capability::Ntt(field))?;
    let elements = std::fs::read(from).with_context(|| format!("FROM: {}", from.display()))?;
    let direction = if inverse { Direction::Inverse } else { Direction::Forward };
    let request = Request { direction, coset, ..Request::forward(field, elements) };
    let size = 1u64 << request.log_size()?;
    let start = Instant::now();
    let result = ntt::transform(&*device, request)?;
    let seconds = start.elapsed().as_secs_f64();
    std::fs::write(to, result).with_context(|| format!("TO: {}", to.display()))?;
    if arguments.json {
        output.line(serde_json::json!({
            "type": "ntt",
            "field": field.name(),
            "size": size,
            "seconds": seconds,
        }))?;
    }
    Ok(Exit::Valid)
}

/// The bytes, lowest first, of `0x…`.
fn element(field: Field, text: &str) -> anyhow::Result<Vec<u8>> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    let width = 2 * field.bytes();
    anyhow::ensure!(digits.len() <= width, "--coset: more than {width} hexadecimal digits");
    let Ok(mut bytes) = hex::decode(format!("{digits:0>width$}")) else {
        anyhow::bail!("--coset: '{text}' is not a hexadecimal number");
    };
    bytes.reverse();
    Ok(bytes)
}
