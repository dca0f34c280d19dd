//! Witnesses from Python: the one place in which their values are copied.

use std::path::PathBuf;

use proofmill::SecretBytes;
use proofmill::groth16::snarkjs::Witness;
use proofmill::groth16::{self, Curve};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// A witness as the Python half of the package passes it: a kind and a value.
pub enum Given {
    /// `path`: a `.wtns` file.
    Path(PathBuf),
    /// `file`: the bytes of such a file.
    File(SecretBytes),
    /// `values`: scalars of 32 bytes each, little-endian, one after the other.
    Values(SecretBytes),
}

impl FromPyObject<'_, '_> for Given {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let (kind, value): (String, Bound<'_, PyAny>) = given.extract()?;
        if kind == "path" {
            return Ok(Self::Path(value.extract()?));
        }
        let buffer: PyBuffer<u8> = value.extract()?;
        let mut bytes = SecretBytes::zeroed(buffer.item_count());
        buffer.copy_to_slice(given.py(), &mut bytes)?;
        match kind.as_str() {
            "file" => Ok(Self::File(bytes)),
            "values" => Ok(Self::Values(bytes)),
            other => Err(PyValueError::new_err(format!("no kind of witness: {other}"))),
        }
    }
}

impl Given {
    /// Reads the witness, under this name for errors. Values are of `curve`.
    pub fn read(self, name: String, curve: Curve) -> groth16::Result<Witness> {
        match self {
            Self::Path(path) => Witness::open(path),
            Self::File(bytes) => Witness::from_bytes(name, bytes),
            Self::Values(values) => Witness::from_values(curve, values),
        }
    }
}
