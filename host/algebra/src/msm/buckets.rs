//! Buckets, and how points get into them.

use std::error::Error;
use std::fmt;
use std::ops::Range;

use super::plan::{Plan, Window};
use super::scalars::{Digit, Scalars};
use super::schedule::{Schedule, State, add_neighbours};
use super::{Group, Stored, sums};
use crate::curve::Projective;
use crate::isa::Isa;
use crate::lanes::affine::{Addition, BATCH, Point};

/// Windows whose buckets have fewer bytes than this together take points at the same time: half a second-level cache.
const TOGETHER: usize = 512 << 10;

/// Scalars between two words to whoever watches.
const CHUNK: usize = 8192;

/// The work was cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cancelled;

impl fmt::Display for Cancelled {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        text.write_str("cancelled")
    }
}

impl Error for Cancelled {}

/// The buckets of all windows of a plan. Points may be added in several calls.
pub struct Buckets<C: Group> {
    points: Vec<Stored<C>>,
    states: Vec<State>,
}

/// The buckets of some windows for a copy's share of the points, and a share of the scalars that need none.
pub struct Part<'a, C: Group> {
    plan: &'a Plan,
    windows: &'a [Window],
    /// True if the last one is the highest of all.
    has_highest: bool,
    points: &'a mut [Stored<C>],
    states: &'a mut [State],
    /// The scalars with digits.
    share: Share,
    /// The scalars without digits.
    units_share: Share,
    /// Points with the scalar 1.
    units: Projective<C>,
}

/// The number of a share, and the number of shares.
#[derive(Clone, Copy)]
struct Share {
    number: usize,
    count: usize,
}

impl Share {
    /// Returns its part of a number of items.
    fn of(self, all: usize) -> Range<usize> {
        all * self.number / self.count..all * (self.number + 1) / self.count
    }
}

/// The contribution of a part to the result.
pub struct Sums<C: Group> {
    /// The sum of d times bucket d, for every window of the part.
    pub(super) windows: Vec<Projective<C>>,
    /// Points with the scalars 1 and -1.
    pub(super) units: Projective<C>,
}

impl<C: Group> Buckets<C> {
    /// Empty ones.
    pub fn new(plan: &Plan) -> Self {
        let copy: usize = plan.windows().iter().map(|window| window.buckets()).sum();
        let count = plan.copies() * copy;
        Self { points: vec![Point::IDENTITY; count], states: vec![State::Empty; count] }
    }

    /// Divides the buckets into parts for this number of threads, copy by copy.
    pub fn parts<'a>(&'a mut self, plan: &'a Plan, threads: usize) -> Vec<Part<'a, C>> {
        let shares = plan.shares(threads);
        let (count, copies) = (shares.len(), plan.copies());
        let (mut points, mut states) = (&mut self.points[..], &mut self.states[..]);
        let mut parts = Vec::with_capacity(count * copies);
        for (number, &windows) in std::iter::repeat_n(&shares, copies).flatten().enumerate() {
            let buckets = windows.iter().map(|window| window.buckets()).sum();
            let (these_points, other_points) = points.split_at_mut(buckets);
            let (these_states, other_states) = states.split_at_mut(buckets);
            (points, states) = (other_points, other_states);
            parts.push(Part {
                plan,
                windows,
                has_highest: (number + 1) % count == 0,
                points: these_points,
                states: these_states,
                share: Share { number: number / count, count: copies },
                units_share: Share { number, count: count * copies },
                units: Projective::IDENTITY,
            });
        }
        parts
    }
}

