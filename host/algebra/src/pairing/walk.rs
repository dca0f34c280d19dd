//! T on its way through the multiples of Q, and the lines on it.

use super::formula::{fp12_mul_014, fp12_mul_034, line_add, line_dbl};
use super::{Coefficient, Kind, Step};

/// What all walks of a curve need.
#[derive(Clone, Copy)]
pub struct Constants<C> {
    /// 1.
    pub one: C,
    /// 0.
    pub zero: C,
    /// 3 b of the twist.
    pub b3: C,
    /// What psi multiplies x and y with.
    pub psi: [C; 2],
}

/// Where a walk has come to.
#[derive(Clone, Copy)]
pub struct Walk<C> {
    t: [C; 3],
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
        let [x, y] = self.q;
        let line;
        (self.t, line) = match step {
            Step::Double => line_dbl(self.t, constants.b3),
            Step::Add => line_add(self.t, [x, y]),
            Step::Subtract => line_add(self.t, [x, -y]),
            Step::AddPsi => line_add(self.t, psi([x, y], constants)),
            Step::SubtractPsiSquared => {
                let [x, y] = psi(psi([x, y], constants), constants);
                line_add(self.t, [x, -y])
            }
        };
        line
    }
}

#[inline(always)]
fn psi<C: Coefficient>([x, y]: [C; 2], constants: &Constants<C>) -> [C; 2] {
    [x.conjugate() * constants.psi[0], y.conjugate() * constants.psi[1]]
}

/// Where lines are evaluated: P, or nowhere, which makes 1 of each line.
#[derive(Clone, Copy)]
pub struct Place<C: Coefficient> {
    /// P; (0, 0) where it is nowhere.
    pub p: [C::Base; 2],
    /// Is it nowhere?
    pub nowhere: C::Choice,
}

impl<C: Coefficient> Place<C> {
    /// f times the line here.
    #[inline(always)]
    pub fn times(&self, f: [C; 6], line: [C; 3], kind: Kind, constants: &Constants<C>) -> [C; 6] {
        let ([xP, yP], [ly, lx, l1]) = (self.p, line);
        let (ly, lx) = (ly.scale(yP), lx.scale(xP));
        match kind {
            Kind::M => fp12_mul_014(f, [l1.or_if(self.nowhere, constants.one), lx, ly]),
            Kind::D => {
                let ly = ly.or_if(self.nowhere, constants.one);
                fp12_mul_034(f, [ly, lx, l1.or_if(self.nowhere, constants.zero)])
            }
        }
    }
}
