//! Progress and cancellation of a proof.

use std::sync::Arc;

use proofmill_op::{Cancel, Device, RequestOf, ResponseOf, Result, Submit};

use super::report::Step;

/// Receives the progress of a proof with steps S and can cancel it.
#[derive(Clone)]
#[non_exhaustive]
pub struct Control<S = Step> {
    /// The progress callback.
    pub progress: Option<Arc<dyn Fn(S, f64) + Send + Sync>>,
    /// Cancels the proof: it ends with [`Error::Cancelled`](proofmill_op::Error::Cancelled) within some tens of milliseconds.
    pub cancel: Cancel,
}

impl<S> Control<S> {
    /// Returns a control without callback, whose signal is not set.
    pub fn none() -> Self {
        Self { progress: None, cancel: Cancel::default() }
    }

    /// Returns the control with this progress callback.
    pub fn with_progress(self, progress: Arc<dyn Fn(S, f64) + Send + Sync>) -> Self {
        Self { progress: Some(progress), ..self }
    }

    /// Returns the control with this cancellation signal.
    pub fn with_cancel(self, cancel: Cancel) -> Self {
        Self { cancel, ..self }
    }
}

impl<S> Default for Control<S> {
    fn default() -> Self {
        Self::none()
    }
}

/// The threads that execute requests of `cpu:`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Executor {
    /// Those of the device: one proof at a time, on all of them.
    Device,
    /// The caller's rayon pool: several proofs in parallel.
    Caller,
}

impl Executor {
    /// Executes a request and returns its response.
    pub fn execute<R: RequestOf>(
        self,
        device: &dyn Device,
        request: R,
        cancel: &Cancel,
    ) -> Result<ResponseOf<R>>
    where
        ResponseOf<R>: Send,
    {
        match self {
            Self::Device => device.submit(request)?.linked_to(cancel).wait(),
            Self::Caller => device.execute(request, cancel),
        }
    }
}
