//! Keys of any protocol: the file names it.

use std::path::Path;
use std::sync::Arc;

use proofmill_op::msm::Curve;

use super::container::Container;
use super::json::{FFLONK as FFLONK_WORD, PLONK as PLONK_WORD, protocol_of, read};
use super::source::Source;
use super::zkey::header::{FFLONK, GROTH16, PLONK, protocol};
use super::{Zkey, fflonk, plonk, verifying_key, zkey};
use crate::Result;

/// A proving key; clones share the file's bytes.
#[derive(Clone, Debug)]
pub enum AnyZkey {
    /// For Groth16.
    Groth16(Zkey),
    /// For PLONK.
    Plonk(plonk::Zkey),
    /// For FFLONK.
    Fflonk(fflonk::Zkey),
}

/// Calls a method that the keys of all protocols have.
macro_rules! of_each {
    ($any:expr, $key:ident => $value:expr) => {
        match $any {
            Self::Groth16($key) => $value,
            Self::Plonk($key) => $value,
            Self::Fflonk($key) => $value,
        }
    };
}

impl AnyZkey {
    /// Maps a file, with the checks of [`Zkey::open`], [`plonk::Zkey::open`] and [`fflonk::Zkey::open`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::read(Source::open(path.as_ref())?)
    }

    /// Reads bytes in memory, under a name for errors, with the checks of [`AnyZkey::open`].
    pub fn from_bytes(name: impl Into<String>, bytes: Arc<[u8]>) -> Result<Self> {
        Self::read(Source::new(name, bytes.into()))
    }

    fn read(source: Source) -> Result<Self> {
        let container = Container::open_up_to(source.clone(), &zkey::FORMAT, Some(1))?;
        match protocol(container.section(1)?, &[GROTH16, PLONK, FFLONK])? {
            PLONK => plonk::Zkey::read(source).map(Self::Plonk),
            FFLONK => fflonk::Zkey::read(source).map(Self::Fflonk),
            _ => Zkey::read(source).map(Self::Groth16),
        }
    }

    /// Returns BLAKE2b-512 of the file: what `b2sum` prints.
    pub fn digest(&self) -> [u8; 64] {
        let source = of_each!(self, key => key.source());
        *blake2b_simd::blake2b(source.bytes()).as_array()
    }

    /// Returns its name in errors.
    pub fn name(&self) -> &str {
        of_each!(self, key => key.name())
    }

    /// Returns the curve.
    pub fn curve(&self) -> Curve {
        of_each!(self, key => key.curve())
    }

    /// Returns the number of values of a witness, including the constant 1.
    pub fn witness_values(&self) -> usize {
        of_each!(self, key => key.witness_values())
    }

    /// Returns the number of public inputs.
    pub fn public_inputs(&self) -> usize {
        of_each!(self, key => key.public_inputs())
    }

    /// Returns the verifying key.
    pub fn verifying_key(&self) -> Result<AnyVerifyingKey> {
        Ok(match self {
            Self::Groth16(key) => AnyVerifyingKey::Groth16(key.verifying_key()?),
            Self::Plonk(key) => AnyVerifyingKey::Plonk(key.verifying_key()),
            Self::Fflonk(key) => AnyVerifyingKey::Fflonk(key.verifying_key()),
        })
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
        let (name, bytes) = read(path.as_ref(), verifying_key::MAX_BYTES)?;
        Self::parse(&name, &bytes)
    }

    /// Reads bytes, under a name for errors, with the checks of [`AnyVerifyingKey::open`].
    pub fn parse(name: &str, bytes: &[u8]) -> Result<Self> {
        match protocol_of(name, bytes, verifying_key::MAX_BYTES)?.as_deref() {
            Some(PLONK_WORD) => plonk::verifying_key::parse(name, bytes).map(Self::Plonk),
            Some(FFLONK_WORD) => fflonk::verifying_key::parse(name, bytes).map(Self::Fflonk),
            _ => verifying_key::parse(name, bytes).map(Self::Groth16),
        }
    }

    /// Formats the file of a key. Returns an error if the length of a point does not fit the curve.
    pub fn text(&self) -> Result<String> {
        match self {
            Self::Groth16(key) => verifying_key::text(key),
            Self::Plonk(key) => plonk::verifying_key::text(key),
            Self::Fflonk(key) => fflonk::verifying_key::text(key),
        }
    }

    /// Returns the curve.
    pub fn curve(&self) -> Curve {
        match self {
            Self::Groth16(key) => key.curve,
            Self::Plonk(key) => key.curve,
            Self::Fflonk(key) => key.curve(),
        }
    }

    /// Returns the number of public inputs.
    pub fn public_inputs(&self) -> usize {
        match self {
            Self::Groth16(key) => key.public_inputs(),
            Self::Plonk(key) => key.public_inputs,
            Self::Fflonk(key) => key.public_inputs,
        }
    }
}
