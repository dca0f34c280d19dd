//! Verifying keys of every protocol, prepared for many proofs.

use std::sync::Arc;

use napi_derive::napi;
use proofmill::groth16::Scalar;
use proofmill::groth16::snarkjs::public;
use proofmill::snark::{AnyVerifyingKey, PreparedVerifyingKey, Proof};

use crate::errors::{Failure, Outcome};
use crate::job::{Callback, Job, Value, start};
use crate::pool::SHORT;
use crate::source::{Public, Source};

/// A verifying key with the values that do not depend on a proof.
#[napi]
pub struct VerifyingKey(Arc<PreparedVerifyingKey>);

/// The texts of public.json and proof.json.
#[napi(object)]
pub struct Claim {
    pub public_signals: String,
    pub proof: String,
}

/// Opens the file of a verifying key, or its bytes.
#[napi]
pub fn open_verifying_key(key: Source, callback: Callback<'_>) -> napi::Result<Job> {
    let key = Public::from(key);
    start(&SHORT, &callback, move |_| {
        let key = match key {
            Public::Path(path) => AnyVerifyingKey::open(path),
            Public::Bytes(bytes) => AnyVerifyingKey::parse("verifyingKey", &bytes),
        };
        let prepared = key.and_then(|key| PreparedVerifyingKey::new(&key));
        let prepared = prepared.map_err(|error| Failure::from(error).about("verifyingKey"))?;
        Ok(Value::VerifyingKey(VerifyingKey::of(prepared)))
    })
}

/// Reads a claim, under these names for errors.
fn read(
    key: &PreparedVerifyingKey,
    claim: &Claim,
    [of_signals, of_proof]: &[String; 2],
) -> Outcome<(Vec<Scalar>, Proof)> {
    let signals = public::parse(of_signals, claim.public_signals.as_bytes(), key.curve())
        .map_err(|error| Failure::from(error).about(of_signals))?;
    let proof = Proof::parse(key.protocol(), of_proof, claim.proof.as_bytes())
        .map_err(|error| Failure::from(error).about(of_proof))?;
    Ok((signals, proof))
}

fn verify(key: &PreparedVerifyingKey, claim: &Claim) -> Outcome<bool> {
    let names = ["publicSignals".to_owned(), "proof".to_owned()];
    let (signals, proof) = read(key, claim, &names)?;
    key.verify(&signals, &proof).map_err(|error| Failure::from(error).about("publicSignals"))
}

fn find_invalid(key: &PreparedVerifyingKey, claims: &[Claim]) -> Outcome<Vec<u32>> {
    let read = claims.iter().enumerate().map(|(number, claim)| {
        let named = format!("claims[{number}]");
        read(key, claim, &[format!("{named}.publicSignals"), format!("{named}.proof")])
    });
    let read = read.collect::<Outcome<Vec<_>>>()?;
    let read: Vec<_> = read.iter().map(|(signals, proof)| (&signals[..], proof)).collect();
    let invalid = key.find_invalid(&read);
    let invalid = invalid.map_err(|error| Failure::from(error).about("claims"))?;
    Ok(invalid.into_iter().map(|number| number as u32).collect())
}

impl VerifyingKey {
    pub fn of(key: PreparedVerifyingKey) -> Self {
        Self(Arc::new(key))
    }
}

#[napi]
impl VerifyingKey {
    /// Verifies a proof.
    #[napi]
    pub fn verify(&self, claim: Claim, callback: Callback<'_>) -> napi::Result<Job> {
        let key = self.0.clone();
        start(&SHORT, &callback, move |_| verify(&key, &claim).map(Value::Valid))
    }

    /// Returns the numbers of the proofs that are not valid.
    #[napi]
    pub fn find_invalid(&self, claims: Vec<Claim>, callback: Callback<'_>) -> napi::Result<Job> {
        let key = self.0.clone();
        start(&SHORT, &callback, move |_| find_invalid(&key, &claims).map(Value::Numbers))
    }

    /// Returns the protocol's name.
    #[napi(getter)]
    pub fn protocol(&self) -> &'static str {
        self.0.protocol().name()
    }

    /// Returns the curve's name.
    #[napi(getter)]
    pub fn curve(&self) -> &'static str {
        self.0.curve().name()
    }

    /// Returns the number of public signals.
    #[napi(getter)]
    pub fn public_signals(&self) -> u32 {
        u32::try_from(self.0.public_inputs()).unwrap_or(u32::MAX)
    }
}
