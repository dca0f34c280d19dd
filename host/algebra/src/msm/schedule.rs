//! Additions in batches in which no bucket comes twice.
//!
//! A bucket is empty, free, or busy in the batch that is being filled. An addition to a busy one waits until the batch
//! is done. When too many wait, it is because few buckets get most of the points; then those that wait for the same
//! bucket are added up first, in pairs, so that a batch is full whatever the scalars are.
//!
//! A batch has at most half as many additions as there are buckets: the fuller the buckets are, the more additions would
//! wait, and with as many the batch would never be full.

use super::{Group, Stored};
use crate::isa::Isa;
use crate::lanes::affine::{Addition, BATCH, Point};

/// The state of a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// The identity, and no addition is on its way.
    Empty,
    /// No addition is on its way.
    Free,
    /// An addition is in the batch.
    Busy,
}

/// Additions of the smallest full batch: what an inversion takes is little beside them.
const SMALLEST_BATCH: usize = BATCH / 8;

/// Additions that wait at most.
pub(super) const WAITING: usize = 8 * BATCH;

/// Fills batches with additions of points to buckets.
pub(super) struct Schedule<'a, C: Group> {
    isa: Isa,
    points: &'a [Stored<C>],
    buckets: &'a mut [Stored<C>],
    states: &'a mut [State],
    /// Additions of a full batch, those to empty buckets among them.
    full: usize,
    /// Assignments of points to empty buckets.
    firsts: Vec<Addition>,
    batch: Vec<Addition>,
    waiting: Vec<Addition>,
}

impl<'a, C: Group> Schedule<'a, C> {
    pub(super) fn new(
        isa: Isa,
        points: &'a [Stored<C>],
        buckets: &'a mut [Stored<C>],
        states: &'a mut [State],
    ) -> Self {
        let full = (buckets.len() / 2).clamp(SMALLEST_BATCH, BATCH);
        Self {
            isa,
            points,
            buckets,
            states,
            full,
            firsts: Vec::with_capacity(BATCH),
            batch: Vec::with_capacity(BATCH),
            waiting: Vec::with_capacity(WAITING),
        }
    }

    /// Executes an addition, now or in a later batch.
    #[inline(always)]
    pub(super) fn add(&mut self, addition: Addition) {
        let is_full = match self.place(addition) {
            State::Busy => self.waiting.len() == WAITING,
            _ => self.firsts.len() + self.batch.len() == self.full,
        };
        if is_full {
            self.flush();
        }
    }

    /// Puts an addition where the state of its bucket, which it returns, lets it go.
    #[inline(always)]
    fn place(&mut self, addition: Addition) -> State {
        let state = &mut self.states[addition.bucket()];
        let found = *state;
        *state = State::Busy;
        match found {
            State::Empty => self.firsts.push(addition),
            State::Free => self.batch.push(addition),
            State::Busy => self.waiting.push(addition),
        }
        found
    }

    /// Executes the batch, and fills the next one with waiting additions.
    #[inline(never)]
    fn flush(&mut self) {
        self.do_batch();
        if self.waiting.len() > WAITING / 2 {
            self.fold_waiting();
            return;
        }
        let waiting = std::mem::replace(&mut self.waiting, Vec::with_capacity(WAITING));
        for addition in waiting {
            if self.firsts.len() + self.batch.len() + 1 < self.full {
                self.place(addition);
            } else {
                self.waiting.push(addition);
            }
        }
    }

    fn do_batch(&mut self) {
        C::assign(self.isa, self.buckets, self.points, &self.firsts);
        C::add_assign_vartime(self.isa, self.buckets, self.points, &self.batch);
        for addition in self.firsts.drain(..).chain(self.batch.drain(..)) {
            self.states[addition.bucket()] = State::Free;
        }
    }

    /// Adds up what waits for the same bucket, and adds the sums to the buckets. No addition is in the batch; so these
    /// buckets, which were busy once, are free.
    fn fold_waiting(&mut self) {
        self.waiting.sort_unstable_by_key(|addition| addition.bucket());
        let mut owners: Vec<_> = self.waiting.iter().map(|addition| addition.bucket()).collect();
        let copies: Vec<_> =
            (0..).zip(&self.waiting).map(|(i, addition)| addition.to_bucket(i)).collect();
        let mut sums = vec![Point::IDENTITY; copies.len()];
        C::assign(self.isa, &mut sums, self.points, &copies);
        self.waiting.clear();
        add_neighbours::<C, _>(self.isa, &mut sums, &mut owners);
        let additions: Vec<_> =
            (0..).zip(&owners).map(|(i, &bucket)| Addition::new(bucket as u32, i, false)).collect();
        C::add_assign_vartime(self.isa, self.buckets, &sums, &additions);
    }

    /// Executes all remaining additions.
    pub(super) fn finish(mut self) {
        self.do_batch();
        self.fold_waiting();
    }
}

/// Adds neighbours with the same owner until no owner comes twice.
pub(super) fn add_neighbours<C: Group, O: Copy + PartialEq>(
    isa: Isa,
    sums: &mut Vec<Stored<C>>,
    owners: &mut Vec<O>,
) {
    loop {
        let (mut seconds, mut additions) = (Vec::new(), Vec::new());
        let (mut from, mut to) = (0, 0);
        while from < sums.len() {
            (sums[to], owners[to]) = (sums[from], owners[from]);
            from += 1;
            if from < sums.len() && owners[from] == owners[to] {
                additions.push(Addition::new(to as u32, seconds.len() as u32, false));
                seconds.push(sums[from]);
                from += 1;
            }
            to += 1;
        }
        sums.truncate(to);
        owners.truncate(to);
        if additions.is_empty() {
            return;
        }
        C::add_assign_vartime(isa, sums, &seconds, &additions);
    }
}
