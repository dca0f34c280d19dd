//! Batches of additions on y^2 = x^3 + b in affine coordinates, as a multi-scalar multiplication does them to its
//! buckets.
//!
//! An addition costs 5 multiplications and a square: the formula's, and three of Montgomery's trick for 1/(X2 -
//! X1). [`add_assign_vartime`] goes through its additions in batches of [`BATCH`], twice: forward it multiplies
//! the differences up, backward it uses the inverse of each and adds. Sixteen additions are under way at a time,
//! eight in the lanes of each of two vectors.
//!
//! The formula is not for all points. Lanes where it fails (the identity, equal points, opposite ones) are found
//! by comparing lowest limbs, with one false alarm in 2^50 additions; only then `Exceptions` looks closer.

pub use point::Point;

mod point;

use super::backend::{Backend, Kernel, Mask, WIDTH, both, run};
use super::{Held, Lanes, Prime, Sum};
use crate::isa::Isa;

/// Additions that share an inversion: more would need more of the second-level cache, 128 bytes each of L = 8.
pub const BATCH: usize = 1024;
/// Additions under way at a time.
const STEP: usize = 2 * WIDTH;
/// Memory is asked for this many steps ahead.
const AHEAD: usize = 2;

/// `buckets[bucket] += points[point]`, or `-=`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Addition {
    bucket: u32,
    /// 2 point + (1 if it is subtracted).
    point_and_sign: u32,
}

impl Addition {
    /// Of a point number below 2^31.
    #[inline]
    pub fn new(bucket: u32, point: u32, negated: bool) -> Self {
        debug_assert!(point >> 31 == 0);
        Self { bucket, point_and_sign: point << 1 | u32::from(negated) }
    }

    #[inline(always)]
    fn bucket(self) -> usize {
        self.bucket as usize
    }

    #[inline(always)]
    fn point(self) -> usize {
        (self.point_and_sign >> 1) as usize
    }
}

/// Does all additions, for any points, on the curve or both of them the identity. The time depends on the
/// numbers, and on whether points are equal, opposite or the identity.
///
/// No bucket may occur twice within [`BATCH`] additions counted from the first: it would keep one of the sums.
/// A number that is too large is a bug of the caller.
pub fn add_assign_vartime<P: Prime<L>, const L: usize, const K: usize>(
    isa: Isa,
    buckets: &mut [Point<P, L, K>],
    points: &[Point<P, L, K>],
    additions: &[Addition],
) {
    run(isa, AddAssign { buckets, points, additions });
}

struct AddAssign<'a, P, const L: usize, const K: usize> {
    buckets: &'a mut [Point<P, L, K>],
    points: &'a [Point<P, L, K>],
    additions: &'a [Addition],
}

impl<P: Prime<L>, const L: usize, const K: usize> Kernel for AddAssign<'_, P, L, K> {
    type Output = ();

    #[inline(always)]
    fn run<B: Backend>(self, b: B) {
        let Self { buckets, points, additions } = self;
        let mut products = Vec::with_capacity(BATCH.min(additions.len()).div_ceil(STEP));
        for batch in additions.chunks(BATCH) {
            // 1. The products of all differences before each.
            products.clear();
            let mut product = [Held::one(b); 2];
            for (step, additions) in batch.chunks(STEP).enumerate() {
                if let Some(soon) = batch.chunks(STEP).nth(step + AHEAD) {
                    prefetch(b, buckets, points, soon);
                }
                let mut before = [Lanes::ZERO; 2];
                product[0].store(&mut before[0]);
                product[1].store(&mut before[1]);
                products.push(before);
                let pairs = both!(n => Pair::load(b, buckets, points, additions, n));
                product = Held::mul_each(product, both!(n => pairs[n].difference()));
            }
            // 2. The inverse of them all.
            let all = (product[0] * product[1]).inverse_vartime();
            let mut inverse = Held::mul_each([all; 2], [product[1], product[0]]);
            // 3. From the last to the first, the inverse of each, and the sum.
            for (additions, before) in batch.chunks(STEP).zip(&products).rev() {
                let pairs = both!(n => Pair::load(b, buckets, points, additions, n));
                let inv = Held::mul_each(inverse, both!(n => Held::load(b, &before[n])));
                inverse = Held::mul_each(inverse, both!(n => pairs[n].difference()));
                let sums = Pair::add_each(&pairs, inv);
                for (n, eight) in additions.chunks(WIDTH).enumerate() {
                    let [x, y] = sums[n];
                    Point::scatter(b, x, y, buckets, |lane| {
                        eight.get(lane).map(|addition| addition.bucket())
                    });
                }
            }
        }
    }
}

#[inline(always)]
fn prefetch<B: Backend, P, const L: usize, const K: usize>(
    b: B,
    buckets: &[Point<P, L, K>],
    points: &[Point<P, L, K>],
    additions: &[Addition],
) {
    for addition in additions {
        buckets[addition.bucket()].prefetch(b);
        points[addition.point()].prefetch(b);
    }
}

/// The operands of eight additions.
#[derive(Clone, Copy)]
struct Pair<B: Backend, P, const L: usize> {
    b: B,
    x1: Held<B, P, L>,
    y1: Held<B, P, L>,
    x2: Held<B, P, L>,
    y2: Held<B, P, L>,
    /// Where (x2, -y2) is meant.
    negated: Mask,
}

