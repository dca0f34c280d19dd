//! Batches of additions on y^2 = x^3 + b in affine coordinates, as a multi-scalar multiplication does them to its
//! buckets.
//!
//! An addition costs 5 multiplications and a square: the formula's, and three of Montgomery's trick for 1/(X2 -
//! X1). [`add_assign_vartime`] goes through its additions in batches of [`BATCH`], twice: forward it multiplies
//! the differences up, backward it uses the inverse of each and adds. Sixteen additions are under way at a time,
//! eight in the lanes of each of two vectors. In a quadratic extension the norms of the differences are multiplied up
//! instead: two squares and five products in the prime field, where three in the extension are nine. Processors
//! without vectors take the same way one addition at a time (`words`), by the differences themselves, with points in
//! a form of their own.
//!
//! The formula is not for all points. Lanes where it fails (the identity, equal points, opposite ones) are found
//! by comparing lowest limbs, with one false alarm in 2^50 additions; only then it is looked closer.

pub use base::Base;
pub use coordinate::{Coordinate, Residue};
pub use ladder::{Ladder, Rung};
pub use point::Point;
pub use quadratic::Quadratic;

pub(super) mod base;
mod coordinate;
mod ladder;
mod pair;
mod point;
mod quadratic;
mod words;

use std::marker::PhantomData;

use super::backend::{Mask, WIDTH, both};
use super::machine::{Machine, Task, perform};
use crate::isa::Isa;
use pair::Pair;

/// Additions that share an inversion: more would need more of the second-level cache, 128 bytes each of L = 8.
pub const BATCH: usize = 1024;
/// Additions under way at a time.
const STEP: usize = 2 * WIDTH;
/// The number of steps by which memory is prefetched ahead.
const AHEAD: usize = 2;

/// `buckets[bucket] += points[point]`, or `-=`; in an assignment `=`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Addition {
    bucket: u32,
    /// 2 point + (1 if it is subtracted).
    point_and_sign: u32,
}

impl Addition {
    /// Creates an addition; the number of the point is below 2^31.
    #[inline]
    pub fn new(bucket: u32, point: u32, negated: bool) -> Self {
        debug_assert!(point >> 31 == 0);
        Self { bucket, point_and_sign: point << 1 | u32::from(negated) }
    }

    /// Returns the addition of the same point and sign to another bucket.
    pub(crate) fn to_bucket(self, bucket: u32) -> Self {
        Self { bucket, ..self }
    }

    #[inline(always)]
    pub(crate) fn bucket(self) -> usize {
        self.bucket as usize
    }

    #[inline(always)]
    fn point(self) -> usize {
        (self.point_and_sign >> 1) as usize
    }

    #[inline(always)]
    fn is_negated(self) -> bool {
        self.point_and_sign & 1 == 1
    }
}

/// Executes all additions, for any points on the curve or the identity. The time depends on the
/// numbers, and on whether points are equal, opposite or the identity.
///
/// No bucket may occur twice within [`BATCH`] additions counted from the first: it would keep only one of the sums.
/// A number that is too large is a bug of the caller.
pub fn add_assign_vartime<F: Coordinate>(
    isa: Isa,
    buckets: &mut [Point<F>],
    points: &[Point<F>],
    additions: &[Addition],
) {
    match isa.machine() {
        Some(machine) => perform(machine, AddAssign { buckets, points, additions }),
        None => words::add_assign_vartime(buckets, points, additions),
    }
}

/// Makes each bucket the point or its negative, in the order of the assignments.
///
/// A number that is too large is a bug of the caller.
pub fn assign<F: Coordinate>(
    isa: Isa,
    buckets: &mut [Point<F>],
    points: &[Point<F>],
    assignments: &[Addition],
) {
    match isa.machine() {
        Some(machine) => perform(machine, Assign { buckets, points, assignments }),
        None => words::assign(buckets, points, assignments),
    }
}

/// Eight norms of coordinates.
type Norm<F, M> = <<F as Coordinate>::Held<M> as Residue<M>>::Norm;

struct AddAssign<'a, F: Coordinate> {
    buckets: &'a mut [Point<F>],
    points: &'a [Point<F>],
    additions: &'a [Addition],
}

