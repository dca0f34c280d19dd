//! The parameters of Sapling, from the ceremony of 2018.

use std::path::Path;
use std::sync::Arc;

use blake2b_simd::blake2b;
use proofmill_proof::bellman::{Constraints, Key, Parameters};
use sapling_crypto::circuit::{Output, Spend};

use crate::circuit::Blank;
use crate::{Circuit, Error, Result};

impl Circuit {
    /// The length of the file and its BLAKE2b-512 hash, as in `zcash_proofs`.
    fn file(self) -> (u64, &'static str) {
        match self {
            Self::Spend => (
                47_958_396,
                "8270785a1a0d0bc77196f000ee6d221c9c9894f55307bd9357c3f0105d31ca63\
                 991ab91324160d8f53e2bbd3c2633a6eb8bdf5205d822e7f3f73edac51b2b70c",
            ),
            Self::Output => (
                3_592_860,
                "657e3d38dbb5cb5e7dd2970e8b03d69b4787dd907285b5a7f0790dcc8072f60b\
                 f593b32cc2d1c030e00ff5ae64bf84c5c3beb84ddc841d48264b4a171744d028",
            ),
        }
    }
}

/// The paths of the two files.
#[derive(Clone, Copy, Debug)]
pub struct SaplingPaths<'a> {
    /// `sapling-spend.params`.
    pub spend: &'a Path,
    /// `sapling-output.params`.
    pub output: &'a Path,
}

/// The parameters of both circuits with their constraints. Clones share the memory.
#[derive(Clone, Debug)]
pub struct SaplingParameters {
    pub(crate) spend: Parts,
    pub(crate) output: Parts,
}

/// The key and the constraints of a circuit.
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    pub key: Key,
    pub constraints: Arc<Constraints>,
}

impl SaplingParameters {
    /// Reads the files. Checks their lengths, their hashes and their points, and records the constraints of the circuits.
    pub fn open(paths: SaplingPaths<'_>) -> Result<Self> {
        let spend = Parameters::open(paths.spend)?;
        let output = || Parameters::open(paths.output);
        Ok(Self { spend: checked::<Spend>(&spend)?, output: checked::<Output>(&output()?)? })
    }

    /// Reads the contents of the files, with the checks of [`Self::open`].
    pub fn from_bytes(spend: Arc<[u8]>, output: Arc<[u8]>) -> Result<Self> {
        let spend = Parameters::from_bytes("sapling-spend.params", spend)?;
        let output = Parameters::from_bytes("sapling-output.params", output)?;
        Ok(Self { spend: checked::<Spend>(&spend)?, output: checked::<Output>(&output)? })
    }
}

/// Checks a file and builds the key of a circuit.
fn checked<C: Blank>(parameters: &Parameters) -> Result<Parts> {
    let (file, circuit) = (parameters.name().to_owned(), C::CIRCUIT);
    let ((length, expected), found) = (circuit.file(), parameters.bytes().len() as u64);
    if found != length {
        return Err(Error::Length { file, circuit, found, expected: length });
    }
    let found = blake2b(parameters.bytes()).to_hex();
    if &*found != expected {
        return Err(Error::Hash { file, circuit, found: found.to_string(), expected });
    }
    let constraints = Arc::new(C::constraints()?);
    Ok(Parts { key: Key::new(parameters, &constraints)?, constraints })
}
