//! The prover on small circuits: its proofs verify, and faults of devices, witnesses and keys are distinguished.

use std::sync::{Arc, Mutex};

use crate::small;
use crate::support::{CURVES, Liar, Lie, chain, cpu, files, witness};
use proofmill_op::msm::Group;
use proofmill_op::{Capability, Device};
use proofmill_proof::Error;
use proofmill_proof::dev::Statement;
use proofmill_proof::groth16::{
    Control, Counts, Curve, Devices, Prover, Settings, Step, StepProgress, verify,
};
use proofmill_proof::snarkjs::{Section, Zkey};

fn prover(key: &Zkey, device: Arc<dyn Device>, settings: Settings) -> Prover {
    Prover::new(key, Devices::one(device), settings).unwrap()
}

#[test]
fn proofs_of_chains_of_any_length_verify() {
    for curve in CURVES {
        for constraints in [1, 2, 3, 7, 100, 300, 1500] {
            let (key, witness) = chain(curve, constraints);
            let vk = key.verifying_key().unwrap();
            for (threads, resident) in [(1, false), (3, true)] {
                // The test verifies the proof, not the prover.
                let settings = Settings { resident, self_check: false, ..Settings::default() };
                let prover = prover(&key, cpu(threads), settings);
                let proved = prover.prove(&witness).unwrap();
                let case = format!("{curve:?} {constraints} {threads}");
                assert!(verify(&vk, &proved.public_inputs, &proved.proof).unwrap(), "{case}");
                let mut other = proved.public_inputs.clone();
                other[0][0] ^= 1;
                assert!(!verify(&vk, &other, &proved.proof).unwrap(), "{case}");
                // r and s are others.
                let again = prover.prove(&witness).unwrap();
                assert!(
                    again.proof != proved.proof && again.public_inputs == proved.public_inputs,
                    "{case}"
                );
                assert!(verify(&vk, &again.public_inputs, &again.proof).unwrap(), "{case}");
            }
        }
    }
}

#[test]
fn a_preimage_is_proved() {
    let statement = Statement::Sha256 { preimage: b"abc".to_vec() };
    let (key, bytes) = files(Curve::Bn254, &statement);
    let prover = prover(&key, cpu(2), Settings::default());
    let proved = prover.prove(&witness(&bytes)).unwrap();
    // FIPS 180-4's example.
    assert_eq!(
        proved.public_inputs[0][..16],
        0xba7816bf_8f01cfea_414140de_5dae2223u128.to_le_bytes()
    );
    assert_eq!(
        proved.public_inputs[1][..16],
        0xb00361a3_96177a9c_b410ff61_f20015adu128.to_le_bytes()
    );
    assert!(verify(&key.verifying_key().unwrap(), &proved.public_inputs, &proved.proof).unwrap());
}

#[test]
fn every_step_has_progress_and_a_report() {
    let (key, witness) = chain(Curve::Bn254, 500);
    let reports: Arc<Mutex<Vec<(Step, f64)>>> = Arc::default();
    let list = reports.clone();
    let progress: StepProgress =
        Arc::new(move |step, part| list.lock().unwrap().push((step, part)));
    let control = Control::none().with_progress(progress);
    let proved = prover(&key, cpu(1), Settings::default()).prove_with(&witness, &control).unwrap();
    let steps = Section::ALL.map(Step::Msm).into_iter();
    let steps = steps.chain([Step::Rows, Step::Quotient, Step::Assembly, Step::Check]);
    for step in steps {
        let parts = reports.lock().unwrap();
        let mut parts = parts.iter().filter(|(it, _)| *it == step).map(|(_, part)| *part);
        assert!(parts.clone().all(|part| (0.0..=1.0).contains(&part)), "{step}");
        assert_eq!(parts.next_back(), Some(1.0), "{step}");
        let reported = proved.report.steps.iter().filter(|it| it.step == step);
        let devices: Vec<_> = reported.map(|it| it.device.as_deref()).collect();
        let on_device = matches!(step, Step::Msm(_) | Step::Quotient);
        assert_eq!(devices, [on_device.then_some("cpu:?threads=1")], "{step}");
    }
    assert_eq!(proved.report.retried, None);
}

