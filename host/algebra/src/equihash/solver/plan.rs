//! The sizes of a solver's tables and their places in one block of memory.
//!
//! Round r reads table r and writes table r + 1. Even tables start at the bottom of the memory, odd ones end at its top, and
//! the trees, which stay until the end, are between them. Tables become narrower from round to round, so later trees
//! fit into the memory that earlier tables used.

use std::ops::Range;

use crate::equihash::Shape;
use crate::equihash::digests::DIGESTS;

/// Standard deviations of the number of elements that a table has space for.
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
    /// Most elements of one part in one bucket.
    pub(super) capacity: usize,
    pub(super) place: Range<usize>,
    /// The shift and mask that cut the key, the rest of the round's collision group, from the first 64 bits.
    pub(super) key_shift: u32,
    /// The first word, and the shift in the 64 bits from it on, of the next round's bucket.
    pub(super) next_word: usize,
    pub(super) next_shift: u32,
}

/// The partition of a solver's work and memory, computed from the parameters and the number of parts.
///
/// Each part is work for one thread in each round. It writes a region of its own in each bucket, so threads
/// share no counter, and the result does not depend on their number. More parts than threads balance the load, and need some more memory.
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
    /// References of the elements of round r, r < k - 1, sorted by bucket and key.
    pub(super) trees: Vec<Range<usize>>,
    words: usize,
}

impl Plan {
    /// Computes the sizes for `parts` parts (at least one), or `None` for parameters that the solver does not take:
    /// collision groups of less than 8 or more than 24 bits, or strings of more than 224 bits.
    pub fn new(shape: &Shape, parts: usize) -> Option<Self> {
        let (n, k) = (shape.n, shape.k);
        let group_bits = (n / (k + 1)) as u32;
        if !(8..=24).contains(&group_bits) || n > 224 {
            return None;
        }
        let bucket_bits = group_bits.saturating_sub(KEY_BITS).clamp(2, 11);
        let parts = parts.clamp(1, (1 << bucket_bits >> 3).clamp(1, MAX_PARTS));
        let mut plan = Self {
            n,
            k,
            parts,
            group_bits,
            bucket_bits,
            tables: Vec::new(),
            trees: Vec::new(),
            words: 0,
        };
        plan.tables = (0..k).map(|round| plan.table(round)).collect();
        plan.place();
        debug_assert!(plan.bucket_capacity() < 1 << 16, "positions in a bucket have 16 bits");
        Some(plan)
    }

    /// Returns the number of bytes of a workspace of this plan: tables, trees, counters and working memory.
    pub fn memory_bytes(&self) -> usize {
        4 * self.words + self.parts * super::bucket::Scratch::bytes(self) + self.counts_bytes()
    }

    /// Returns the number of parts.
    pub fn parts(&self) -> usize {
        self.parts
    }

    fn counts_bytes(&self) -> usize {
        4 * (2 * self.parts * self.buckets() + self.buckets() + 1)
    }

    pub(super) fn words(&self) -> usize {
        self.words
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
        self.tables.iter().map(|table| table.capacity * self.parts).max().unwrap_or(0)
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

    /// Elements that a part writes, on average, if it is the largest.
    fn largest_share(&self) -> f64 {
        let leaves = self.digests_of_part() * (512 / self.n);
        let elements = self.leaves() * self.buckets().div_ceil(self.parts) / self.buckets();
        leaves.max(elements).min(self.leaves()) as f64
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
            capacity: self.bound(round, self.largest_share() / self.buckets() as f64),
            place: 0..0,
            key_shift: 64 - (key % 32) as u32 - self.key_bits(),
            next_word: next / 32 - first,
            next_shift: 64 - (next % 32) as u32 - self.bucket_bits,
        }
    }

    fn table_words(&self, table: &Table) -> usize {
        self.parts * self.buckets() * table.capacity * table.width
    }

    /// Words of the largest bucket.
    pub(super) fn bucket_words(&self) -> usize {
        let words = self.tables.iter().map(|table| table.width * table.capacity * self.parts);
        words.max().unwrap_or(0)
    }

    /// Words that tables of this parity use from round `round` on.
    fn used(&self, round: usize, parity: usize) -> usize {
        let rest = (round..self.k).filter(|r| r % 2 == parity);
        rest.map(|r| self.table_words(&self.tables[r])).max().unwrap_or(0)
    }

    fn place(&mut self) {
        let mut trees = self.used(0, 0)..self.used(0, 0);
        for round in 0..self.k - 1 {
            let tree =
                self.bound(round, self.leaves() as f64).min(1 << (32 - self.distance_bits()));
            let place = if trees.start >= self.used(round, 0) + tree {
                trees.start -= tree;
                trees.start..trees.start + tree
            } else {
                trees.end += tree;
                trees.end - tree..trees.end
            };
            self.trees.push(place);
            self.words = self.words.max(trees.end + self.used(round, 1));
        }
        for round in 0..self.k {
            let words = self.table_words(&self.tables[round]);
            let start = if round % 2 == 0 { 0 } else { self.words - words };
            self.tables[round].place = start..start + words;
        }
    }
}
