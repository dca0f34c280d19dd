//! `proofmill demo`: what `make run` shows. A proof that is made, verified and tampered with; real headers of both networks and
//! real signatures; as far as the device offers their operations, and the time that they take.

mod headers;
#[cfg(feature = "dev")]
mod proof;
mod signatures;
mod table;

use clap::Args;
use proofmill::{Capability, Uri};

use crate::output::{Exit, Output};

#[derive(Args)]
#[command(after_help = examples!(
    "proofmill demo",
    "proofmill demo --device sim:",
))]
pub struct Arguments {
    /// Device that proves and verifies; devices other than cpu: only verify headers and signatures
    #[arg(long, value_name = "URI", default_value = "cpu:")]
    device: Uri,
}

/// Shows all of it; what is slow only on this machine's processor.
pub fn run(arguments: &Arguments, output: &mut Output) -> anyhow::Result<Exit> {
    let device = proofmill::open_uri(&arguments.device)?;
    let here = arguments.device.scheme() == "cpu";
    output.line(format_args!("{}  {}", arguments.device, device.caps().description))?;
    let blocks = Capability::EquihashVerify(headers::PARAMS);
    let (equihash, ecdsa) =
        (device.caps().offers(&blocks), device.caps().offers(&Capability::EcdsaVerify));
    if !equihash && !ecdsa {
        device.caps().require(&blocks)?;
    }
    let (mut valid, mut rows) = (true, Vec::new());
    if here {
        #[cfg(feature = "dev")]
        {
            valid &= proof::show(&arguments.device, output, &mut rows)?;
        }
        #[cfg(not(feature = "dev"))]
        output
            .line("no proof: this build cannot make a key for one (build with --features dev)")?;
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
