//! The prover and the verifier on every input that parses: the outcome is a proof that verifies, or an error that names
//! the wrong argument.

use std::sync::{Arc, LazyLock};

use proofmill::groth16::devices;
use proofmill_proof::dev::{self, Circuit};
use proofmill_proof::groth16::{
    Curve, PreparedVerifyingKey, Proof, Prover, Scalar, Settings, VerifyingKey, verify,
};
use proofmill_proof::snarkjs::{Witness, Zkey, proof, public, verifying_key};
use proofmill_proof::{Error, Result};

/// A chain of three constraints.
struct Small {
    witness: Witness,
    prover: Prover,
}

static SMALL: LazyLock<[Small; 2]> = LazyLock::new(|| {
    [Curve::Bn254, Curve::Bls12_381].map(|curve| {
        let (key, witness) = files(curve);
        let key = Zkey::from_bytes("key", key.into()).expect("a key");
        let witness = Witness::from_bytes("witness", witness).expect("a witness");
        Small { witness, prover: prover(&key, true).expect("a prover") }
    })
});

fn small(curve: Curve) -> &'static Small {
    &SMALL[usize::from(curve != Curve::Bn254)]
}

fn files(curve: Curve) -> (Vec<u8>, Vec<u8>) {
    let circuit =
        Circuit::new(curve, &dev::Statement::Chain { constraints: 3 }).expect("a circuit");
    let (mut key, mut witness) = (Vec::new(), Vec::new());
    circuit.write_insecure_key(b"fuzz", &mut key).expect("memory");
    circuit.write_witness(&mut witness).expect("memory");
    (key, witness)
}

fn prover(key: &Zkey, resident: bool) -> Result<Prover> {
    let processor = devices("cpu:?threads=1").expect("a processor");
    Prover::new(key, processor, Settings { resident, ..Settings::default() })
}

/// Returns the value, or `None` for an error that a wrong input may cause. Panics on any other error.
fn accepted<T>(answer: Result<T>) -> Option<T> {
    match answer {
        Ok(value) => Some(value),
        Err(Error::File(_) | Error::Argument { .. } | Error::DoesNotVerify) => None,
        Err(other) => panic!("{other}"),
    }
}

/// Proves with a changed proving key and a valid witness.
pub(crate) fn key(input: &[u8]) {
    let Some(key) = accepted(Zkey::from_bytes("input", Arc::from(input))) else { return };
    let resident = input.len().is_multiple_of(2);
    let Some(prover) = accepted(prover(&key, resident)) else { return };
    let proved = prover.prove(&small(key.curve()).witness);
    let Some(proved) = accepted(proved) else { return };
    let verifying = key.verifying_key().expect("it was proved with");
    assert!(verify(&verifying, &proved.public_inputs, &proved.proof).expect("a proof"));
}

/// Proves with a changed witness and a valid key.
pub(crate) fn witness(input: &[u8]) {
    let Some(witness) = accepted(Witness::from_bytes("input", input.to_vec())) else { return };
    let prover = &small(witness.curve()).prover;
    let Some(proved) = accepted(prover.prove(&witness)) else { return };
    assert_eq!(proved.public_inputs, witness.values()[1..=proved.public_inputs.len()]);
    assert!(prover.verifying().verify(&proved.public_inputs, &proved.proof).expect("a proof"));
}

/// A verifying key, public inputs and a proof.
type Statement = (VerifyingKey, Vec<Scalar>, Proof);

/// The valid statements. A changed statement is valid only with negligible probability.
static KNOWN: LazyLock<Vec<Statement>> = LazyLock::new(|| {
    verdict_seeds().iter().map(|seed| statement(seed).expect("files of snarkjs")).collect()
});

/// Parses a statement, whose three texts are separated by zero bytes.
fn statement(input: &[u8]) -> Result<Statement> {
    let mut texts = input.split(|&byte| byte == 0);
    let mut next = || texts.next().unwrap_or_default();
    let key = verifying_key::parse("key", next())?;
    let public = public::parse("public", next(), key.curve)?;
    Ok((key, public, proof::parse("proof", next())?))
}

/// Checks that a verifying key, public inputs and a proof are accepted exactly if snarkjs made them.
pub(crate) fn verdict(input: &[u8]) {
    let Some(statement) = accepted(statement(input)) else { return };
    let (key, public, proof) = &statement;
    let Some(key) = accepted(PreparedVerifyingKey::new(key)) else { return };
    let Some(valid) = accepted(key.verify(public, proof)) else { return };
    assert_eq!(public.len(), key.public_inputs());
    assert_eq!(valid, KNOWN.contains(&statement));
}

/// The verifying key, public inputs and proof that snarkjs made.
macro_rules! texts {
    ($folder:literal) => {
        [
            include_bytes!(concat!(
                "../../../host/proof/tests/snarkjs/",
                $folder,
                "/verification_key.json"
            )),
            include_bytes!(concat!("../../../host/proof/tests/snarkjs/", $folder, "/public.json")),
            include_bytes!(concat!("../../../host/proof/tests/snarkjs/", $folder, "/proof.json")),
        ] as [&[u8]; 3]
    };
}

pub(crate) fn verdict_seeds() -> Vec<Vec<u8>> {
    [texts!("bn254"), texts!("bls12_381")].map(|texts| texts.join(&0)).into()
}
