//! The two halves of the scalars' channel.

use std::sync::{Arc, Mutex, PoisonError};

use super::geometry::Geometry;

/// The halves of the scalars' channel: one is read by a run while the other is filled for the next.
#[derive(Debug)]
pub struct Halves {
    half: u64,
    free: Mutex<[bool; 2]>,
}

impl Halves {
    /// Of a channel with so many bytes.
    pub fn new(bytes: u64) -> Arc<Self> {
        let granule = Geometry::GRANULE as u64;
        Arc::new(Self { half: bytes / (2 * granule) * granule, free: Mutex::new([true; 2]) })
    }

    /// One that is free.
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
    /// Where it begins.
    pub fn address(&self) -> u64 {
        self.number as u64 * self.of.half
    }
}

impl Drop for Half {
    fn drop(&mut self) {
        self.of.free.lock().unwrap_or_else(PoisonError::into_inner)[self.number] = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
