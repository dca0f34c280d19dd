//! A proof whose MSMs are computed by the simulated `msm` circuits of a card, and its quotient by the `ntt` circuit
//! where the card has one; the CPU does the rest. A card with engines for both groups and for the quotient computes all
//! of them, as an emulated GPU does.

use std::sync::Arc;

use crate::support;
use proofmill_card::{Card, Options};
use proofmill_op::msm::{Curve, Group, Instance};
use proofmill_op::ntt::Field;
use proofmill_op::{Capability, Device, DeviceKind};
use proofmill_proof::dev::{Circuit, Statement};
use proofmill_proof::groth16::{Devices, Prover, Settings, Step, verify};
use proofmill_proof::snarkjs::{Section, Witness, Zkey};
use proofmill_testkit::soft_card::{MsmGeometry, SoftCard, SoftEngine};

fn proved_in_simulation(curve: Curve, constraints: usize) {
    // With behavioural multipliers: simulating their circuits would take hours.
    let name = match curve {
        Curve::Bn254 => "msm_bn254_twin",
        _ => "msm_bls12_381_twin",
    };
    if let Some(simulation) = support::simulation(name) {
        proved_on(curve, constraints, &simulation.uri());
    }
}

/// Returns a key and a witness.
fn files(circuit: &Circuit) -> (Zkey, Witness) {
    let (mut key, mut witness) = (Vec::new(), Vec::new());
    circuit.write_insecure_key(b"sim", &mut key).unwrap();
    circuit.write_witness(&mut witness).unwrap();
    let key = Zkey::from_bytes("key", key.into()).unwrap();
    (key, Witness::from_bytes("witness", witness).unwrap())
}

/// Proves with the MSMs in G1 on the card, that in G2 if it has an engine for it, and the quotient if it supports that
/// size. Returns the card, still open.
pub fn proved_on(curve: Curve, constraints: usize, uri: &str) -> Arc<dyn Device> {
    let card: Arc<dyn Device> = proofmill_device::open(uri).unwrap().into();
    let fallback: Arc<dyn Device> = proofmill_device::open("cpu:").unwrap().into();
    prove(curve, constraints, &Devices { device: card.clone(), fallback: Some(fallback) });
    card
}

/// Proves with all MSMs and the quotient on the card. Returns the card, still open.
pub fn proved_alone_on(curve: Curve, constraints: usize, uri: &str) -> Arc<dyn Device> {
    let card: Arc<dyn Device> = proofmill_device::open(uri).unwrap().into();
    prove_alone(curve, constraints, &card);
    card
}

/// Proves with all MSMs and the quotient on the card. It has no fallback: an unsupported request is an error.
fn prove_alone(curve: Curve, constraints: usize, card: &Arc<dyn Device>) {
    let on_card = prove(curve, constraints, &Devices::one(card.clone()));
    let mut all = Section::ALL.map(Step::Msm).into_iter().chain([Step::Quotient]);
    assert!(all.all(|step| on_card.contains(&step)), "{}: {on_card:?}", card.caps().uri);
}

/// Returns the steps of a proof that the device computed, which are those that it offers.
fn prove(curve: Curve, constraints: usize, devices: &Devices) -> Vec<Step> {
    let circuit = Circuit::new(curve, &Statement::Chain { constraints }).unwrap();
    let (key, witness) = files(&circuit);
    let card = devices.device.clone();
    let uri = &card.caps().uri;
    let before = card.metrics().requests;
    let settings = Settings { resident: true, ..Settings::default() };
    let prover = Prover::new(&key, devices.clone(), settings).unwrap();
    let proved = prover.prove(&witness).unwrap();
    assert_eq!(proved.report.retried, None, "{uri}");
    assert!(verify(&key.verifying_key().unwrap(), &proved.public_inputs, &proved.proof).unwrap());
    // Cards have no powers of circom's root of unity on BLS12-381.
    let divides =
        curve == Curve::Bn254 && card.caps().offers_quotient(Field::Bn254Fr, key.domain_log());
    let adds = |group| card.caps().offers(&Capability::Msm(Instance::new(curve, group)));
    let computes = |step: Step| match step {
        Step::Msm(Section::B2) => adds(Group::G2),
        Step::Msm(_) => adds(Group::G1),
        Step::Quotient => divides,
        _ => false,
    };
    let mut on_card = Vec::new();
    for timed in proved.report.steps {
        let is_on_card = timed.device.as_ref() == Some(uri);
        assert_eq!(is_on_card, computes(timed.step), "{uri}: {}", timed.step);
        eprintln!("{uri}: {} {:.2} s", timed.step, timed.seconds);
        on_card.extend(is_on_card.then_some(timed.step));
    }
    // The card loaded the section of each MSM.
    let msms = on_card.iter().filter(|step| matches!(step, Step::Msm(_))).count();
    let requests = (on_card.len() + msms) as u64;
    assert_eq!(card.metrics().requests - before, requests, "{uri}");
    on_card
}

