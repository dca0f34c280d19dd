//! Keys of any protocol: the key chooses the prover, the proof and the verifier.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use proofmill_op::Cancel;
use proofmill_proof::dev::{Circuit, Statement};
use proofmill_proof::groth16::{Curve, Devices, Settings};
use proofmill_proof::snark::{
    self, Control, PreparedVerifyingKey, Proof, Protocol, Prover, Step, StepProgress,
};
use proofmill_proof::snarkjs::{AnyVerifyingKey, AnyZkey, Witness};
use proofmill_proof::{Error, Result};

use crate::support::{CURVES, cpu};

/// Returns a key of a protocol and the witness of its circuit.
fn made(curve: Curve, protocol: Protocol, constraints: usize) -> (AnyZkey, Witness) {
    let circuit = Circuit::new(curve, &Statement::Chain { constraints }).unwrap();
    let (mut key, mut witness) = (Vec::new(), Vec::new());
    match protocol {
        Protocol::Plonk => circuit.write_insecure_plonk_key(b"snark", &mut key).unwrap(),
        Protocol::Fflonk => circuit.write_insecure_fflonk_key(b"snark", &mut key).unwrap(),
        _ => circuit.write_insecure_key(b"snark", &mut key).unwrap(),
    }
    circuit.write_witness(&mut witness).unwrap();
    let key = AnyZkey::from_bytes("key", key.into()).unwrap();
    (key, Witness::from_bytes("witness", witness).unwrap())
}

fn prover(key: &AnyZkey) -> Arc<Prover> {
    Arc::new(Prover::new(key, Devices::one(cpu(2)), Settings::default()).unwrap())
}

