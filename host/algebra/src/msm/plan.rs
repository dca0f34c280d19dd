//! The division of a multi-scalar multiplication into windows.

use std::ops::Range;

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
    division: Division,
    /// The windows of a stride.
    windows: Vec<Window>,
}

/// A division of a stride into windows whose widths differ by one bit at most, the wider ones first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Division {
    /// Bits of a stride.
    stride: u32,
    /// The windows of a stride.
    count: u32,
    /// The multiples of every point, which is the number of strides of a scalar.
    multiples: usize,
    /// The number of shares of the points that have separate buckets, in every window.
    copies: usize,
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

impl Division {
    /// Returns all plausible ones.
    fn all(stride: u32, threads: usize, multiples: usize) -> impl Iterator<Item = Self> {
        let copies = std::iter::successors(Some(1), |copies| Some(2 * copies));
        copies.take_while(move |&copies| copies <= threads.max(1)).flat_map(move |copies| {
            let counts = stride.div_ceil(WIDEST)..=stride.div_ceil(2);
            counts.map(move |count| Self { stride, count, multiples, copies })
        })
    }

    /// Returns the one of them that costs least.
    fn cheapest<C: Group>(
        points: usize,
        threads: usize,
        all: impl Iterator<Item = Self>,
    ) -> Option<Self> {
        all.map(|division| (division.cost::<C>(points, threads), division))
            .min_by(|(a, _), (b, _)| a.total_cmp(b))
            .map(|(_, division)| division)
    }

    /// Returns the width of the narrower windows, and the number of wider ones.
    fn width(self) -> (u32, usize) {
        (self.stride / self.count, (self.stride % self.count) as usize)
    }

    fn windows(self) -> Vec<Window> {
        let (width, wider) = self.width();
        let mut offset = 0;
        let window = |number| {
            let window = Window { offset, bits: width + u32::from(number < wider) };
            offset += window.bits;
            window
        };
        (0..self.count as usize).map(window).collect()
    }

    /// The windows in as many shares as the threads of one copy have use for.
    fn shares(self, threads: usize) -> impl ExactSizeIterator<Item = Range<usize>> {
        let (count, mut from) = (self.count as usize, 0);
        let shares = (threads / self.copies).clamp(1, count);
        (0..shares).map(move |share| {
            let to = from + (count - from).div_ceil(shares - share);
            std::mem::replace(&mut from, to)..to
        })
    }

    /// The time of the slowest thread, in additions of points in cache.
    fn cost<C: Group>(self, points: usize, threads: usize) -> f64 {
        let (width, wider) = self.width();
        let [narrow, wide] = [width, width + 1].map(|bits| {
            let buckets = Window { offset: 0, bits }.buckets();
            let bytes = buckets * size_of::<Stored<C>>();
            let (_, factor) = COSTS.iter().find(|(most, _)| bytes <= *most).expect("no limit");
            let additions = (points * self.multiples) as f64 / self.copies as f64;
            additions * factor + BUCKET * buckets as f64
        });
        let cost = |share: Range<usize>| {
            let wide_ones = share.end.min(wider) - share.start.min(wider);
            wide_ones as f64 * wide + (share.len() - wide_ones) as f64 * narrow
        };
        self.shares(threads).map(cost).fold(0.0, f64::max)
    }

    /// [`Plan::bytes`].
    fn bytes<C: Group>(self, points: usize, threads: usize) -> usize {
        let (width, wider) = self.width();
        let buckets = |bits| Window { offset: 0, bits }.buckets();
        let narrow = self.count as usize - wider;
        let buckets = narrow * buckets(width) + wider * buckets(width + 1);
        let threads = self.copies * self.shares(threads).len();
        let point = size_of::<Stored<C>>();
        let schedule = WAITING * (2 * point + 4 * size_of::<Addition>());
        let chains = 2 * BATCH * (3 * point + 3 * size_of::<Addition>());
        self.copies * buckets * (point + 1)
            + points * Scalars::BYTES_EACH
            + threads * (schedule + chains + ROOM)
    }
}

