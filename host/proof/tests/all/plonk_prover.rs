//! The prover of PLONK, with keys that snarkjs made.

use std::sync::{Arc, Mutex};

use proofmill_op::msm::Group;
use proofmill_op::{Cancel, Capability};
use proofmill_proof::dev::{Circuit, Statement};
use proofmill_proof::groth16::Curve;
use proofmill_proof::plonk as plonk_proof;
use proofmill_proof::plonk::{Control, Devices, Prover, Settings, Step, StepProgress, verify};
use proofmill_proof::snarkjs::{Witness, plonk, public};
use proofmill_proof::{Error, Result};

use crate::plonk_key::{file, read};
use crate::support::{CURVES, Liar, Lie, cpu, witness};

fn witness_bytes(curve: Curve) -> Vec<u8> {
    std::fs::read(format!("tests/snarkjs/plonk_{}/witness.wtns", curve.name())).unwrap()
}

fn inputs(curve: Curve) -> (plonk::Zkey, Witness) {
    (read(&file(curve)).unwrap(), witness(&witness_bytes(curve)))
}

#[test]
fn a_proof_is_valid_and_each_is_another() {
    for curve in CURVES {
        let (key, witness) = inputs(curve);
        let vk = key.verifying_key();
        for (threads, resident) in [(1, false), (2, true)] {
            let settings = Settings { resident, ..Settings::default() };
            let prover = Prover::new(&key, Devices::one(cpu(threads)), settings).unwrap();
            let [first, second] = [0, 1].map(|_| prover.prove(&witness).unwrap());
            for proved in [&first, &second] {
                assert!(verify(&vk, &proved.public_inputs, &proved.proof).unwrap());
                let folder = format!("tests/snarkjs/plonk_{}", curve.name());
                let expected = std::fs::read_to_string(format!("{folder}/public.json")).unwrap();
                assert_eq!(public::text(&proved.public_inputs), expected);
                let text = plonk::proof::text(&proved.proof).unwrap();
                assert_eq!(plonk::proof::parse("p", text.as_bytes()).unwrap(), proved.proof);
                assert_eq!(proved.report.steps.len(), 10);
            }
            // Every commitment and every evaluation but those of the key is blinded.
            let (one, other) = (&first.proof, &second.proof);
            let parts = |proof: &plonk_proof::Proof| {
                let (points, values) = (proof.clone(), proof.evaluations);
                [points.a, points.b, points.c, points.z, points.t_lo, points.t_mid, points.t_hi]
                    .into_iter()
                    .chain([points.w_zeta, points.w_zeta_omega])
                    .chain([values.a, values.b, values.c, values.z_omega].map(Vec::from))
                    .collect::<Vec<_>>()
            };
            for (one, other) in parts(one).iter().zip(&parts(other)) {
                assert_ne!(one, other);
            }
            assert_eq!(prover.counts().proofs, 2);
        }
    }
}

fn attempt(curve: Curve, bytes: &[u8]) -> Result<plonk_proof::Proved> {
    let key = read(&file(curve)).unwrap();
    let prover = Prover::new(&key, Devices::one(cpu(1)), Settings::default()).unwrap();
    prover.prove(&Witness::from_bytes("witness", bytes.to_vec()).unwrap())
}

#[test]
fn larger_circuits_are_proved() {
    // Several chunks, of which the last have no constraints.
    for (curve, constraints) in [(Curve::Bn254, 5000), (Curve::Bls12_381, 1500)] {
        let circuit = Circuit::new(curve, &Statement::Chain { constraints }).unwrap();
        let (mut key, mut bytes) = (Vec::new(), Vec::new());
        circuit.write_insecure_plonk_key(b"larger", &mut key).unwrap();
        circuit.write_witness(&mut bytes).unwrap();
        let key = read(&key).unwrap();
        key.check().unwrap();
        let settings = Settings { resident: true, ..Settings::default() };
        let prover = Prover::new(&key, Devices::one(cpu(2)), settings).unwrap();
        let proved = prover.prove(&witness(&bytes)).unwrap();
        assert!(verify(&key.verifying_key(), &proved.public_inputs, &proved.proof).unwrap());
        let last = bytes.len() - 32;
        bytes[last] ^= 1;
        let error = prover.prove(&witness(&bytes)).unwrap_err();
        assert!(matches!(error, Error::DoesNotVerify), "{error}");
    }
}

