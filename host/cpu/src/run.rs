//! [`Run`]: how an operation is executed on this processor. Each operation implements it in a file of its own.

use proofmill_algebra::Isa;
use proofmill_op::{Capability, Erased, Result};

/// Returns whether the request was cancelled. Called between two chunks of work.
pub(crate) type Cancelled<'a> = &'a (dyn Fn() -> bool + Sync);

/// An operation of this processor.
pub(crate) trait Run: Erased {
    /// Returns the instances that are offered. Operations that share a capability list it once.
    fn capabilities() -> Vec<Capability> {
        vec![]
    }

    /// Checks the arguments of a request that can be checked at once, and returns its work.
    fn prepare(request: Self::Request, context: Context) -> Result<Job<Self::Response>>;
}

/// The device that executes a request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context {
    pub isa: Isa,
    /// Its identity for resident data.
    pub identity: u64,
    /// Threads of the pool.
    pub threads: usize,
}

/// The threads that execute a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exec {
    /// The thread that submits it.
    Inline,
    /// The threads of the current rayon pool.
    Pool,
}

impl Exec {
    /// Returns [`Exec::Inline`] for a small request.
    pub fn inline_if(is_small: bool) -> Self {
        if is_small { Self::Inline } else { Self::Pool }
    }
}

/// Executes a request on the threads given.
pub(crate) type Work<T> = Box<dyn FnOnce(Exec, Cancelled<'_>) -> Result<T> + Send>;

/// The work of a request.
pub(crate) struct Job<T> {
    /// The threads that [`Device::submit_any`](proofmill_op::Device::submit_any) uses.
    pub exec: Exec,
    /// Its execution.
    pub work: Work<T>,
}

impl<T> Job<T> {
    /// Returns work for the given threads.
    pub fn new(
        exec: Exec,
        work: impl FnOnce(Exec, Cancelled<'_>) -> Result<T> + Send + 'static,
    ) -> Self {
        Self { exec, work: Box::new(work) }
    }

    /// Returns work for the pool.
    pub fn on_pool(work: impl FnOnce(Cancelled<'_>) -> Result<T> + Send + 'static) -> Self {
        Self::new(Exec::Pool, move |_, cancelled| work(cancelled))
    }
}