impl From<Division> for Plan {
    fn from(division: Division) -> Self {
        Self { division, windows: division.windows() }
    }
}

impl Plan {
    /// For so many points, each with so many [`MULTIPLES`], on so many threads: the number of windows, and of copies of the
    /// buckets, that cost least.
    pub fn new<C: Group>(points: usize, threads: usize, multiples: usize) -> Self {
        let all = Division::all(stride::<C>(multiples), threads, multiples);
        Division::cheapest::<C>(points, threads, all).expect("at least one").into()
    }

    /// The same on one thread, for scalars whose magnitude is below 2^`bits`.
    pub(super) fn of_short<C: Group>(points: usize, bits: u32) -> Self {
        let all = Division::all(bits + 1, 1, 1);
        Division::cheapest::<C>(points, 1, all).expect("at least one").into()
    }

    /// The best one for fewer points in no more memory than this one's.
    pub fn for_fewer<C: Group>(&self, points: usize, threads: usize) -> Self {
        let limit = self.bytes::<C>(0, threads);
        let all = Division::all(self.division.stride, threads, self.multiples());
        let fitting = all.filter(|division| division.bytes::<C>(0, threads) <= limit);
        Division::cheapest::<C>(points, threads, fitting).map_or_else(|| self.clone(), Self::from)
    }

    /// Returns the plan with this number of copies of all buckets, each for a share of the points.
    pub fn with_copies(self, copies: usize) -> Self {
        Self { division: Division { copies, ..self.division }, ..self }
    }

    /// With this number of windows in a stride, whose widths differ by one bit at most. The magnitude of a scalar is below r/2,
    /// and the highest window has a bit more, for the carry.
    pub fn with_windows<C: Group>(count: u32, multiples: usize) -> Self {
        Division { stride: stride::<C>(multiples), count, multiples, copies: 1 }.into()
    }

    /// The time of the slowest thread, in additions of points in cache.
    pub fn cost<C: Group>(&self, points: usize, threads: usize) -> f64 {
        self.division.cost::<C>(points, threads)
    }

    /// The windows in as many shares as the threads of one copy have use for.
    pub(super) fn shares(&self, threads: usize) -> Vec<&[Window]> {
        self.division.shares(threads).map(|share| &self.windows[share]).collect()
    }

    /// Returns the number of copies of the buckets.
    pub fn copies(&self) -> usize {
        self.division.copies
    }

    /// The windows of a stride, lowest first: those that have buckets.
    pub fn windows(&self) -> &[Window] {
        &self.windows
    }

    /// Returns the number of multiples of every point.
    pub fn multiples(&self) -> usize {
        self.division.multiples
    }

    /// A window of a stride in the scalar.
    pub(super) fn digit(&self, window: Window, multiple: usize) -> Window {
        Window { offset: window.offset + multiple as u32 * self.division.stride, ..window }
    }

    /// The windows of a scalar's digits, lowest first.
    pub fn digits(&self) -> impl Iterator<Item = Window> {
        let strides = 0..self.multiples();
        strides.flat_map(move |multiple| {
            self.windows.iter().map(move |&window| self.digit(window, multiple))
        })
    }

    /// Bytes at most that it takes to add up to `points` points at a time on so many threads, besides the points
    /// themselves: buckets, scalars, and on each thread what waits and what is summed up side by side.
    pub fn bytes<C: Group>(&self, points: usize, threads: usize) -> usize {
        self.division.bytes::<C>(points, threads)
    }
}

/// Bits of a stride: from a multiple of a point to the next one, so many doublings.
pub(super) fn stride<C: Group>(multiples: usize) -> u32 {
    const { assert!(C::Scalar::BITS.div_ceil(16) * 16 <= 256, "scalars are read as 256 bits") }
    C::Scalar::BITS.div_ceil(multiples as u32)
}
