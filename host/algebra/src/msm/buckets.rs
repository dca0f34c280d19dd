//! Buckets, and how points get into them.

use thiserror::Error;

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

/// The work was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("cancelled")]
pub struct Cancelled;

/// The buckets of all windows of a plan. Points may be added in several calls.
pub struct Buckets<C: Group> {
    points: Vec<Stored<C>>,
    states: Vec<State>,
}

/// The buckets of some windows, and a share of the scalars that need none.
pub struct Part<'a, C: Group> {
    windows: &'a [Window],
    /// Is the last one the highest of all?
    has_highest: bool,
    points: &'a mut [Stored<C>],
    states: &'a mut [State],
    /// Which of how many parts.
    share: (usize, usize),
    /// Points with the scalar 1.
    units: Projective<C>,
}

/// What a part adds to the result.
pub struct Sums<C: Group> {
    /// Of every window of the part, the sum of d times bucket d.
    pub(super) windows: Vec<Projective<C>>,
    /// Points with the scalars 1 and -1.
    pub(super) units: Projective<C>,
}

impl<C: Group> Buckets<C> {
    /// Empty ones.
    pub fn new(plan: &Plan) -> Self {
        let count = plan.windows().iter().map(|window| window.buckets()).sum();
        Self { points: vec![Point::IDENTITY; count], states: vec![State::Empty; count] }
    }

    /// Cuts them into parts for so many threads.
    pub fn parts<'a>(&'a mut self, plan: &'a Plan, threads: usize) -> Vec<Part<'a, C>> {
        let shares = plan.shares(threads);
        let count = shares.len();
        let (mut points, mut states) = (&mut self.points[..], &mut self.states[..]);
        let mut parts = Vec::with_capacity(count);
        for (number, windows) in shares.into_iter().enumerate() {
            let buckets = windows.iter().map(|window| window.buckets()).sum();
            let (these_points, other_points) = points.split_at_mut(buckets);
            let (these_states, other_states) = states.split_at_mut(buckets);
            (points, states) = (other_points, other_states);
            parts.push(Part {
                windows,
                has_highest: number + 1 == count,
                points: these_points,
                states: these_states,
                share: (number, count),
                units: Projective::IDENTITY,
            });
        }
        parts
    }
}

impl<C: Group> Part<'_, C> {
    /// Adds points to this part's buckets; a scalar for each. `go_on` is told now and then how many digits were read
    /// since the last time (in all, one a window and scalar that is none of 0, 1 and -1). If it says no, the buckets are
    /// good for nothing.
    pub fn accumulate(
        &mut self,
        isa: Isa,
        points: &[Stored<C>],
        scalars: &Scalars,
        go_on: &dyn Fn(usize) -> bool,
    ) -> Result<(), Cancelled> {
        let digits: Vec<_> = (1..)
            .zip(self.windows)
            .map(|(number, &window)| {
                let is_highest = self.has_highest && number == self.windows.len();
                (Digit::new(window, is_highest), window.buckets())
            })
            .collect();
        let together = TOGETHER / size_of::<Stored<C>>();
        let (mut from, mut at) = (0, 0);
        while from < digits.len() {
            // Some windows: the first one, and more while there is room for their buckets.
            let mut readers = Vec::new();
            let mut buckets = 0;
            while let Some(&(digit, count)) = digits.get(from)
                && (readers.is_empty() || buckets + count <= together)
            {
                readers.push((digit, buckets as u32));
                buckets += count;
                from += 1;
            }
            let range = at..at + buckets;
            at = range.end;
            let (these, states) = (&mut self.points[range.clone()], &mut self.states[range]);
            let mut schedule = Schedule::new(isa, points, these, states);
            for start in (0..scalars.with_digits()).step_by(CHUNK) {
                let chunk = start..scalars.with_digits().min(start + CHUNK);
                if !go_on(chunk.len() * readers.len()) {
                    return Err(Cancelled);
                }
                for (point, subtracted, words) in scalars.range(chunk) {
                    for (digit, first) in &readers {
                        let (digit, negated) = digit.of(words);
                        if digit != 0 {
                            let bucket = first + digit - 1;
                            schedule.add(Addition::new(bucket, point, negated != subtracted));
                        }
                    }
                }
            }
            schedule.finish();
        }
        self.units += self.sum_of_units(isa, points, scalars);
        Ok(())
    }

    /// This part's share of the points that are added as they are: all to a batch of buckets in turn.
    fn sum_of_units(&self, isa: Isa, points: &[Stored<C>], scalars: &Scalars) -> Projective<C> {
        let (number, count) = self.share;
        let units = scalars.units();
        let range = units.len() * number / count..units.len() * (number + 1) / count;
        let mut sums = vec![Point::IDENTITY; BATCH.min(range.len())];
        let mut states = vec![State::Empty; sums.len()];
        let mut schedule = Schedule::new(isa, points, &mut sums, &mut states);
        for (i, &unit) in units[range].iter().enumerate() {
            schedule.add(Addition::new((i % BATCH) as u32, unit >> 1, unit & 1 == 1));
        }
        schedule.finish();
        let mut owners = vec![(); sums.len()];
        add_neighbours(isa, &mut sums, &mut owners);
        sums::sum(isa, &sums)
    }

    /// What the part adds to the result.
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
        Sums { windows: sums::weighted_sums(isa, self.points, &ranges), units: self.units }
    }
}
