//! One bucket of one round: sorted by key, its colliding pairs listed, and their exclusive ors written to the next buckets.

use super::pages::{List, Output};
use super::plan::{Plan, Table};
use super::prefetch::prefetch;

/// Elements that are written together, after their cache lines were requested.
const BATCH: usize = 32;

/// Behind the last key. Keys have fewer bits.
const NO_KEY: u16 = u16::MAX;

/// Working memory for one bucket.
#[derive(Debug)]
pub(super) struct Scratch {
    /// The bucket's elements, by key.
    sorted: Vec<u32>,
    /// Their keys.
    keys: Vec<u16>,
    /// Where the next element of each key goes.
    ends: Vec<u32>,
    /// Positions of first elements of pairs.
    firsts: Vec<u16>,
    /// The elements' references, by key.
    references: Vec<u32>,
}

impl Scratch {
    pub(super) fn new(plan: &Plan) -> Self {
        let capacity = plan.bucket_capacity();
        Self {
            sorted: vec![0; plan.bucket_words()],
            keys: vec![0; capacity + 1],
            ends: vec![0; 1 << plan.key_bits()],
            firsts: vec![0; capacity],
            references: vec![0; capacity],
        }
    }

    /// Returns the number of bytes of [`Scratch::new`].
    pub(super) fn bytes(plan: &Plan) -> usize {
        4 * (plan.bucket_words() + 2 * plan.bucket_capacity()) + 2 + (4 << plan.key_bits())
    }
}

/// The first 64 bits of an element. What is behind its string is never looked at.
#[inline(always)]
fn first_bits<const W: usize>(element: &[u32; W], word: usize) -> u64 {
    let second = if word + 1 < W { element[word + 1] } else { 0 };
    u64::from(element[word]) << 32 | u64::from(second)
}

/// A bucket, sorted. W is the width of its elements.
pub(super) struct Bucket<'a, const W: usize> {
    sorted: &'a mut [[u32; W]],
    keys: &'a mut [u16],
    firsts: &'a mut [u16],
    references: &'a [u32],
    /// Elements.
    len: usize,
}

impl<'a, const W: usize> Bucket<'a, W> {
    /// Sorts the elements of a bucket's lists by key, at most `len` of them. Positions of some elements are computed, and their
    /// cache lines requested, before the first of them is written: a write that waits for its line holds up those behind it.
    #[inline(always)]
    pub(super) fn sort(
        table: &Table,
        lists: &[List<'_>],
        len: usize,
        scratch: &'a mut Scratch,
    ) -> Self {
        let (sorted, _) = scratch.sorted.as_chunks_mut::<W>();
        let (sorted, keys, ends) = (&mut sorted[..len], &mut scratch.keys, &mut scratch.ends);
        let references = &mut scratch.references[..len];
        let mask = ends.len() - 1;
        let key = |element: &[u32; W]| (first_bits(element, 0) >> table.key_shift) as usize & mask;
        let pieces = || {
            let mut missing = len;
            lists.iter().flat_map(List::elements::<W>).map(move |elements| {
                let elements = &elements[..elements.len().min(missing)];
                missing -= elements.len();
                elements
            })
        };
        ends.fill(0);
        for element in pieces().flatten() {
            ends[key(element) & mask] += 1;
        }
        let mut end = 0;
        for count in ends.iter_mut() {
            end += std::mem::replace(count, end);
        }
        let mut positions = [0; BATCH];
        for elements in pieces().flat_map(|elements| elements.chunks(BATCH)) {
            for (to, element) in positions.iter_mut().zip(elements) {
                let key = key(element) & mask;
                let position = ends[key] as usize;
                ends[key] += 1;
                prefetch(sorted.as_flattened(), position * W);
                keys[position] = key as u16;
                *to = position;
            }
            for (&position, element) in positions.iter().zip(elements) {
                sorted[position] = *element;
                references[position] = element[W - 1];
            }
        }
        keys[len] = NO_KEY;
        Self { sorted, keys, firsts: &mut scratch.firsts, references, len }
    }

    /// Returns the references of the elements.
    pub(super) fn references(&self) -> &[u32] {
        self.references
    }

    /// Calls `pair` with the position of the first element of each colliding pair, the distance of the second (at most `most`),
    /// and both elements.
    ///
    /// Pairs of neighbours are listed first, then those at distance two among them, and so on, without a branch that
    /// depends on the keys.
    #[inline(always)]
    pub(super) fn pairs(
        self,
        most: usize,
        mut pair: impl FnMut(usize, usize, &[u32; W], &[u32; W]),
    ) {
        let Self { sorted, keys, firsts, len, .. } = self;
        let mut count = 0;
        for first in 0..len {
            firsts[count] = first as u16;
            count += usize::from(keys[first] == keys[first + 1]);
        }
        for distance in 1..=most {
            if count == 0 {
                break;
            }
            let mut longer = 0;
            for i in 0..count {
                let first = usize::from(firsts[i]);
                let second = first + distance;
                pair(first, distance, &sorted[first], &sorted[second]);
                firsts[longer] = first as u16;
                longer += usize::from(keys[first] == keys[second + 1]);
            }
            count = longer;
        }
    }
}

impl Output<'_> {
    /// Writes the exclusive or of two elements of W words to its bucket, as V words with reference `reference`. The number of
    /// its bucket is `shift` above the lowest bit of the 64 from word G on. Drops zeros, which are pairs of equal
    /// index sets.
    #[inline(always)]
    pub(super) fn write_pair<const W: usize, const V: usize, const G: usize>(
        &mut self,
        shift: u32,
        a: &[u32; W],
        b: &[u32; W],
        reference: u32,
    ) {
        let xor: [u32; W] = std::array::from_fn(|i| a[i] ^ b[i]);
        let mut element: [u32; V] = std::array::from_fn(|i| xor[W - V + i]);
        if V > 1 && element[V - 2] == 0 && element[..V - 1].iter().all(|&word| word == 0) {
            return;
        }
        element[V - 1] = reference;
        let bucket = (first_bits(&xor, G) >> shift) as usize & (self.buckets() - 1);
        self.write(bucket, element);
    }
}
