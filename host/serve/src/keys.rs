//! Proving keys that stay resident, and what is read for them.

use std::sync::Arc;

use anyhow::Context as _;
use proofmill::groth16::snarkjs::{Witness, Zkey, proof, public, verifying_key};
use proofmill::groth16::{self, Curve, Devices, Proof, Prover, Scalar, Settings as Proving};
use serde_json::Value;
use zeroize::{Zeroize as _, Zeroizing};

use crate::settings::NamedKey;

/// Bytes of a witness's file besides its values, with room for sections that nobody reads.
const WITNESS_FRAME: usize = 4096;
/// Bytes of a public value in JSON: 77 digits, quotes, comma, space.
const PUBLIC_BYTES: usize = 96;
/// Bytes of a value of a witness.
const VALUE_BYTES: usize = 32;

/// A key.
pub struct Key {
    pub name: String,
    pub curve: Curve,
    pub variables: usize,
    pub publics: usize,
    /// As snarkjs writes it.
    pub verifying: String,
    pub prover: Arc<Prover>,
}

/// Public values and a proof that is to be verified.
pub type Claim = (Vec<Scalar>, Proof);

impl Key {
    /// Reads a key and parks its points on the devices.
    pub fn open(named: &NamedKey, devices: Devices) -> anyhow::Result<Self> {
        let open = || -> anyhow::Result<Self> {
            let key = Zkey::open(&named.file)?;
            let prover = Prover::new(&key, devices, Proving { park: true, ..Proving::default() })?;
            Ok(Self {
                name: named.name.clone(),
                curve: key.curve(),
                variables: key.variables(),
                publics: key.publics(),
                verifying: verifying_key::text(&key.verifying_key()?)?,
                prover: Arc::new(prover),
            })
        };
        open().with_context(|| format!("--key: {}", named.name))
    }

    /// Most bytes of a witness's file.
    pub fn witness_most(&self) -> usize {
        self.variables * VALUE_BYTES + WITNESS_FRAME
    }

    /// Most bytes of a proof with its public values.
    pub fn claim_most(&self) -> usize {
        self.publics * PUBLIC_BYTES + proof::MOST_BYTES
    }

    /// A witness for this key. Its copies on the way are overwritten.
    pub fn witness(&self, file: Zeroizing<Vec<u8>>) -> groth16::Result<Witness> {
        let mut bytes: Arc<[u8]> = file.as_slice().into();
        drop(file);
        let read = self.witness_of(&bytes);
        if let Some(bytes) = Arc::get_mut(&mut bytes) {
            bytes.zeroize();
        }
        read
    }

    fn witness_of(&self, bytes: &Arc<[u8]>) -> groth16::Result<Witness> {
        let witness = Witness::from_bytes("witness", bytes.clone())?;
        let wrong = |problem| groth16::Error::Argument { argument: "witness", problem };
        if witness.curve() != self.curve {
            let (found, expected) = (witness.curve().name(), self.curve.name());
            let problem = format!("is of {found}, the key of {expected}");
            return Err(wrong(problem));
        }
        if witness.count() != self.variables {
            let (found, expected) = (witness.count(), self.variables);
            return Err(wrong(format!("has {found} values, the key is for {expected}")));
        }
        Witness::from_values(self.curve, witness.values().to_vec())
    }

    /// What is to be verified, from `{"proof": …, "public": […]}`, as a proof is answered.
    pub fn claim(&self, body: &[u8]) -> Result<Claim, String> {
        let wrong = "the body: not an object with 'proof' and 'public'";
        let body: Value = serde_json::from_slice(body).map_err(|_| wrong)?;
        let (Some(proof), Some(public)) = (body.get("proof"), body.get("public")) else {
            return Err(wrong.into());
        };
        let proof = proof::parse("proof", proof.to_string().as_bytes());
        let public = public::parse("public", public.to_string().as_bytes(), self.curve);
        let (proof, public) =
            (proof.map_err(|error| error.to_string())?, public.map_err(|error| error.to_string())?);
        if public.len() != self.publics {
            let (found, expected) = (public.len(), self.publics);
            return Err(format!("public: {found} values, the key has {expected}"));
        }
        Ok((public, proof))
    }
}
