//! A solver: all solutions of a header, by Wagner's algorithm (Biryukov and Khovratovich, "Equihash", NDSS 2016).
//!
//! 1. Round 0's elements are the leaves. Bits of a leaf's string choose its bucket, and the rest is written there
//!    with the leaf's index.
//! 2. In round r < k - 1 each bucket is sorted by the rest of collision group r, the key. Each pair of
//!    equal keys becomes an element of round r + 1: the exclusive or of both strings without its zeros, in the bucket that
//!    collision group r + 1 chooses, and a reference to the pair. References of the elements in their sorted order are
//!    the round's tree, so that a position in it and a short distance name a pair.
//! 3. In round k - 1 a pair of equal strings is a candidate. Its references lead through the trees to its indices.
//!    Candidates with an index twice are dropped, and indices are put in the order that verifiers require.
//!
//! Tables and trees are lists of pages. A bucket's pages are free when it is sorted, and become pages of the next table and
//! of the tree. So there is space for one table, not for two, and for the trees. If the trees of all rounds do not fit into the
//! memory ([`Plan`]), a run keeps the trees of the last rounds only, and further runs repeat the rounds before them.
//!
//! The pages suffice for the expected number of elements and five standard deviations. Elements beyond those are dropped.
//! A header that is solved in several runs then has no result, since positions in trees are no longer the same in each.
//!
//! Output positions are scattered over as many cache lines as there are buckets, so each write requests the line of
//! the one after the next in its bucket: without that a (200,9) nonce takes 1000 ms instead of 560 (Zen 3, shared with other processes).
//!
//! This module starts no threads: [`Control::execute`] runs the parts of each step.

use std::sync::Mutex;

use super::Leaves;
use crate::isa::Isa;
use bucket::Scratch;
pub use candidates::{encode, solution};
use pages::{List, Output, PAGE, Page, Tree};
pub use plan::{Plan, Unplanned};

mod bucket;
mod candidates;
mod leaves;
mod pages;
mod plan;
mod prefetch;
mod rounds;

/// The memory of a solver, for one nonce after the other.
#[derive(Debug)]
pub struct Workspace {
    plan: Plan,
    /// All pages.
    words: Vec<u32>,
    scratches: Vec<Scratch>,
}

impl Workspace {
    /// Allocates the memory of a plan, nearly all of [`Plan::memory_bytes`].
    pub fn new(plan: Plan) -> Self {
        Self {
            words: vec![0; plan.words()],
            scratches: (0..plan.parts).map(|_| Scratch::new(&plan)).collect(),
            plan,
        }
    }

    /// Returns the plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Returns tables and trees, nearly all of the memory: to request huge pages for it before the first use.
    pub fn memory_mut(&mut self) -> &mut [u32] {
        &mut self.words
    }
}

/// The work of one step of a solver, a part at a time.
pub type Work<'a> = dyn Fn(usize) + Sync + 'a;

/// The environment of a solver: threads, cancellation and progress.
pub struct Control<'a> {
    /// Calls its second argument with each number below its first, on any threads, and returns when all calls have returned.
    pub execute: &'a dyn Fn(usize, &Work<'_>),
    /// Returns whether to stop. Called at least once per bucket.
    pub cancelled: &'a (dyn Fn() -> bool + Sync),
    /// Receives the number of completed steps and of all steps.
    pub progress: &'a dyn Fn(usize, usize),
}

/// The error of a cancelled solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cancelled;

