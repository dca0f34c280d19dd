//! Keys of either protocol: the file names it.

use std::path::Path;

use super::container::Container;
use super::json::read_any_verifying_key;
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
        let source = Source::open(path.as_ref())?;
        let container = Container::open(source.clone(), &zkey::FORMAT)?;
        match protocol(container.section(1)?, &[GROTH16, PLONK])? {
            PLONK => plonk::Zkey::read(source).map(Self::Plonk),
            _ => Zkey::read(source).map(Self::Groth16),
        }
    }

    /// Returns BLAKE2b-512 of the file: what `b2sum` prints.
    pub fn digest(&self) -> [u8; 64] {
        let source = match self {
            Self::Groth16(key) => key.source(),
            Self::Plonk(key) => key.source(),
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
