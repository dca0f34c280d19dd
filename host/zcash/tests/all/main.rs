//! Sapling proofs with the real parameters, judged by `sapling-crypto`; and real blocks.

mod blocks;
mod orchard;
mod parameters;
mod proofs;
mod signatures;
mod transaction;
mod transparent;
mod wallet;
mod zebra;

use std::sync::{Arc, LazyLock};

use proofmill_cpu::CpuDevice;
use proofmill_proof::groth16::Devices;
use proofmill_zcash::{SaplingParameters, SaplingProver};
use sapling_crypto::circuit::{OutputParameters, SpendParameters};

/// The contents of the two files.
pub static FILES: LazyLock<[Arc<[u8]>; 2]> = LazyLock::new(|| {
    let (spend, output) = wagyu_zcash_parameters::load_sapling_parameters();
    [spend.into(), output.into()]
});

/// The reference's parameters, whose points it does not check: their hash is checked by ours.
pub static REFERENCE: LazyLock<(SpendParameters, OutputParameters)> = LazyLock::new(|| {
    let [spend, output] = &*FILES;
    let spend = SpendParameters::read(&spend[..], false).unwrap();
    (spend, OutputParameters::read(&output[..], false).unwrap())
});

/// The prover, on two threads.
pub static PROVER: LazyLock<SaplingProver> = LazyLock::new(|| {
    let [spend, output] = FILES.clone();
    let parameters = SaplingParameters::from_bytes(spend, output).unwrap();
    let device = Arc::new(CpuDevice::new(Some(2)).unwrap());
    SaplingProver::new(&parameters, Devices::one(device)).unwrap()
});
