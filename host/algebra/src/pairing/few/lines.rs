//! The lines of a pair, one after another.

use super::products::Products;
use super::walk::{MOST, StagedWalk};
use crate::curve::{Affine, Curve};
use crate::lanes::{Backend, Mask};
use crate::pairing::across::Across;
use crate::pairing::limbs::LaneTower;
use crate::pairing::{Linear, Pairing, Prepared, Step, miller};
use crate::tower::Fp2;

/// Lines that are kept until f is there.
const AHEAD: usize = 3;
/// With fewer, f may have to wait.
const SOON: usize = 2;

/// [ly yP, lx xP, l1] of each step.
pub struct Lines<'a, B: Backend, E: Pairing<Tower: LaneTower<L>>, const L: usize> {
    origin: Origin<'a, B, E, L>,
    /// All lanes where P or Q is the identity: then all lines are 1.
    pub nowhere: Mask,
    pub products: Products<Across<B, E::Tower, L>, MOST>,
    /// Of the next line, and whether its products are asked for.
    step: usize,
    busy: bool,
    lines: [[Across<B, E::Tower, L>; 3]; AHEAD],
    /// How many there were, and how many of them are used.
    made: usize,
    used: usize,
}

enum Origin<'a, B: Backend, E: Pairing<Tower: LaneTower<L>>, const L: usize> {
    Walk(StagedWalk<Across<B, E::Tower, L>>),
    /// The lines, P, and l1 of the line that is made.
    Prepared(&'a [[Fp2<E::Tower>; 3]], [Across<B, E::Tower, L>; 2], Across<B, E::Tower, L>),
}

impl<'a, B: Backend, E: Pairing<Tower: LaneTower<L>>, const L: usize> Lines<'a, B, E, L> {
    /// Of a point that is walked with.
    #[inline(always)]
    pub fn fresh(b: B, p: &Affine<E::G1>, q: &Affine<E::G2>, steps: &[Step]) -> Self {
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
        let [p, b3, x, y, psi_x, psi_y, psi2_x, psi2_y] = Across::from_elements(b, &elements);
        let addends = [[x, y], [x, y.negative()], [psi_x, psi_y], [psi2_x, psi2_y]];
        let walk = StagedWalk::new(addends, p.coefficients(), b3, Across::one(b));
        Self::new(b, Origin::Walk(walk), place.nowhere.unwrap_u8())
    }

    /// Of a prepared point.
    #[inline(always)]
    pub fn prepared(b: B, p: &Affine<E::G1>, q: &'a Prepared<E>) -> Self {
        let place = miller::place::<E>(p, q.is_identity);
        let [p] = Across::from_elements(b, &[Fp2::new(place.p[0], place.p[1])]);
        let origin = Origin::Prepared(&q.lines, p.coefficients(), p);
        Self::new(b, origin, place.nowhere.unwrap_u8())
    }

    #[inline(always)]
    fn new(b: B, origin: Origin<'a, B, E, L>, nowhere: u8) -> Self {
        let zero = Across::zero(b);
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

    /// Does f want the next line before anything else?
    #[inline(always)]
    pub fn is_wanted(&self) -> bool {
        self.made - self.used < SOON
    }

    /// The next line, if it is there.
    #[inline(always)]
    pub fn next(&mut self) -> Option<[Across<B, E::Tower, L>; 3]> {
        if self.used == self.made {
            return None;
        }
        self.used += 1;
        Some(self.lines[(self.used - 1) % AHEAD])
    }

    /// Asks for the first products of the next line, if there is room for it.
    #[inline(always)]
    pub fn begin(&mut self, b: B, steps: &[Step]) {
        if self.busy || self.step == steps.len() || self.made - self.used == AHEAD {
            return;
        }
        self.busy = true;
        match &mut self.origin {
            Origin::Walk(walk) => walk.begin(steps[self.step], &mut self.products),
            Origin::Prepared(lines, [x, y], l1) => {
                let [ly, lx, l] = Across::from_elements(b, &lines[self.step]);
                *l1 = l;
                self.products.ask(&[[ly, lx], [*y, *x]]);
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
