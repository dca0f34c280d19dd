//! How a multi-scalar multiplication is divided into windows.

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

/// The windows, lowest first, and how threads share them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    windows: Vec<Window>,
    /// So many shares of the points have buckets of their own, in every window.
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
    /// For so many points on so many threads: the number of windows, and of copies of the buckets, that cost least.
    pub fn new<C: Group>(points: usize, threads: usize) -> Self {
        let bits = C::Scalar::BITS;
        let copies = std::iter::successors(Some(1), |copies| Some(2 * copies));
        copies
            .take_while(|&copies| copies <= threads.max(1))
            .flat_map(|copies| {
                let counts = bits.div_ceil(WIDEST)..=bits.div_ceil(2);
                counts.map(move |count| Self::with_windows::<C>(count).with_copies(copies))
            })
            .map(|plan| (plan.cost::<C>(points, threads), plan))
            .min_by(|(a, _), (b, _)| a.total_cmp(b))
            .map(|(_, plan)| plan)
            .expect("at least one number of windows")
    }

    /// The same windows with so many copies of all buckets, each for a share of the points.
    pub fn with_copies(self, copies: usize) -> Self {
        Self { copies, ..self }
    }

    /// With this number of windows, whose widths differ by one bit at most. The magnitude of a scalar is below r/2, and
    /// the highest window has a bit more, for the carry.
    pub fn with_windows<C: Group>(count: u32) -> Self {
        let bits = C::Scalar::BITS;
        let (width, wider) = (bits / count, bits % count);
        let mut offset = 0;
        let windows: Vec<_> = (0..count)
            .map(|i| {
                let window = Window { offset, bits: width + u32::from(i < wider) };
                offset += window.bits;
                window
            })
            .collect();
        let buckets: usize = windows.iter().map(|window| window.buckets()).sum();
        Self { windows, copies: 1, bucket_bytes: buckets * (size_of::<Stored<C>>() + 1) }
    }

    /// The time of the slowest thread, in additions of points in cache.
    fn cost<C: Group>(&self, points: usize, threads: usize) -> f64 {
        let each = |window: &Window| {
            let bytes = window.buckets() * size_of::<Stored<C>>();
            let (_, factor) = COSTS.iter().find(|(most, _)| bytes <= *most).expect("no limit");
            points as f64 / self.copies as f64 * factor + BUCKET * window.buckets() as f64
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

    /// How many copies of the buckets there are.
    pub fn copies(&self) -> usize {
        self.copies
    }

    /// The windows, lowest first.
    pub fn windows(&self) -> &[Window] {
        &self.windows
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
