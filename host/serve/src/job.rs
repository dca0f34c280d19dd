//! A job: an accepted request, which is answered or reported as cancelled.

use std::future::pending;
use std::sync::Arc;
use std::time::Instant;

use tokio::sync::watch;

use crate::keys::ServedKey;
use crate::options::JobOptions;
use crate::queue::Priority;

/// The operation of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// A proof of a witness.
    Prove,
    /// A proof from the inputs of the circuit.
    FullProve,
    Verify,
}

impl Operation {
    pub const ALL: [Self; 3] = [Self::Prove, Self::FullProve, Self::Verify];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Prove => "prove",
            Self::FullProve => "full_prove",
            Self::Verify => "verify",
        }
    }
}

/// The reason why a job was cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CancelReason {
    /// The client that waited disconnected.
    Disconnected,
    /// A request deleted the job.
    Deleted,
    /// The deadline passed.
    Deadline,
    /// The service shut down.
    Shutdown,
}

impl CancelReason {
    /// Returns the message for the client.
    pub const fn message(self) -> &'static str {
        match self {
            Self::Disconnected => "cancelled: the client disconnected",
            Self::Deleted => "cancelled by a request",
            Self::Deadline => "cancelled: the deadline has passed",
            Self::Shutdown => "cancelled: the service is shutting down",
        }
    }
}

/// The outcome of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The job succeeded, with this JSON.
    Answered(Arc<str>),
    /// The inputs of the circuit are wrong, with this error. It contains names that the client chose, so it is not logged.
    WrongInputs(String),
    /// The request was wrong, with this error.
    Refused(String),
    /// The service or a device failed, with this error.
    Failed(String),
    Cancelled(CancelReason),
}

impl Outcome {
    /// The outcomes, by [`name`](Self::name).
    pub const NAMES: [&str; 5] = ["answered", "refused", "failed", "expired", "cancelled"];

    /// Returns the name that logs and metrics use.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Answered(_) => "answered",
            Self::WrongInputs(_) | Self::Refused(_) => "refused",
            Self::Failed(_) => "failed",
            Self::Cancelled(CancelReason::Deadline) => "expired",
            Self::Cancelled(_) => "cancelled",
        }
    }
}

/// The state of a job.
#[derive(Clone, Debug)]
pub enum JobState {
    Queued,
    Running,
    Ended(Outcome),
}

impl JobState {
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Ended(outcome) => outcome.name(),
        }
    }
}

/// An accepted job.
pub struct HttpJob {
    pub id: u64,
    pub operation: Operation,
    pub key: Arc<ServedKey>,
    pub priority: Priority,
    /// The result is kept until it is fetched.
    pub keeps_result: bool,
    pub accepted: Instant,
    deadline: Option<Instant>,
    cancel: watch::Sender<Option<CancelReason>>,
    state: watch::Sender<JobState>,
}

impl HttpJob {
    pub fn new(id: u64, operation: Operation, key: Arc<ServedKey>, options: JobOptions) -> Self {
        let accepted = Instant::now();
        Self {
            id,
            operation,
            key,
            priority: options.priority,
            keeps_result: !options.wait,
            accepted,
            deadline: options.deadline.map(|after| accepted + after),
            cancel: watch::Sender::new(None),
            state: watch::Sender::new(JobState::Queued),
        }
    }

    /// Cancels the job. The first reason counts.
    pub fn cancel(&self, reason: CancelReason) {
        self.cancel.send_if_modified(|given| {
            let is_first = given.is_none();
            given.get_or_insert(reason);
            is_first
        });
    }

    /// Waits until the job is cancelled or its deadline passes.
    pub async fn cancelled(&self) -> CancelReason {
        let mut cancel = self.cancel.subscribe();
        let requested = async {
            let reason = cancel.wait_for(Option::is_some).await;
            reason.ok().and_then(|reason| *reason).expect("the sender is this job's")
        };
        let expired = async {
            match self.deadline {
                Some(deadline) => tokio::time::sleep_until(deadline.into()).await,
                None => pending().await,
            }
        };
        tokio::select! {
            biased;
            reason = requested => reason,
            () = expired => CancelReason::Deadline,
        }
    }

    pub fn state(&self) -> JobState {
        self.state.borrow().clone()
    }

    pub fn set_state(&self, state: JobState) {
        self.state.send_replace(state);
    }

    pub fn has_ended(&self) -> bool {
        matches!(*self.state.borrow(), JobState::Ended(_))
    }

    /// Waits for the end of the job.
    pub async fn outcome(&self) -> Outcome {
        let mut state = self.state.subscribe();
        let ended = state.wait_for(|state| matches!(state, JobState::Ended(_))).await;
        match ended.as_deref() {
            Ok(JobState::Ended(outcome)) => outcome.clone(),
            _ => unreachable!("the sender is this job's"),
        }
    }
}
