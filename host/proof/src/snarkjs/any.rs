//! Keys of either protocol: the file names it.

use std::path::Path;
use std::sync::Arc;

use super::container::Container;
use super::json::{is_plonk, read_verifying_key};
use super::source::Source;
use super::zkey::header::{GROTH16, PLONK, protocol};
use super::{Zkey, plonk, verifying_key, zkey};
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
        Self::read(Source::open(path.as_ref())?)
    }

    /// Reads bytes in memory, under a name for errors, with the checks of [`AnyZkey::open`].
    pub fn from_bytes(name: impl Into<String>, bytes: Arc<[u8]>) -> Result<Self> {
        Self::read(Source::new(name, bytes.into()))
    }

    fn read(source: Source) -> Result<Self> {
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
        let (name, bytes) = read_verifying_key(path.as_ref())?;
        Self::parse(&name, &bytes)
    }

    /// Reads bytes, under a name for errors, with the checks of [`AnyVerifyingKey::open`].
    pub fn parse(name: &str, bytes: &[u8]) -> Result<Self> {
        match is_plonk(name, bytes)? {
            true => plonk::verifying_key::parse(name, bytes).map(Self::Plonk),
            false => verifying_key::parse(name, bytes).map(Self::Groth16),
        }
    }
}
