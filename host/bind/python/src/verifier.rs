//! Verifying keys, prepared for many proofs.

use proofmill::groth16::snarkjs::public;
use proofmill::snark::{self, AnyVerifyingKey, PreparedVerifyingKey, Proof, Scalar};
use pyo3::prelude::*;

use crate::errors::Outcome;
use crate::logs::unlocked;

/// A verifying key with the values that do not depend on a proof.
#[pyclass(frozen, module = "proofmill._native")]
pub struct VerifyingKey(PreparedVerifyingKey);

impl VerifyingKey {
    pub fn new(key: PreparedVerifyingKey) -> Self {
        Self(key)
    }

    /// Reads texts of public.json and proof.json, under these names for errors.
    fn read(
        &self,
        (public_inputs, proof): &(String, String),
        [of_inputs, of_proof]: [&str; 2],
    ) -> snark::Result<(Vec<Scalar>, Proof)> {
        let public_inputs = public::parse(of_inputs, public_inputs.as_bytes(), self.0.curve())?;
        Ok((public_inputs, Proof::parse(self.0.protocol(), of_proof, proof.as_bytes())?))
    }
}

#[pymethods]
impl VerifyingKey {
    /// Reads the text of verification_key.json.
    #[new]
    fn open(py: Python<'_>, text: &str) -> PyResult<Self> {
        let opened: Outcome<_> = unlocked(py, || {
            let key = AnyVerifyingKey::parse("verification_key", text.as_bytes())?;
            Ok(Self(PreparedVerifyingKey::new(&key)?))
        });
        Ok(opened?)
    }

    /// Returns the curve's name.
    fn curve(&self) -> &'static str {
        self.0.curve().name()
    }

    /// Returns the protocol's name.
    fn protocol(&self) -> &'static str {
        self.0.protocol().name()
    }

    /// Returns the number of public inputs.
    fn public_inputs(&self) -> usize {
        self.0.public_inputs()
    }

    /// Returns whether a proof is valid: a text of public.json and one of proof.json.
    fn verify(&self, py: Python<'_>, texts: (String, String)) -> PyResult<bool> {
        let valid: Outcome<_> = unlocked(py, || {
            let (public_inputs, proof) = self.read(&texts, ["public_inputs", "proof"])?;
            Ok(self.0.verify(&public_inputs, &proof)?)
        });
        Ok(valid?)
    }

    /// Returns the numbers of the proofs that are not valid.
    fn find_invalid(&self, py: Python<'_>, texts: Vec<(String, String)>) -> PyResult<Vec<usize>> {
        let invalid: Outcome<_> = unlocked(py, || {
            let read = texts.iter().enumerate().map(|(number, texts)| {
                let proof = format!("proofs[{number}]");
                self.read(texts, [&format!("{proof}.public_inputs"), &proof])
            });
            let read: Vec<_> = read.collect::<snark::Result<_>>()?;
            let claims: Vec<_> = read.iter().map(|(inputs, proof)| (&inputs[..], proof)).collect();
            Ok(self.0.find_invalid(&claims)?)
        });
        Ok(invalid?)
    }
}
