//! Multi-scalar multiplications.

use std::time::Instant;

use anyhow::Result;
use rayon::{ThreadPool, ThreadPoolBuilder};
use serde::{Deserialize, Serialize};

use crate::Kept;

/// An MSM over multiples of the generator, with scalars of all bits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// The group by its name in `spec`.
    pub instance: String,
    /// The number of points.
    pub count: usize,
    /// Threads.
    pub threads: usize,
}

/// A prepared MSM on the threads of a pool, which can be repeated.
pub type Task = Box<dyn FnMut(&ThreadPool) -> Result<()>>;

/// A library's MSMs. Threads and points are prepared before the clock starts; points are kept until another group or number is
/// requested.
#[derive(Default)]
pub struct Sums(Kept<(String, usize), Task>);

impl Sums {
    /// Returns the seconds of an MSM of an instance and a number of points.
    pub fn seconds(
        &mut self,
        work: &Work,
        task: impl FnOnce(&str, usize) -> Result<Task>,
    ) -> Result<f64> {
        let wanted = (work.instance.clone(), work.count);
        let task = self.0.get(wanted, |(instance, count)| task(instance, *count))?;
        // Not bound: arkworks starts its own pools, which inherit the processor of the starting thread.
        let pool = ThreadPoolBuilder::new().num_threads(work.threads).build()?;
        let start = Instant::now();
        task(&pool)?;
        Ok(start.elapsed().as_secs_f64())
    }
}

/// Checks in a library's tests that MSMs in these groups are supported, and others refused.
pub fn examine(task: fn(&str, usize) -> Result<Task>, instances: &[&str]) {
    let mut sums = Sums::default();
    let mut answer = |instance: &str| {
        sums.seconds(&Work { instance: instance.into(), count: 200, threads: 1 }, task)
    };
    for instance in instances {
        assert!(answer(instance).unwrap() > 0.0, "{instance}");
    }
    assert!(answer("toy_g1").is_err());
}
