//! Reservations of GPU memory: a request waits for memory that others hold instead of failing.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use proofmill_op::{Error, Result};

/// The interval at which a waiting request checks for cancellation.
const SLICE: Duration = Duration::from_millis(5);

/// The memory of a GPU.
pub(crate) struct Budget {
    total: usize,
    used: Mutex<Used>,
    released: Condvar,
}

#[derive(Default)]
struct Used {
    /// Bytes of resident data.
    resident: usize,
    /// Bytes of requests in flight.
    working: usize,
}

/// A part of the memory, until it is dropped.
pub(crate) struct Reservation {
    budget: Arc<Budget>,
    bytes: usize,
    is_resident: bool,
}

impl Budget {
    /// Creates the budget of a GPU with `total` bytes.
    pub fn new(total: usize) -> Arc<Self> {
        Arc::new(Self { total, used: Mutex::default(), released: Condvar::new() })
    }

    fn lock(&self) -> MutexGuard<'_, Used> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the bytes that requests may use together: those that are not resident.
    pub fn available(&self) -> usize {
        self.total - self.lock().resident
    }

    /// Reserves bytes for resident data. The error contains the free bytes, if they are too few.
    pub fn resident(self: &Arc<Self>, bytes: usize) -> std::result::Result<Reservation, usize> {
        let mut used = self.lock();
        let free = self.total.saturating_sub(used.resident + used.working);
        if bytes > free {
            return Err(free);
        }
        used.resident += bytes;
        Ok(Reservation { budget: self.clone(), bytes, is_resident: true })
    }

    /// Reserves bytes for a request, and waits while other requests have them. The outer error is a cancellation, the inner one has the bytes that there are
    /// at most.
    pub fn working(
        self: &Arc<Self>,
        bytes: usize,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<std::result::Result<Reservation, usize>> {
        let mut used = self.lock();
        loop {
            let most = self.total.saturating_sub(used.resident);
            if bytes > most {
                return Ok(Err(most));
            }
            if bytes <= most.saturating_sub(used.working) {
                used.working += bytes;
                return Ok(Ok(Reservation { budget: self.clone(), bytes, is_resident: false }));
            }
            if cancelled() {
                return Err(Error::Cancelled);
            }
            used = match self.released.wait_timeout(used, SLICE) {
                Ok((used, _)) => used,
                Err(poisoned) => poisoned.into_inner().0,
            };
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut used = self.budget.lock();
        let part = if self.is_resident { &mut used.resident } else { &mut used.working };
        *part -= self.bytes;
        self.budget.released.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excess_is_refused_and_memory_in_use_is_awaited() {
        let budget = Budget::new(100);
        let never = || false;
        let resident = budget.resident(40).unwrap();
        assert_eq!(budget.resident(61).err(), Some(60));
        assert_eq!(budget.working(61, &never).unwrap().err(), Some(60));
        let working = budget.working(50, &never).unwrap().unwrap();
        assert_eq!(budget.resident(11).err(), Some(10));
        assert!(matches!(budget.working(20, &|| true), Err(Error::Cancelled)));
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| budget.working(20, &never).unwrap().is_ok());
            std::thread::sleep(Duration::from_millis(20));
            drop(working);
            assert!(waiting.join().unwrap());
        });
        drop(resident);
        assert_eq!(budget.available(), 100);
    }
}
