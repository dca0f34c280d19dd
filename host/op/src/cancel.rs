//! A [`Cancel`] gives up work from outside: a proof, a batch of them.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::{Error, Result};

/// What ends when it is told to.
pub(crate) trait Stop: Send + Sync {
    /// Ends now; nothing, if it has ended.
    fn stop(&self);
}

/// A word from outside that work is no longer wanted. Clones are the same one; it is said once and for all.
///
/// Work looks at it between two of its pieces, and whoever waits for a ticket that it covers ([`Ticket::covered_by`](crate::Ticket::covered_by)) is woken.
#[derive(Clone, Default)]
pub struct Cancel(Arc<Inner>);

#[derive(Default)]
struct Inner {
    said: AtomicBool,
    covered: Mutex<Vec<Weak<dyn Stop>>>,
}

impl Inner {
    fn covered(&self) -> MutexGuard<'_, Vec<Weak<dyn Stop>>> {
        self.covered.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Cancel {
    /// One that nobody has said yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Says it.
    pub fn cancel(&self) {
        self.0.said.store(true, Ordering::SeqCst);
        let covered = std::mem::take(&mut *self.0.covered());
        covered.iter().filter_map(Weak::upgrade).for_each(|it| it.stop());
    }

    /// Has it been said?
    pub fn is_cancelled(&self) -> bool {
        self.0.said.load(Ordering::Relaxed)
    }

    /// [`Error::Cancelled`] if it has been said.
    pub fn go_on(&self) -> Result<()> {
        if self.is_cancelled() { Err(Error::Cancelled) } else { Ok(()) }
    }

    /// From now on this ends too, at once if it has been said.
    pub(crate) fn covers(&self, it: Weak<dyn Stop>) {
        let mut covered = self.0.covered();
        covered.retain(|other| other.strong_count() > 0);
        covered.push(it);
        drop(covered);
        if self.0.said.load(Ordering::SeqCst) {
            self.cancel();
        }
    }
}

impl fmt::Debug for Cancel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Cancel").field(&self.is_cancelled()).finish()
    }
}
