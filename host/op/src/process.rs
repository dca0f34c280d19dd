//! Threads of a process, and what remains of them in a child that `fork` makes.
//!
//! `fork` copies the memory of a process and one of its threads: the one that calls it. The other threads do not exist in the child. A pool
//! of threads, the driver of a card or a connection that the parent opened never answers there, and a lock that one of those threads held
//! stays locked. Python's `multiprocessing`, and web servers that load a program before they fork, make such children.
//!
//! - [`Process`] identifies the process in which something was made.
//! - [`PerProcess`] makes a value again in each process that uses it, without any lock.
//! - [`parallel`] and [`parallel_map`] run work on a rayon pool of the current process.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use once_cell::race::OnceBox;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::Error;

/// Forks between the process that first used this library and the current one.
static FORKS: AtomicU32 = AtomicU32::new(0);

/// Makes [`FORKS`] count, from the first call on.
#[cfg(unix)]
fn count_forks() {
    use std::sync::atomic::AtomicBool;

    static COUNTED: AtomicBool = AtomicBool::new(false);
    extern "C" fn in_child() {
        FORKS.fetch_add(1, Ordering::SeqCst);
    }
    if !COUNTED.load(Ordering::Relaxed) && !COUNTED.swap(true, Ordering::SeqCst) {
        // SAFETY: the handler adds to an atomic number, which every handler may do. The C library forgets it when this library is unloaded.
        unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
    }
}

/// Other systems have no forks.
#[cfg(not(unix))]
fn count_forks() {}

/// A process: the one that first used this library, or a descendant that `fork` made.
///
/// Two values that meet in one memory are equal if and only if they come from the same process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process(u32);

impl Process {
    /// Returns the process that calls this.
    pub fn current() -> Self {
        count_forks();
        Self(FORKS.load(Ordering::Relaxed))
    }

    /// Returns whether this is the process that calls this.
    pub fn is_current(self) -> bool {
        self == Self::current()
    }

    /// Returns an error if this is another process than the one in which `device` was opened.
    pub fn check(self, device: &str) -> Result<(), Error> {
        if self.is_current() {
            return Ok(());
        }
        let problem = "it was opened before this process was forked, and its threads and connections belong to the parent; open the device \
                       in this process, or start processes with `spawn` instead of `fork`";
        Err(Error::Lost { device: device.to_owned(), problem: problem.into() })
    }

    /// Returns an error if this is another process than the one that submitted a request.
    pub fn check_request(self) -> Result<(), Error> {
        if self.is_current() {
            return Ok(());
        }
        let problem = "the request was submitted before this process was forked, and the parent receives the response; submit it again in this \
                       process";
        Err(Error::Lost { device: "the device".into(), problem: problem.into() })
    }

    /// Returns a process that is not the current one.
    #[cfg(test)]
    pub(crate) fn other() -> Self {
        Self(Self::current().0 + 1)
    }
}

/// A value that each process makes for itself when it first uses it.
///
/// A child leaves the values of its parents as they are, and never drops them: their threads do not exist, so waiting for them would not end.
/// No lock is taken: a fork in the middle of any method leaves nothing locked.
pub struct PerProcess<T>(OnceBox<Node<T>>);

/// The value of a process, and those of its descendants.
struct Node<T> {
    owner: Process,
    /// `None` only while the value is dropped.
    value: Option<T>,
    descendants: PerProcess<T>,
}

impl<T> PerProcess<T> {
    /// Makes one without any value.
    pub const fn new() -> Self {
        Self(OnceBox::new())
    }

    /// Makes one with the value of the current process.
    pub fn with(value: T) -> Self {
        Self(OnceBox::with_value(Node::of_current(value)))
    }

    /// Returns the value of the current process; calls `make` if it has none. Threads that call this at the same time may each call `make`; one
    /// result is kept, and the others are dropped.
    pub fn get_or_try_make<E>(&self, make: impl FnOnce() -> Result<T, E>) -> Result<&T, E> {
        self.get_or_try_make_in(Process::current(), make)
    }

    fn get_or_try_make_in<E>(
        &self,
        process: Process,
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<&T, E> {
        let mut slot = self;
        while let Some(node) = slot.0.get() {
            if node.owner == process {
                return Ok(node.value());
            }
            slot = &node.descendants;
        }
        let mut made = Node::of_current(make()?);
        made.owner = process;
        Ok(slot.0.get_or_init(|| made).value())
    }
}

impl<T> Default for PerProcess<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Node<T> {
    fn of_current(value: T) -> Box<Self> {
        Box::new(Self {
            owner: Process::current(),
            value: Some(value),
            descendants: PerProcess::new(),
        })
    }

