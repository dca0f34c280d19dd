//! Keys of any protocol: the file names it.

use std::path::Path;

use super::container::Container;
use super::json::{FFLONK as FFLONK_WORD, PLONK as PLONK_WORD, read_any_verifying_key};
use super::source::Source;
use super::zkey::header::{FFLONK, GROTH16, PLONK, protocol};
use super::{Zkey, fflonk, plonk, verifying_key, zkey};
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
