//! The prover and the verifier, on whatever can be read: a proof that verifies, or an error that somebody can act on.

use std::sync::{Arc, LazyLock};

use proofmill::groth16::devices;
use proofmill_proof::dev::{self, Circuit};
use proofmill_proof::groth16::{
    Curve, PreparedVerifyingKey, Proof, Prover, Scalar, Settings, VerifyingKey, verify,
};
use proofmill_proof::snarkjs::{Witness, Zkey, proof, public, verifying_key};
use proofmill_proof::{Error, Result};

/// The chain of three constraints.
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

/// What there is, after a look at why there is nothing.
fn looked_at<T>(answer: Result<T>) -> Option<T> {
    match answer {
        Ok(value) => Some(value),
        Err(Error::File(_) | Error::Argument { .. } | Error::DoesNotVerify) => None,
        Err(other) => panic!("{other}"),
    }
}

/// A proving key, with the witness of one that is right.
pub(crate) fn key(input: &[u8]) {
    let Some(key) = looked_at(Zkey::from_bytes("input", Arc::from(input))) else { return };
    let resident = input.len().is_multiple_of(2);
    let Some(prover) = looked_at(prover(&key, resident)) else { return };
    let proved = prover.prove(&small(key.curve()).witness);
    let Some(proved) = looked_at(proved) else { return };
    let verifying = key.verifying_key().expect("it was proved with");
    assert!(verify(&verifying, &proved.public_inputs, &proved.proof).expect("a proof"));
}

/// A witness, with a key that is right.
pub(crate) fn witness(input: &[u8]) {
    let Some(witness) = looked_at(Witness::from_bytes("input", Arc::from(input))) else { return };
    let prover = &small(witness.curve()).prover;
    let Some(proved) = looked_at(prover.prove(&witness)) else { return };
    assert_eq!(proved.public_inputs, witness.values()[1..=proved.public_inputs.len()]);
    assert!(prover.verifying().verify(&proved.public_inputs, &proved.proof).expect("a proof"));
}

/// A verifying key, public values and a proof.
type Statement = (VerifyingKey, Vec<Scalar>, Proof);

/// What holds. That a change of it holds too is as likely as that somebody breaks the scheme by chance.
static KNOWN: LazyLock<Vec<Statement>> = LazyLock::new(|| {
    verdict_seeds().iter().map(|seed| statement(seed).expect("what snarkjs made")).collect()
});

/// With a zero between them.
fn statement(input: &[u8]) -> Result<Statement> {
    let mut texts = input.split(|&byte| byte == 0);
    let mut next = || texts.next().unwrap_or_default();
    let key = verifying_key::parse("key", next())?;
    let public = public::parse("public", next(), key.curve)?;
    Ok((key, public, proof::parse("proof", next())?))
}

/// A verifying key, public values and a proof: valid are those that snarkjs made, and no others.
pub(crate) fn verdict(input: &[u8]) {
    let Some(statement) = looked_at(statement(input)) else { return };
    let (key, public, proof) = &statement;
    let Some(key) = looked_at(PreparedVerifyingKey::new(key)) else { return };
    let Some(valid) = looked_at(key.verify(public, proof)) else { return };
    assert_eq!(public.len(), key.public_inputs());
    assert_eq!(valid, KNOWN.contains(&statement));
}

/// What snarkjs made.
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
