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
//! The memory is bounded by [`Plan`]. A part has space in each bucket for the expected number of elements and five standard
//! deviations, and drops those beyond: fewer than one in 10^6 elements. A solution of (200,9) has about 1000 nodes, so fewer than
//! one in 1000 solutions are lost.
//!
//! Output positions are scattered over as many cache lines as there are buckets, so each write requests the line of
//! the one after the next in its bucket: without that a (200,9) nonce takes 1000 ms instead of 560 (Zen 3, shared with other processes).
//!
//! This module starts no threads: [`Control::execute`] runs the parts of each step.

use std::sync::Mutex;

use super::Leaves;
use crate::isa::Isa;
use bucket::{Input, Output, Scratch};
pub use candidates::{encode, solution};
pub use plan::Plan;

mod bucket;
mod candidates;
mod leaves;
mod plan;
mod prefetch;
mod rounds;

/// The memory of a solver, for one nonce after the other.
#[derive(Debug)]
pub struct Workspace {
    plan: Plan,
    /// Tables and trees, at the places of the plan.
    words: Vec<u32>,
    /// Elements of each part in each bucket, of tables with even and odd numbers.
    counts: [Vec<u32>; 2],
    /// Positions in each tree of the elements of each bucket, and the end.
    bases: Vec<u32>,
    scratches: Vec<Scratch>,
}

impl Workspace {
    /// Allocates the memory of a plan, [`Plan::memory_bytes`].
    pub fn new(plan: Plan) -> Self {
        let regions = plan.parts * plan.buckets();
        Self {
            words: vec![0; plan.words()],
            counts: [vec![0; regions], vec![0; regions]],
            bases: vec![0; plan.buckets() + 1],
            scratches: (0..plan.parts).map(|_| Scratch::new(&plan)).collect(),
            plan,
        }
    }

    /// Returns the plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Returns the tables and trees, nearly all of the memory: to request huge pages for it before the first use.
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
    let plan = &workspace.plan;
    assert_eq!((plan.n, plan.k), (leaves.shape.n, leaves.shape.k), "parameters of the plan");
    let steps = plan.k + 1;
    let mut memory = Memory { words: &mut workspace.words, counts: &mut workspace.counts };
    leaves::write(isa, leaves, plan, &mut memory, control)?;
    (control.progress)(1, steps);
    for round in 0..plan.k - 1 {
        workspace.bases = memory.bases(plan, round);
        rounds::run(plan, round, &mut memory, &workspace.bases, &mut workspace.scratches, control)?;
        (control.progress)(round + 2, steps);
    }
    let found = rounds::last(plan, &memory, &mut workspace.scratches, control)?;
    let solutions = candidates::solutions(plan, &workspace.words, &found);
    (control.progress)(steps, steps);
    Ok(solutions)
}

/// Tables and trees, with the number of elements in each bucket.
struct Memory<'a> {
    words: &'a mut [u32],
    counts: &'a mut [Vec<u32>; 2],
}

/// The memory of one round, in pieces.
struct Pieces<'a> {
    input: Input<'a>,
    tree: &'a mut [u32],
    /// One a part.
    outputs: Vec<Output<'a>>,
}

impl Memory<'_> {
    /// Returns the position of each bucket of round `round` in the tree, and the end. Elements that the tree has no
    /// space for are omitted from their bucket.
    fn bases(&self, plan: &Plan, round: usize) -> Vec<u32> {
        let (counts, buckets) = (&self.counts[round % 2], plan.buckets());
        let space = plan.trees[round].len() as u32;
        let mut end = 0;
        let mut bases = vec![0];
        for bucket in 0..buckets {
            let parts = (0..plan.parts).map(|part| counts[part * buckets + bucket]);
            end = space.min(end + parts.sum::<u32>());
            bases.push(end);
        }
        bases
    }

    /// Returns table 0, a region for each part, without elements.
    fn first_outputs(&mut self, plan: &Plan) -> Vec<Output<'_>> {
        let place = plan.tables[0].place.clone();
        outputs(plan, 0, &mut self.words[place], &mut self.counts[0])
    }

    /// Returns table `round`, tree `round`, and table `round` + 1 without elements.
    fn pieces(&mut self, plan: &Plan, round: usize) -> Pieces<'_> {
        let (tables, tree) = (&plan.tables, &plan.trees[round]);
        let (even, odd) = (round + round % 2, round + 1 - round % 2);
        let (low, rest) = self.words.split_at_mut(tree.start);
        let (tree, high) = rest.split_at_mut(tree.len());
        let low = &mut low[tables[even].place.clone()];
        let high_words = high.len();
        let high = &mut high[high_words - tables[odd].place.len()..];
        let [counts_even, counts_odd] = &mut *self.counts;
        if even == round {
            let input = Input { words: low, counts: counts_even };
            Pieces { input, tree, outputs: outputs(plan, odd, high, counts_odd) }
        } else {
            let input = Input { words: high, counts: counts_odd };
            Pieces { input, tree, outputs: outputs(plan, even, low, counts_even) }
        }
    }

    /// Returns table `round`.
    fn input(&self, plan: &Plan, round: usize) -> Input<'_> {
        let place = plan.tables[round].place.clone();
        Input { words: &self.words[place], counts: &self.counts[round % 2] }
    }
}

fn outputs<'a>(
    plan: &Plan,
    round: usize,
    words: &'a mut [u32],
    counts: &'a mut [u32],
) -> Vec<Output<'a>> {
    counts.fill(0);
    let capacity = plan.tables[round].capacity;
    let words = words.chunks_exact_mut(plan.buckets() * capacity * plan.tables[round].width);
    let counts = counts.chunks_exact_mut(plan.buckets());
    words.zip(counts).map(|(words, counts)| Output { words, counts, capacity }).collect()
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
