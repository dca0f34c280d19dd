//! The division of a multi-scalar multiplication into windows.

use super::scalars::Scalars;
use super::schedule::WAITING;
use super::{Group, Stored};
use crate::field::PrimeField;
use crate::lanes::affine::{Addition, BATCH};

/// A window of the scalars' bits with buckets for the digits 1 to 2^(bits - 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Its lowest bit.
    pub offset: u32,
    /// Its width.
    pub bits: u32,
}

impl Window {
    /// Its buckets.
    pub fn buckets(self) -> usize {
        1 << (self.bits - 1)
    }
}

/// Numbers of multiples that may be kept of each point, itself among them: those whose strides end at bit 256 at most.
pub const MULTIPLES: [usize; 5] = [1, 2, 4, 8, 16];

/// The windows, lowest first, and how threads share them.
///
/// With f multiples of every point, P, 2^s P, 2^2s P, ..., s = (bits of r) / f, a scalar is f strides of s bits, and the windows
/// are those of a stride: the digits of all strides go to the same buckets, each with its multiple.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The windows of a stride.
    windows: Vec<Window>,
    /// The multiples of every point, which is the number of strides of a scalar.
    multiples: usize,
    /// Bits of a stride.
    stride: u32,
    /// The number of shares of the points that have separate buckets, in every window.
    copies: usize,
    /// Bytes of all buckets with their marks.
    bucket_bytes: usize,
}

/// The widest window: 2^19 buckets.
const WIDEST: u32 = 20;

/// Bytes of a window's buckets up to which an addition takes so long, in units of one whose buckets are in the
/// second-level cache: measured on Zen 5 (1 MiB and a share of 32 MiB) with BN254 and BLS12-381 at 2^16 to 2^20.
const COSTS: [(usize, f64); 3] = [(512 << 10, 1.0), (2 << 20, 1.02), (usize::MAX, 1.05)];

/// What a bucket costs in the end, in additions: two of running sums, less the first addition, which is a copy;
/// measured there too.
const BUCKET: f64 = 1.8;

/// Bytes of a thread for its stack, the products of a batch, and what the allocator does not give back.
const ROOM: usize = 1 << 20;

impl Plan {
    /// For so many points, each with so many [`MULTIPLES`], on so many threads: the number of windows, and of copies of the
    /// buckets, that cost least.
    pub fn new<C: Group>(points: usize, threads: usize, multiples: usize) -> Self {
        let all = Self::all::<C>(stride::<C>(multiples), threads, multiples);
        Self::cheapest::<C>(points, threads, all)
    }

    /// The same on one thread, for scalars whose magnitude is below 2^`bits`.
    pub(super) fn of_short<C: Group>(points: usize, bits: u32) -> Self {
        Self::cheapest::<C>(points, 1, Self::all::<C>(bits + 1, 1, 1))
    }

    /// The best one for fewer points in no more memory than this one's.
    pub fn for_fewer<C: Group>(&self, points: usize, threads: usize) -> Self {
        let limit = self.bytes::<C>(0, threads);
        let all = Self::all::<C>(self.stride, threads, self.multiples);
        Self::cheapest::<C>(
            points,
            threads,
            all.filter(|plan| plan.bytes::<C>(0, threads) <= limit).chain([self.clone()]),
        )
    }

    /// Returns all plausible plans.
    fn all<C: Group>(stride: u32, threads: usize, multiples: usize) -> impl Iterator<Item = Self> {
        let copies = std::iter::successors(Some(1), |copies| Some(2 * copies));
        copies.take_while(move |&copies| copies <= threads.max(1)).flat_map(move |copies| {
            let counts = stride.div_ceil(WIDEST)..=stride.div_ceil(2);
            counts.map(move |count| Self::cut::<C>(stride, count, multiples).with_copies(copies))
        })
    }

    fn cheapest<C: Group>(
        points: usize,
        threads: usize,
        plans: impl Iterator<Item = Self>,
    ) -> Self {
        plans
            .map(|plan| (plan.cost::<C>(points, threads), plan))
            .min_by(|(a, _), (b, _)| a.total_cmp(b))
            .map(|(_, plan)| plan)
            .expect("at least one number of windows")
    }