    fn value(&self) -> &T {
        self.value.as_ref().expect("it is dropped with the node")
    }
}

impl<T> Drop for Node<T> {
    fn drop(&mut self) {
        if !self.owner.is_current() {
            std::mem::forget(self.value.take());
        }
    }
}

/// Runs work that divides itself among rayon's threads.
///
/// A caller on a thread of a rayon pool stays there. For other callers rayon's global pool is used, as rayon does by itself. That pool does
/// not exist in a process that was forked after this library was first used, so such a process gets a pool of its own.
///
/// # Panics
///
/// If the system gives no threads, as rayon does.
pub fn parallel<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let (mut work, mut result) = (Some(work), None);
    on_a_pool(&mut || result = work.take().map(|work| work()));
    result.expect("the pool has called it")
}

/// [`parallel`] without its types, so that the code of the pools is compiled once and not for each caller.
fn on_a_pool(work: &mut (dyn FnMut() + Send)) {
    static POOL: PerProcess<ThreadPool> = PerProcess::new();
    if Process::current() == Process(0) || rayon::current_thread_index().is_some() {
        return work();
    }
    let make = || ThreadPoolBuilder::new().thread_name(|i| format!("proofmill-{i}")).build();
    POOL.get_or_try_make(make).expect("the system gives threads").install(work)
}

/// Calls a function with each number below `count`, on rayon's threads as [`parallel`] uses them. Returns the results in order.
///
/// Every use of rayon's parallel iterators compiles dozens of functions for its types; all callers of this share one set. For pieces of work
/// that take much longer than a lock.
pub fn parallel_map<T: Send>(count: usize, of: &(dyn Fn(usize) -> T + Sync)) -> Vec<T> {
    let results: Vec<_> = (0..count).map(|_| Mutex::new(None)).collect();
    parallel_each(count, &|i| *results[i].lock().expect("no holder panics") = Some(of(i)));
    let results = results.into_iter().map(|it| it.into_inner().expect("no holder panics"));
    results.map(|it| it.expect("each number was called")).collect()
}

/// [`parallel_map`] without results, and without types.
fn parallel_each(count: usize, work: &(dyn Fn(usize) + Sync)) {
    parallel(|| (0..count).into_par_iter().for_each(work));
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::convert::Infallible;

    use super::*;

    /// Counts how many were dropped.
    struct Counted<'a>(&'a Cell<u32>, u32);

    impl Drop for Counted<'_> {
        fn drop(&mut self) {
            self.0.set(self.0.get() + 1);
        }
    }

    #[test]
    fn each_process_makes_a_value_and_drops_no_other() {
        let dropped = Cell::new(0);
        let cell = PerProcess::with(Counted(&dropped, 0));
        let value = |process, number| {
            let make = || Ok::<_, Infallible>(Counted(&dropped, number));
            let Ok(value) = cell.get_or_try_make_in(Process(process), make);
            value.1
        };
        let own = Process::current().0;
        assert_eq!(value(own, 9), 0);
        assert_eq!(value(own + 1, 1), 1);
        assert_eq!(value(own + 2, 2), 2);
        assert_eq!((value(own, 9), value(own + 1, 9), value(own + 2, 9)), (0, 1, 2));
        let failed = PerProcess::<u8>::new();
        assert_eq!(failed.get_or_try_make(|| Err(5)), Err(5));
        assert_eq!(failed.get_or_try_make(|| Ok::<_, u8>(6)), Ok(&6));
        drop(cell);
        assert_eq!(dropped.get(), 1, "only the value of this process");
    }

    #[test]
    fn a_device_of_another_process_is_refused() {
        assert!(Process::current().check("card:").is_ok());
        let refused = Process::other().check("card:").unwrap_err().to_string();
        assert!(refused.starts_with("card: is lost: it was opened before"), "{refused}");
    }

    #[test]
    fn work_stays_on_the_pool_of_its_caller() {
        let pool = ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        assert_eq!(pool.install(|| parallel(rayon::current_num_threads)), 3);
        assert_eq!(parallel(|| 1), 1);
    }

    #[test]
    fn results_are_in_order() {
        for count in [0, 1, 1000] {
            assert_eq!(
                parallel_map(count, &|i| i * i),
                (0..count).map(|i| i * i).collect::<Vec<_>>()
            );
        }
    }
}
