//! Progress and cancellation of an MSM.

use std::sync::atomic::{AtomicUsize, Ordering};

use proofmill_op::Progress;

/// Progress of one of several MSMs.
pub(super) struct Watch<'a> {
    pub progress: Option<&'a Progress>,
    /// The fraction of the request that is done before this MSM, and its own share.
    pub finished: f64,
    pub share: f64,
    /// Digits of this MSM, and those that were processed.
    pub total: usize,
    pub done: AtomicUsize,
    pub cancelled: &'a (dyn Fn() -> bool + Sync),
}

impl Watch<'_> {
    /// Adds processed digits. Returns false if the request was cancelled.
    pub fn advance(&self, digits: usize) -> bool {
        let done = self.done.fetch_add(digits, Ordering::Relaxed);
        self.report(done as f64 / self.total.max(1) as f64);
        !(self.cancelled)()
    }

    /// Reports that this fraction of the MSM is done.
    pub fn report(&self, part: f64) {
        self.progress
            .iter()
            .for_each(|progress| progress.report(self.finished + self.share * part));
    }
}