const LIES: [Lie; 7] = [
    Lie::Zero(Group::G1),
    Lie::Zero(Group::G2),
    Lie::NoPoint,
    Lie::Twice,
    Lie::Bit,
    Lie::NotReduced,
    Lie::Dies,
];

fn is_failure(lie: Lie) -> bool {
    matches!(lie, Lie::NoPoint | Lie::Twice | Lie::NotReduced | Lie::Confused | Lie::Dies)
}

#[test]
fn a_proof_of_a_wrong_device_is_retried_and_counted() {
    let (key, witness) = chain(Curve::Bn254, 60);
    let vk = key.verifying_key().unwrap();
    for lie in LIES.into_iter().chain([Lie::Confused]) {
        for resident in [false, true] {
            let devices = Devices { device: Liar::new(lie), fallback: Some(cpu(1)) };
            let settings = Settings { resident, ..Settings::default() };
            let prover = Prover::new(&key, devices, settings).unwrap();
            for proofs in 1..=2 {
                let proved = prover.prove(&witness).unwrap();
                assert!(verify(&vk, &proved.public_inputs, &proved.proof).unwrap(), "{lie:?}");
                let retried = proved.report.retried.expect("it was retried");
                assert_eq!(retried.devices, ["soft:liar"], "{lie:?}");
                let failures = if is_failure(lie) { proofs } else { 0 };
                let mut counts = Counts::default();
                (counts.proofs, counts.retried) = (proofs, proofs);
                (counts.failures, counts.wrong) = (failures, proofs - failures);
                assert_eq!(prover.counts(), counts, "{lie:?}: {}", retried.problem);
            }
        }
    }
}

#[test]
fn a_fault_before_the_first_proof_is_an_error_that_names_the_device() {
    let (key, _) = chain(Curve::Bn254, 20);
    let prover = |resident| {
        let devices = Devices { device: Liar::new(Lie::Hasty), fallback: Some(cpu(1)) };
        Prover::new(&key, devices, Settings { resident, ..Settings::default() })
    };
    let problem = prover(true).err().unwrap().to_string();
    assert_eq!(problem, "soft:liar failed: it did not respond to load_bases");
    let problem = prover(false).unwrap().plan().unwrap_err().to_string();
    assert_eq!(problem, "soft:liar failed: it did not respond to plan_msm");
}

#[test]
fn a_key_is_loaded_once() {
    let (key, witness) = chain(Curve::Bn254, 20);
    for (resident, loads) in [(true, Section::ALL.len()), (false, 0)] {
        let device = Liar::new(Lie::None);
        let settings = Settings { resident, ..Settings::default() };
        let prover = prover(&key, device.clone(), settings);
        for _ in 0..3 {
            prover.prove(&witness).unwrap();
            assert_eq!(device.loads(), loads);
        }
    }
}

#[test]
fn a_fault_without_retry_is_an_error_that_names_the_device() {
    let (key, witness) = chain(Curve::Bls12_381, 20);
    for lie in LIES {
        let forbidden = Settings { retry_on_fallback: false, ..Settings::default() };
        for (fallback, settings) in [(None, Settings::default()), (Some(cpu(1)), forbidden)] {
            let fallback = fallback.map(|fallback| fallback as Arc<dyn Device>);
            let devices = Devices { device: Liar::new(lie), fallback };
            let prover = Prover::new(&key, devices, settings).unwrap();
            let Err(Error::Device(error)) = prover.prove(&witness) else {
                panic!("{lie:?}: no error of a device")
            };
            assert!(error.is_device() && error.to_string().contains("soft:liar"), "{error}");
            assert_eq!((prover.counts().proofs, prover.counts().failures), (0, 1));
        }
    }
}

