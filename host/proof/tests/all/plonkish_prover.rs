//! The provers of PLONK and FFLONK, with keys that snarkjs made.

use std::sync::{Arc, Mutex};

use proofmill_op::msm::Group;
use proofmill_op::{Cancel, Capability};
use proofmill_proof::dev::{Circuit, Statement};
use proofmill_proof::groth16::{Curve, Devices, Settings};
use proofmill_proof::snark::{
    Control, Proof, Protocol, Proved, Prover, Step, StepProgress, verify,
};
use proofmill_proof::snarkjs::{AnyZkey, Witness, public};
use proofmill_proof::{Error, Result, fflonk, plonk};

use crate::support::plonkish::{SUBJECTS, Subject, read};
use crate::support::{Liar, Lie, cpu, witness};

/// Returns the commitments, and the evaluations that are not those of the key.
fn blinded(proof: &Proof) -> Vec<Vec<u8>> {
    let (points, values) = match proof.clone() {
        Proof::Plonk(proof) => {
            let plonk::Proof { a, b, c, z, t_lo, t_mid, t_hi, w_zeta, w_zeta_omega, .. } = proof;
            let values = proof.evaluations;
            (
                vec![a, b, c, z, t_lo, t_mid, t_hi, w_zeta, w_zeta_omega],
                vec![values.a, values.b, values.c, values.z_omega],
            )
        }
        Proof::Fflonk(proof) => {
            let fflonk::Proof { c1, c2, w1, w2, evaluations: values, inverse, .. } = proof;
            let own = [values.a, values.b, values.c, values.z, values.z_omega];
            let quotients = [values.t1_omega, values.t2_omega, inverse];
            (vec![c1, c2, w1, w2], [&own[..], &quotients[..]].concat())
        }
        other => panic!("{}", other.protocol()),
    };
    points.into_iter().chain(values.into_iter().map(Vec::from)).collect()
}

fn steps(protocol: Protocol) -> usize {
    if protocol == Protocol::Fflonk { 12 } else { 10 }
}

/// Returns a step that is an MSM, and one that is a transform.
fn two_steps(protocol: Protocol) -> [Step; 2] {
    match protocol {
        Protocol::Fflonk => {
            [fflonk::Step::Msm(fflonk::Commitment::W1), fflonk::Step::Gates].map(Step::Fflonk)
        }
        _ => [plonk::Step::Msm(plonk::Commitments::Wires), plonk::Step::Quotient].map(Step::Plonk),
    }
}

#[test]
fn a_proof_is_valid_and_each_is_another() {
    for subject in SUBJECTS {
        let (key, witness) = (subject.key(), subject.witness());
        let vk = key.verifying_key().unwrap();
        for (threads, resident) in [(1, false), (2, true)] {
            let settings = Settings { resident, ..Settings::default() };
            let prover = Prover::new(&key, Devices::one(cpu(threads)), settings).unwrap();
            let [first, second] = [0, 1].map(|_| prover.prove(&witness).unwrap());
            for proved in [&first, &second] {
                assert!(verify(&vk, &proved.public_inputs, &proved.proof).unwrap());
                assert_eq!(public::text(&proved.public_inputs), subject.text("public"));
                let text = proved.proof.text().unwrap();
                let read = Proof::parse(subject.protocol, "p", text.as_bytes()).unwrap();
                assert_eq!(read, proved.proof);
                assert_eq!(proved.report.steps.len(), steps(subject.protocol));
            }
            for (one, other) in blinded(&first.proof).iter().zip(&blinded(&second.proof)) {
                assert_ne!(one, other);
            }
            assert_eq!(prover.counts().proofs, 2);
        }
    }
}

fn attempt(key: &AnyZkey, bytes: &[u8]) -> Result<Proved> {
    let prover = Prover::new(key, Devices::one(cpu(1)), Settings::default()).unwrap();
    prover.prove(&Witness::from_bytes("witness", bytes.to_vec()).unwrap())
}

#[test]
fn larger_circuits_are_proved() {
    // Several chunks, of which the last have no constraints.
    are_proved(&[
        (Protocol::Plonk, Curve::Bn254, 5000),
        (Protocol::Plonk, Curve::Bls12_381, 300),
        (Protocol::Fflonk, Curve::Bn254, 3),
        (Protocol::Fflonk, Curve::Bn254, 1500),
    ]);
}

