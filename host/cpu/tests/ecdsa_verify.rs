//! `ecdsa_verify` on every instruction set, alone and in batches, against libsecp256k1.

mod signatures;

use proofmill_cpu::{CpuDevice, Isa};
use proofmill_op::ecdsa_verify::{Request, Signature};
use proofmill_op::{Answer, Device};
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use signatures::{library_accepts, random};

/// Signatures on each side of the comparisons with libsecp256k1.
const MANY: usize = 10_000;

fn masks(device: &CpuDevice, signatures: &[Signature]) -> Vec<u8> {
    let bytes: Vec<u8> = signatures.iter().flat_map(Signature::to_bytes).collect();
    let ticket = device.submit(proofmill_op::Request::EcdsaVerify(Request::new(bytes))).unwrap();
    let Answer::EcdsaVerify(response) = ticket.wait().unwrap() else { panic!("another answer") };
    assert_eq!(response.cycles, None, "a processor has no such clock");
    response.verdicts.iter().map(|verdict| verdict.mask()).collect()
}

#[test]
fn random_signatures_are_valid() {
    let mut rng = ChaCha20Rng::seed_from_u64(70);
    let signatures: Vec<_> = (0..MANY).map(|_| random(&mut rng)).collect();
    assert!(signatures.iter().all(library_accepts));
    for isa in Isa::available() {
        let device = CpuDevice::with_isa(Some(2), isa).unwrap();
        assert!(masks(&device, &signatures).iter().all(|&mask| mask == 0), "{isa}");
    }
}