#[test]
fn a_witness_that_does_not_satisfy_the_circuit_gives_no_proof() {
    for curve in CURVES {
        let bytes = witness_bytes(curve);
        for value in 1..5 {
            let mut changed = bytes.clone();
            let at = bytes.len() - 32 * (5 - value);
            changed[at] ^= 1;
            let error = attempt(curve, &changed).unwrap_err();
            assert!(matches!(error, Error::DoesNotVerify), "{value}: {error}");
        }
    }
    let (key, _) = inputs(Curve::Bn254);
    let prover = Prover::new(&key, Devices::one(cpu(1)), Settings::default()).unwrap();
    let mut one = vec![0; 32];
    one[0] = 1;
    let short = Witness::from_values(Curve::Bn254, one.clone()).unwrap();
    let said = prover.prove(&short).unwrap_err().to_string();
    assert_eq!(said, "witness: has 1 value, the key is for 5");
    let other = Witness::from_values(Curve::Bls12_381, one).unwrap();
    let said = prover.prove(&other).unwrap_err().to_string();
    assert_eq!(said, "witness: is on bls12_381, the key on bn254");
}

#[test]
fn a_damaged_key_gives_no_proof() {
    for curve in CURVES {
        let original = file(curve);
        let witness = witness(&witness_bytes(curve));
        let mut refused = 0;
        for at in (0..original.len()).step_by(97) {
            let mut changed = original.clone();
            changed[at] ^= 1 << (at % 8);
            let Ok(key) = read(&changed) else { continue };
            let Ok(prover) = Prover::new(&key, Devices::one(cpu(1)), Settings::default()) else {
                continue;
            };
            match prover.prove(&witness) {
                // A part that this proof does not use, or one that is another key's.
                Ok(proved) => {
                    let vk = key.verifying_key();
                    assert!(verify(&vk, &proved.public_inputs, &proved.proof).unwrap(), "{at}");
                }
                Err(Error::DoesNotVerify | Error::File(_) | Error::Argument { .. }) => refused += 1,
                Err(other) => panic!("byte {at}: {other}"),
            }
        }
        assert!(refused > 20, "{refused}");
    }
}

#[test]
fn a_device_that_is_wrong_is_replaced_by_the_processor() {
    for curve in CURVES {
        let (key, witness) = inputs(curve);
        let vk = key.verifying_key();
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
        // Each step runs on a device that offers it. Over BLS12-381 the root of unity is not that of cards.
        for only_msm in [true, curve != Curve::Bn254] {
            let offers =
                move |capability: &Capability| matches!(capability, Capability::Msm(_)) == only_msm;
            let liar = Liar::offering(Lie::None, offers);
            let devices = Devices { device: liar.clone(), fallback: Some(cpu(1)) };
            let settings = Settings { resident: true, ..Settings::default() };
            let prover = Prover::new(&key, devices, settings).unwrap();
            let plan = prover.plan().unwrap();
            let proved = prover.prove(&witness).unwrap();
            let by = |step: Step| {
                let timed = proved.report.steps.iter().find(|timed| timed.step == step).unwrap();
                let planned = plan.steps.iter().find(|planned| planned.step == step).unwrap();
                assert_eq!(timed.device, planned.device);
                timed.device.as_deref() == Some("soft:liar")
            };
            assert_eq!(by(Step::Msm(plonk_proof::Commitments::Wires)), only_msm);
            assert_eq!(by(Step::Quotient), !only_msm);
            assert_eq!(liar.loads(), usize::from(only_msm));
        }
        let devices = Devices::one(Liar::offering(Lie::None, |_| false));
        assert!(Prover::new(&key, devices, Settings::default()).is_err());
    }
}

#[test]
fn a_proof_reports_its_progress_and_can_be_cancelled_at_every_step() {
    let (key, witness) = inputs(Curve::Bn254);
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
    let planned: Vec<_> = prover.plan().unwrap().steps.iter().map(|planned| planned.step).collect();
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
            Ok(_) => assert_eq!(step, Step::Check),
            Err(other) => panic!("{step}: {other}"),
        }
    }
}
