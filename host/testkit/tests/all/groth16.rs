//! A proof whose MSMs in G1 are computed by the simulated `msm` circuit, and its quotient by the `ntt` circuit where the
//! card has one; the CPU does the rest. An emulated GPU computes all MSMs and the quotient.

use std::sync::Arc;

use crate::support;
use proofmill_op::Device;
use proofmill_op::msm::Curve;
use proofmill_op::ntt::Field;
use proofmill_proof::dev::{Circuit, Statement};
use proofmill_proof::groth16::{Devices, Prover, Settings, Step, verify};
use proofmill_proof::snarkjs::{Section, Witness, Zkey};

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

/// Proves with the MSMs in G1 on the card, and the quotient if it supports that size. Returns the card, still open.
pub fn proved_on(curve: Curve, constraints: usize, uri: &str) -> Arc<dyn Device> {
    let circuit = Circuit::new(curve, &Statement::Chain { constraints }).unwrap();
    let (key, witness) = files(&circuit);
    let card: Arc<dyn Device> = proofmill_device::open(uri).unwrap().into();
    let fallback: Arc<dyn Device> = proofmill_device::open("cpu:").unwrap().into();
    let before = card.metrics().requests;
    let devices = Devices { device: card.clone(), fallback: Some(fallback) };
    let settings = Settings { resident: true, ..Settings::default() };
    let prover = Prover::new(&key, devices, settings).unwrap();
    let proved = prover.prove(&witness).unwrap();
    assert_eq!(proved.report.retried, None, "{uri}");
    assert!(verify(&key.verifying_key().unwrap(), &proved.public_inputs, &proved.proof).unwrap());
    let field = if curve == Curve::Bn254 { Field::Bn254Fr } else { Field::Bls12_381Fr };
    let divides = card.caps().offers_quotient(field, key.domain_log());
    // The card loaded four sections and computed their MSMs.
    let requests = if divides { 8 + 1 } else { 8 };
    assert_eq!(card.metrics().requests - before, requests, "{uri}");
    for timed in proved.report.steps {
        let on_card = timed.device.as_deref() == Some(&card.caps().uri);
        let wanted = match timed.step {
            Step::Msm(section) => section != Section::B2,
            Step::Quotient => divides,
            _ => false,
        };
        assert_eq!(on_card, wanted, "{}", timed.step);
        eprintln!("{uri}: {} {:.2} s", timed.step, timed.seconds);
    }
    card
}

#[test]
fn a_proof_on_bn254_with_its_msms_in_a_circuit() {
    proved_in_simulation(Curve::Bn254, 100);
}

/// A domain of 2^7, on one card, and on two as one device, of which one transforms.
#[test]
fn a_proof_on_bn254_with_its_quotient_in_a_circuit() {
    let Some(simulation) = support::simulation("groth16_bn254_small_twin") else { return };
    proved_on(Curve::Bn254, 100, &simulation.uri());
    let twice = format!("sim:{0},{0}", simulation.name);
    proved_on(Curve::Bn254, 100, &twice);
    for uri in [simulation.uri(), twice] {
        makes_quotients_of_2_to_12(&uri, Field::Bn254Fr);
    }
}

#[test]
#[ignore = "its simulation takes minutes to build; make test-long runs it"]
fn a_proof_on_bls12_381_with_its_quotient_in_a_circuit() {
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
