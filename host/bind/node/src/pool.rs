//! Threads for the jobs of all environments of the process. libuv's threads stay free for files and names of hosts.
//!
//! The number of jobs at a time is bounded, and the others wait in order: a proof occupies all cores of `cpu:`, and each has a working set.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use proofmill::algebra::STACK_BYTES;

use crate::job::Shared;

/// Proofs, witnesses and keys.
pub static LONG: Pool = Pool::new("proofmill-proof");
/// Verifications. They do not wait for proofs.
pub static SHORT: Pool = Pool::new("proofmill-verify");

/// Maximum number of threads of a pool. Two proofs at a time keep the cores busy while one of them computes with one thread.
const MAX_THREADS: usize = 4;

pub struct Pool {
    name: &'static str,
    state: Mutex<State>,
    queued: Condvar,
}

struct State {
    queue: VecDeque<Arc<Shared>>,
    threads: usize,
    idle: usize,
}

impl Pool {
    const fn new(name: &'static str) -> Self {
        let state = State { queue: VecDeque::new(), threads: 0, idle: 0 };
        Self { name, state: Mutex::new(state), queued: Condvar::new() }
    }

    /// Queues a job. Starts a thread if none is idle and the limit allows one.
    pub fn submit(&'static self, job: Arc<Shared>) -> std::io::Result<()> {
        let mut state = self.state();
        let max = thread::available_parallelism().map_or(1, Into::into).clamp(2, MAX_THREADS);
        if state.idle <= state.queue.len() && state.threads < max {
            let builder = thread::Builder::new().name(self.name.into()).stack_size(STACK_BYTES);
            match builder.spawn(move || self.work()) {
                Ok(_) => state.threads += 1,
                Err(error) if state.threads == 0 => return Err(error),
                Err(_) => {} // the other threads take the job
            }
        }
        state.queue.push_back(job);
        self.queued.notify_one();
        Ok(())
    }

    /// Removes a cancelled job, so that its data are dropped.
    pub fn remove(&self, job: &Arc<Shared>) {
        self.state().queue.retain(|queued| !Arc::ptr_eq(queued, job));
    }

    /// Runs jobs until the process ends.
    fn work(&self) {
        let mut state = self.state();
        loop {
            match state.queue.pop_front() {
                Some(job) => {
                    drop(state);
                    job.run();
                    drop(job);
                    state = self.state();
                }
                None => {
                    state.idle += 1;
                    state = self.queued.wait(state).unwrap_or_else(PoisonError::into_inner);
                    state.idle -= 1;
                }
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
