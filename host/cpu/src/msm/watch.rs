//! Progress out, cancellation in.

use std::sync::atomic::{AtomicUsize, Ordering};

use proofmill_op::msm::Progress;

/// How far one of several sums is.
pub(super) struct Watch<'a> {
    pub progress: Option<&'a Progress>,
    /// What is done before this sum, and how much it is of all.
    pub finished: f64,
    pub share: f64,
    /// Digits of this sum, and those that were read.
    pub total: usize,
    pub done: AtomicUsize,
    pub cancelled: &'a (dyn Fn() -> bool + Sync),
}

impl Watch<'_> {
    /// Counts digits that were read. No if the work is to stop.
    pub fn go_on(&self, digits: usize) -> bool {
        let done = self.done.fetch_add(digits, Ordering::Relaxed);
        self.say(done as f64 / self.total.max(1) as f64);
        !(self.cancelled)()
    }

    /// Tells that this part of the sum is done.
    pub fn say(&self, part: f64) {
        if let Some(Progress(function)) = self.progress {
            function(self.finished + self.share * part);
        }
    }
}
