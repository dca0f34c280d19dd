//! T on its way through the multiples of Q, and the lines on it.

#![allow(non_snake_case)]

use super::formula::{fp12_mul_014, fp12_mul_034, line_add, line_dbl};
use super::{Coefficient, Kind, Linear, Step};

/// The constants of all walks of a curve.
#[derive(Clone, Copy)]
pub struct Constants<C> {
    /// 1.
    pub one: C,
    /// 0.
    pub zero: C,
    /// 3 b of the twist.
    pub b3: C,
    /// The factors of x and y in psi.
    pub psi: [C; 2],
}

impl<C: Coefficient> Constants<C> {
    /// 1 in Fp12.
    #[inline(always)]
    pub fn f_one(&self) -> [[C; 3]; 2] {
        let Self { one, zero, .. } = *self;
        [[one, zero, zero], [zero; 3]]
    }
}

/// The state of a walk.
#[derive(Clone, Copy)]
pub struct Walk<C> {
    /// The multiple of Q.
    pub t: [C; 3],
    q: [C; 2],
}

impl<C: Coefficient> Walk<C> {
    /// T = Q, which is not the identity.
    #[inline(always)]
    pub fn new(q: [C; 2], constants: &Constants<C>) -> Self {
        Self { t: [q[0], q[1], constants.one], q }
    }

    /// A step, and [ly, lx, l1] of its line.
    #[inline(always)]
    pub fn step(&mut self, step: Step, constants: &Constants<C>) -> [C; 3] {
        let line;
        (self.t, line) = match step {
            Step::Double => line_dbl(&self.t, &constants.b3),
            addition => line_add(&self.t, &self.addend(addition, constants)),
        };
        line
    }

    /// Returns the point that a step adds.
    #[inline(always)]
    fn addend(&self, step: Step, constants: &Constants<C>) -> [C; 2] {
        let q = self.q;
        match step {
            Step::Double | Step::Add => q,
            Step::Subtract => negative(&q),
            Step::AddPsi => psi(&q, constants),
            Step::SubtractPsiSquared => negative(&psi(&psi(&q, constants), constants)),
        }
    }
}

#[inline(always)]
fn negative<C: Linear>([x, y]: &[C; 2]) -> [C; 2] {
    [*x, y.negative()]
}

#[inline(always)]
fn psi<C: Coefficient>([x, y]: &[C; 2], constants: &Constants<C>) -> [C; 2] {
    [x.conjugate().times(&constants.psi[0]), y.conjugate().times(&constants.psi[1])]
}

/// The place where lines are evaluated: P, or nowhere, which makes each line 1.
#[derive(Clone, Copy)]
pub struct Place<C: Coefficient> {
    /// P; (0, 0) where it is nowhere.
    pub p: [C::Base; 2],
    /// True if the place is nowhere.
    pub nowhere: C::Choice,
}

impl<C: Coefficient> Place<C> {
    /// Multiplies f by the line at this place.
    #[inline(always)]
    pub fn times_line(
        &self,
        f: &[[C; 3]; 2],
        [ly, lx, l1]: &[C; 3],
        kind: Kind,
        constants: &Constants<C>,
    ) -> [[C; 3]; 2] {
        let Constants { one, zero, .. } = constants;
        let [xP, yP] = &self.p;
        let line = [ly.scaled(yP), lx.scaled(xP), *l1];
        let line = placed(&line, self.nowhere, kind, one, zero);
        match kind {
            Kind::M => fp12_mul_014(f, &line),
            Kind::D => fp12_mul_034(f, &line),
        }
    }
}

/// Returns the coefficients of the line [ly yP, lx xP, l1] that multiply f, in the order of the twist's formula; those of 1 if the place is nowhere, where
/// P is (0, 0).
#[inline(always)]
pub fn placed<C: Linear>(
    [ly, lx, l1]: &[C; 3],
    nowhere: C::Choice,
    kind: Kind,
    one: &C,
    zero: &C,
) -> [C; 3] {
    match kind {
        Kind::M => [l1.or_if(nowhere, one), *lx, *ly],
        Kind::D => [ly.or_if(nowhere, one), *lx, l1.or_if(nowhere, zero)],
    }
}