#[test]
#[ignore = "most of a minute"]
fn larger_circuits_on_bls12_381_are_proved() {
    are_proved(&[(Protocol::Plonk, Curve::Bls12_381, 1500)]);
}

fn are_proved(circuits: &[(Protocol, Curve, usize)]) {
    for &(protocol, curve, constraints) in circuits {
        let circuit = Circuit::new(curve, &Statement::Chain { constraints }).unwrap();
        let (mut key, mut bytes) = (Vec::new(), Vec::new());
        match protocol {
            Protocol::Fflonk => circuit.write_insecure_fflonk_key(b"larger", &mut key).unwrap(),
            _ => circuit.write_insecure_plonk_key(b"larger", &mut key).unwrap(),
        }
        circuit.write_witness(&mut bytes).unwrap();
        let key = read(&key).unwrap();
        match &key {
            AnyZkey::Plonk(key) => key.check().unwrap(),
            AnyZkey::Fflonk(key) => key.check().unwrap(),
            AnyZkey::Groth16(_) => panic!("a key for Groth16"),
        }
        let settings = Settings { resident: true, ..Settings::default() };
        let prover = Prover::new(&key, Devices::one(cpu(2)), settings).unwrap();
        let proved = prover.prove(&witness(&bytes)).unwrap();
        let vk = key.verifying_key().unwrap();
        assert!(verify(&vk, &proved.public_inputs, &proved.proof).unwrap());
        let last = bytes.len() - 32;
        bytes[last] ^= 1;
        let error = prover.prove(&witness(&bytes)).unwrap_err();
        assert!(matches!(error, Error::DoesNotVerify), "{error}");
    }
}

#[test]
fn a_witness_that_does_not_satisfy_the_circuit_gives_no_proof() {
    for subject in SUBJECTS {
        let (key, bytes) = (subject.key(), subject.file("witness.wtns"));
        for value in 1..5 {
            let mut changed = bytes.clone();
            let at = bytes.len() - 32 * (5 - value);
            changed[at] ^= 1;
            let error = attempt(&key, &changed).unwrap_err();
            assert!(matches!(error, Error::DoesNotVerify), "{subject:?} {value}: {error}");
        }
        let prover = Prover::new(&key, Devices::one(cpu(1)), Settings::default()).unwrap();
        let mut one = vec![0; 32];
        one[0] = 1;
        let (curve, other) = match subject.curve {
            Curve::Bn254 => (Curve::Bn254, Curve::Bls12_381),
            _ => (Curve::Bls12_381, Curve::Bn254),
        };
        let short = Witness::from_values(curve, one.clone()).unwrap();
        let said = prover.prove(&short).unwrap_err().to_string();
        assert_eq!(said, "witness: has 1 value, the key is for 5");
        let said = prover.prove(&Witness::from_values(other, one).unwrap()).unwrap_err();
        let expected = format!("witness: is on {}, the key on {}", other.name(), curve.name());
        assert_eq!(said.to_string(), expected);
    }
}

#[test]
fn a_damaged_key_gives_no_proof() {
    examine_damage([241, 997], 8);
}

#[test]
#[ignore = "most of a minute"]
fn a_key_damaged_at_more_places_gives_no_proof() {
    examine_damage([97, 397], 20);
}

/// Flips a bit in one of so many bytes of each key, those for PLONK and for FFLONK. More than `least` changes of each are refused.
fn examine_damage([of_plonk, of_fflonk]: [usize; 2], least: usize) {
    for subject in SUBJECTS {
        let (original, witness) = (subject.file("circuit.zkey"), subject.witness());
        let every = if subject.protocol == Protocol::Fflonk { of_fflonk } else { of_plonk };
        let mut refused = 0;
        for at in (0..original.len()).step_by(every) {
            let mut changed = original.clone();
            changed[at] ^= 1 << (at % 8);
            let Ok(key) = read(&changed) else { continue };
            let Ok(prover) = Prover::new(&key, Devices::one(cpu(1)), Settings::default()) else {
                continue;
            };
            match prover.prove(&witness) {
                // A part that this proof does not use, or one that is another key's.
                Ok(proved) => {
                    let vk = key.verifying_key().unwrap();
                    let valid = verify(&vk, &proved.public_inputs, &proved.proof).unwrap();
                    assert!(valid, "{subject:?} {at}");
                }
                Err(Error::DoesNotVerify | Error::File(_) | Error::Argument { .. }) => refused += 1,
                Err(other) => panic!("{subject:?} byte {at}: {other}"),
            }
        }
        assert!(refused > least, "{refused}");
    }
}