/// Returns the solutions of a header, each as its 2^k indices in the order that verifiers require. No solution occurs twice.
/// They are sorted.
///
/// The plan of `workspace` is for the parameters of `leaves`; anything else is a bug of the caller.
pub fn solve(
    isa: Isa,
    leaves: &Leaves<'_>,
    workspace: &mut Workspace,
    control: &Control<'_>,
) -> Result<Vec<Vec<u32>>, Cancelled> {
    let Workspace { plan, words, scratches } = workspace;
    assert_eq!((plan.n, plan.k), (leaves.shape.n, leaves.shape.k), "parameters of the plan");
    let (mut done, steps) = (0, plan.steps());
    let mut step = || {
        done += 1;
        (control.progress)(done, steps);
    };
    let mut candidates = Vec::new();
    for (number, run) in plan.runs.iter().enumerate() {
        let mut memory = Memory::new(words);
        leaves::write(isa, leaves, plan, &mut memory, control)?;
        step();
        for round in 0..plan.rounds(run) {
            if round == plan.k - 1 {
                candidates = rounds::last(plan, &mut memory, scratches, control)?;
            } else {
                let writes = rounds::Writes {
                    tree: run.contains(&round),
                    table: round + 1 < plan.rounds(run),
                };
                rounds::run(plan, round, writes, &mut memory, scratches, control)?;
            }
            step();
        }
        candidates = candidates::children(plan, &memory.trees, candidates);
        if memory.is_short && plan.runs.len() > 1 {
            candidates.clear();
        }
        if candidates.is_empty() && number + 1 < plan.runs.len() {
            (control.progress)(steps, steps);
            break;
        }
    }
    Ok(candidates::solutions(candidates))
}

/// The tables and trees of one run.
struct Memory<'a> {
    free: Vec<Page<'a>>,
    /// A list for each bucket, of each part that wrote the present table.
    table: Vec<Vec<List<'a>>>,
    /// Those that are kept, from that of the first round on.
    trees: Vec<Tree<'a>>,
    /// Whether anything was dropped because no page was free.
    is_short: bool,
}

impl<'a> Memory<'a> {
    fn new(words: &'a mut [u32]) -> Self {
        let free = words.as_chunks_mut::<PAGE>().0.iter_mut().collect();
        Self { free, table: Vec::new(), trees: Vec::new(), is_short: false }
    }

    /// Removes all free pages, an equal share for each part.
    fn shares(&mut self, parts: usize) -> Vec<Vec<Page<'a>>> {
        let share = self.free.len() / parts;
        (0..parts).map(|_| self.free.split_off(self.free.len() - share)).collect()
    }

    /// Removes the table: the lists of each part's buckets, those of a bucket one after the other.
    fn lists(&mut self, plan: &Plan) -> Vec<Vec<List<'a>>> {
        let mut writers: Vec<_> = self.table.drain(..).map(Vec::into_iter).collect();
        let lists = |_| writers.iter_mut().filter_map(Iterator::next).collect::<Vec<_>>();
        let mut buckets: Vec<_> = (0..plan.buckets()).map(lists).collect();
        let parts = (0..plan.parts).rev();
        let lists = parts.map(|part| buckets.split_off(plan.buckets_of(part).start));
        let mut lists: Vec<Vec<_>> =
            lists.map(|part| part.into_iter().flatten().collect()).collect();
        lists.reverse();
        lists
    }

    /// Takes the parts' outputs as the table, and their free pages.
    fn put(&mut self, outputs: impl IntoIterator<Item = Output<'a>>) {
        for output in outputs {
            self.is_short |= output.is_short;
            let (lists, free) = output.finish();
            self.free.extend(free);
            self.table.push(lists);
        }
    }
}

/// Calls `work` with each of `tasks` and its number, on the threads of `control`. It returns false when it was cancelled.
fn for_each<T: Send>(
    control: &Control<'_>,
    tasks: Vec<T>,
    work: impl Fn(usize, &mut T) -> bool + Sync,
) -> Result<Vec<T>, Cancelled> {
    // Each lock is taken once: it hands a task over to another thread.
    let tasks: Vec<_> = tasks.into_iter().map(|task| Mutex::new((task, false))).collect();
    (control.execute)(tasks.len(), &|i| {
        let (task, is_done) = &mut *tasks[i].lock().expect("no other thread has had this task");
        *is_done = work(i, task);
    });
    let tasks = tasks.into_iter().map(|task| task.into_inner().expect("a task has not panicked"));
    tasks.map(|(task, is_done)| is_done.then_some(task).ok_or(Cancelled)).collect()
}

#[cfg(test)]
mod tests;