    /// Returns the plan with this number of copies of all buckets, each for a share of the points.
    pub fn with_copies(self, copies: usize) -> Self {
        Self { copies, ..self }
    }

    /// With this number of windows in a stride, whose widths differ by one bit at most. The magnitude of a scalar is below r/2,
    /// and the highest window has a bit more, for the carry.
    pub fn with_windows<C: Group>(count: u32, multiples: usize) -> Self {
        Self::cut::<C>(stride::<C>(multiples), count, multiples)
    }

    fn cut<C: Group>(stride: u32, count: u32, multiples: usize) -> Self {
        let (width, wider) = (stride / count, stride % count);
        let mut offset = 0;
        let windows: Vec<_> = (0..count)
            .map(|i| {
                let window = Window { offset, bits: width + u32::from(i < wider) };
                offset += window.bits;
                window
            })
            .collect();
        let buckets: usize = windows.iter().map(|window| window.buckets()).sum();
        let bucket_bytes = buckets * (size_of::<Stored<C>>() + 1);
        Self { windows, multiples, stride, copies: 1, bucket_bytes }
    }

    /// The time of the slowest thread, in additions of points in cache.
    pub fn cost<C: Group>(&self, points: usize, threads: usize) -> f64 {
        let each = |window: &Window| {
            let bytes = window.buckets() * size_of::<Stored<C>>();
            let (_, factor) = COSTS.iter().find(|(most, _)| bytes <= *most).expect("no limit");
            let additions = (points * self.multiples) as f64 / self.copies as f64;
            additions * factor + BUCKET * window.buckets() as f64
        };
        let shares = self.shares(threads);
        shares.iter().map(|share| share.iter().map(each).sum()).fold(0.0, f64::max)
    }

    /// The windows in as many shares as the threads of one copy have use for.
    pub(super) fn shares(&self, threads: usize) -> Vec<&[Window]> {
        let mut shares = Vec::new();
        let mut rest = self.windows();
        for left in (1..=(threads / self.copies).clamp(1, self.windows.len())).rev() {
            let (share, others) = rest.split_at(rest.len().div_ceil(left));
            shares.push(share);
            rest = others;
        }
        shares
    }

    /// Returns the number of copies of the buckets.
    pub fn copies(&self) -> usize {
        self.copies
    }

    /// The windows of a stride, lowest first: those that have buckets.
    pub fn windows(&self) -> &[Window] {
        &self.windows
    }

    /// Returns the number of multiples of every point.
    pub fn multiples(&self) -> usize {
        self.multiples
    }

    /// A window of a stride in the scalar.
    pub(super) fn digit(&self, window: Window, multiple: usize) -> Window {
        Window { offset: window.offset + multiple as u32 * self.stride, ..window }
    }

    /// The windows of a scalar's digits, lowest first.
    pub fn digits(&self) -> impl Iterator<Item = Window> {
        let strides = 0..self.multiples;
        strides.flat_map(move |multiple| {
            self.windows.iter().map(move |&window| self.digit(window, multiple))
        })
    }

    /// Bytes at most that it takes to add up to `points` points at a time on so many threads, besides the points
    /// themselves: buckets, scalars, and on each thread what waits and what is summed up side by side.
    pub fn bytes<C: Group>(&self, points: usize, threads: usize) -> usize {
        let threads = self.copies * self.shares(threads).len();
        let point = size_of::<Stored<C>>();
        let schedule = WAITING * (2 * point + 4 * size_of::<Addition>());
        let chains = 2 * BATCH * (3 * point + 3 * size_of::<Addition>());
        self.copies * self.bucket_bytes
            + points * Scalars::BYTES_EACH
            + threads * (schedule + chains + ROOM)
    }
}

/// Bits of a stride: from a multiple of a point to the next one, so many doublings.
pub(super) fn stride<C: Group>(multiples: usize) -> u32 {
    const { assert!(C::Scalar::BITS.div_ceil(16) * 16 <= 256, "scalars are read as 256 bits") }
    C::Scalar::BITS.div_ceil(multiples as u32)
}