#[test]
fn without_a_check_a_wrong_proof_is_returned() {
    let (key, witness) = chain(Curve::Bn254, 20);
    let settings = Settings { self_check: false, ..Settings::default() };
    let devices = Devices { device: Liar::new(Lie::Zero(Group::G2)), fallback: Some(cpu(1)) };
    let prover = Prover::new(&key, devices, settings).unwrap();
    let proved = prover.prove(&witness).unwrap();
    assert!(!verify(&key.verifying_key().unwrap(), &proved.public_inputs, &proved.proof).unwrap());
    assert_eq!(proved.report.retried, None);
}

#[test]
fn an_unsatisfying_witness_is_no_fault_of_a_device() {
    let (key, mut bytes) = files(Curve::Bn254, &Statement::Chain { constraints: 40 });
    let last = bytes.len() - 32;
    bytes[last] ^= 1;
    let witness = witness(&bytes);
    let honest = Devices { device: Liar::new(Lie::None), fallback: Some(cpu(1)) };
    for devices in [Devices::one(cpu(1)), honest] {
        let prover = Prover::new(&key, devices, Settings::default()).unwrap();
        let error = prover.prove(&witness).unwrap_err();
        assert!(matches!(error, Error::DoesNotVerify), "{error}");
        assert_eq!(prover.counts(), Counts::default());
    }
}

#[test]
fn mismatched_inputs_are_named() {
    let (key, _) = chain(Curve::Bn254, 20);
    let prover = prover(&key, cpu(1), Settings::default());
    let problem =
        |curve, constraints| prover.prove(&chain(curve, constraints).1).unwrap_err().to_string();
    assert!(problem(Curve::Bls12_381, 20).starts_with("witness: is on bls12_381"));
    assert!(problem(Curve::Bn254, 21).starts_with("witness: has "));
}

#[test]
fn steps_that_a_device_does_not_offer_go_to_the_fallback() {
    let (key, witness) = chain(Curve::Bn254, 30);
    let only_g1 = |it: &Capability| it.to_string() == "msm (bn254_g1)";
    let devices = Devices { device: Liar::offering(Lie::None, only_g1), fallback: Some(cpu(1)) };
    let settings = Settings { resident: true, ..Settings::default() };
    let proved = Prover::new(&key, devices, settings).unwrap().prove(&witness).unwrap();
    for timed in proved.report.steps {
        let expected = match timed.step {
            Step::Msm(Section::B2) | Step::Quotient => Some("cpu:?threads=1"),
            Step::Msm(_) => Some("soft:liar"),
            _ => None,
        };
        assert_eq!(timed.device.as_deref(), expected, "{}", timed.step);
    }
    let alone = Devices::one(Liar::offering(Lie::None, only_g1));
    let error = Prover::new(&key, alone, settings).err().unwrap().to_string();
    assert!(error.starts_with("soft:liar cannot do this: ntt (bn254_fr)"), "{error}");
}

#[test]
fn a_point_off_the_curve_is_a_fault_of_the_key() {
    let statement = Statement::Chain { constraints: 20 };
    let circuit = proofmill_proof::dev::Circuit::new(Curve::Bn254, &statement).unwrap();
    let mut bytes = Vec::new();
    circuit.write_insecure_key(b"prover", &mut bytes).unwrap();
    let (_, witness_bytes) = files(Curve::Bn254, &statement);
    let h =
        small::places(&bytes).into_iter().find(|place| place.number == 9).unwrap().content.start;
    bytes[h] ^= 1;
    let key = Zkey::from_bytes("key", bytes.into()).unwrap();
    let prover = prover(&key, cpu(1), Settings::default());
    let error = prover.prove(&witness(&witness_bytes)).unwrap_err();
    let Error::File(wrong) = error else { panic!("{error}") };
    assert_eq!((wrong.offset, &*wrong.problem), (h as u64, "point 0 is not on the curve"));
    let settings = Settings { resident: true, ..Settings::default() };
    let error = Prover::new(&key, Devices::one(cpu(1)), settings).err().unwrap();
    let Error::File(wrong) = error else { panic!("{error}") };
    assert_eq!((wrong.offset, &*wrong.problem), (h as u64, "point 0 is not on the curve"));
}