impl<B: Backend, P: Prime<L>, const L: usize> Pair<B, P, L> {
    /// Of the n-th eight of a step's additions; the first of the step stands in for those that are not there.
    #[inline(always)]
    fn load<const K: usize>(
        b: B,
        buckets: &[Point<P, L, K>],
        points: &[Point<P, L, K>],
        additions: &[Addition],
        n: usize,
    ) -> Self {
        let mut eight = [additions[0]; WIDTH];
        for (lane, addition) in additions.iter().skip(n * WIDTH).take(WIDTH).enumerate() {
            eight[lane] = *addition;
        }
        let mut negated = 0;
        for (lane, addition) in eight.iter().enumerate() {
            negated |= ((addition.point_and_sign & 1) as Mask) << lane;
        }
        let [x1, y1] = Point::gather(b, eight.map(|addition| &buckets[addition.bucket()]));
        let [x2, y2] = Point::gather(b, eight.map(|addition| &points[addition.point()]));
        Self { b, x1, y1, x2, y2, negated }
    }

    /// May the formula fail in some lane?
    #[inline(always)]
    fn is_suspicious(&self, difference: Sum<B, P, L>) -> bool {
        difference.may_be_zero() | self.x1.may_be_zero() | self.x2.may_be_zero() != 0
    }

    /// What is inverted: X2 - X1, or what stands in its place.
    #[inline(always)]
    fn difference(&self) -> Sum<B, P, L> {
        let difference = self.x2 - self.x1;
        match self.is_suspicious(difference) {
            false => difference,
            true => Exceptions::of(self).difference(self, difference),
        }
    }

    /// `affine_add` of `spec/formulas`, or what stands in its place.
    #[inline(always)]
    fn add_each(pairs: &[Self; 2], inv: [Held<B, P, L>; 2]) -> [[Held<B, P, L>; 2]; 2] {
        let exceptions = both!(n => {
            let pair = &pairs[n];
            pair.is_suspicious(pair.x2 - pair.x1).then(|| Exceptions::of(pair))
        });
        let t0 = both!(n => {
            let Pair { y1, y2, negated, .. } = pairs[n];
            let t0 = Held::signed_less(y2, negated, y1);
            match &exceptions[n] {
                None => t0,
                Some(exceptions) => exceptions.slope(&pairs[n], t0),
            }
        });
        let l = Held::mul_each(t0, inv);
        let t1 = Held::square_each(l);
        let x3 = both!(n => t1[n].less_both(pairs[n].x1, pairs[n].x2));
        let t4 = Held::mul_each(l, both!(n => pairs[n].x1 - x3[n]));
        both!(n => {
            let y3 = (t4[n] - pairs[n].y1).reduced();
            match &exceptions[n] {
                None => [x3[n], y3],
                Some(exceptions) => exceptions.sum(&pairs[n], [x3[n], y3]),
            }
        })
    }
}

/// Lanes where the formula does not hold.
#[derive(Clone, Copy)]
struct Exceptions {
    /// The second point is the identity: the first is the sum.
    first: Mask,
    /// Only the first point is the identity: the second is the sum.
    second: Mask,
    /// The points are equal: the tangent.
    double: Mask,
    /// The points are opposite: the identity is the sum.
    identity: Mask,
}

impl Exceptions {
    #[inline(always)]
    fn of<B: Backend, P: Prime<L>, const L: usize>(pair: &Pair<B, P, L>) -> Self {
        let &Pair { x1, y1, x2, .. } = pair;
        let y2 = pair.signed_y2();
        let identity = [x1.is_zero() & y1.is_zero(), x2.is_zero() & y2.is_zero()];
        let neither = !(identity[0] | identity[1]);
        let vertical = x1.equals(x2) & neither;
        let double = vertical & y1.equals(y2) & !y1.is_zero();
        Self {
            first: identity[1],
            second: identity[0] & !identity[1],
            double,
            identity: vertical & !double,
        }
    }

    /// 2 Y1 for the tangent, and 1 where nothing is divided.
    #[inline(always)]
    fn difference<B: Backend, P: Prime<L>, const L: usize>(
        &self,
        pair: &Pair<B, P, L>,
        difference: Sum<B, P, L>,
    ) -> Sum<B, P, L> {
        let one = Held::one(pair.b) + Held::zero(pair.b);
        difference
            .select(self.double, pair.y1.double())
            .select(self.first | self.second | self.identity, one)
    }

    /// 3 X1^2 for the tangent.
    #[inline(always)]
    fn slope<B: Backend, P: Prime<L>, const L: usize>(
        &self,
        pair: &Pair<B, P, L>,
        slope: Sum<B, P, L>,
    ) -> Sum<B, P, L> {
        let t0 = pair.x1.square();
        slope.select(self.double, t0.double().reduced() + t0)
    }

    #[inline(always)]
    fn sum<B: Backend, P: Prime<L>, const L: usize>(
        &self,
        pair: &Pair<B, P, L>,
        [x3, y3]: [Held<B, P, L>; 2],
    ) -> [Held<B, P, L>; 2] {
        let y2 = pair.signed_y2();
        [self.choose(pair.b, x3, pair.x1, pair.x2), self.choose(pair.b, y3, pair.y1, y2)]
    }

    #[inline(always)]
    fn choose<B: Backend, P: Prime<L>, const L: usize>(
        &self,
        b: B,
        sum: Held<B, P, L>,
        first: Held<B, P, L>,
        second: Held<B, P, L>,
    ) -> Held<B, P, L> {
        sum.select(self.first, first)
            .select(self.second, second)
            .select(self.identity, Held::zero(b))
    }
}

impl<B: Backend, P: Prime<L>, const L: usize> Pair<B, P, L> {
    /// y2 or -y2, as is meant.
    #[inline(always)]
    fn signed_y2(&self) -> Held<B, P, L> {
        self.y2.select(self.negated, (-self.y2).reduced())
    }
}
