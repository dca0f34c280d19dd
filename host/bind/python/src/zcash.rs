//! Zcash blocks.

use std::sync::{Mutex, MutexGuard, PoisonError};

use proofmill_zcash::{BlockReader, BlockVerifier, out_point, output};
use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;

use crate::errors::{Failure, Outcome};
use crate::logs::{Unlocked, unlocked};

/// A verifier of the blocks of one network.
#[pyclass(frozen, module = "proofmill._native")]
pub struct ZcashVerifier(Unlocked<Mutex<BlockVerifier>>);

impl From<proofmill_zcash::Error> for Failure {
    fn from(error: proofmill_zcash::Error) -> Self {
        match error {
            proofmill_zcash::Error::Device(error) => error.into(),
            proofmill_zcash::Error::Proof(error) => error.into(),
            other => Self::argument("blocks", other),
        }
    }
}

impl ZcashVerifier {
    /// A panic leaves the verifier as it was before a group of blocks.
    fn lock(&self) -> MutexGuard<'_, BlockVerifier> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl ZcashVerifier {
    #[new]
    fn new(py: Python<'_>, uri: &str, network: &str) -> PyResult<Self> {
        let verifier: Outcome<_> = unlocked(py, || {
            let network = proofmill_zcash::network(network)?;
            Ok(BlockVerifier::new(proofmill::open(uri)?.into(), network))
        });
        Ok(Self(Unlocked::new(Mutex::new(verifier?))))
    }

    /// Adds an output that blocks spend.
    fn add_output(
        &self,
        py: Python<'_>,
        txid: &str,
        index: u32,
        value: u64,
        script: Vec<u8>,
    ) -> PyResult<()> {
        let added: Outcome<_> = unlocked(py, || {
            let (point, output) = (out_point(txid, index)?, output(value, script)?);
            self.lock().add_output(point, output);
            Ok(())
        });
        Ok(added?)
    }

    /// Verifies blocks that follow one after the other. Returns for each its report as JSON, or why it is malformed.
    fn verify(&self, py: Python<'_>, blocks: PyBuffer<u8>) -> PyResult<Vec<(bool, String)>> {
        let bytes = blocks.to_vec(py)?;
        let reports: Outcome<_> = unlocked(py, || {
            let mut verifier = self.lock();
            let blocks = BlockReader::new(&bytes[..], verifier.network());
            let mut reports = Vec::new();
            verifier.verify_each(blocks, |report| {
                reports.push(match report {
                    Ok(report) => match serde_json::to_string(&report) {
                        Ok(json) => (true, json),
                        Err(problem) => (false, problem.to_string()),
                    },
                    Err(problem) => (false, problem.to_string()),
                });
            })?;
            Ok(reports)
        });
        Ok(reports?)
    }
}
