//! The sizes of a solver's tables and trees, and the runs that fit into a bound of memory.

use std::ops::Range;

use super::bucket::Scratch;
use super::pages::{Output, PAGE, Page, elements_of_page};
use crate::equihash::Shape;
use crate::equihash::digests::DIGESTS;

/// Standard deviations of the number of elements that there is space for.
const DEVIATIONS: f64 = 5.0;

/// Bits of a key, about: a bucket then has some 4096 elements, and fits into a processor's second-level cache.
const KEY_BITS: u32 = 11;
/// Most parts: more of them need more memory than they save time.
const MAX_PARTS: usize = 16;

/// A table of elements, as wide as its round needs.
#[derive(Clone, Debug)]
pub(super) struct Table {
    /// Words of an element: the last words of its string, then its reference.
    pub(super) width: usize,
    /// The shift and mask that cut the key, the rest of the round's collision group, from the first 64 bits.
    pub(super) key_shift: u32,
    /// The first word, and the shift in the 64 bits from it on, of the next round's bucket.
    pub(super) next_word: usize,
    pub(super) next_shift: u32,
}

/// The reason for which there is no plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unplanned {
    /// The solver does not take these parameters: collision groups of less than 8 or more than 24 bits, or strings of more than 224
    /// bits.
    Parameters,
    /// The bound of the memory is below this number of bytes, the least for as many parts.
    Memory(usize),
}

/// The partition of a solver's work and memory, computed from the parameters, the number of parts and a bound of the memory.
///
/// Each part is work for one thread in each round. It writes pages of its own, so threads share nothing, and the result does
/// not depend on their number. More parts than threads balance the load, and need some more memory.
///
/// If the trees of all rounds do not fit into the memory, there are several runs. Each keeps the trees of some rounds and
/// repeats the rounds before them.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(super) n: usize,
    pub(super) k: usize,
    pub(super) parts: usize,
    /// Bits of a collision group.
    pub(super) group_bits: u32,
    /// Of these, the first ones choose the bucket.
    pub(super) bucket_bits: u32,
    pub(super) tables: Vec<Table>,
    /// The rounds whose trees are kept in each run. The last ones come first.
    pub(super) runs: Vec<Range<usize>>,
    /// Pages of one part.
    pages: usize,
}

impl Plan {
    /// Computes the sizes for `parts` parts (at least one, at most 16) and the fewest runs within `max_bytes` bytes.
    pub fn new(shape: &Shape, parts: usize, max_bytes: usize) -> Result<Self, Unplanned> {
        let (n, k) = (shape.n, shape.k);
        let group_bits = (n / (k + 1)) as u32;
        if !(8..=24).contains(&group_bits) || n > 224 {
            return Err(Unplanned::Parameters);
        }
        let bucket_bits = group_bits.saturating_sub(KEY_BITS).clamp(2, 11);
        let parts = parts.clamp(1, (1 << bucket_bits >> 3).clamp(1, MAX_PARTS));
        let (tables, runs) = (Vec::new(), Vec::new());
        let mut plan = Self { n, k, parts, group_bits, bucket_bits, tables, runs, pages: 0 };
        plan.tables = (0..k).map(|round| plan.table(round)).collect();
        debug_assert!(plan.bucket_capacity() < 1 << 16, "positions in a bucket have 16 bits");
        plan.divide(max_bytes)?;
        Ok(plan)
    }

    /// Returns the number of bytes of a workspace of this plan, and of a solver's lists.
    pub fn memory_bytes(&self) -> usize {
        self.bytes_of(self.pages)
    }

    /// Returns the number of parts.
    pub fn parts(&self) -> usize {
        self.parts
    }

    /// Returns the number of steps of all runs: the leaves and the rounds of each.
    pub fn steps(&self) -> usize {
        self.runs.iter().map(|run| 1 + self.rounds(run)).sum()
    }

    /// Returns the number of rounds of a run. Only the first one has the last round.
    pub(super) fn rounds(&self, run: &Range<usize>) -> usize {
        if run.end == self.k - 1 { self.k } else { run.end }
    }

    /// Returns the number of words of all pages.
    pub(super) fn words(&self) -> usize {
        self.parts * self.pages * PAGE
    }

    pub(super) fn buckets(&self) -> usize {
        1 << self.bucket_bits
    }

    /// Leaves of the first round; each round has about as many elements.
    pub(super) fn leaves(&self) -> usize {
        2 << self.group_bits
    }

    /// BLAKE2b digests of the leaves.
    pub(super) fn digests(&self) -> usize {
        self.leaves().div_ceil(512 / self.n)
    }

    /// Digests of each part but the last.
    pub(super) fn digests_of_part(&self) -> usize {
        self.digests().div_ceil(self.parts).next_multiple_of(DIGESTS)
    }

    /// The buckets of a part.
    pub(super) fn buckets_of(&self, part: usize) -> Range<usize> {
        let start = |part: usize| part * self.buckets() / self.parts;
        start(part)..start(part + 1)
    }

    /// Bits of a key.
    pub(super) fn key_bits(&self) -> u32 {
        self.group_bits - self.bucket_bits
    }

