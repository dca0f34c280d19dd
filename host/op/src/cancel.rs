//! A [`Cancel`] cancels work from outside: a request, a proof, a batch of proofs.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::{Error, Result};

/// Something that a [`Cancel`] ends.
pub(crate) trait Stop: Send + Sync {
    /// Ends now; does nothing if it has ended.
    fn stop(&self);
}

/// A cancellation signal. Clones share the signal; it is set once and never reset.
///
/// Work checks it between two pieces. A thread that waits for a ticket linked to it ([`Ticket::linked_to`](crate::Ticket::linked_to)) is woken.
#[derive(Clone, Default)]
pub struct Cancel(Arc<Inner>);

#[derive(Default)]
struct Inner {
    is_set: AtomicBool,
    linked: Mutex<Linked>,
}

#[derive(Default)]
struct Linked {
    tickets: Vec<Weak<dyn Stop>>,
    callbacks: Vec<Box<dyn FnOnce() + Send>>,
}

impl Inner {
    fn linked(&self) -> MutexGuard<'_, Linked> {
        self.linked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Cancel {
    /// Returns a signal that is not set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the signal, ends linked tickets and runs callbacks.
    pub fn cancel(&self) {
        self.0.is_set.store(true, Ordering::SeqCst);
        let Linked { tickets, callbacks } = std::mem::take(&mut *self.0.linked());
        tickets.iter().filter_map(Weak::upgrade).for_each(|ticket| ticket.stop());
        callbacks.into_iter().for_each(|callback| callback());
    }

    /// Returns whether the signal is set.
    pub fn is_cancelled(&self) -> bool {
        self.0.is_set.load(Ordering::Relaxed)
    }

    /// Returns [`Error::Cancelled`] if the signal is set.
    pub fn check(&self) -> Result<()> {
        if self.is_cancelled() { Err(Error::Cancelled) } else { Ok(()) }
    }

    /// Runs `callback` on the thread that sets the signal; at once if it is set.
    pub fn on_cancel(&self, callback: impl FnOnce() + Send + 'static) {
        self.0.linked().callbacks.push(Box::new(callback));
        self.catch_up();
    }

    /// Ends `ticket` when the signal is set; at once if it is set.
    pub(crate) fn link(&self, ticket: Weak<dyn Stop>) {
        let mut linked = self.0.linked();
        linked.tickets.retain(|other| other.strong_count() > 0);
        linked.tickets.push(ticket);
        drop(linked);
        self.catch_up();
    }

    fn catch_up(&self) {
        if self.0.is_set.load(Ordering::SeqCst) {
            self.cancel();
        }
    }
}

impl fmt::Debug for Cancel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Cancel").field(&self.is_cancelled()).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[test]
    fn callbacks_run_once_before_and_after() {
        let (cancel, count) = (Cancel::new(), Arc::new(AtomicUsize::new(0)));
        let counted = count.clone();
        cancel.on_cancel(move || {
            counted.fetch_add(1, Ordering::Relaxed);
        });
        assert_eq!(count.load(Ordering::Relaxed), 0);
        cancel.cancel();
        cancel.cancel();
        assert_eq!(count.load(Ordering::Relaxed), 1);
        let counted = count.clone();
        cancel.on_cancel(move || {
            counted.fetch_add(1, Ordering::Relaxed);
        });
        assert_eq!(count.load(Ordering::Relaxed), 2);
    }
}
