//! A job: what was accepted, and is answered or reported as cancelled.

use std::future::pending;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::watch;

use crate::keys::Key;
use crate::turns::Priority;

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    Prove,
    Verify,
}

impl Operation {
    pub const ALL: [Self; 2] = [Self::Prove, Self::Verify];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Prove => "prove",
            Self::Verify => "verify",
        }
    }
}

/// Why a job was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// Its client went away.
    Gone,
    /// Its client said so.
    Deleted,
    /// Its deadline came.
    Deadline,
    /// The service ended.
    Shutdown,
}

impl Why {
    /// As an answer has it.
    pub const fn told(self) -> &'static str {
        match self {
            Self::Gone => "cancelled: the client went away",
            Self::Deleted => "cancelled by a request",
            Self::Deadline => "cancelled: the deadline has passed",
            Self::Shutdown => "cancelled: the service is shutting down",
        }
    }
}

/// How a job ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// With this JSON.
    Answered(Arc<str>),
    /// It was the client's fault: this is wrong.
    Refused(String),
    /// It was ours, or a device's.
    Failed(String),
    GivenUp(Why),
}

impl Outcome {
    /// In a word, for figures.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Answered(_) => "answered",
            Self::Refused(_) => "refused",
            Self::Failed(_) => "failed",
            Self::GivenUp(Why::Deadline) => "expired",
            Self::GivenUp(_) => "cancelled",
        }
    }
}

/// How far it is.
#[derive(Clone, Debug)]
pub enum State {
    Queued,
    Running,
    Ended(Outcome),
}

impl State {
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Ended(outcome) => outcome.name(),
        }
    }
}

/// A job.
pub struct Job {
    pub id: u64,
    pub operation: Operation,
    pub key: Arc<Key>,
    pub priority: Priority,
    /// Its answer is kept until it is fetched.
    pub is_kept: bool,
    pub accepted: Instant,
    deadline: Option<Instant>,
    given_up: watch::Sender<Option<Why>>,
    state: watch::Sender<State>,
}

impl Job {
    pub fn new(
        id: u64,
        operation: Operation,
        key: Arc<Key>,
        priority: Priority,
        deadline: Option<Duration>,
        is_kept: bool,
    ) -> Self {
        let accepted = Instant::now();
        Self {
            id,
            operation,
            key,
            priority,
            is_kept,
            accepted,
            deadline: deadline.map(|after| accepted + after),
            given_up: watch::Sender::new(None),
            state: watch::Sender::new(State::Queued),
        }
    }

    /// Gives it up; the first reason counts.
    pub fn give_up(&self, why: Why) {
        self.given_up.send_if_modified(|given| {
            let is_first = given.is_none();
            given.get_or_insert(why);
            is_first
        });
    }

    /// Waits until it is given up or its deadline comes.
    pub async fn is_given_up(&self) -> Why {
        let mut given_up = self.given_up.subscribe();
        let said = async {
            let why = given_up.wait_for(Option::is_some).await;
            why.ok().and_then(|why| *why).expect("the sender is this job's")
        };
        let too_late = async {
            match self.deadline {
                Some(deadline) => tokio::time::sleep_until(deadline.into()).await,
                None => pending().await,
            }
        };
        tokio::select! {
            biased;
            why = said => why,
            () = too_late => Why::Deadline,
        }
    }

    /// Where it is now.
    pub fn state(&self) -> State {
        self.state.borrow().clone()
    }

    /// It is there from now on.
    pub fn is_now(&self, state: State) {
        self.state.send_replace(state);
    }

    /// Waits for its end.
    pub async fn outcome(&self) -> Outcome {
        let mut state = self.state.subscribe();
        let ended = state.wait_for(|state| matches!(state, State::Ended(_))).await;
        match ended.as_deref() {
            Ok(State::Ended(outcome)) => outcome.clone(),
            _ => unreachable!("the sender is this job's"),
        }
    }
}
