//! The plan of an MSM on a GPU: windows, tables of multiples, and the number of points at a time.

use proofmill_algebra::encoding::{Coordinate, pair};
use proofmill_algebra::field::PrimeField;
use proofmill_algebra::msm::Group;
use proofmill_op::msm::{Plan, PlanRequest, SCALAR_BYTES};
use proofmill_op::{Error, Result};

use crate::device::Job;

/// Bits of the widest window: its buckets are counted in 32 bits, in all windows together.
const MAX_BITS: u32 = 22;
/// Bits of the narrowest.
const MIN_BITS: u32 = 3;
/// Points of all tables together are numbered in 31 bits.
const MAX_POINTS: usize = 1 << 31;
/// Entries of all windows are numbered in 32 bits.
const MAX_ENTRIES: usize = u32::MAX as usize;
/// The largest number of threads that add entries; each adds at least a few.
const THREADS: usize = 1 << 19;
const MIN_EACH: usize = 8;
/// Partial sums that a thread combines.
pub(super) const PARTIALS_EACH: usize = 8;
/// Segments of buckets that are reduced in parallel.
const SEGMENTS: u32 = 1 << 15;
/// The smallest chunk of points. A request for which it does not fit is refused.
const MIN_POINTS: usize = 1 << 6;
/// The cost of an addition to a bucket, and of reducing a bucket, in products.
const ADDITION: f64 = 10.0;
const REDUCTION: f64 = 32.0;
/// The least cost of reducing buckets, in products: a chain of dependent steps.
const LATENCY: f64 = 2e7;

/// Digits of scalars, and their buckets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Bits of a window.
    pub bits: u32,
    pub windows: usize,
    /// Tables of multiples, the points themselves among them.
    pub tables: usize,
    /// Windows that have buckets of their own: each adds to the set of its number modulo this.
    pub sets: usize,
}

impl Shape {
    fn new<C: Group>(bits: u32, most_tables: usize) -> Self {
        // The carry out of the highest window is 0.
        let windows = (C::Scalar::BITS + 1).div_ceil(bits) as usize;
        let sets = windows.div_ceil(most_tables);
        Self { bits, windows, tables: windows.div_ceil(sets), sets }
    }

    /// Returns the fastest shape with at most `most_tables` tables. Buckets use at most half of the available bytes, if that is possible.
    pub fn best<C: Group<Base: Coordinate>>(
        points: usize,
        most_tables: usize,
        available: usize,
    ) -> Self {
        let shapes = (MIN_BITS..=MAX_BITS).flat_map(|bits| {
            (1..=most_tables.min(64)).map(move |tables| Self::new::<C>(bits, tables))
        });
        let fitting = shapes.filter(|shape| {
            points.saturating_mul(shape.tables) < MAX_POINTS
                && shape.tables <= most_tables
                && shape.bucket_bytes::<C>() <= available / 2
        });
        fitting
            .min_by(|a, b| a.cost(points).total_cmp(&b.cost(points)))
            .unwrap_or_else(|| Self::new::<C>(MIN_BITS, 1))
    }

    /// The time, in products of coordinates.
    fn cost(&self, points: usize) -> f64 {
        let additions = points as f64 * self.windows as f64;
        additions * ADDITION
            + self.buckets() as f64 * REDUCTION
            + f64::from(self.bits) * LATENCY / 16.0
    }

    /// Buckets of all sets.
    pub fn buckets(&self) -> usize {
        self.sets << (self.bits - 1)
    }

    /// The logarithm of the buckets of a segment.
    pub fn log_segment(&self) -> u32 {
        let wanted = (self.buckets() as u32 / SEGMENTS).max(1).ilog2();
        wanted.max(2).min(self.bits - 1)
    }

    /// Returns the entries of a thread, and the number of threads, for a number of entries.
    pub fn threads(entries: usize) -> (usize, usize) {
        let each = entries.div_ceil(THREADS).max(MIN_EACH);
        (each, entries.div_ceil(each))
    }

    /// Returns the bytes of the buckets and of the memory for their reduction.
    fn bucket_bytes<C: Group<Base: Coordinate>>(&self) -> usize {
        let (bucket, buckets) = (2 * pair::bytes::<C>(), self.buckets());
        buckets * (4 + bucket) + 4 * (buckets >> self.log_segment()) * bucket
    }

