//! Builds a shielded transaction with two spends and two outputs, with proofs by proofmill, and has `sapling-crypto` verify it:
//!
//! ```text
//! cargo run --release -p proofmill-zcash --example shielded -- ~/.zcash-params
//! ```
//!
//! The folder has `sapling-spend.params` and `sapling-output.params`. The notes are invented, so that no node accepts the transaction.

mod wallet;

use std::error::Error;
use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use proofmill_cpu::CpuDevice;
use proofmill_proof::groth16::Devices;
use proofmill_zcash::{SaplingParameters, SaplingPaths, SaplingProver};
use rand::rngs::SysRng;
use rand_core::UnwrapErr;
use sapling_crypto::circuit::{OutputParameters, SpendParameters};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).ok_or("expected the folder of the parameters")?;
    let path = |name| PathBuf::from(&folder).join(name);
    let (spend, output) = (path("sapling-spend.params"), path("sapling-output.params"));

    let parameters = SaplingParameters::open(SaplingPaths { spend: &spend, output: &output })?;
    let device = Arc::new(CpuDevice::new(None)?);
    let prover = SaplingProver::new(&parameters, Devices::one(device))?;

    let start = Instant::now();
    let transaction = wallet::pay(&prover, &mut UnwrapErr(SysRng))?;
    let seconds = start.elapsed().as_secs_f64();
    println!("{} bytes with 4 proofs in {seconds:.2} s", transaction.len());

    let reader = |path| File::open(path).map(BufReader::new);
    let keys = (
        SpendParameters::read(reader(&spend)?, false)?.verifying_key(),
        OutputParameters::read(reader(&output)?, false)?.verifying_key(),
    );
    let accepted = wallet::is_accepted(&transaction, &keys, UnwrapErr(SysRng))?;
    println!("sapling-crypto {} it", if accepted { "accepts" } else { "rejects" });
    Ok(())
}
