//! The native half of the Python package `proofmill`: bytes in, bytes out, without the lock of the interpreter during computations. The
//! public interface is written in Python, in `python/proofmill`.

mod calculator;
mod device;
mod errors;
mod logs;
mod pairing;
mod prover;
mod verifier;
mod witness;
mod zcash;

use pyo3::prelude::*;

/// The native half of proofmill.
#[pymodule(gil_used = false)]
mod _native {
    #[pymodule_export]
    use super::calculator::Calculator;
    #[pymodule_export]
    use super::device::{Bases, Device, devices, equihash_header_bytes, field_bytes, vdf_verify};
    #[pymodule_export]
    use super::pairing::{bls_find_invalid, pairing};
    #[pymodule_export]
    use super::prover::Prover;
    #[pymodule_export]
    use super::verifier::VerifyingKey;
    #[pymodule_export]
    use super::zcash::ZcashVerifier;

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        logs::start(module.py())?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
