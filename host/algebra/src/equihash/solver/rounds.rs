//! The rounds: all buckets of a table, for each width of its elements.

use super::bucket::{Bucket, Input, Output, Scratch};
use super::candidates::Candidate;
use super::plan::Plan;
use super::{Cancelled, Control, Memory, Pieces, for_each};

/// A part of a round.
struct Task<'a> {
    scratch: &'a mut Scratch,
    /// The tree's references for the part's buckets.
    tree: &'a mut [u32],
    output: Output<'a>,
}

/// What all parts of a round read.
struct Round<'a> {
    plan: &'a Plan,
    round: usize,
    input: Input<'a>,
    bases: &'a [u32],
    cancelled: &'a (dyn Fn() -> bool + Sync),
}

/// Runs round `round` < k - 1: reads its table, writes its tree and the next table.
pub(super) fn run(
    plan: &Plan,
    round: usize,
    memory: &mut Memory<'_>,
    bases: &[u32],
    scratches: &mut [Scratch],
    control: &Control<'_>,
) -> Result<(), Cancelled> {
    let Pieces { input, mut tree, outputs } = memory.pieces(plan, round);
    let mut tasks = Vec::new();
    for (part, (scratch, output)) in scratches.iter_mut().zip(outputs).enumerate() {
        let buckets = plan.buckets_of(part);
        let here = (bases[buckets.end] - bases[buckets.start]) as usize;
        let (mine, rest) = tree.split_at_mut(here);
        tree = rest;
        tasks.push(Task { scratch, tree: mine, output });
    }
    let round = Round { plan, round, input, bases, cancelled: control.cancelled };
    for_each(control, tasks, |part, task| round.part(part, task))?;
    Ok(())
}

impl Round<'_> {
    /// Runs one part. Returns false when it was cancelled.
    fn part(&self, part: usize, task: &mut Task<'_>) -> bool {
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
        task: &mut Task<'_>,
    ) -> bool {
        let (plan, table) = (self.plan, &self.plan.tables[self.round]);
        let distance_bits = plan.distance_bits();
        let most = (1 << distance_bits) - 1;
        let buckets = plan.buckets_of(part);
        let start = self.bases[buckets.start];
        for bucket in buckets {
            if (self.cancelled)() {
                return false;
            }
            let base = self.bases[bucket];
            let len = (self.bases[bucket + 1] - base) as usize;
            let tree = &mut task.tree[(base - start) as usize..][..len];
            let keep = |position: usize, reference| tree[position] = reference;
            let (input, output) = (&self.input, &mut task.output);
            let sorted = Bucket::<W>::sort(plan, table, input, bucket, len, task.scratch, keep);
            sorted.pairs(most, |first, distance, a, b| {
                let reference = (base + first as u32) << distance_bits | distance as u32;
                output.write_pair::<W, V, G>(table.next_shift, a, b, reference);
            });
        }
        true
    }
}

/// Runs round k - 1: returns the pairs of equal strings.
pub(super) fn last(
    plan: &Plan,
    memory: &Memory<'_>,
    scratches: &mut [Scratch],
    control: &Control<'_>,
) -> Result<Vec<Candidate>, Cancelled> {
    let input = memory.input(plan, plan.k - 1);
    let tasks: Vec<_> = scratches.iter_mut().map(|scratch| (scratch, Vec::new())).collect();
    let done = for_each(control, tasks, |part, (scratch, found)| {
        for bucket in plan.buckets_of(part) {
            if (control.cancelled)() {
                return false;
            }
            match plan.tables[plan.k - 1].width {
                2 => last_bucket::<2>(plan, &input, bucket, scratch, found),
                3 => last_bucket::<3>(plan, &input, bucket, scratch, found),
                width => unreachable!("a plan has no last width {width}"),
            }
        }
        true
    })?;
    Ok(done.into_iter().flat_map(|(_, found)| found).collect())
}

fn last_bucket<const W: usize>(
    plan: &Plan,
    input: &Input<'_>,
    bucket: usize,
    scratch: &mut Scratch,
    found: &mut Vec<Candidate>,
) {
    let table = &plan.tables[plan.k - 1];
    let counts = input.counts.iter().skip(bucket).step_by(plan.buckets());
    let len = counts.sum::<u32>() as usize;
    let sorted = Bucket::<W>::sort(plan, table, input, bucket, len, scratch, |_, _| ());
    sorted.pairs(len, |_, _, a, b| {
        if a[..W - 1] == b[..W - 1] {
            found.push([a[W - 1], b[W - 1]]);
        }
    });
}
