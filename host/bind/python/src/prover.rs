//! Groth16, with snarkjs's files.

use std::path::PathBuf;
use std::sync::Arc;

use proofmill::groth16::snarkjs::{self, Witness, Zkey};
use proofmill::groth16::{self, Settings, Step, Watch};
use pyo3::prelude::*;

use crate::errors::Outcome;

/// A proving key on a device.
#[pyclass(frozen, module = "proofmill._native")]
pub struct Prover {
    key: Zkey,
    prover: groth16::Prover,
}

/// A file, or its bytes.
#[derive(FromPyObject)]
pub enum Source {
    /// bytes
    Bytes(Vec<u8>),
    /// str or os.PathLike
    Path(PathBuf),
}

#[pymethods]
impl Prover {
    #[new]
    fn new(py: Python<'_>, uri: &str, zkey: Source, resident: bool) -> PyResult<Self> {
        let made: Outcome<_> = py.detach(|| {
            let key = match zkey {
                Source::Path(path) => Zkey::open(path)?,
                Source::Bytes(bytes) => Zkey::from_bytes("zkey", bytes.into())?,
            };
            let settings = Settings { park: resident, ..Settings::default() };
            let prover = groth16::Prover::new(&key, groth16::devices(uri)?, settings)?;
            Ok(Self { key, prover })
        });
        Ok(made?)
    }

    /// proof.json and public.json as texts, and seconds. `progress` is called with a step and its done part.
    fn prove(
        &self,
        py: Python<'_>,
        witness: Source,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(String, String, f64)> {
        let watch = progress.map(|progress| -> Watch {
            Arc::new(move |step: Step, part: f64| {
                Python::attach(|py| {
                    if let Err(error) = progress.call1(py, (step.to_string(), part)) {
                        error.write_unraisable(py, Some(progress.bind(py)));
                    }
                });
            })
        });
        let made: Outcome<_> = py.detach(|| {
            let witness = match witness {
                Source::Path(path) => Witness::open(path)?,
                Source::Bytes(bytes) => Witness::from_bytes("witness", bytes.into())?,
            };
            let made = self.prover.prove(&witness, watch.as_ref())?;
            let proof = snarkjs::proof::text(&made.proof)?;
            Ok((proof, snarkjs::public::text(&made.public), made.report.seconds))
        });
        Ok(made?)
    }

    /// verification_key.json as a text.
    fn verification_key(&self) -> PyResult<String> {
        let text =
            || -> Outcome<_> { Ok(snarkjs::verifying_key::text(&self.key.verifying_key()?)?) };
        Ok(text()?)
    }

    /// The curve's name.
    fn curve(&self) -> &'static str {
        self.key.curve().name()
    }
}

/// Does a proof convince? Texts of verification_key.json, public.json and proof.json.
#[pyfunction]
pub fn verify(py: Python<'_>, key: &str, public: &str, proof: &str) -> PyResult<bool> {
    let convinced: Outcome<_> = py.detach(|| {
        let key = snarkjs::verifying_key::parse("verification_key", key.as_bytes())?;
        let public = snarkjs::public::parse("public", public.as_bytes(), key.curve)?;
        let proof = snarkjs::proof::parse("proof", proof.as_bytes())?;
        Ok(groth16::verify(&key, &public, &proof)?)
    });
    Ok(convinced?)
}
