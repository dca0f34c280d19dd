//! The free parts of a card's memory, the same in several of its channels.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes of a write, and what addresses are multiples of.
const GRANULE: u64 = 1024;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The free parts of the channels.
#[derive(Debug)]
pub struct Memory(Mutex<Vec<Gap>>);

/// Granules that are free, between such as are not: the first and the one after the last.
type Gap = (u64, u64);

impl Memory {
    /// Returns memory that is all free.
    pub fn new(bytes: u64) -> Arc<Self> {
        Arc::new(Self(Mutex::new(vec![(0, bytes / GRANULE)])))
    }

    /// Takes the first part that is large enough; otherwise returns the bytes of the largest one.
    pub fn take(self: &Arc<Self>, bytes: u64) -> Result<Region, u64> {
        let granules = bytes.div_ceil(GRANULE);
        let mut gaps = lock(&self.0);
        let Some(gap) = gaps.iter_mut().find(|(start, end)| end - start >= granules) else {
            let largest = gaps.iter().map(|(start, end)| end - start).max().unwrap_or(0);
            return Err(largest * GRANULE);
        };
        let start = gap.0;
        gap.0 += granules;
        gaps.retain(|(start, end)| start < end);
        Ok(Region { memory: self.clone(), start, granules })
    }

    fn give_back(&self, start: u64, granules: u64) {
        if granules == 0 {
            return;
        }
        let mut gaps = lock(&self.0);
        let at = gaps.partition_point(|gap| gap.0 < start);
        gaps.insert(at, (start, start + granules));
        gaps.dedup_by(|next, gap| {
            let touch = gap.1 == next.0;
            if touch {
                gap.1 = next.1;
            }
            touch
        });
    }
}

/// A part of the memory; free again when dropped.
#[derive(Debug)]
pub struct Region {
    memory: Arc<Memory>,
    start: u64,
    granules: u64,
}

impl Region {
    /// Returns the address of its first byte.
    pub fn address(&self) -> u64 {
        self.start * GRANULE
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        self.memory.give_back(self.start, self.granules);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_do_not_overlap_and_come_back_in_any_order() {
        let memory = Memory::new(8 * 1024 + 1023);
        let [a, b, c] = [1, 2048, 1024].map(|bytes| memory.take(bytes).unwrap());
        assert_eq!([&a, &b, &c].map(Region::address), [0, 1024, 3072]);
        assert_eq!(memory.take(4097).unwrap_err(), 4096);
        drop(b);
        assert_eq!(memory.take(2049).unwrap().address(), 4096);
        assert_eq!(memory.take(2048).unwrap().address(), 1024);
        assert_eq!(memory.take(0).unwrap().address(), 1024);
        drop(a);
        drop(c);
        assert_eq!(memory.take(8 * 1024).unwrap().address(), 0);
        assert_eq!(lock(&memory.0)[..], [(0, 8)]);
    }
}