    /// Returns the bytes of GPU memory for chunks of `points` scalars, without points.
    pub fn working_bytes<C: Group<Base: Coordinate>>(&self, points: usize) -> usize {
        let bucket = 2 * pair::bytes::<C>();
        let entries = points * self.windows;
        let (_, threads) = Self::threads(entries);
        let partials = threads + threads.div_ceil(PARTIALS_EACH);
        points * SCALAR_BYTES
            + entries * (4 + 8) // ranks, entries
            + partials * (4 + bucket)
            + self.bucket_bytes::<C>()
            + (1 << 12)
    }

    /// Returns the number of scalars that fit at a time when each needs `extra` further bytes. The error is the bytes that the smallest chunk needs.
    pub fn chunk<C: Group<Base: Coordinate>>(
        &self,
        points: usize,
        extra: usize,
        available: usize,
    ) -> std::result::Result<usize, usize> {
        let most = points.min(MAX_ENTRIES / self.windows);
        let bytes = |chunk: usize| self.working_bytes::<C>(chunk) + chunk * extra;
        let mut chunk = most;
        while chunk > MIN_POINTS && bytes(chunk) > available {
            chunk = chunk.div_ceil(2);
        }
        if bytes(chunk) > available { Err(bytes(chunk)) } else { Ok(chunk) }
    }
}

/// Returns the number of tables that fit `max_bytes`, which is 1 for the points alone if that is 0.
pub(super) fn tables_in<C: Group<Base: Coordinate>>(
    points: usize,
    max_bytes: usize,
) -> Result<usize> {
    let each = points.saturating_mul(pair::bytes::<C>()).max(1);
    match max_bytes / each {
        _ if max_bytes == 0 => Ok(1),
        0 => {
            let problem = format!("{max_bytes} bytes are too few: the points take {each}");
            Err(Error::argument("max_bytes", problem))
        }
        tables => Ok(tables),
    }
}

/// Plans an MSM.
pub(super) fn plan<C: Group<Base: Coordinate>>(
    job: &Job<'_>,
    request: &PlanRequest,
) -> Result<Plan> {
    let PlanRequest { points, resident, max_bytes, .. } = *request;
    let tables = tables_in::<C>(points, max_bytes)?;
    let shape = Shape::best::<C>(points, tables, job.budget.available());
    let is_resident = resident || max_bytes > 0;
    let resident = points * shape.tables * pair::bytes::<C>();
    let available = job.budget.available().saturating_sub(if is_resident { resident } else { 0 });
    let extra = if is_resident { 0 } else { 2 * pair::bytes::<C>() };
    let chunk = shape.chunk::<C>(points, extra, available).unwrap_or(MIN_POINTS);
    let memory = shape.working_bytes::<C>(chunk) + chunk * extra;
    Ok(Plan::new(shape.windows, shape.bits, memory, resident).with_multiples(shape.tables))
}

#[cfg(test)]
mod tests {
    use proofmill_algebra::{bls12_381, bn254};

    use super::*;

    #[test]
    fn digits_cover_scalars_and_a_carry() {
        for points in [0, 1, 100, 1 << 14, 1 << 20, 1 << 27] {
            for tables in [1, 2, 5, 64] {
                for (shape, bits) in [
                    (Shape::best::<bn254::G1>(points, tables, 1 << 34), 254),
                    (Shape::best::<bls12_381::G2>(points, tables, 1 << 34), 255),
                ] {
                    assert!(shape.windows as u32 * shape.bits > bits, "{shape:?}");
                    assert!(shape.sets * shape.tables >= shape.windows, "{shape:?}");
                    assert!(shape.tables <= tables && shape.log_segment() < shape.bits);
                }
            }
        }
    }

    #[test]
    fn a_chunk_fits_or_the_error_names_its_size() {
        let shape = Shape::best::<bn254::G1>(1 << 20, 1, 1 << 34);
        let whole = shape.working_bytes::<bn254::G1>(1 << 20);
        assert_eq!(shape.chunk::<bn254::G1>(1 << 20, 0, whole).unwrap(), 1 << 20);
        let chunk = shape.chunk::<bn254::G1>(1 << 20, 0, whole / 2).unwrap();
        assert!(chunk < 1 << 20 && shape.working_bytes::<bn254::G1>(chunk) <= whole / 2);
        let least = shape.chunk::<bn254::G1>(1 << 20, 0, 1000).unwrap_err();
        assert!(least > 1000 && shape.chunk::<bn254::G1>(1 << 20, 0, least).is_ok());
    }
}
