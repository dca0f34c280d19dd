//! The bytes that a server may hold for its clients.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

pub struct Budget {
    most: u64,
    held: AtomicU64,
}

/// Reserved bytes, until it is dropped.
pub struct Hold {
    budget: Arc<Budget>,
    bytes: u64,
}

impl Budget {
    pub fn new(most: u64) -> Arc<Self> {
        Arc::new(Self { most, held: AtomicU64::new(0) })
    }

    /// Reserves `bytes` bytes, if they are available.
    pub fn take(self: &Arc<Self>, bytes: u64) -> Result<Hold, String> {
        let more = |held: u64| held.checked_add(bytes).filter(|&held| held <= self.most);
        match self.held.fetch_update(Ordering::SeqCst, Ordering::SeqCst, more) {
            Ok(_) => Ok(Hold { budget: self.clone(), bytes }),
            Err(held) => Err(format!(
                "{bytes} bytes more than the {held} that it holds; it holds at most {}",
                self.most
            )),
        }
    }

    pub fn held(&self) -> u64 {
        self.held.load(Ordering::SeqCst)
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.budget.held.fetch_sub(self.bytes, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_than_there_is() {
        let budget = Budget::new(10);
        let some = budget.take(7).unwrap_or_else(|problem| panic!("{problem}"));
        assert!(budget.take(4).is_err() && budget.take(u64::MAX).is_err());
        assert!(budget.take(3).is_ok());
        drop(some);
        assert!(budget.take(10).is_ok());
        assert_eq!(budget.held(), 0);
    }
}
