//! `proofmill demo`: what `make run` shows. A proof that is made, verified and tampered with; real headers of both networks and
//! real signatures; as far as the device offers their operations, and the time that they take.

mod headers;
mod proof;
mod signatures;
mod table;

use clap::Args;
use proofmill::{Capability, Uri};

use crate::output::{Exit, Output};

#[derive(Args)]
pub struct Arguments {
    /// Device that proves and verifies; all but cpu: verify the headers and signatures only
    #[arg(long, value_name = "URI", default_value = "cpu:")]
    device: Uri,
}

/// Shows all of it, what is slow only where that takes no time.
pub fn run(arguments: &Arguments, output: &mut Output) -> anyhow::Result<Exit> {
    let device = proofmill::open_uri(&arguments.device)?;
    let here = arguments.device.scheme() == "cpu";
    output.line(format_args!("{}  {}", arguments.device, device.caps().description))?;
    let blocks = Capability::EquihashVerify(headers::PARAMS);
    let (equihash, ecdsa) =
        (device.caps().offers(&blocks), device.caps().offers(&Capability::EcdsaVerify));
    if !equihash && !ecdsa {
        device.caps().demand(&blocks)?;
    }
    let (mut valid, mut rows) = (true, Vec::new());
    if here {
        valid &= proof::show(&arguments.device, output, &mut rows)?;
        output.line("")?;
    }
    if equihash {
        valid &= headers::show(&*device, here, output, &mut rows)?;
        output.line("")?;
    }
    if ecdsa {
        valid &= signatures::show(&*device, here, output, &mut rows)?;
        output.line("")?;
    }
    table::write(&rows, output)?;
    if let Some(cycles) = device.metrics().cycles {
        output.line(format_args!("{cycles} cycles of the card"))?;
    }
    Ok(if valid { Exit::Valid } else { Exit::Invalid })
}
