//! The queue of jobs: a fixed number of workers, given to waiting jobs by priority, then in the order of acceptance.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

/// The priority of a job. Higher ones run first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Priority {
    Low,
    #[default]
    Normal,
    High,
}

impl Priority {
    pub const ALL: [Self; 3] = [Self::Low, Self::Normal, Self::High];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Normal => "normal",
            Self::High => "high",
        }
    }
}

/// The order of waiting jobs: by priority, then by arrival.
type Rank = (Reverse<Priority>, u64);

/// The workers, and the jobs that wait for one.
#[derive(Clone)]
pub struct JobQueue(Arc<Mutex<QueueState>>);

struct QueueState {
    /// Greater than 0 only while no job waits.
    free: usize,
    next: u64,
    waiting: BTreeMap<Rank, oneshot::Sender<WorkerPermit>>,
}

/// The right to run a job. Dropping it passes it to the next job.
pub struct WorkerPermit(Option<JobQueue>);

impl JobQueue {
    pub fn new(workers: usize) -> Self {
        let state = QueueState { free: workers, next: 0, waiting: BTreeMap::new() };
        Self(Arc::new(Mutex::new(state)))
    }

    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of waiting jobs.
    pub fn waiting(&self) -> usize {
        self.lock().waiting.len()
    }

    /// Joins the queue at once and returns a future that waits for a worker. Dropping it leaves the queue.
    pub fn join(&self, priority: Priority) -> impl Future<Output = WorkerPermit> + Send + use<> {
        let mut state = self.lock();
        let joined = if state.free > 0 {
            state.free -= 1;
            Ok(WorkerPermit(Some(self.clone())))
        } else {
            let (sender, receiver) = oneshot::channel();
            let rank = (Reverse(priority), state.next);
            state.next += 1;
            state.waiting.insert(rank, sender);
            Err((receiver, QueueEntry { queue: self.clone(), rank }))
        };
        drop(state);
        async move {
            match joined {
                Ok(permit) => permit,
                Err((receiver, _entry)) => {
                    receiver.await.expect("a sender is dropped only with its entry")
                }
            }
        }
    }

    /// Passes a permit to the first job that still waits.
    fn pass_on(self) {
        loop {
            let sender = {
                let mut state = self.lock();
                let Some((_, sender)) = state.waiting.pop_first() else {
                    state.free += 1;
                    return;
                };
                sender
            };
            let Err(mut unwanted) = sender.send(WorkerPermit(Some(self.clone()))) else { return };
            unwanted.0 = None; // this loop passes it on
        }
    }
}

impl Drop for WorkerPermit {
    fn drop(&mut self) {
        if let Some(queue) = self.0.take() {
            queue.pass_on();
        }
    }
}

/// The entry of a waiting job. Dropping it leaves the queue.
struct QueueEntry {
    queue: JobQueue,
    rank: Rank,
}

impl Drop for QueueEntry {
    fn drop(&mut self) {
        let sender = self.queue.lock().waiting.remove(&self.rank);
        drop(sender); // after the lock
    }
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    type Join<'a> = Pin<Box<dyn Future<Output = WorkerPermit> + 'a>>;

    /// Returns the permit, if it was given.
    fn poll(join: &mut Join<'_>) -> Option<WorkerPermit> {
        match join.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(permit) => Some(permit),
            Poll::Pending => None,
        }
    }

    fn free(queue: &JobQueue) -> usize {
        queue.lock().free
    }

    #[test]
    fn the_highest_priority_runs_first_and_then_the_oldest() {
        use Priority::{High, Low, Normal};
        let queue = JobQueue::new(1);
        let mut first: Join = Box::pin(queue.join(Low));
        let mut permit = poll(&mut first);
        assert!(permit.is_some());
        let priorities = [Low, Normal, High, Normal, High, Low];
        let mut waiting: Vec<Join> =
            priorities.into_iter().map(|it| Box::pin(queue.join(it)) as _).collect();
        // The order in which tasks are polled does not matter.
        assert!(waiting.iter_mut().rev().all(|it| poll(it).is_none()));
        assert_eq!(queue.waiting(), 6);
        let mut order = Vec::new();
        while permit.take().is_some() {
            for (number, it) in waiting.iter_mut().enumerate() {
                if !order.contains(&number)
                    && let Some(given) = poll(it)
                {
                    order.push(number);
                    permit = Some(given);
                    break;
                }
            }
        }
        assert_eq!(order, [2, 4, 1, 3, 0, 5]);
        assert_eq!((queue.waiting(), free(&queue)), (0, 1));
    }

    #[test]
    fn no_permit_is_lost_with_jobs_that_stop_waiting() {
        let queue = JobQueue::new(2);
        let join = || Box::pin(queue.join(Priority::Normal)) as Join;
        let (mut a, mut b) = (join(), join());
        let held = (poll(&mut a).unwrap(), poll(&mut b).unwrap());
        let mut waiting = [join(), join(), join()];
        assert!(waiting.iter_mut().all(|it| poll(it).is_none()));
        let [gone, given, late] = waiting;
        drop(gone); // while it waits
        drop(held.0);
        drop(given); // with a permit that it never saw
        drop(held.1);
        drop(late);
        assert_eq!((queue.waiting(), free(&queue)), (0, 2));
    }
}