    /// A reference is the position of its first element in a tree, and in these lowest bits the distance to the
    /// second. Small sets need positions for several times the expected number of elements.
    pub(super) fn distance_bits(&self) -> u32 {
        (30 - self.group_bits).min(12)
    }

    /// Most elements of one bucket.
    pub(super) fn bucket_capacity(&self) -> usize {
        let mean = self.leaves() as f64 / self.buckets() as f64;
        self.bound(self.k - 1, mean)
    }

    /// Words of the largest bucket.
    pub(super) fn bucket_words(&self) -> usize {
        self.bucket_capacity() * self.tables.iter().map(|table| table.width).max().unwrap_or(0)
    }

    fn bytes_of(&self, pages: usize) -> usize {
        // A list that grows has up to twice the space that it needs, and moves from its old place.
        let page = size_of::<[u32; PAGE]>() + 3 * size_of::<Page<'_>>();
        self.parts * (pages * page + Scratch::bytes(self))
    }

    /// Strings are padded in front to whole words.
    fn table(&self, round: usize) -> Table {
        let string_words = self.n.div_ceil(32);
        let group = |round: usize| 32 * string_words - self.n + self.group_bits as usize * round;
        let key = group(round) + self.bucket_bits as usize;
        let first = key / 32;
        let next = group(round + 1);
        Table {
            width: string_words - first + 1,
            key_shift: 64 - (key % 32) as u32 - self.key_bits(),
            next_word: next / 32 - first,
            next_shift: 64 - (next % 32) as u32 - self.bucket_bits,
        }
    }

    /// The elements of round `round` that there is space for, of a mean of `mean`.
    ///
    /// N elements have about N^2 / 2^(group_bits + 1) pairs: a deviation doubles from round to round, and each round adds
    /// its own, of one part in sqrt(N). A bucket has the deviation of a Poisson distribution beyond that.
    fn bound(&self, round: usize, mean: f64) -> usize {
        let total = ((4f64.powi(round as i32) - 1.0) / (3.0 * self.leaves() as f64)).sqrt();
        let mean = mean * (1.0 + DEVIATIONS * total);
        let bucket = (mean * (1.0 + 4.0 / self.buckets() as f64)).sqrt();
        (mean + DEVIATIONS * bucket).ceil() as usize
    }

    /// Elements of round `round` in the largest part.
    fn elements_of_part(&self, round: usize) -> usize {
        let leaves = self.digests_of_part() * (512 / self.n);
        let elements = self.leaves() * self.buckets().div_ceil(self.parts) / self.buckets();
        self.bound(round, leaves.max(elements).min(self.leaves()) as f64)
    }

    /// Pages of a part's lists of table `round`. A list's last page is half empty on average.
    fn table_pages(&self, round: usize) -> usize {
        let lists = (self.buckets() + self.parts) as f64;
        let empty = (lists / 2.0 + DEVIATIONS * (lists / 12.0).sqrt()).min(lists);
        let elements = elements_of_page(self.tables[round].width);
        self.elements_of_part(round).div_ceil(elements) + empty.ceil() as usize
    }

    /// Returns a part's output without elements, for table `round`.
    pub(super) fn output<'a>(&self, round: usize, free: Vec<Page<'a>>) -> Output<'a> {
        let elements = self.leaves() / self.buckets() / self.parts;
        let pages = elements / elements_of_page(self.tables[round].width);
        Output::new(self.buckets(), pages + 2, free)
    }

    /// Pages of a part's branch of the tree of round `round`.
    fn tree_pages(&self, round: usize) -> usize {
        self.elements_of_part(round).div_ceil(PAGE)
    }

    /// Pages of a part in a run that keeps the trees of these rounds: while a table is read, its pages become those of the next
    /// table and of the tree. Each bucket of the next table has a page from the start.
    fn run_pages(&self, run: &Range<usize>) -> usize {
        let rounds = self.rounds(run);
        let mut trees = 0;
        let mut most = self.table_pages(0);
        for round in 0..rounds {
            let is_last = round + 1 == rounds;
            let first = if is_last { 0 } else { self.buckets() };
            most = most.max(trees + self.table_pages(round) + first);
            if run.contains(&round) {
                trees += self.tree_pages(round);
            }
            let next = if is_last { 0 } else { self.table_pages(round + 1) };
            most = most.max(trees + next);
        }
        most
    }

    /// Chooses the runs: each keeps as many trees as the memory allows.
    fn divide(&mut self, max_bytes: usize) -> Result<(), Unplanned> {
        let fits = |run: &Range<usize>| self.bytes_of(self.run_pages(run)) <= max_bytes;
        let mut runs = Vec::new();
        let mut end = self.k - 1;
        while end > 0 {
            let Some(run) = (0..end).map(|start| start..end).find(fits) else {
                let singles = (1..self.k).map(|end| self.run_pages(&(end - 1..end)));
                let least = singles.map(|pages| self.bytes_of(pages)).max();
                return Err(Unplanned::Memory(least.unwrap_or(0)));
            };
            end = run.start;
            runs.push(run);
        }
        self.pages = runs.iter().map(|run| self.run_pages(run)).max().unwrap_or(0);
        self.runs = runs;
        Ok(())
    }
}
