//! Verifying keys of both protocols, prepared for many proofs.

use std::sync::Arc;

use napi_derive::napi;
use proofmill::groth16::snarkjs::{self, AnyVerifyingKey, public};
use proofmill::groth16::{self, Curve};
use proofmill::plonk;

use crate::errors::{Failure, Outcome};
use crate::job::{Callback, Job, Value, start};
use crate::pool::SHORT;
use crate::source::{Public, Source};

/// A verifying key with the values that do not depend on a proof.
#[napi]
pub struct VerifyingKey(Arc<Keyed>);

struct Keyed {
    curve: Curve,
    key: Prepared,
}

enum Prepared {
    Groth16(groth16::PreparedVerifyingKey),
    Plonk(plonk::PreparedVerifyingKey),
}

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
        let open = || -> groth16::Result<_> {
            let key = match key {
                Public::Path(path) => AnyVerifyingKey::open(path),
                Public::Bytes(bytes) => AnyVerifyingKey::parse("verifyingKey", &bytes),
            };
            Ok(match key? {
                AnyVerifyingKey::Groth16(key) => {
                    VerifyingKey::groth16(key.curve, groth16::PreparedVerifyingKey::new(&key)?)
                }
                AnyVerifyingKey::Plonk(key) => {
                    VerifyingKey::plonk(key.curve, plonk::PreparedVerifyingKey::new(&key)?)
                }
            })
        };
        let opened = open().map_err(|error| Failure::from(error).about("verifyingKey"))?;
        Ok(Value::VerifyingKey(opened))
    })
}

/// The claims of a batch, read with this protocol's parser: public inputs and proof of each.
macro_rules! read {
    ($parse:path, $curve:expr, $claims:expr, $names:expr) => {{
        let read = $claims.iter().enumerate().map(|(number, claim)| {
            let [of_signals, of_proof] = $names(number);
            let signals = public::parse(&of_signals, claim.public_signals.as_bytes(), $curve)
                .map_err(|error| Failure::from(error).about(&of_signals))?;
            let proof = $parse(&of_proof, claim.proof.as_bytes())
                .map_err(|error| Failure::from(error).about(&of_proof))?;
            Ok((signals, proof))
        });
        read.collect::<Outcome<Vec<_>>>()?
    }};
}

/// Calls a function with the prepared key and the claims that were read.
macro_rules! on_protocol {
    ($keyed:expr, $claims:expr, $names:expr, |$key:ident, $read:ident| $body:expr) => {
        match &$keyed.key {
            Prepared::Groth16($key) => {
                let $read = read!(snarkjs::proof::parse, $keyed.curve, $claims, $names);
                $body
            }
            Prepared::Plonk($key) => {
                let $read = read!(snarkjs::plonk::proof::parse, $keyed.curve, $claims, $names);
                $body
            }
        }
    };
}

impl Keyed {
    fn verify(&self, claim: Claim) -> Outcome<bool> {
        let names = |_| ["publicSignals".to_owned(), "proof".to_owned()];
        let claims = [claim];
        on_protocol!(self, claims, names, |key, read| {
            let [(signals, proof)] = &read[..] else { unreachable!("one claim") };
            key.verify(signals, proof).map_err(|error| Failure::from(error).about("publicSignals"))
        })
    }

    fn find_invalid(&self, claims: Vec<Claim>) -> Outcome<Vec<u32>> {
        let names = |number| {
            let claim = format!("claims[{number}]");
            [format!("{claim}.publicSignals"), format!("{claim}.proof")]
        };
        let invalid = on_protocol!(self, claims, names, |key, read| {
            let read: Vec<_> = read.iter().map(|(signals, proof)| (&signals[..], proof)).collect();
            key.find_invalid(&read)
        });
        let invalid = invalid.map_err(|error| Failure::from(error).about("claims"))?;
        Ok(invalid.into_iter().map(|number| number as u32).collect())
    }
}

impl VerifyingKey {
    pub fn groth16(curve: Curve, key: groth16::PreparedVerifyingKey) -> Self {
        Self(Arc::new(Keyed { curve, key: Prepared::Groth16(key) }))
    }

    pub fn plonk(curve: Curve, key: plonk::PreparedVerifyingKey) -> Self {
        Self(Arc::new(Keyed { curve, key: Prepared::Plonk(key) }))
    }
}

#[napi]
impl VerifyingKey {
    /// Verifies a proof.
    #[napi]
    pub fn verify(&self, claim: Claim, callback: Callback<'_>) -> napi::Result<Job> {
        let keyed = self.0.clone();
        start(&SHORT, &callback, move |_| keyed.verify(claim).map(Value::Valid))
    }

    /// Returns the numbers of the proofs that are not valid.
    #[napi]
    pub fn find_invalid(&self, claims: Vec<Claim>, callback: Callback<'_>) -> napi::Result<Job> {
        let keyed = self.0.clone();
        start(&SHORT, &callback, move |_| keyed.find_invalid(claims).map(Value::Numbers))
    }

    /// Returns the protocol's name.
    #[napi(getter)]
    pub fn protocol(&self) -> &'static str {
        match &self.0.key {
            Prepared::Groth16(_) => "groth16",
            Prepared::Plonk(_) => "plonk",
        }
    }

    /// Returns the curve's name.
    #[napi(getter)]
    pub fn curve(&self) -> &'static str {
        self.0.curve.name()
    }

    /// Returns the number of public signals.
    #[napi(getter)]
    pub fn public_signals(&self) -> u32 {
        let count = match &self.0.key {
            Prepared::Groth16(key) => key.public_inputs(),
            Prepared::Plonk(key) => key.public_inputs(),
        };
        u32::try_from(count).unwrap_or(u32::MAX)
    }
}