#[test]
fn the_key_chooses_the_protocol() {
    for (curve, &protocol) in
        CURVES.iter().flat_map(|&curve| Protocol::ALL.iter().map(move |it| (curve, it)))
    {
        if protocol == Protocol::Fflonk && curve != Curve::Bn254 {
            continue;
        }
        let (key, witness) = made(curve, protocol, 20);
        assert_eq!((key.protocol(), key.curve(), key.public_inputs()), (protocol, curve, 1));
        assert_eq!(key.witness_values(), witness.count());
        let prover = prover(&key);
        let proved = prover.prove(&witness).unwrap();
        let proof = &proved.proof;
        assert_eq!((proof.protocol(), proof.curve()), (protocol, curve));
        let text = proof.text().unwrap();
        assert!(text.contains(&format!(r#""protocol": "{protocol}""#)), "{text}");
        assert_eq!(&Proof::parse(protocol, "proof", text.as_bytes()).unwrap(), proof);

        let key = key.verifying_key().unwrap();
        let text = key.text().unwrap();
        assert_eq!(AnyVerifyingKey::parse("vkey", text.as_bytes()).unwrap(), key);
        assert_eq!((key.protocol(), key.curve(), key.public_inputs()), (protocol, curve, 1));
        assert!(snark::verify(&key, &proved.public_inputs, proof).unwrap());
        let prepared = PreparedVerifyingKey::new(&key).unwrap();
        for verifying in [&prepared, prover.verifying()] {
            let facts = (verifying.protocol(), verifying.curve(), verifying.public_inputs());
            assert_eq!(facts, (protocol, curve, 1));
            assert!(verifying.verify(&proved.public_inputs, proof).unwrap());
            let right: (&[_], _) = (&proved.public_inputs, proof);
            let wrong: (&[_], _) = (&[[1; 32]; 1], proof);
            assert_eq!(verifying.find_invalid(&[right, wrong, right]).unwrap(), [1]);
        }
        // The same steps in the plan, the report and the progress.
        let plan = prover.plan().unwrap();
        let planned: BTreeSet<_> = plan.steps.iter().map(|it| it.step.to_string()).collect();
        let reported: BTreeSet<_> =
            proved.report.steps.iter().map(|it| it.step.to_string()).collect();
        assert_eq!((&planned, planned.len()), (&reported, plan.steps.len()));
        assert_eq!(plan.witness, 32 * witness.count());
        assert_eq!(prover.counts().proofs, 1);
    }
}

#[test]
fn a_proof_of_another_protocol_is_refused_by_name() {
    let [groth16, plonk] = [Protocol::Groth16, Protocol::Plonk].map(|protocol| {
        let (key, witness) = made(Curve::Bn254, protocol, 5);
        (prover(&key), witness)
    });
    let of_groth16 = groth16.0.prove(&groth16.1).unwrap();
    let of_plonk = plonk.0.prove(&plonk.1).unwrap();
    let inputs = &of_plonk.public_inputs[..];
    let refused = plonk.0.verifying().verify(inputs, &of_groth16.proof).unwrap_err().to_string();
    assert_eq!(refused, "proof: a proof of groth16; the key is for plonk");
    let both = [(inputs, &of_groth16.proof), (inputs, &of_plonk.proof)];
    let refused = groth16.0.verifying().find_invalid(&both).unwrap_err().to_string();
    assert_eq!(refused, "proof: of proof 1: a proof of plonk; the key is for groth16");
    let text = of_plonk.proof.text().unwrap();
    assert!(Proof::parse(Protocol::Groth16, "proof", text.as_bytes()).is_err());
}

#[test]
fn a_witness_is_calculated_as_the_first_step() {
    for &protocol in Protocol::ALL {
        let (key, witness) = made(Curve::Bn254, protocol, 5);
        let prover = prover(&key);
        let steps = Arc::new(Mutex::new(Vec::new()));
        let progress: StepProgress = {
            let steps = steps.clone();
            Arc::new(move |step, part| steps.lock().unwrap().push((step, part)))
        };
        let control = Control::none().with_progress(progress);
        let proved = prover.prove_from(|_| Ok(witness.clone()), &control).unwrap();
        assert_eq!(proved.report.steps[0].step, Step::Witness);
        assert_eq!(steps.lock().unwrap()[..2], [(Step::Witness, 0.0), (Step::Witness, 1.0)]);
        assert_eq!(steps.lock().unwrap().last().unwrap().0.to_string(), "check");
        let seconds: f64 = proved.report.steps.iter().map(|step| step.seconds).sum();
        assert!(proved.report.steps[0].seconds <= seconds && proved.report.seconds > 0.0);

        let given = witness.clone();
        let ticket = prover.submit_from(move |_| Ok(given), Control::none()).unwrap();
        assert_eq!(ticket.wait().unwrap().public_inputs, proved.public_inputs);
        let ticket = prover.submit(witness, Control::none()).unwrap();
        assert_eq!(ticket.wait().unwrap().public_inputs, proved.public_inputs);

        let wrong = |_: &Cancel| -> Result<Witness> { Err(Error::argument("inputs", "none")) };
        let error = prover.prove_from(wrong, &Control::none()).unwrap_err().to_string();
        assert_eq!(error, "inputs: none");
        // Dropping the ticket cancels the calculation.
        let (started, cancelled) = (std::sync::mpsc::channel(), std::sync::mpsc::channel());
        let (start, cancel) = (started.0, cancelled.0);
        let waits = move |signal: &Cancel| -> Result<Witness> {
            start.send(()).unwrap();
            while !signal.is_cancelled() {
                std::thread::yield_now();
            }
            cancel.send(()).unwrap();
            Err(proofmill_op::Error::Cancelled.into())
        };
        let ticket = prover.submit_from(waits, Control::none()).unwrap();
        started.1.recv().unwrap();
        drop(ticket);
        cancelled.1.recv().unwrap();
    }
}

#[test]
fn many_witnesses_are_proved_or_reported() {
    for &protocol in Protocol::ALL {
        let (key, witness) = made(Curve::Bn254, protocol, 5);
        let prover = prover(&key);
        let witnesses = || {
            let wrong = Err(Error::argument("witness", "none"));
            [Ok(witness.clone()), wrong, Ok(witness.clone())]
        };
        let mut results = BTreeSet::new();
        let each = |number, proved: Result<snark::Proved>| {
            results.insert((number, proved.is_ok()));
        };
        prover.prove_each(witnesses(), &Cancel::new(), each).unwrap();
        assert_eq!(results, BTreeSet::from([(0, true), (1, false), (2, true)]));
        let cancel = Cancel::new();
        cancel.cancel();
        prover.prove_each(witnesses(), &cancel, |number, _| panic!("{number}")).unwrap();
    }
}

#[test]
fn damaged_keys_are_errors() {
    for &protocol in Protocol::ALL {
        let (key, _) = made(Curve::Bn254, protocol, 2);
        let text = key.verifying_key().unwrap().text().unwrap();
        for at in 0..text.len() - 1 {
            assert!(AnyVerifyingKey::parse("vkey", &text.as_bytes()[..at]).is_err(), "{at}");
        }
    }
    assert!(AnyZkey::from_bytes("key", Vec::new().into()).is_err());
    assert!(AnyVerifyingKey::parse("vkey", b"[]").is_err());
}