impl<F: Coordinate> Task for AddAssign<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<M: Machine>(self, m: M) {
        let Self { buckets, points, additions } = self;
        let mut pairs = [Pair::blank(m); 2];
        let mut products = Vec::with_capacity(BATCH.min(additions.len()).div_ceil(STEP));
        for batch in additions.chunks(BATCH) {
            // 1. The norms of all differences, and the products of those before each.
            products.clear();
            let mut product = [Norm::<F, M>::one(m); 2];
            for (step, additions) in batch.chunks(STEP).enumerate() {
                if let Some(soon) = batch.chunks(STEP).nth(step + AHEAD) {
                    prefetch(m, buckets, points, soon);
                }
                let mut before = [Norm::<F, M>::BLANK; 2];
                product[0].store(&mut before[0]);
                product[1].store(&mut before[1]);
                load(&mut pairs, buckets, points, additions);
                let differences = both!(n => pairs[n].difference());
                let mut kept = [F::Held::<M>::BLANK_NORM; 2];
                let norms = F::Held::norms(differences.each_ref(), &mut kept);
                products.push((before, kept));
                product = Residue::products_with(product.each_ref(), norms.each_ref());
            }
            // 2. The inverse of them all.
            let [all, _] = Residue::products([&product[0]; 2], [&product[1]; 2]);
            let inverse = m.outline(Invert(all, PhantomData::<M>));
            let mut inverse = Residue::products([&inverse; 2], [&product[1], &product[0]]);
            // 3. From the last to the first, the inverse of each, and the sum.
            for (additions, (before, kept)) in batch.chunks(STEP).zip(&products).rev() {
                load(&mut pairs, buckets, points, additions);
                let before = both!(n => Norm::<F, M>::load(m, &before[n]));
                let of_norms = Residue::products(inverse.each_ref(), before.each_ref());
                let differences = both!(n => pairs[n].difference());
                let norms = F::Held::kept_norms(m, differences.each_ref(), kept);
                inverse = Residue::products_with(inverse.each_ref(), norms.each_ref());
                let inv = F::Held::inverses_by_norms(differences.each_ref(), of_norms.each_ref());
                let sums = Pair::add_each(&pairs, &inv);
                for (n, eight) in additions.chunks(WIDTH).enumerate() {
                    store(m, &sums[n], buckets, eight);
                }
            }
        }
    }
}

/// Both eights of a step's additions.
#[inline(always)]
fn load<M: Machine, F: Coordinate>(
    [first, second]: &mut [Pair<M, F::Held<M>>; 2],
    buckets: &[Point<F>],
    points: &[Point<F>],
    additions: &[Addition],
) {
    first.load(buckets, points, additions, 0);
    second.load(buckets, points, additions, 1);
}

/// 1/x: long, and once in a batch.
struct Invert<M, R>(R, PhantomData<M>);

impl<M: Machine, R: Residue<M>> Task for Invert<M, R> {
    type Output = R;

    #[inline(always)]
    fn run<Same: Machine>(self, _: Same) -> R {
        self.0.inverse_vartime()
    }
}

struct Assign<'a, F: Coordinate> {
    buckets: &'a mut [Point<F>],
    points: &'a [Point<F>],
    assignments: &'a [Addition],
}

impl<F: Coordinate> Task for Assign<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<M: Machine>(self, m: M) {
        for eight in self.assignments.chunks(WIDTH) {
            let (points, negated) = operands(self.points, eight);
            let [mut x, mut y] = [F::Held::zero(m); 2];
            F::gather(m, points, [&mut x, &mut y]);
            store(m, &[x, y.select(negated, &y.negative())], self.buckets, eight);
        }
    }
}

/// The rows of at most eight additions' points, the first again where there are fewer, and the lanes of those that
/// are subtracted.
#[inline(always)]
fn operands<'a, F: Coordinate>(
    points: &'a [Point<F>],
    additions: &[Addition],
) -> ([&'a F::Rows; WIDTH], Mask) {
    let mut rows = [&points[additions[0].point()].rows; WIDTH];
    let mut negated = 0;
    for (lane, addition) in additions.iter().enumerate().take(WIDTH) {
        rows[lane] = &points[addition.point()].rows;
        negated |= Mask::from(addition.is_negated()) << lane;
    }
    (rows, negated)
}

/// Sums to the buckets of at most eight additions.
#[inline(always)]
fn store<M: Machine, F: Coordinate>(
    m: M,
    sums: &[F::Held<M>; 2],
    buckets: &mut [Point<F>],
    additions: &[Addition],
) {
    let mut places = [0; WIDTH];
    for (place, addition) in places.iter_mut().zip(additions) {
        *place = addition.bucket();
    }
    F::scatter(m, sums, buckets, &places[..additions.len().min(WIDTH)]);
}

#[inline(always)]
fn prefetch<M: Machine, F: Coordinate>(
    m: M,
    buckets: &[Point<F>],
    points: &[Point<F>],
    additions: &[Addition],
) {
    for addition in additions {
        F::prefetch(m, &buckets[addition.bucket()].rows);
        F::prefetch(m, &points[addition.point()].rows);
    }
}
