//! Proofs as JSON: one object a proof, for files of one proof or of one in each line.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use num_bigint::{BigInt, BigUint, Sign};
use serde::{Deserialize, Serialize};

use super::{Claim, Group, chia, format_number, moduli, number, pietrzak, wesolowski};
use crate::{Error, Result};

/// A claim with its proof. Numbers are decimal digits, or `0x` and hex digits; bytes are hex digits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "scheme", rename_all = "snake_case", deny_unknown_fields)]
pub enum Record {
    /// A proof of Wesolowski modulo N.
    Wesolowski {
        /// The modulus N.
        modulus: String,
        /// The input x.
        input: String,
        /// The number t of squarings.
        squarings: u64,
        /// The smaller of y and N - y for y = x^(2^t).
        output: String,
        /// The proof, likewise.
        proof: String,
    },
    /// A proof of Pietrzak modulo N.
    Pietrzak {
        /// The modulus N.
        modulus: String,
        /// The input x.
        input: String,
        /// The number t of squarings.
        squarings: u64,
        /// x^(2^t).
        output: String,
        /// The state of each halving.
        halvings: Vec<String>,
    },
    /// A proof of Chia's VDF.
    Chia {
        /// The discriminant, a negative number: `-` and a number.
        discriminant: String,
        /// The input's form, compressed.
        input: String,
        /// The number of squarings.
        iterations: u64,
        /// The output and the proof as Chia serialises them.
        proof: String,
        /// The number of nested proofs.
        witness_type: u8,
    },
}

impl Record {
    /// Returns the record of a proof of Wesolowski.
    pub fn of(claim: &Claim, proof: &wesolowski::Proof) -> Self {
        Self::Wesolowski {
            modulus: format_number(&claim.modulus()),
            input: format_number(&claim.input()),
            squarings: claim.squarings(),
            output: format_number(&proof.output),
            proof: format_number(&proof.proof),
        }
    }

    /// Returns the scheme's name: `wesolowski`, `pietrzak` or `chia`.
    pub fn scheme(&self) -> &'static str {
        match self {
            Self::Wesolowski { .. } => "wesolowski",
            Self::Pietrzak { .. } => "pietrzak",
            Self::Chia { .. } => "chia",
        }
    }

    /// Parses one JSON object. The error is about the argument `proof`.
    pub fn from_json(text: &str) -> Result<Self> {
        serde_json::from_str(text).map_err(|error| Error::argument("proof", error.to_string()))
    }

    /// Formats it as one line of JSON.
    pub fn to_json(&self) -> Result<String> {
        serde_json::to_string(self).map_err(|error| Error::argument("proof", error.to_string()))
    }

    /// Verifies the proof. An error names the malformed member; a proof that does not verify is `false`.
    pub fn verify(&self) -> Result<bool> {
        Verifier::default().verify(self)
    }
}

/// Returns the claim of a modulus, which may be the name of one of [`moduli::NAMED`], and of an input, as text.
pub fn claim(modulus: &str, input: &str, squarings: u64) -> Result<Claim> {
    Claim::new(&Group::new(&named_modulus(modulus)?)?, &number("input", input)?, squarings)
}

fn named_modulus(text: &str) -> Result<Vec<u8>> {
    number("modulus", moduli::digits(text))
}

/// Verifies records. It checks each modulus once, so one verifier for many records is faster.
#[derive(Debug, Default)]
pub struct Verifier {
    groups: Mutex<HashMap<String, Group>>,
}

impl Verifier {
    /// Verifies a proof. An error names the malformed member; a proof that does not verify is `false`.
    pub fn verify(&self, record: &Record) -> Result<bool> {
        match record {
            Record::Wesolowski { output, proof, .. } => {
                let claim = self.claim(record)?;
                wesolowski::verify(&claim, &number("output", output)?, &number("proof", proof)?)
            }
            Record::Pietrzak { output, halvings, .. } => {
                let claim = self.claim(record)?;
                let halvings = halvings.iter().map(|text| number("halvings", text));
                let halvings = halvings.collect::<Result<Vec<_>>>()?;
                pietrzak::verify(&claim, &number("output", output)?, &halvings)
            }
            Record::Chia { discriminant, input, iterations, proof, witness_type } => {
                let magnitude = discriminant.strip_prefix('-').unwrap_or_default();
                let magnitude = number("discriminant", magnitude)?;
                let magnitude = BigUint::from_bytes_le(&magnitude);
                let discriminant = BigInt::from_biguint(Sign::Minus, magnitude);
                let (input, proof) = (bytes("input", input)?, bytes("proof", proof)?);
                chia::verify(&discriminant, &input, &proof, *iterations, *witness_type)
            }
        }
    }

    /// Returns the claim of a proof modulo N.
    pub fn claim(&self, record: &Record) -> Result<Claim> {
        match record {
            Record::Wesolowski { modulus, input, squarings, .. }
            | Record::Pietrzak { modulus, input, squarings, .. } => {
                Claim::new(&self.group(modulus)?, &number("input", input)?, *squarings)
            }
            Record::Chia { .. } => Err(Error::argument("scheme", "is chia, which has no modulus")),
        }
    }

    fn group(&self, modulus: &str) -> Result<Group> {
        let groups = || self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(group) = groups().get(modulus) {
            return Ok(group.clone());
        }
        let group = Group::new(&named_modulus(modulus)?)?;
        groups().insert(modulus.into(), group.clone());
        Ok(group)
    }
}

fn bytes(name: &'static str, text: &str) -> Result<Vec<u8>> {
    let problem = "is not an even number of hex digits";
    hex::decode(text).map_err(|_| Error::argument(name, problem))
}
