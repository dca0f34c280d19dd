//! The two halves of the scalars' channel, and its reserve for scalars that the card computes.

use std::sync::{Arc, Mutex, PoisonError};

use proofmill_op::msm::SCALAR_BYTES;
use proofmill_op::{Argument, Error, Result};

use super::geometry::Geometry;
use crate::driver::regions::{Memory, Region};

/// The halves of the scalars' channel: one is read by a run while the other is filled for the next.
#[derive(Debug)]
pub struct Halves {
    half: u64,
    free: Mutex<[bool; 2]>,
}

impl Halves {
    /// Returns the halves of a channel with `bytes` bytes.
    pub fn new(bytes: u64) -> Arc<Self> {
        let granule = Geometry::GRANULE as u64;
        Arc::new(Self { half: bytes / (2 * granule) * granule, free: Mutex::new([true; 2]) })
    }

    /// Takes a half that is free.
    pub fn take(self: &Arc<Self>) -> Option<Half> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let number = free.iter().position(|&free| free)?;
        free[number] = false;
        Some(Half { of: self.clone(), number })
    }
}

/// Half of the scalars' channel; free again when dropped.
#[derive(Debug)]
pub struct Half {
    of: Arc<Halves>,
    number: usize,
}

impl Half {
    /// Returns the address of its first byte.
    pub fn address(&self) -> u64 {
        self.number as u64 * self.of.half
    }
}

impl Drop for Half {
    fn drop(&mut self) {
        self.of.free.lock().unwrap_or_else(PoisonError::into_inner)[self.number] = true;
    }
}

/// Scalars that the card computed and that are resident there until this is dropped.
#[derive(Debug)]
pub struct Scalars {
    region: Region,
    base: u64,
    /// Their number.
    pub count: usize,
}

impl Scalars {
    /// Returns the address of the first one.
    pub fn address(&self) -> u64 {
        self.base + self.region.address()
    }
}

/// The part of the scalars' channel for such scalars.
#[derive(Debug)]
pub struct Reserve {
    base: u64,
    memory: Arc<Memory>,
}

impl Reserve {
    /// Returns a reserve of `bytes` bytes from an address on.
    pub fn new(base: u64, bytes: u64) -> Self {
        Self { base, memory: Memory::new(bytes) }
    }

    /// Takes memory for `count` scalars.
    pub fn take(&self, count: usize) -> Result<Scalars> {
        let region = self.memory.take((count * SCALAR_BYTES) as u64).map_err(|free| {
            let most = free / SCALAR_BYTES as u64;
            let problem = format!("{count} scalars, where the card's memory holds {most}");
            Error::argument(Argument::ResidentFor, problem)
        })?;
        Ok(Scalars { region, base: self.base, count })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_are_resident_while_memory_is_free() {
        let reserve = Reserve::new(1 << 30, 4096);
        let one = reserve.take(64).unwrap();
        assert_eq!(
            [one.address(), reserve.take(33).unwrap().address()],
            [1 << 30, (1 << 30) + 2048]
        );
        let problem = reserve.take(65).unwrap_err().to_string();
        assert_eq!(problem, "resident_for: 65 scalars, where the card's memory holds 64");
        drop(one);
        assert_eq!(reserve.take(128).unwrap().address(), 1 << 30);
    }

    #[test]
    fn there_are_two_halves() {
        let halves = Halves::new(5 * 1024);
        let [one, two] = [halves.take().unwrap(), halves.take().unwrap()];
        assert_eq!((one.address(), two.address()), (0, 2048));
        assert!(halves.take().is_none());
        drop(one);
        assert_eq!(halves.take().unwrap().address(), 0);
    }
}
