//! Keys of any protocol: the file names it.

use std::path::Path;

use proofmill_op::msm::Curve;

use super::container::Container;
use super::json::{
    FFLONK as FFLONK_WORD, PLONK as PLONK_WORD, protocol_of, read, read_any_verifying_key,
};
use super::source::Source;
use super::zkey::header::{FFLONK, GROTH16, PLONK, protocol};
use super::{Zkey, fflonk, plonk, proof, verifying_key, zkey};
use crate::Result;

/// A proving key.
#[derive(Clone, Debug)]
pub enum AnyZkey {
    /// For Groth16.
    Groth16(Zkey),
    /// For PLONK.
    Plonk(plonk::Zkey),
    /// For FFLONK.
    Fflonk(fflonk::Zkey),
}

impl AnyZkey {
    /// Maps a file, with the checks of [`Zkey::open`], [`plonk::Zkey::open`] and [`fflonk::Zkey::open`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let source = Source::open(path.as_ref())?;
        let container = Container::open(source.clone(), &zkey::FORMAT)?;
        match protocol(container.section(1)?, &[GROTH16, PLONK, FFLONK])? {
            PLONK => plonk::Zkey::read(source).map(Self::Plonk),
            FFLONK => fflonk::Zkey::read(source).map(Self::Fflonk),
            _ => Zkey::read(source).map(Self::Groth16),
        }
    }

    /// Returns BLAKE2b-512 of the file: what `b2sum` prints.
    pub fn digest(&self) -> [u8; 64] {
        let source = match self {
            Self::Groth16(key) => key.source(),
            Self::Plonk(key) => key.source(),
            Self::Fflonk(key) => key.source(),
        };
        *blake2b_simd::blake2b(source.bytes()).as_array()
    }
}

/// A verifying key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnyVerifyingKey {
    /// For Groth16.
    Groth16(crate::groth16::VerifyingKey),
    /// For PLONK.
    Plonk(crate::plonk::VerifyingKey),
    /// For FFLONK.
    Fflonk(crate::fflonk::VerifyingKey),
}

impl AnyVerifyingKey {
    /// Reads a file, with the checks of [`verifying_key::open`], [`plonk::verifying_key::open`] and [`fflonk::verifying_key::open`]. A file
    /// without a protocol is read as a key for Groth16.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let (name, bytes, protocol) = read_any_verifying_key(path.as_ref())?;
        match protocol.as_deref() {
            Some(PLONK_WORD) => plonk::verifying_key::parse(&name, &bytes).map(Self::Plonk),
            Some(FFLONK_WORD) => fflonk::verifying_key::parse(&name, &bytes).map(Self::Fflonk),
            _ => verifying_key::parse(&name, &bytes).map(Self::Groth16),
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
            AnyZkey::Fflonk(key) => Self::Fflonk(key.verifying_key()),
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
    /// Of FFLONK.
    Fflonk(Box<crate::fflonk::Proof>),
}

impl AnyProof {
    /// Reads a file, with the checks of [`proof::open`], [`plonk::proof::open`] and [`fflonk::proof::open`]. A file without a protocol is read as a proof of Groth16.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let (name, bytes) = read(path.as_ref(), proof::MAX_BYTES)?;
        Self::parse(&name, &bytes)
    }

    /// Reads bytes, under a name for errors, with the checks of [`AnyProof::open`].
    pub fn parse(name: &str, bytes: &[u8]) -> Result<Self> {
        match protocol_of(name, bytes, proof::MAX_BYTES)?.as_deref() {
            Some(PLONK_WORD) => plonk::proof::parse(name, bytes).map(Box::new).map(Self::Plonk),
            Some(FFLONK_WORD) => fflonk::proof::parse(name, bytes).map(Box::new).map(Self::Fflonk),
            _ => proof::parse(name, bytes).map(Self::Groth16),
        }
    }

    /// Returns the curve.
    pub fn curve(&self) -> Curve {
        match self {
            Self::Groth16(proof) => proof.curve,
            Self::Plonk(proof) => proof.curve,
            Self::Fflonk(_) => Curve::Bn254,
        }
    }
}