#[test]
fn a_device_that_is_wrong_is_replaced_by_the_processor() {
    for subject in SUBJECTS {
        let (key, witness) = (subject.key(), subject.witness());
        let vk = key.verifying_key().unwrap();
        let lies =
            [Lie::None, Lie::Zero(Group::G1), Lie::NoPoint, Lie::Twice, Lie::Confused, Lie::Dies];
        for lie in lies {
            let devices = Devices { device: Liar::new(lie), fallback: Some(cpu(1)) };
            let prover = Prover::new(&key, devices, Settings::default()).unwrap();
            let proved = prover.prove(&witness).unwrap();
            assert!(verify(&vk, &proved.public_inputs, &proved.proof).unwrap());
            assert_eq!(proved.report.retried.is_some(), lie != Lie::None, "{lie:?}");
            let counts = prover.counts();
            assert_eq!((counts.proofs, counts.retried), (1, u64::from(lie != Lie::None)));
            let settings = Settings { retry_on_fallback: false, ..Settings::default() };
            let devices = Devices { device: Liar::new(lie), fallback: Some(cpu(1)) };
            let prover = Prover::new(&key, devices, settings).unwrap();
            assert_eq!(prover.prove(&witness).is_ok(), lie == Lie::None, "{lie:?}");
        }
        each_step_runs_on_a_device_that_offers_it(subject, &key, &witness);
        let devices = Devices::one(Liar::offering(Lie::None, |_| false));
        assert!(Prover::new(&key, devices, Settings::default()).is_err());
    }
}

fn each_step_runs_on_a_device_that_offers_it(subject: Subject, key: &AnyZkey, witness: &Witness) {
    // Over BLS12-381 the root of unity is not that of cards.
    for only_msm in [true, subject.curve != Curve::Bn254] {
        let offers =
            move |capability: &Capability| matches!(capability, Capability::Msm(_)) == only_msm;
        let liar = Liar::offering(Lie::None, offers);
        let devices = Devices { device: liar.clone(), fallback: Some(cpu(1)) };
        let settings = Settings { resident: true, ..Settings::default() };
        let prover = Prover::new(key, devices, settings).unwrap();
        let plan = prover.plan().unwrap();
        let proved = prover.prove(witness).unwrap();
        let by = |step: Step| {
            let timed = proved.report.steps.iter().find(|timed| timed.step == step).unwrap();
            let planned = plan.steps.iter().find(|planned| planned.step == step).unwrap();
            assert_eq!(timed.device, planned.device);
            timed.device.as_deref() == Some("soft:liar")
        };
        let [msm, transform] = two_steps(subject.protocol);
        assert_eq!((by(msm), by(transform)), (only_msm, !only_msm), "{subject:?}");
        assert_eq!(liar.loads(), usize::from(only_msm));
    }
}

#[test]
fn a_proof_reports_its_progress_and_can_be_cancelled_at_every_step() {
    for subject in SUBJECTS.into_iter().filter(|subject| subject.curve == Curve::Bn254) {
        let (key, witness) = (subject.key(), subject.witness());
        let prover = Prover::new(&key, Devices::one(cpu(1)), Settings::default()).unwrap();
        let seen: Arc<Mutex<Vec<Step>>> = Arc::default();
        let list = seen.clone();
        let progress: StepProgress = Arc::new(move |step, part| {
            if part == 0.0 {
                list.lock().unwrap().push(step);
            }
        });
        prover.prove_with(&witness, &Control::none().with_progress(progress)).unwrap();
        let mut seen = seen.lock().unwrap().clone();
        seen.dedup();
        let planned: Vec<_> = prover.plan().unwrap().steps.iter().map(|it| it.step).collect();
        assert_eq!(seen, planned);
        for step in seen {
            let cancel = Cancel::new();
            let signal = cancel.clone();
            let progress: StepProgress = Arc::new(move |at, _| {
                if at == step {
                    signal.cancel();
                }
            });
            let control = Control::none().with_progress(progress).with_cancel(cancel);
            match prover.prove_with(&witness, &control) {
                Err(Error::Device(proofmill_op::Error::Cancelled)) => {}
                // The last step is not interrupted.
                Ok(_) => assert_eq!(step.to_string(), "check"),
                Err(other) => panic!("{step}: {other}"),
            }
        }
    }
}
