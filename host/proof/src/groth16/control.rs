//! Progress and cancellation of a proof.

use proofmill_op::{Cancel, Device, RequestOf, ResponseOf, Result, Submit};

use super::report::StepProgress;

/// Receives the progress of a proof and can cancel it.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct Control {
    /// The progress callback.
    pub progress: Option<StepProgress>,
    /// Cancels the proof: it ends with [`Error::Cancelled`](proofmill_op::Error::Cancelled) within some tens of milliseconds.
    pub cancel: Cancel,
}

impl Control {
    /// Returns a control without callback, whose signal is not set.
    pub fn none() -> Self {
        Self::default()
    }

    /// Returns the control with this progress callback.
    pub fn with_progress(self, progress: StepProgress) -> Self {
        Self { progress: Some(progress), ..self }
    }

    /// Returns the control with this cancellation signal.
    pub fn with_cancel(self, cancel: Cancel) -> Self {
        Self { cancel, ..self }
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
