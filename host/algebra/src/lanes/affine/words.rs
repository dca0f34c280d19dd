//! Batches of affine additions in scalar code: Montgomery's trick over [`BATCH`] additions, one after the other.

use super::coordinate::Coordinate;
use super::point::Point;
use super::{Addition, BATCH};
use crate::field::Field;
use crate::field::prefetch;

/// Memory is asked for this many additions ahead.
const AHEAD: usize = 4;

/// As [`super::add_assign_vartime`].
pub(super) fn add_assign_vartime<F: Coordinate>(
    buckets: &mut [Point<F>],
    points: &[Point<F>],
    additions: &[Addition],
) {
    let mut steps = Vec::with_capacity(BATCH.min(additions.len()));
    for batch in additions.chunks(BATCH) {
        // 1. The products of all divisors before each.
        steps.clear();
        let mut product = F::Element::ONE;
        for (i, addition) in batch.iter().enumerate() {
            if let Some(soon) = batch.get(i + AHEAD) {
                prefetch(&buckets[soon.bucket()]);
                prefetch(&points[soon.point()]);
            }
            let divisor = Operands::load(buckets, points, *addition).divisor();
            steps.push((divisor, product));
            product *= &divisor;
        }
        // 2. The inverse of them all.
        let mut inverse = product.invert_vartime().expect("no divisor is 0");
        // 3. From the last to the first, the inverse of each, and the sum.
        for (addition, (divisor, before)) in batch.iter().zip(&steps).rev() {
            let sum = Operands::load(buckets, points, *addition).sum(inverse * before);
            inverse *= divisor;
            buckets[addition.bucket()] = Point { rows: F::write(sum) };
        }
    }
}

/// As [`super::assign`].
pub(super) fn assign<F: Coordinate>(
    buckets: &mut [Point<F>],
    points: &[Point<F>],
    assignments: &[Addition],
) {
    for assignment in assignments {
        let point = Operands::second(points, *assignment);
        buckets[assignment.bucket()] = Point { rows: F::write(point) };
    }
}

/// (x1, y1) + (x2, y2); the identity is (0, 0).
struct Operands<E> {
    x1: E,
    y1: E,
    x2: E,
    y2: E,
    /// May the formula fail? Not many points have an x of 0.
    is_suspicious: bool,
}

impl<E: Field> Operands<E> {
    #[inline(always)]
    fn load<F: Coordinate<Element = E>>(
        buckets: &[Point<F>],
        points: &[Point<F>],
        addition: Addition,
    ) -> Self {
        let first = &buckets[addition.bucket()].rows;
        let [x1, y1] = F::read(first);
        let [x2, y2] = Self::second(points, addition);
        let is_suspicious = is_suspicious::<F>(first, &points[addition.point()].rows);
        Self { x1, y1, x2, y2, is_suspicious }
    }

    /// The point of an addition, with its sign.
    #[inline(always)]
    fn second<F: Coordinate<Element = E>>(points: &[Point<F>], addition: Addition) -> [E; 2] {
        let [x, y] = F::read(&points[addition.point()].rows);
        [x, if addition.is_negated() { -y } else { y }]
    }

    /// What is inverted: x2 - x1, or what stands in its place.
    #[inline(always)]
    fn divisor(&self) -> E {
        let difference = self.x2 - self.x1;
        match self.is_suspicious {
            false => difference,
            true => self.exception().map_or(difference, |exception| self.divisor_of(exception)),
        }
    }

    /// `affine_add` of `spec/formulas`, or what stands in its place; `inverse` is that of the divisor.
    #[inline(always)]
    fn sum(&self, inverse: E) -> [E; 2] {
        let exception = if self.is_suspicious { self.exception() } else { None };
        let slope = match exception {
            None => self.y2 - self.y1,
            Some(Exception::Tangent) => self.x1.square().double() + self.x1.square(),
            Some(other) => return self.sum_of(other),
        };
        let l = inverse * slope;
        let x3 = l.square() - self.x1 - self.x2;
        [x3, l * (self.x1 - x3) - self.y1]
    }

    #[cold]
    fn exception(&self) -> Option<Exception> {
        let is_identity = |x: E, y: E| x == E::ZERO && y == E::ZERO;
        if is_identity(self.x2, self.y2) {
            Some(Exception::First)
        } else if is_identity(self.x1, self.y1) {
            Some(Exception::Second)
        } else if self.x1 != self.x2 {
            None
        } else if self.y1 == self.y2 && self.y1 != E::ZERO {
            Some(Exception::Tangent)
        } else {
            Some(Exception::Opposite)
        }
    }

    #[cold]
    fn divisor_of(&self, exception: Exception) -> E {
        if exception == Exception::Tangent { self.y1.double() } else { E::ONE }
    }

    #[cold]
    fn sum_of(&self, exception: Exception) -> [E; 2] {
        match exception {
            Exception::First => [self.x1, self.y1],
            Exception::Second => [self.x2, self.y2],
            _ => [E::ZERO; 2],
        }
    }
}

/// Is x1 = x2, or one of them 0? Each element has one form, so words tell it; no branch but one for all three.
#[inline(always)]
fn is_suspicious<F: Coordinate>(first: &F::Rows, second: &F::Rows) -> bool {
    let (first, second) = (F::words(first), F::words(second));
    let half = first.len() / 2;
    let (mut difference, mut x1, mut x2) = (0, 0, 0);
    for (a, b) in first[..half].iter().zip(&second[..half]) {
        difference |= a ^ b;
        x1 |= a;
        x2 |= b;
    }
    difference == 0 || x1 == 0 || x2 == 0
}

/// Where the formula does not hold.
#[derive(Clone, Copy, PartialEq, Eq)]
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
