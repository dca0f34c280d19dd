//! Batches of affine additions in scalar code: Montgomery's trick over [`BATCH`] additions, one after the other.

use super::coordinate::Coordinate;
use super::point::Point;
use super::{Addition, BATCH};
use crate::field::Field;
use crate::field::prefetch;

/// The number of additions by which memory is prefetched ahead.
const AHEAD: usize = 4;

/// Implements [`super::add_assign_vartime`].
pub(super) fn add_assign_vartime<F: Coordinate>(
    buckets: &mut [Point<F>],
    points: &[Point<F>],
    additions: &[Addition],
) {
    let mut products = vec![F::Element::ONE; BATCH.min(additions.len()) + 1];
    for batch in additions.chunks(BATCH) {
        // 1. The products of all divisors before each.
        for (i, addition) in batch.iter().enumerate() {
            if let Some(soon) = batch.get(i + AHEAD) {
                prefetch(&buckets[soon.bucket()]);
                prefetch(&points[soon.point()]);
            }
            let operands = Operands::new(buckets, points, *addition);
            let [before, after] = &mut products[i..i + 2] else { unreachable!("two products") };
            if operands.is_suspicious() {
                *after = *before;
                operands.times_suspicious_divisor(after);
            } else {
                *after = operands.times_divisor(before);
            }
        }
        // 2. The inverse of them all.
        let mut inverse = products[batch.len()].invert_vartime().expect("no divisor is 0");
        // 3. From the last to the first, the inverse of each, and the sum.
        for (addition, before) in batch.iter().zip(&products).rev() {
            let operands = Operands::new(buckets, points, *addition);
            let mut of_this = *before;
            of_this *= &inverse;
            if operands.is_suspicious() {
                let sum = operands.suspicious_sum(&of_this);
                operands.times_suspicious_divisor(&mut inverse);
                F::write(sum, &mut buckets[addition.bucket()].rows);
            } else {
                let sum = operands.sum(of_this);
                inverse = operands.times_divisor(&inverse);
                F::write(sum, &mut buckets[addition.bucket()].rows);
            }
        }
    }
}

/// Implements [`super::assign`].
pub(super) fn assign<F: Coordinate>(
    buckets: &mut [Point<F>],
    points: &[Point<F>],
    assignments: &[Addition],
) {
    for assignment in assignments {
        let [x, y] = F::read(&points[assignment.point()].rows);
        let y = y.signed(assignment.is_negated());
        F::write([x, y], &mut buckets[assignment.bucket()].rows);
    }
}

/// The points of an addition; the identity is (0, 0).
struct Operands<'a, F: Coordinate> {
    first: &'a F::Rows,
    second: &'a F::Rows,
    /// Returns whether the second point is subtracted.
    is_negated: bool,
}

impl<'a, F: Coordinate> Operands<'a, F> {
    #[inline(always)]
    fn new(buckets: &'a [Point<F>], points: &'a [Point<F>], addition: Addition) -> Self {
        let first = &buckets[addition.bucket()].rows;
        let second = &points[addition.point()].rows;
        Self { first, second, is_negated: addition.is_negated() }
    }

    /// May the formula fail? Not many points have an x with a word of 0, or the same one.
    #[inline(always)]
    fn is_suspicious(&self) -> bool {
        let (x1, x2) = (F::lowest_word(self.first), F::lowest_word(self.second));
        x1 == x2 || x1 == 0 || x2 == 0
    }

    /// x1, y1, x2, y2.
    #[inline(always)]
    fn load(&self) -> [F::Element; 4] {
        let ([x1, y1], [x2, y2]) = (F::read(self.first), F::read(self.second));
        [x1, y1, x2, y2.signed(self.is_negated)]
    }

    /// The product with what is inverted, x2 - x1.
    #[inline(always)]
    fn times_divisor(&self, product: &F::Element) -> F::Element {
        let [x1, _, x2, _] = self.load();
        product.times_difference(&x2, &x1)
    }

    /// `affine_add` of `spec/formulas`; `inverse` is that of the divisor.
    #[inline(always)]
    fn sum(&self, inverse: F::Element) -> [F::Element; 2] {
        let [x1, y1, x2, y2] = self.load();
        third([x1, y1], x2, inverse.times_difference(&y2, &y1))
    }

    /// Computes [`Self::times_divisor`], or the product with the replacement of the divisor. It is out of line, like the next function: the result
    /// of either branch is copied.
    #[cold]
    #[inline(never)]
    fn times_suspicious_divisor(&self, product: &mut F::Element) {
        match self.exception() {
            None => *product = self.times_divisor(product),
            Some(Exception::Tangent) => {
                let [_, y1, ..] = self.load();
                *product *= y1.double();
            }
            Some(_) => {}
        }
    }

    /// Computes [`Self::sum`], or its replacement in the exceptional cases.
    #[cold]
    #[inline(never)]
    fn suspicious_sum(&self, inverse: &F::Element) -> [F::Element; 2] {
        let [x1, y1, x2, y2] = self.load();
        match self.exception() {
            None => self.sum(*inverse),
            Some(Exception::Tangent) => {
                let square = x1.square();
                third([x1, y1], x2, *inverse * (square.double() + square))
            }
            Some(Exception::First) => [x1, y1],
            Some(Exception::Second) => [x2, y2],
            Some(Exception::Opposite) => [F::Element::ZERO; 2],
        }
    }

    fn exception(&self) -> Option<Exception> {
        let [x1, y1, x2, y2] = self.load();
        let is_identity = |x, y| x == F::Element::ZERO && y == F::Element::ZERO;
        if is_identity(x2, y2) {
            Some(Exception::First)
        } else if is_identity(x1, y1) {
            Some(Exception::Second)
        } else if x1 != x2 {
            None
        } else if y1 == y2 && y1 != F::Element::ZERO {
            Some(Exception::Tangent)
        } else {
            Some(Exception::Opposite)
        }
    }
}

/// The sum of (x1, y1) and a point with this x2, on a line of slope l.
#[inline(always)]
fn third<E: Field>([x1, y1]: [E; 2], x2: E, l: E) -> [E; 2] {
    let x3 = l.square() - x1 - x2;
    [x3, l.times_difference(&x1, &x3) - y1]
}

/// Where the formula does not hold.
enum Exception {
    /// The second point is the identity: the first is the sum.
    First,
    /// Only the first point is the identity: the second is the sum.
    Second,
    /// The points are equal.
    Tangent,
    /// The points are opposite: the identity is the sum.
    Opposite,
}
