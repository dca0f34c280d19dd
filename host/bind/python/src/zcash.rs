//! Zcash blocks.

use std::sync::Mutex;

use proofmill_zcash::{Block, BlockReader, BlockVerifier, out_point, output};
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
    fn add_output(&self, txid: &str, index: u32, value: u64, script: Vec<u8>) -> PyResult<()> {
        let add = || -> Outcome<_> {
            let (point, output) = (out_point(txid, index)?, output(value, script)?);
            Ok(self.0.lock().expect("no holder panics").add_output(point, output))
        };
        Ok(add()?)
    }

    /// Verifies blocks that follow one after the other. Returns a report of each, as JSON.
    fn verify(&self, py: Python<'_>, blocks: PyBuffer<u8>) -> PyResult<Vec<String>> {
        let bytes = blocks.to_vec(py)?;
        let reports: Outcome<_> = unlocked(py, || {
            let mut verifier = self.0.lock().expect("no holder panics");
            let blocks = BlockReader::new(&bytes[..], verifier.network());
            let blocks: Vec<Block> = blocks.collect::<Result<_, _>>()?;
            let reports = verifier.verify(blocks)?;
            let json = reports.iter().map(|report| {
                serde_json::to_string(report).map_err(|error| Failure::argument("blocks", error))
            });
            json.collect()
        });
        Ok(reports?)
    }
}
