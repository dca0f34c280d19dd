//! Proving keys that stay resident, and the inputs of their jobs.

use std::sync::Arc;

use anyhow::Context as _;
use proofmill::SecretBytes;
use proofmill::groth16::snarkjs::{Witness, Zkey, proof, public, verifying_key};
use proofmill::groth16::{self, Curve, Devices, Proof, Prover, Scalar, Settings as ProverSettings};
use serde_json::Value;

use crate::settings::NamedKey;

/// Bytes of a public input in JSON: 77 digits, quotes, comma, space.
const MAX_PUBLIC_INPUT_BYTES: usize = 96;

/// A key by its name, with its prover.
pub struct ServedKey {
    pub name: String,
    pub curve: Curve,
    pub variables: usize,
    pub public_inputs: usize,
    /// The verifying key as snarkjs writes it.
    pub verifying_key: String,
    pub prover: Arc<Prover>,
}

/// Public inputs and a proof to verify.
pub struct Claim {
    pub public_inputs: Vec<Scalar>,
    pub proof: Proof,
}

impl ServedKey {
    /// Opens a key and loads its points on the devices.
    pub fn open(named: &NamedKey, devices: Devices) -> anyhow::Result<Self> {
        let open = || -> anyhow::Result<Self> {
            let key = Zkey::open(&named.file)?;
            let settings = ProverSettings { resident: true, ..ProverSettings::default() };
            let prover = Prover::new(&key, devices, settings)?;
            Ok(Self {
                name: named.name.clone(),
                curve: key.curve(),
                variables: key.variables(),
                public_inputs: key.public_inputs(),
                verifying_key: verifying_key::text(&key.verifying_key()?)?,
                prover: Arc::new(prover),
            })
        };
        open().with_context(|| format!("--key: {}", named.name))
    }

    /// Returns the largest size of a witness file for this key.
    pub fn max_witness_bytes(&self) -> usize {
        Witness::max_file_bytes(self.variables)
    }

    /// Returns the largest size of a proof with its public inputs.
    pub fn max_claim_bytes(&self) -> usize {
        self.public_inputs * MAX_PUBLIC_INPUT_BYTES + proof::MAX_BYTES
    }

    /// Reads a witness for this key.
    pub fn witness(&self, body: SecretBytes) -> groth16::Result<Witness> {
        let witness = Witness::from_bytes("witness", body)?;
        let wrong = |problem| groth16::Error::Argument { argument: "witness", problem };
        if witness.curve() != self.curve {
            let (found, expected) = (witness.curve().name(), self.curve.name());
            return Err(wrong(format!("its curve is {found}, the key's is {expected}")));
        }
        if witness.count() != self.variables {
            let (found, expected) = (witness.count(), self.variables);
            return Err(wrong(format!("has {found} values, the key needs {expected}")));
        }
        // The values only: sections that nobody reads are dropped here.
        let values = SecretBytes::copy_of(witness.values().as_flattened());
        Witness::from_values(self.curve, values)
    }

    /// Parses `{"proof": …, "public": […]}`, the form in which a proof is answered.
    pub fn claim(&self, body: &[u8]) -> Result<Claim, String> {
        let wrong = "body: must be a JSON object with 'proof' and 'public'";
        let body: Value = serde_json::from_slice(body).map_err(|_| wrong)?;
        let (Some(proof), Some(public)) = (body.get("proof"), body.get("public")) else {
            return Err(wrong.into());
        };
        let proof = proof::parse("proof", proof.to_string().as_bytes());
        let proof = proof.map_err(|error| error.to_string())?;
        let public_inputs = public::parse("public", public.to_string().as_bytes(), self.curve);
        let public_inputs = public_inputs.map_err(|error| error.to_string())?;
        if public_inputs.len() != self.public_inputs {
            let (found, expected) = (public_inputs.len(), self.public_inputs);
            return Err(format!("public: has {found} values, the key needs {expected}"));
        }
        Ok(Claim { public_inputs, proof })
    }
}
