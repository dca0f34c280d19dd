//! How a proof is followed, and given up.

use proofmill_op::{Answer, Cancel, Device, Request, Result};

use super::report::Watch;

/// Follows a proof, and gives it up.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct Control {
    /// Is told how far the proof is.
    pub watch: Option<Watch>,
    /// Gives up the proof: [`Error::Cancelled`](proofmill_op::Error::Cancelled) comes within some tens of milliseconds.
    pub cancel: Cancel,
}

impl Control {
    /// Nobody follows, and nobody gives up.
    pub fn none() -> Self {
        Self::default()
    }

    /// With this to be told.
    pub fn watched_by(self, watch: Watch) -> Self {
        Self { watch: Some(watch), ..self }
    }

    /// Given up when this is said.
    pub fn given_up_by(self, cancel: Cancel) -> Self {
        Self { cancel, ..self }
    }
}

/// Whose threads do what the processor is asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Its own: one proof at a time, on all of them.
    Device,
    /// The caller's rayon pool: several proofs side by side.
    Caller,
}

impl Place {
    /// The answer to a request, for which it waits.
    pub fn answer(self, device: &dyn Device, request: Request, cancel: &Cancel) -> Result<Answer> {
        match self {
            Self::Device => device.submit(request)?.covered_by(cancel).wait(),
            Self::Caller => device.answer(request, cancel),
        }
    }
}
