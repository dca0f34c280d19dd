//! Proofs and signatures whose pairings are computed by programs of the coprocessor of `cpu:`. The tests of the testkit use that of a card.

use std::sync::Arc;

use crate::support::{Liar, Lie, chain, cpu};
use proofmill_algebra::Isa;
use proofmill_cpu::CpuDevice;
use proofmill_op::{Capability, Device, Error as DeviceError};
use proofmill_proof::groth16::{Curve, Devices, PreparedVerifyingKey, Prover, Settings};
use proofmill_proof::{Error, Pairings};

#[test]
fn a_batch_of_proofs_is_judged_by_programs() {
    let (key, witness) = chain(Curve::Bls12_381, 20);
    let prover = Prover::new(&key, Devices::one(cpu(2)), Settings::default()).unwrap();
    let proved = prover.prove(&witness).unwrap();
    let key = key.verifying_key().unwrap();
    let device: Arc<dyn Device> = cpu(1);
    let key = PreparedVerifyingKey::with_pairings(&key, Pairings::Device(device.clone())).unwrap();
    let (proof, public) = (&proved.proof, &proved.public_inputs[..]);
    let mut other = public.to_vec();
    other[0][0] ^= 1;
    assert!(key.verify(public, proof).unwrap());
    assert!(!key.verify(&other, proof).unwrap());
    // More pairs than a program has; one of the proofs in the middle is wrong.
    let mut batch = vec![(public, proof); 30];
    assert!(key.find_invalid(&batch).unwrap().is_empty());
    let before = device.metrics().requests;
    batch[17].0 = &other;
    assert_eq!(key.find_invalid(&batch).unwrap(), [17]);
    assert!(device.metrics().requests - before > 5);
}

#[test]
fn work_beside_a_device_takes_its_code_path() {
    for isa in Isa::available() {
        let device: Arc<dyn Device> = Arc::new(CpuDevice::with_isa(Some(1), isa).unwrap());
        assert_eq!(Pairings::by(device.clone()).isa(), isa);
        assert_eq!(Pairings::Device(device).isa(), isa);
    }
    assert_eq!(Pairings::by(Liar::new(Lie::None)).isa(), Isa::best(), "it has none");
}

#[test]
fn a_device_without_programs_is_an_error() {
    let (key, witness) = chain(Curve::Bn254, 9);
    let proved = Prover::new(&key, Devices::one(cpu(1)), Settings::default()).unwrap();
    let proved = proved.prove(&witness).unwrap();
    let on = |device: Arc<dyn Device>, key: &_| {
        let key = PreparedVerifyingKey::with_pairings(key, Pairings::by(device)).unwrap();
        key.verify(&proved.public_inputs, &proved.proof)
    };
    let vkey = key.verifying_key().unwrap();
    // A processor needs no programs; other devices have those of BLS12-381.
    assert!(on(cpu(1), &vkey).unwrap());
    let error = on(Liar::new(Lie::None), &vkey).unwrap_err().to_string();
    assert_eq!(
        error,
        "soft:liar cannot do this: pairings on bn254; the coprocessor has those of bls12_381"
    );

    let (key, witness) = chain(Curve::Bls12_381, 9);
    let proved = Prover::new(&key, Devices::one(cpu(1)), Settings::default()).unwrap();
    let proved = proved.prove(&witness).unwrap();
    let vkey = key.verifying_key().unwrap();
    let on = |device: Arc<dyn Device>| {
        let key = PreparedVerifyingKey::with_pairings(&vkey, Pairings::by(device)).unwrap();
        key.verify(&proved.public_inputs, &proved.proof)
    };
    assert!(on(Liar::new(Lie::None)).unwrap());
    let without = Liar::offering(Lie::None, |offered| *offered != Capability::Coprocessor);
    let error = on(without).unwrap_err().to_string();
    assert!(error.starts_with("soft:liar cannot do this: coprocessor (bls12_381)"), "{error}");
    let error = on(Liar::new(Lie::Dies)).unwrap_err();
    assert!(matches!(error, Error::Device(DeviceError::Lost { .. })), "{error}");
}
