//! Bytes that go into a request: brought along, or parked near the engine before.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::{Error, Result};

/// Input bytes of a request. Only their number is shown for debugging: they may be a witness.
#[derive(Clone)]
pub enum Data {
    /// Travels with the request.
    Here(Arc<[u8]>),
    /// Was parked on the device that gets the request; on any other device it is refused.
    Parked(Parked),
}

/// Bytes kept near an engine, until the last clone of this handle is dropped.
#[derive(Clone)]
pub struct Parked {
    device: u64,
    bytes: Arc<[u8]>,
}

impl Parked {
    /// For devices: an identity that no other device of this process has.
    pub fn fresh_identity() -> u64 {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        NEXT.fetch_add(1, Ordering::Relaxed)
    }

    /// For devices: hands out a handle to `bytes` on the device with this identity.
    pub fn new(device: u64, bytes: Arc<[u8]>) -> Self {
        Self { device, bytes }
    }

    /// Length in bytes.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// True for a handle to no bytes.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }
}

impl Data {
    /// Length in bytes.
    pub fn len(&self) -> usize {
        match self {
            Self::Here(bytes) => bytes.len(),
            Self::Parked(parked) => parked.len(),
        }
    }

    /// True for no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// For devices: the bytes, when this device (by its identity) may read them.
    pub fn on(&self, device: u64) -> Result<&Arc<[u8]>> {
        match self {
            Self::Here(bytes) => Ok(bytes),
            Self::Parked(parked) if parked.device == device => Ok(&parked.bytes),
            Self::Parked(_) => Err(Error::argument("data", "parked on another device")),
        }
    }
}

impl fmt::Debug for Data {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Here(bytes) => write!(f, "Here({} bytes)", bytes.len()),
            Self::Parked(parked) => parked.fmt(f),
        }
    }
}

impl fmt::Debug for Parked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Parked({} bytes)", self.len())
    }
}

impl From<Vec<u8>> for Data {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Here(bytes.into())
    }
}

impl From<&[u8]> for Data {
    fn from(bytes: &[u8]) -> Self {
        Self::Here(bytes.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_not_shown() {
        let here = Data::from(vec![0xab; 3]);
        let parked = Data::Parked(Parked::new(1, vec![0xab; 4].into()));
        assert_eq!(format!("{here:?} {parked:?}"), "Here(3 bytes) Parked(4 bytes)");
    }
}
