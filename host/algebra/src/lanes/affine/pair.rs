//! Eight additions in registers: the chord, and its replacement in the exceptional cases.

use super::coordinate::{Coordinate, Residue};
use super::point::Point;
use super::{Addition, operands};
use crate::lanes::backend::{Mask, WIDTH, both};
use crate::lanes::machine::{Machine, Task};

/// The operands of eight additions (x1, y1) + (x2, y2) with coordinates in R.
#[derive(Clone, Copy)]
pub(super) struct Pair<M, R> {
    m: M,
    x1: R,
    y1: R,
    x2: R,
    y2: R,
    /// The mask of the lanes that use (x2, -y2).
    negated: Mask,
}

impl<M: Machine, R: Residue<M>> Pair<M, R> {
    /// Of no additions yet.
    #[inline(always)]
    pub(super) fn blank(m: M) -> Self {
        let zero = R::zero(m);
        Self { m, x1: zero, y1: zero, x2: zero, y2: zero, negated: 0 }
    }

    /// Loads the n-th eight of a step's additions; the first of the step replaces missing ones.
    #[inline(always)]
    pub(super) fn load<F: Coordinate<Held<M> = R>>(
        &mut self,
        buckets: &[Point<F>],
        points: &[Point<F>],
        additions: &[Addition],
        n: usize,
    ) {
        let mut eight = [additions[0]; WIDTH];
        for (lane, addition) in additions.iter().skip(n * WIDTH).take(WIDTH).enumerate() {
            eight[lane] = *addition;
        }
        let (points, negated) = operands(points, &eight);
        let buckets = eight.map(|addition| &buckets[addition.bucket()].rows);
        F::gather(self.m, buckets, [&mut self.x1, &mut self.y1]);
        F::gather(self.m, points, [&mut self.x2, &mut self.y2]);
        self.negated = negated;
    }

    /// May the formula fail in some lane?
    #[inline(always)]
    fn is_suspicious(&self, difference: &R::Sum) -> bool {
        R::sum_may_be_zero(difference) | self.x1.may_be_zero() | self.x2.may_be_zero() != 0
    }

    /// Returns the number to invert: X2 - X1, or its replacement in the exceptional cases.
    #[inline(always)]
    pub(super) fn difference(&self) -> R::Sum {
        let difference = self.x2.less(&self.x1);
        match self.is_suspicious(&difference) {
            false => difference,
            true => self.m.outline(Difference(*self, difference)),
        }
    }

    /// Computes `affine_add` of `spec/formulas`, or its replacement in the exceptional cases.
    #[inline(always)]
    pub(super) fn add_each(pairs: &[Self; 2], inv: &[R; 2]) -> [[R; 2]; 2] {
        let suspicious = both!(n => pairs[n].is_suspicious(&pairs[n].x2.less(&pairs[n].x1)));
        let m = pairs[0].m;
        let t0 = both!(n => {
            let Pair { y1, y2, negated, .. } = &pairs[n];
            let t0 = y2.signed_less(*negated, y1);
            if suspicious[n] { m.outline(Slope(pairs[n], t0)) } else { t0 }
        });
        let l = R::products_with(inv.each_ref(), t0.each_ref());
        let t1 = R::squares(l.each_ref());
        let x3 = both!(n => t1[n].less_both(&pairs[n].x1, &pairs[n].x2));
        let t3 = both!(n => pairs[n].x1.less(&x3[n]));
        let t4 = R::products_with(l.each_ref(), t3.each_ref());
        both!(n => {
            let y3 = R::reduced(&t4[n].less(&pairs[n].y1));
            if suspicious[n] { m.outline(Choice(pairs[n], [x3[n], y3])) } else { [x3[n], y3] }
        })
    }

    /// y2 or -y2, as is meant.
    #[inline(always)]
    fn signed_y2(&self) -> R {
        self.y2.select(self.negated, &self.y2.negative())
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
    fn of<M: Machine, R: Residue<M>>(pair: &Pair<M, R>) -> Self {
        let Pair { x1, y1, x2, .. } = pair;
        let y2 = pair.signed_y2();
        let identity = [x1.is_zero() & y1.is_zero(), x2.is_zero() & y2.is_zero()];
        let neither = !(identity[0] | identity[1]);
        let vertical = x1.equals(x2) & neither;
        let double = vertical & y1.equals(&y2) & !y1.is_zero();
        Self {
            first: identity[1],
            second: identity[0] & !identity[1],
            double,
            identity: vertical & !double,
        }
    }
}

/// Defines what is done with a pair in which there is an exception; these functions are not part of the loop, and take a
/// copy of the pair, so that the loop may have it in registers.
macro_rules! exceptional {
    ($($(#[$doc:meta])* $name:ident($pair:ident, $exceptions:ident, $value:ident: $type:ty) -> $output:ty $body:block)*) => {$(
        $(#[$doc])*
        struct $name<M: Machine, R: Residue<M>>(Pair<M, R>, $type);

        impl<M: Machine, R: Residue<M>> Task for $name<M, R> {
            type Output = $output;

            #[inline(always)]
            fn run<Same: Machine>(self, _: Same) -> $output {
                let Self($pair, $value) = self;
                let $exceptions = Exceptions::of(&$pair);
                $body
            }
        }
    )*};
}

exceptional! {
    /// 2 Y1 for the tangent, and 1 where nothing is divided.
    Difference(pair, exceptions, difference: R::Sum) -> R::Sum {
        let Exceptions { first, second, double, identity } = exceptions;
        let tangent = R::select_sum(&difference, double, &pair.y1.plus(&pair.y1));
        R::select_sum(&tangent, first | second | identity, &R::one(pair.m).widened())
    }

    /// 3 X1^2 for the tangent.
    Slope(pair, exceptions, slope: R::Sum) -> R::Sum {
        let [t0, _] = R::squares([&pair.x1; 2]);
        R::select_sum(&slope, exceptions.double, &R::reduced(&t0.plus(&t0)).plus(&t0))
    }

    /// The formula's sum, or one of the points, or the identity.
    Choice(pair, exceptions, sum: [R; 2]) -> [R; 2] {
        let Exceptions { first, second, identity, .. } = exceptions;
        let firsts = [pair.x1, pair.y1];
        let seconds = [pair.x2, pair.signed_y2()];
        both!(n => sum[n]
            .select(first, &firsts[n])
            .select(second, &seconds[n])
            .select(identity, &R::zero(pair.m)))
    }
}
