//! Keys of small circuits, made and judged by bellman's `groth16`: every density and size, every truncation, every byte.

use std::sync::Arc;

use bellman::{Circuit, ConstraintSystem, SynthesisError, Variable};
use bls12_381::{Bls12, Scalar};
use ff_zcash::Field;
use groth16::{generate_random_parameters, prepare_verifying_key, verify_proof};
use proofmill_cpu::CpuDevice;
use proofmill_op::SecretBytes;
use proofmill_proof::bellman::{Constraints, Key, Parameters};
use proofmill_proof::groth16::{Curve, Devices, Prover, Settings};
use proofmill_proof::snarkjs::Witness;
use proofmill_proof::{Error, FileError};
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;

use crate::recorder::{Assignment, Locator, Recorder};

/// y = x^2 and so on for some steps, then sums: variables of A, B and C alone, a public one in B, and a coefficient 0.
#[derive(Clone)]
struct Small {
    x: Option<u64>,
    steps: usize,
    /// Added to the last private variable, so that the circuit is not satisfied.
    error: u64,
}

impl Small {
    fn new(steps: usize) -> Self {
        Self { x: Some(3), steps, error: 0 }
    }
}

impl Circuit<Scalar> for Small {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let known = |value: Option<Scalar>| value.ok_or(SynthesisError::AssignmentMissing);
        let mut value = self.x.map(Scalar::from);
        let mut x: Variable = cs.alloc(|| "x", || known(value))?;
        for step in 0..self.steps {
            let square = value.map(|value| value.square());
            let last = step + 1 == self.steps;
            let error = Scalar::from(if last { self.error } else { 0 });
            let y = cs.alloc(|| "y", || known(square.map(|square| square + error)))?;
            let mut step = cs.namespace(|| format!("step {step}"));
            step.enforce(|| "square", |lc| lc + x, |lc| lc + x + (Scalar::ZERO, y), |lc| lc + y);
            (x, value) = (y, square);
        }
        let public = cs.alloc_input(|| "public", || known(value))?;
        let other = cs.alloc_input(|| "other", || known(value.map(|value| value.double())))?;
        let inverse = cs.alloc(|| "inverse", || known(value.and_then(|it| it.invert().into())))?;
        cs.enforce(|| "inverse", |lc| lc + inverse, |lc| lc + public, |lc| lc + CS::one());
        cs.enforce(|| "double", |lc| lc + x + x, |lc| lc + CS::one(), |lc| lc + other);
        Ok(())
    }
}

fn generator() -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(1)
}

/// Returns a file of parameters and the constraints.
fn made(steps: usize) -> (Vec<u8>, Constraints) {
    let blank = Small { x: None, ..Small::new(steps) };
    let parameters =
        generate_random_parameters::<Bls12, _, _>(blank.clone(), &mut generator()).unwrap();
    let mut file = Vec::new();
    parameters.write(&mut file).unwrap();
    let mut recorder = Recorder::default();
    blank.synthesize(&mut recorder).unwrap();
    (file, recorder.finish().unwrap())
}

fn key(file: Vec<u8>, constraints: &Constraints) -> Result<Key, Error> {
    Key::new(&Parameters::from_bytes("small", file.into())?, constraints)
}

fn prover(key: &Key, resident: bool) -> Prover {
    let device = Arc::new(CpuDevice::new(Some(1)).unwrap());
    let settings = Settings { resident, ..Settings::default() };
    Prover::for_bellman(key, Devices::one(device), settings).unwrap()
}

fn values(circuit: Small, constraints: &Constraints) -> SecretBytes {
    let mut assignment = Assignment::new(constraints);
    circuit.synthesize(&mut assignment).unwrap();
    assignment.finish().unwrap()
}

