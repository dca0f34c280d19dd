//! The native half of the Python package `proofmill`: bytes in, bytes out, without the lock of the interpreter while
//! anything is computed. What users see is written in Python, in `python/proofmill`.

mod device;
mod errors;
mod logs;
mod pairing;
mod prover;

use pyo3::prelude::*;

/// The native half of proofmill.
#[pymodule(gil_used = false)]
mod _native {
    #[pymodule_export]
    use super::device::{Bases, Device, devices};
    #[pymodule_export]
    use super::pairing::{bls_find_invalid, pairing};
    #[pymodule_export]
    use super::prover::{Prover, verify};

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        logs::start(module.py())?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
