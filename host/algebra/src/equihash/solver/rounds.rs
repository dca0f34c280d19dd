//! The rounds: all buckets of a table, for each width of its elements.

use super::bucket::{Bucket, Scratch};
use super::candidates::Candidate;
use super::pages::{Branch, List, Output, Tree};
use super::plan::Plan;
use super::{Cancelled, Control, Memory, for_each};

/// What a round writes beside reading its table.
#[derive(Clone, Copy)]
pub(super) struct Writes {
    pub(super) tree: bool,
    pub(super) table: bool,
}

/// A part of a round.
struct Task<'a, 's> {
    scratch: &'s mut Scratch,
    /// Those of the part's buckets, the lists of a bucket one after the other.
    lists: Vec<List<'a>>,
    branch: Branch<'a>,
    output: Output<'a>,
}

/// What all parts of a round read.
struct Round<'a> {
    plan: &'a Plan,
    round: usize,
    writes: Writes,
    /// Positions in the tree of the elements of each bucket, and the end.
    bases: &'a [u32],
    cancelled: &'a (dyn Fn() -> bool + Sync),
}

/// Runs round `round` < k - 1: reads its table, and writes its tree and the next table.
pub(super) fn run(
    plan: &Plan,
    round: usize,
    writes: Writes,
    memory: &mut Memory<'_>,
    scratches: &mut [Scratch],
    control: &Control<'_>,
) -> Result<(), Cancelled> {
    let (lists, shares) = (memory.lists(plan), memory.shares(plan.parts));
    let bases = bases(plan, round, &lists);
    let parts = lists.into_iter().zip(shares).zip(scratches).enumerate();
    let tasks = parts.map(|(part, ((lists, free), scratch))| {
        let branch = Branch::new(bases[plan.buckets_of(part).start]);
        Task { scratch, lists, branch, output: plan.output(round + 1, free) }
    });
    let round = Round { plan, round, writes, bases: &bases, cancelled: control.cancelled };
    let tasks = for_each(control, tasks.collect(), |part, task| round.part(part, task))?;
    let (branches, outputs): (Vec<_>, Vec<_>) =
        tasks.into_iter().map(|task| (task.branch, task.output)).unzip();
    memory.put(outputs);
    if writes.tree {
        memory.trees.push(Tree::new(branches));
    }
    Ok(())
}

/// Returns the position of each bucket of a round in the tree, and the end. Elements beyond the space for a bucket, or beyond the
/// positions that a reference can have, are omitted.
fn bases(plan: &Plan, round: usize, lists: &[Vec<List<'_>>]) -> Vec<u32> {
    let (width, space) = (plan.tables[round].width, 1u64 << (32 - plan.distance_bits()));
    let buckets = lists.iter().flat_map(|lists| lists.chunks(plan.parts));
    let mut end = 0;
    let mut bases = vec![0];
    for lists in buckets {
        let count: usize = lists.iter().map(|list| list.len(width)).sum();
        end = space.min(end + count.min(plan.bucket_capacity()) as u64);
        bases.push(end as u32);
    }
    bases
}

impl Round<'_> {
    /// Runs one part. Returns false when it was cancelled.
    fn part(&self, part: usize, task: &mut Task<'_, '_>) -> bool {
        let table = &self.plan.tables[self.round];
        let next = &self.plan.tables[self.round + 1];
        macro_rules! widths {
            ($($width:literal $next:literal $word:literal)*) => {
                match (table.width, next.width, table.next_word) {
                    $(($width, $next, $word) => self.buckets::<$width, $next, $word>(part, task),)*
                    widths => unreachable!("a plan has no widths {widths:?}"),
                }
            };
        }
        widths! {
            2 2 0  3 2 0  3 2 1  3 3 0  4 3 0  4 3 1  4 4 0  5 4 0  5 4 1  5 5 0
            6 5 0  6 5 1  6 6 0  7 6 0  7 6 1  7 7 0  8 7 0  8 7 1  8 8 0
        }
    }

    /// Runs the buckets of a part, for elements of W words. Those of the next round have V words, and their bucket is in word
    /// G and the one behind it.
    fn buckets<const W: usize, const V: usize, const G: usize>(
        &self,
        part: usize,
        task: &mut Task<'_, '_>,
    ) -> bool {
        let (plan, table) = (self.plan, &self.plan.tables[self.round]);
        let distance_bits = plan.distance_bits();
        let most = (1 << distance_bits) - 1;
        let Task { scratch, lists, branch, output } = task;
        let mut lists = std::mem::take(lists).into_iter();
        for bucket in plan.buckets_of(part) {
            if (self.cancelled)() {
                return false;
            }
            let base = self.bases[bucket];
            let len = (self.bases[bucket + 1] - base) as usize;
            let here: Vec<_> = lists.by_ref().take(plan.parts).collect();
            let sorted = Bucket::<W>::sort(table, &here, len, scratch);
            output.free.extend(here.into_iter().flat_map(|list| list.pages));
            if self.writes.tree {
                output.is_short |= !branch.append(sorted.references(), &mut output.free);
            }
            if self.writes.table {
                sorted.pairs(most, |first, distance, a, b| {
                    let reference = (base + first as u32) << distance_bits | distance as u32;
                    output.write_pair::<W, V, G>(table.next_shift, a, b, reference);
                });
            }
        }
        true
    }
}

/// Runs round k - 1: returns the pairs of equal strings.
pub(super) fn last(
    plan: &Plan,
    memory: &mut Memory<'_>,
    scratches: &mut [Scratch],
    control: &Control<'_>,
) -> Result<Vec<Candidate>, Cancelled> {
    let lists = memory.lists(plan).into_iter();
    let tasks: Vec<_> =
        lists.zip(scratches).map(|(lists, scratch)| (lists, scratch, Vec::new())).collect();
    let done = for_each(control, tasks, |_, (lists, scratch, found)| {
        for lists in lists.chunks(plan.parts) {
            if (control.cancelled)() {
                return false;
            }
            match plan.tables[plan.k - 1].width {
                2 => last_bucket::<2>(plan, lists, scratch, found),
                3 => last_bucket::<3>(plan, lists, scratch, found),
                width => unreachable!("a plan has no last width {width}"),
            }
        }
        true
    })?;
    Ok(done.into_iter().flat_map(|(_, _, found)| found).collect())
}

fn last_bucket<const W: usize>(
    plan: &Plan,
    lists: &[List<'_>],
    scratch: &mut Scratch,
    found: &mut Vec<Candidate>,
) {
    let table = &plan.tables[plan.k - 1];
    let len = lists.iter().map(|list| list.len(W)).sum::<usize>().min(plan.bucket_capacity());
    let sorted = Bucket::<W>::sort(table, lists, len, scratch);
    sorted.pairs(len, |_, _, a, b| {
        if a[..W - 1] == b[..W - 1] {
            found.push(vec![a[W - 1], b[W - 1]]);
        }
    });
}
