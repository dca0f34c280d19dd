//! Witness generators of circom, and the inputs of circuits.

use std::sync::Arc;
use std::time::Duration;

use proofmill::SecretBytes;
use proofmill::snark::{Inputs, Limits, WitnessCalculator};
use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;

use crate::errors::{Failure, Outcome};
use crate::logs::unlocked;
use crate::prover::Source;

/// A witness generator.
#[pyclass(frozen, module = "proofmill._native")]
pub struct Calculator(Arc<WitnessCalculator>);

impl Calculator {
    pub fn get(&self) -> &WitnessCalculator {
        &self.0
    }
}

#[pymethods]
impl Calculator {
    #[new]
    fn new(py: Python<'_>, wasm: Source, max_bytes: usize, max_seconds: f64) -> PyResult<Self> {
        let opened: Outcome<_> = unlocked(py, || {
            let max_time = Duration::try_from_secs_f64(max_seconds).map_err(|_| {
                Failure::argument(
                    "max_seconds",
                    format!("{max_seconds}; expected a finite number that is not negative"),
                )
            })?;
            let limits = Limits { max_bytes, max_time };
            Ok(match wasm {
                Source::Path(path) => WitnessCalculator::open_with(path, limits)?,
                Source::Bytes(bytes) => WitnessCalculator::from_bytes("wasm", &bytes, limits)?,
            })
        });
        Ok(Self(Arc::new(opened?)))
    }

    /// Returns the curve's name.
    fn curve(&self) -> &'static str {
        self.0.curve().name()
    }

    /// Returns the number of values of a witness.
    fn values(&self) -> usize {
        self.0.values()
    }
}

/// The inputs of a circuit as JSON: a buffer of bytes. This is the one place in which they are copied.
pub struct GivenInputs(SecretBytes);

impl FromPyObject<'_, '_> for GivenInputs {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let buffer: PyBuffer<u8> = given.extract()?;
        let mut bytes = SecretBytes::zeroed(buffer.item_count());
        buffer.copy_to_slice(given.py(), &mut bytes)?;
        Ok(Self(bytes))
    }
}

impl GivenInputs {
    /// Returns the inputs, under the argument's name for errors.
    pub fn read(self) -> Outcome<Inputs> {
        Ok(Inputs::from_json("inputs", self.0)?)
    }
}
