//! The lines of a pair, one after another.

use super::products::Products;
use super::walk::{MOST, StagedWalk};
use crate::curve::{Affine, Curve};
use crate::lanes::Mask;
use crate::pairing::across::Across;
use crate::pairing::{Pairing, Prepared, Step, miller};
use crate::tower::Fp2;

/// The number of lines that are stored until f needs them.
const AHEAD: usize = 3;
/// The number of stored lines below which f may have to wait.
const SOON: usize = 2;

/// [ly yP, lx xP, l1] of each step.
pub struct Lines<'a, A: Across<E::Tower>, E: Pairing> {
    origin: Origin<'a, A, E>,
    /// The mask of all lanes if P or Q is the identity: then all lines are 1.
    pub nowhere: Mask,
    pub products: Products<A, MOST>,
    /// The step of the next line, and whether its products are requested.
    step: usize,
    busy: bool,
    lines: [[A; 3]; AHEAD],
    /// How many there were, and how many of them are used.
    made: usize,
    used: usize,
}

enum Origin<'a, A: Across<E::Tower>, E: Pairing> {
    Walk(StagedWalk<A>),
    /// The lines, P, and l1 of the line that is made.
    Prepared(&'a [[Fp2<E::Tower>; 3]], [A; 2], A),
}

impl<'a, A: Across<E::Tower>, E: Pairing> Lines<'a, A, E> {
    /// Starts the lines of a point that is walked with.
    #[inline(always)]
    pub fn fresh(
        machine: A::Machine,
        p: &Affine<E::G1>,
        q: &Affine<E::G2>,
        steps: &[Step],
    ) -> Self {
        let place = miller::place::<E>(p, q.is_identity());
        let [x, y] = miller::start::<E>(q);
        let q = Affine::<E::G2>::new_unchecked(x, y);
        let (mut psi, mut psi2) = (q, q);
        if steps.contains(&Step::AddPsi) {
            psi = q.psi();
            psi2 = -psi.psi();
        }
        let p = Fp2::new(place.p[0], place.p[1]);
        let elements = [p, E::G2::B3, x, y, psi.x(), psi.y(), psi2.x(), psi2.y()];
        let [p, b3, x, y, psi_x, psi_y, psi2_x, psi2_y] = A::from_elements(machine, &elements);
        let addends = [[x, y], [x, y.negative()], [psi_x, psi_y], [psi2_x, psi2_y]];
        let walk = StagedWalk::new(addends, p.coefficients(machine), b3, A::one(machine));
        Self::new(machine, Origin::Walk(walk), place.nowhere.unwrap_u8())
    }

    /// Starts the lines of a prepared point.
    #[inline(always)]
    pub fn prepared(machine: A::Machine, p: &Affine<E::G1>, q: &'a Prepared<E>) -> Self {
        let place = miller::place::<E>(p, q.is_identity);
        let [p] = A::from_elements(machine, &[Fp2::new(place.p[0], place.p[1])]);
        let origin = Origin::Prepared(&q.lines, p.coefficients(machine), p);
        Self::new(machine, origin, place.nowhere.unwrap_u8())
    }

    #[inline(always)]
    fn new(machine: A::Machine, origin: Origin<'a, A, E>, nowhere: u8) -> Self {
        let zero = A::zero(machine);
        Self {
            origin,
            nowhere: nowhere.wrapping_neg(),
            products: Products::none(zero),
            step: 0,
            busy: false,
            lines: [[zero; 3]; AHEAD],
            made: 0,
            used: 0,
        }
    }

    /// Returns whether f needs the next line before anything else.
    #[inline(always)]
    pub fn is_wanted(&self) -> bool {
        self.made - self.used < SOON
    }

    /// Returns the next line, if it is complete.
    #[inline(always)]
    pub fn next(&mut self) -> Option<[A; 3]> {
        if self.used == self.made {
            return None;
        }
        self.used += 1;
        Some(self.lines[(self.used - 1) % AHEAD])
    }

    /// Requests the first products of the next line, if it can be stored.
    #[inline(always)]
    pub fn begin(&mut self, machine: A::Machine, steps: &[Step]) {
        if self.busy || self.step == steps.len() || self.made - self.used == AHEAD {
            return;
        }
        self.busy = true;
        match &mut self.origin {
            Origin::Walk(walk) => walk.begin(steps[self.step], &mut self.products),
            Origin::Prepared(lines, [x, y], l1) => {
                let [ly, lx, l] = A::from_elements(machine, &lines[self.step]);
                *l1 = l;
                self.products.request(&[[ly, lx], [*y, *x]]);
            }
        }
    }

    /// Makes of the products what they are for.
    #[inline(always)]
    pub fn advance(&mut self, steps: &[Step]) {
        let line = match &mut self.origin {
            Origin::Walk(walk) => walk.advance(steps[self.step], &mut self.products),
            Origin::Prepared(_, _, l1) => {
                let [ly, lx] = self.products.made();
                Some([ly, lx, *l1])
            }
        };
        if let Some(line) = line {
            self.lines[self.made % AHEAD] = line;
            (self.made, self.step, self.busy) = (self.made + 1, self.step + 1, false);
        }
    }
}