impl<C: Group> Part<'_, C> {
    /// Adds points to this part's buckets, with a scalar for each, in pieces whose [`Scalars`] contain the index of their first point. If the
    /// plan has multiples, the points are [`precomputed`](super::precomputed).
    /// `advance` is called regularly with the number of digits read since the last call (by all parts, one for each window and scalar
    /// other than 0, 1 and -1). If it returns false, the work is cancelled and the buckets are unusable.
    pub fn accumulate(
        &mut self,
        isa: Isa,
        points: &[Stored<C>],
        pieces: &[Scalars],
        advance: &dyn Fn(usize) -> bool,
    ) -> Result<(), Cancelled> {
        let together = TOGETHER / size_of::<Stored<C>>();
        let multiples = self.plan.multiples() as u32;
        let (mut from, mut at) = (0, 0);
        while from < self.windows.len() {
            // Some windows: the first one, and more while there is room for their buckets.
            let mut readers = Vec::new();
            let mut buckets = 0;
            while let Some(window) = self.windows.get(from)
                && (readers.is_empty() || buckets + window.buckets() <= together)
            {
                readers.extend(self.readers(from, buckets as u32));
                buckets += window.buckets();
                from += 1;
            }
            let range = at..at + buckets;
            at = range.end;
            let (these, states) = (&mut self.points[range.clone()], &mut self.states[range]);
            let mut schedule = Schedule::<C>::new(isa, points, these, states);
            for (scalars, chunk) in pieces.iter().flat_map(|piece| chunks(piece, self.share)) {
                if !advance(chunk.len() * readers.len()) {
                    return Err(Cancelled);
                }
                for (point, subtracted, words) in scalars.range(chunk) {
                    let first = point * multiples;
                    for reader in &readers {
                        let (digit, negated) = reader.digit.of(words);
                        if digit != 0 {
                            let (bucket, point) =
                                (reader.bucket + digit - 1, first + reader.multiple);
                            schedule.add(Addition::new(bucket, point, negated != subtracted));
                        }
                    }
                }
            }
            schedule.finish();
        }
        self.units += self.sum_of_units(isa, points, pieces);
        Ok(())
    }

    /// Returns the readers of a window's digits, in every stride; its first bucket has this number.
    fn readers(&self, number: usize, bucket: u32) -> impl Iterator<Item = Reader> {
        let is_highest = self.has_highest && number + 1 == self.windows.len();
        let count = self.plan.multiples();
        (0..count).map(move |multiple| {
            let window = self.plan.digit(self.windows[number], multiple);
            let digit = Digit::new(window, is_highest && multiple + 1 == count);
            Reader { digit, bucket, multiple: multiple as u32 }
        })
    }

    /// This part's share of the points that are added as they are: all to some buckets in turn, twice as many as a batch has
    /// additions.
    fn sum_of_units(&self, isa: Isa, points: &[Stored<C>], pieces: &[Scalars]) -> Projective<C> {
        let shares =
            pieces.iter().map(|piece| &piece.units()[self.units_share.of(piece.units().len())]);
        let count: usize = shares.clone().map(<[_]>::len).sum();
        let multiples = self.plan.multiples() as u32;
        let mut sums = vec![Point::IDENTITY; count.min(2 * BATCH)];
        let mut states = vec![State::Empty; sums.len()];
        let mut schedule = Schedule::<C>::new(isa, points, &mut sums, &mut states);
        for (i, &unit) in shares.flatten().enumerate() {
            let bucket = i % (2 * BATCH);
            schedule.add(Addition::new(bucket as u32, (unit >> 1) * multiples, unit & 1 == 1));
        }
        schedule.finish();
        let mut owners = vec![(); sums.len()];
        add_neighbours::<C, _>(isa, &mut sums, &mut owners);
        sums::sum::<C>(isa, &sums)
    }

    /// Returns the contribution of the part to the result.
    pub fn sums(&self, isa: Isa) -> Sums<C> {
        let mut from = 0;
        let ranges: Vec<_> = self
            .windows
            .iter()
            .map(|window| {
                let range = from..from + window.buckets();
                from = range.end;
                range
            })
            .collect();
        Sums { windows: sums::weighted_sums::<C>(isa, self.points, &ranges), units: self.units }
    }
}

/// A reader of the digits of a window in one stride.
#[derive(Clone, Copy)]
struct Reader {
    digit: Digit,
    /// The bucket of digit 1.
    bucket: u32,
    /// The multiple of the point to which the digit applies.
    multiple: u32,
}

/// A share of a piece's scalars with digits, some at a time.
fn chunks(piece: &Scalars, share: Share) -> impl Iterator<Item = (&Scalars, Range<usize>)> {
    let all = share.of(piece.with_digits());
    all.clone().step_by(CHUNK).map(move |start| (piece, start..all.end.min(start + CHUNK)))
}