/// Returns the software model of a card with engines for both groups and these others.
fn soft_card(curve: Curve, others: &[SoftEngine]) -> Arc<dyn Device> {
    let g1 = MsmGeometry::new(curve);
    let msms = [g1, g1.in_g2()].map(|geometry| SoftEngine::msm(geometry, 4));
    let card = SoftCard::new(&[&msms[..], others].concat(), support::judge());
    Arc::new(Card::open(Box::new(card), Options::new("soft:", DeviceKind::Card)).unwrap())
}

#[test]
fn a_proof_with_all_msms_and_the_quotient_on_a_card_in_software() {
    let card = soft_card(Curve::Bn254, &[SoftEngine::ntt(Field::Bn254Fr, 4)]);
    prove_alone(Curve::Bn254, 30, &card);
}

/// The processor computes the quotient at once, although the card has transforms over the field.
#[test]
fn a_proof_with_all_msms_on_a_card_in_software() {
    let fallback: Arc<dyn Device> = proofmill_device::open("cpu:").unwrap().into();
    let device = soft_card(Curve::Bls12_381, &[SoftEngine::ntt(Field::Bls12_381Fr, 4)]);
    let on_card = prove(Curve::Bls12_381, 30, &Devices { device, fallback: Some(fallback) });
    assert_eq!(on_card.len(), Section::ALL.len(), "{on_card:?}");
}

#[test]
fn a_proof_on_bn254_with_its_msms_in_a_circuit() {
    proved_in_simulation(Curve::Bn254, 100);
}

/// A domain of 2^7, on one card, and on two as one device, of which one transforms.
#[test]
fn a_proof_on_bn254_with_all_msms_and_its_quotient_in_circuits() {
    let Some(simulation) = support::simulation("groth16_bn254_small_twin") else { return };
    proved_alone_on(Curve::Bn254, 100, &simulation.uri());
    let twice = format!("sim:{0},{0}", simulation.name);
    proved_alone_on(Curve::Bn254, 100, &twice);
    for uri in [simulation.uri(), twice] {
        makes_quotients_of_2_to_12(&uri, Field::Bn254Fr);
    }
}

#[test]
#[ignore = "its simulation takes minutes to build; make test-long runs it"]
fn a_proof_on_bls12_381_with_all_msms_in_circuits() {
    let Some(simulation) = support::simulation("groth16_bls12_381_small_twin") else { return };
    proved_on(Curve::Bls12_381, 60, &simulation.uri());
    makes_quotients_of_2_to_12(&simulation.uri(), Field::Bls12_381Fr);
}

fn makes_quotients_of_2_to_12(uri: &str, field: Field) {
    let card = proofmill_device::open(uri).unwrap();
    let fits = [1, 2, 12, 13].map(|log| card.caps().offers_quotient(field, log));
    assert_eq!(fits, [false, true, true, false]);
}

#[test]
fn a_proof_on_bls12_381_with_its_msms_in_a_circuit() {
    proved_in_simulation(Curve::Bls12_381, 60);
}

/// The GPU has no fallback in this test: an unsupported request is an error.
#[test]
fn proofs_with_every_step_on_an_emulated_gpu() {
    if !support::emulates_gpus() {
        return;
    }
    for curve in [Curve::Bn254, Curve::Bls12_381] {
        let circuit = Circuit::new(curve, &Statement::Chain { constraints: 100 }).unwrap();
        let (key, witness) = files(&circuit);
        for uri in ["cuda:emulated", "cuda:emulated,emulated", "cuda:emulated?max_bytes=4194304"] {
            for resident in [false, true] {
                let gpu: Arc<dyn Device> = proofmill_device::open(uri).unwrap().into();
                let settings = Settings { resident, ..Settings::default() };
                let prover = Prover::new(&key, Devices::one(gpu), settings).unwrap();
                let proved = prover.prove(&witness).unwrap();
                let vk = key.verifying_key().unwrap();
                assert!(verify(&vk, &proved.public_inputs, &proved.proof).unwrap(), "{uri}");
                for timed in proved.report.steps {
                    let on_device = matches!(timed.step, Step::Msm(_) | Step::Quotient);
                    let expected = on_device.then_some(uri);
                    assert_eq!(timed.device.as_deref(), expected, "{}", timed.step);
                }
            }
        }
    }
}
