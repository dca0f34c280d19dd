//! A processor for each thread of a pool.
//!
//! Threads that wait for a short time stay runnable, and a kernel that wakes one on a processor where another works lets them
//! share it until its next balancing: on Linux 6.18 with two processors a sum of 2^14 points on two threads then took as long
//! as on one. Where there are as many threads as processors, there is nothing to balance, and each stays on its own.

use proofmill_algebra::STACK_BYTES;
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

/// Creates a pool of `threads` threads; without a number or with 0, one for each CPU that the operating system grants. Each thread is bound to
/// its own CPU if the numbers are equal.
pub fn thread_pool(threads: Option<usize>) -> Result<ThreadPool, ThreadPoolBuildError> {
    ThreadPoolBuilder::new()
        .num_threads(threads.unwrap_or(0)) // 0 is rayon's word for all
        .start_handler(|number| bind(number, rayon::current_num_threads()))
        .thread_name(|i| format!("proofmill-cpu-{i}"))
        .stack_size(STACK_BYTES)
        .build()
}

/// Called first on thread `number` of `threads`: binds it, if there is one CPU for each.
#[cfg(target_os = "linux")]
fn bind(number: usize, threads: usize) {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    let Ok(all) = sched_getaffinity(None) else { return };
    let mut processors = (0..CpuSet::MAX_CPU).filter(|&processor| all.is_set(processor));
    if processors.clone().count() != threads {
        return;
    }
    if let Some(processor) = processors.nth(number) {
        let mut own = CpuSet::new();
        own.set(processor);
        // A thread that may not be bound works as well where the kernel puts it.
        let _free = sched_setaffinity(None, &own);
    }
}

/// Does nothing: on other systems, the scheduler places threads.
#[cfg(not(target_os = "linux"))]
fn bind(_number: usize, _threads: usize) {}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use rustix::thread::sched_getaffinity;

    use super::*;

    #[test]
    fn threads_have_a_processor_each_if_there_are_as_many() {
        let all = sched_getaffinity(None).unwrap().count() as usize;
        let own = |number, threads| {
            let work = move || {
                bind(number, threads);
                sched_getaffinity(None).unwrap()
            };
            std::thread::spawn(work).join().unwrap()
        };
        let each: Vec<_> = (0..all).map(|number| own(number, all)).collect();
        assert!(each.iter().all(|set| set.count() == 1));
        assert!((1..all).all(|number| each[number] != each[number - 1]));
        assert_eq!(own(0, all + 1).count() as usize, all);
    }
}
