//! Proving keys that stay resident, and the inputs of their jobs.

use std::sync::Arc;

use anyhow::Context as _;
use proofmill::SecretBytes;
use proofmill::groth16::snarkjs::{proof, public};
use proofmill::groth16::{Curve, Devices};
use proofmill::snark::{
    AnyZkey, Error, Inputs, Limits, Plan, Proof, Protocol, Prover, Result, Scalar,
    Settings as ProverSettings, Witness, WitnessCalculator,
};
use serde_json::Value;
use tracing::info;

use crate::settings::NamedKey;

/// Bytes of a public input in JSON: 77 digits, quotes, comma, space.
const MAX_PUBLIC_INPUT_BYTES: usize = 96;

/// Bytes of an input value in JSON: 78 digits, quotes, comma, line break, indentation, and the name of a signal.
const MAX_INPUT_BYTES: usize = 256;

/// Bytes of inputs in JSON besides the values.
const OTHER_INPUT_BYTES: usize = 64 << 10;

/// A key by its name, with its prover.
pub struct ServedKey {
    pub name: String,
    pub curve: Curve,
    pub variables: usize,
    pub public_inputs: usize,
    /// The verifying key as snarkjs writes it.
    pub verifying_key: String,
    pub prover: Arc<Prover>,
    pub plan: Plan,
    /// The generator of the circuit's witnesses, if requests may have inputs.
    pub calculator: Option<Arc<WitnessCalculator>>,
}

/// Public inputs and a proof to verify.
pub struct Claim {
    pub public_inputs: Vec<Scalar>,
    pub proof: Proof,
}

impl ServedKey {
    /// Opens a key, loads its points on the devices, and opens its generator.
    pub fn open(named: &NamedKey, devices: Devices, limits: Limits) -> anyhow::Result<Self> {
        let open = || -> anyhow::Result<Self> {
            let key = AnyZkey::open(&named.file)?;
            let settings = ProverSettings { resident: true, ..ProverSettings::default() };
            let prover = Prover::new(&key, devices, settings)?;
            let calculator = named.generator.as_ref().map(|file| -> Result<_> {
                let calculator = WitnessCalculator::open_with(file, limits)?;
                calculator.require_key_of(&prover)?;
                // Clients receive its errors, which should not contain a path of this machine.
                Ok(Arc::new(calculator.with_name(&named.name)))
            });
            Ok(Self {
                name: named.name.clone(),
                curve: key.curve(),
                variables: key.witness_values(),
                public_inputs: key.public_inputs(),
                verifying_key: key.verifying_key()?.text()?,
                plan: prover.plan()?,
                prover: Arc::new(prover),
                calculator: calculator.transpose()?,
            })
        };
        open().with_context(|| format!("--key: {}", named.name))
    }

    /// Logs the plan of a proof, and the limits of the generator.
    pub fn log(&self) {
        let Self { name, curve, variables, plan, .. } = self;
        let (protocol, curve, bytes) = (self.protocol().name(), curve.name(), plan.memory());
        info!(key = name, protocol, curve, variables, bytes, "key is resident");
        let Some(calculator) = &self.calculator else { return };
        let [major, minor, patch] = calculator.version();
        let limits = calculator.limits();
        info!(
            key = name,
            circom = format!("{major}.{minor}.{patch}"),
            input_values = calculator.input_values(),
            native = calculator.is_native(),
            max_bytes = limits.max_bytes,
            max_seconds = limits.max_time.as_secs_f64(),
            "key accepts inputs"
        );
    }

    /// Returns the protocol of the key.
    pub fn protocol(&self) -> Protocol {
        self.prover.key().protocol()
    }

    /// Returns the largest size of a witness file for this key.
    pub fn max_witness_bytes(&self) -> usize {
        Witness::max_file_bytes(self.variables)
    }

    /// Returns the largest size of inputs as JSON; `None` without a generator.
    pub fn max_inputs_bytes(&self) -> Option<usize> {
        let calculator = self.calculator.as_ref()?;
        let values = calculator.input_values().unwrap_or(calculator.values());
        Some((values * MAX_INPUT_BYTES + OTHER_INPUT_BYTES).min(Inputs::MAX_BYTES))
    }

    /// Returns the largest size of a proof with its public inputs.
    pub fn max_claim_bytes(&self) -> usize {
        self.public_inputs * MAX_PUBLIC_INPUT_BYTES + proof::MAX_BYTES
    }

    /// Reads a witness for this key.
    pub fn witness(&self, body: SecretBytes) -> Result<Witness> {
        let witness = Witness::from_bytes("witness", body)?;
        let wrong = |problem| Error::Argument { argument: "witness", problem };
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
    pub fn claim(&self, body: &[u8]) -> std::result::Result<Claim, String> {
        let wrong = "body: must be a JSON object with 'proof' and 'public'";
        let body: Value = serde_json::from_slice(body).map_err(|_| wrong)?;
        let (Some(proof), Some(public)) = (body.get("proof"), body.get("public")) else {
            return Err(wrong.into());
        };
        let proof = Proof::parse(self.protocol(), "proof", proof.to_string().as_bytes());
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
