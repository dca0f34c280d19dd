//! The threads of a device, in each process that uses it.

use proofmill_op::process::PerProcess;
use rayon::{ThreadPool, ThreadPoolBuildError};

use crate::thread_pool;

/// A pool of threads that survives a fork: a child that uses the device of its parent gets as many threads of its own.
pub struct Pool {
    threads: usize,
    pools: PerProcess<ThreadPool>,
}

impl Pool {
    /// Starts threads, as [`thread_pool`] does.
    pub fn new(threads: Option<usize>) -> Result<Self, ThreadPoolBuildError> {
        let pool = thread_pool(threads)?;
        let threads = pool.current_num_threads();
        Ok(Self { threads, pools: PerProcess::with(pool) })
    }

    /// Returns the number of threads.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Runs a job on these threads some time later. A process that cannot start threads drops the job.
    pub fn spawn(&self, job: impl FnOnce() + Send + 'static) {
        if let Ok(pool) = self.pools.get_or_try_make(|| thread_pool(Some(self.threads))) {
            pool.spawn(job);
        }
    }
}