#[test]
fn bellman_accepts_proofs_of_each_size_around_a_power_of_two() {
    // With two constraints more, and three of the public variables.
    for steps in [1, 2, 3, 4, 10, 11, 12, 27, 28] {
        let (file, constraints) = made(steps);
        assert_eq!(constraints.count(), steps + 2);
        let bellmans = groth16::VerifyingKey::<Bls12>::read(&file[..]).unwrap();
        let bellmans = prepare_verifying_key(&bellmans);
        let key = key(file, &constraints).unwrap();
        assert_eq!((key.public_inputs(), key.witness_values()), (2, steps + 5));
        let prover = prover(&key, steps % 2 == 0);
        let values = values(Small::new(steps), &constraints);
        let proved = prover.prove(&Witness::from_values(Curve::Bls12_381, values).unwrap());
        let proved = proved.unwrap();
        let bytes = crate::prover::encode(&proved.proof).unwrap();
        let proof = groth16::Proof::read(&bytes[..]).unwrap();
        let inputs = proved.public_inputs.iter().map(|it| Scalar::from_bytes(it).unwrap());
        let mut inputs: Vec<_> = inputs.collect();
        assert!(verify_proof(&bellmans, &proof, &inputs).is_ok(), "{steps} steps");
        inputs[0] += Scalar::ONE;
        assert!(verify_proof(&bellmans, &proof, &inputs).is_err());
    }
}

#[test]
fn an_unsatisfied_constraint_is_named() {
    let (file, constraints) = made(6);
    let prover = prover(&key(file, &constraints).unwrap(), false);
    let values = values(Small { error: 1, ..Small::new(6) }, &constraints);
    let witness = Witness::from_values(Curve::Bls12_381, values).unwrap();
    let error = prover.prove(&witness).unwrap_err();
    assert!(matches!(error, Error::Unsatisfied { constraint: 5 }), "{error}");
    let name = |constraint| {
        let mut locator = Locator::new(constraint);
        Small::new(6).synthesize(&mut locator).unwrap();
        locator.found()
    };
    assert_eq!([name(5), name(7), name(8)], ["step 5/square", "double", "unknown"]);
}

#[test]
fn a_witness_of_another_circuit_is_refused() {
    let (_, constraints) = made(3);
    for steps in [2, 4] {
        let mut assignment = Assignment::new(&constraints);
        Small::new(steps).synthesize(&mut assignment).unwrap();
        assert!(assignment.finish().is_none(), "{steps}");
    }
}

/// Returns the error of a file.
fn error(file: &[u8], constraints: &Constraints) -> FileError {
    match key(file.to_vec(), constraints) {
        Err(Error::File(error)) => error,
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_truncation_is_an_error_of_the_file() {
    let (file, constraints) = made(1);
    for length in 0..file.len() {
        let error = error(&file[..length], &constraints);
        assert!(error.offset as usize <= length, "{length}: {error}");
    }
    // What follows is the transcript of a ceremony.
    assert!(key([&file[..], b"transcript"].concat(), &constraints).is_ok());
}

#[test]
fn a_changed_byte_is_an_error_or_a_key_that_makes_no_proof() {
    let (file, constraints) = made(1);
    let values = values(Small::new(1), &constraints);
    let witness = Witness::from_values(Curve::Bls12_381, values).unwrap();
    for byte in (0..file.len()).step_by(7) {
        let mut changed = file.clone();
        changed[byte] ^= 1 << (byte % 8);
        let Ok(key) = key(changed, &constraints) else { continue };
        let device = Arc::new(CpuDevice::new(Some(1)).unwrap());
        let prover = Prover::for_bellman(&key, Devices::one(device), Settings::default());
        if let Ok(prover) = prover {
            assert!(prover.prove(&witness).is_err(), "byte {byte}");
        }
    }
}

#[test]
fn an_error_has_the_list_and_the_byte() {
    let (file, constraints) = made(1);
    let ic = 864 + 4;
    let mut flags = file.clone();
    flags[ic] |= 0x40;
    let problem = "small: IC, byte 868: point 0 is flags 0x40 that the form does not have";
    assert_eq!(error(&flags, &constraints).to_string(), problem);
    let mut off = file.clone();
    off[ic + 96 + 95] ^= 1;
    let problem = "small: IC, byte 964: point 1 is not on the curve";
    assert_eq!(error(&off, &constraints).to_string(), problem);
    let mut large = file.clone();
    large[ic..ic + 48].fill(0x1f);
    let problem = "small: IC, byte 868: point 0 is a coordinate that is not below the modulus";
    assert_eq!(error(&large, &constraints).to_string(), problem);
    let mut count = file.clone();
    count[864] = 0xff;
    let found = error(&count, &constraints).to_string();
    assert!(found.starts_with("small: IC, byte 864: 4278190083 points are "), "{found}");
    let (_, more) = made(2);
    let problem = "where the circuit has";
    assert!(error(&file, &more).problem.contains(problem));
}
