//! Keys of either protocol: the file names it.

use std::path::Path;

use proofmill_op::msm::Curve;

use super::container::Container;
use super::json::{protocol_of, read, read_any_verifying_key};
use super::source::Source;
use super::zkey::header::{GROTH16, PLONK, protocol};
use super::{Zkey, plonk, proof, verifying_key, zkey};
use crate::Result;

/// A proving key.
#[derive(Clone, Debug)]
pub enum AnyZkey {
    /// For Groth16.
    Groth16(Zkey),
    /// For PLONK.
    Plonk(plonk::Zkey),
}

impl AnyZkey {
    /// Maps a file, with the checks of [`Zkey::open`] and [`plonk::Zkey::open`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let source = Source::open(path.as_ref())?;
        let container = Container::open(source.clone(), &zkey::FORMAT)?;
        match protocol(container.section(1)?, &[GROTH16, PLONK])? {
            PLONK => plonk::Zkey::read(source).map(Self::Plonk),
            _ => Zkey::read(source).map(Self::Groth16),
        }
    }
}

/// A verifying key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnyVerifyingKey {
    /// For Groth16.
    Groth16(crate::groth16::VerifyingKey),
    /// For PLONK.
    Plonk(crate::plonk::VerifyingKey),
}

impl AnyVerifyingKey {
    /// Reads a file, with the checks of [`verifying_key::open`] and [`plonk::verifying_key::open`]. A file without a protocol is read as a key for
    /// Groth16.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let (name, bytes, is_plonk) = read_any_verifying_key(path.as_ref())?;
        match is_plonk {
            true => plonk::verifying_key::parse(&name, &bytes).map(Self::Plonk),
            false => verifying_key::parse(&name, &bytes).map(Self::Groth16),
        }
    }
}

/// Takes the verifying key from a proving key.
impl TryFrom<&AnyZkey> for AnyVerifyingKey {
    type Error = crate::Error;

    fn try_from(key: &AnyZkey) -> Result<Self> {
        Ok(match key {
            AnyZkey::Groth16(key) => Self::Groth16(key.verifying_key()?),
            AnyZkey::Plonk(key) => Self::Plonk(key.verifying_key()),
        })
    }
}

/// A proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnyProof {
    /// Of Groth16.
    Groth16(crate::groth16::Proof),
    /// Of PLONK.
    Plonk(Box<crate::plonk::Proof>),
}

impl AnyProof {
    /// Reads a file, with the checks of [`proof::open`] and [`plonk::proof::open`]. A file without a protocol is read as a proof of Groth16.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let (name, bytes) = read(path.as_ref(), proof::MAX_BYTES)?;
        Self::parse(&name, &bytes)
    }

    /// Reads bytes, under a name for errors, with the checks of [`AnyProof::open`].
    pub fn parse(name: &str, bytes: &[u8]) -> Result<Self> {
        match protocol_of(name, bytes, proof::MAX_BYTES)?.as_deref() {
            Some("plonk") => {
                plonk::proof::parse(name, bytes).map(|proof| Self::Plonk(Box::new(proof)))
            }
            _ => proof::parse(name, bytes).map(Self::Groth16),
        }
    }

    /// Returns the curve.
    pub fn curve(&self) -> Curve {
        match self {
            Self::Groth16(proof) => proof.curve,
            Self::Plonk(proof) => proof.curve,
        }
    }
}
