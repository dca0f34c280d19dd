//! Points for one claim: Jacobian coordinates with bounds in the types.

#![allow(non_snake_case)]

use crate::secp256k1::coordinate::Coordinate;
use crate::secp256k1::lanes::Line;

/// A point that is not the identity.
#[derive(Clone, Copy, Debug)]
pub struct Affine<const M: u64 = 1> {
    pub x: Coordinate,
    pub y: Coordinate<M>,
}

/// (X : Y : Z), x = X / Z^2 and y = Y / Z^3, not the identity.
#[derive(Clone, Copy, Debug)]
pub struct Jacobian {
    pub X: Coordinate<10>,
    pub Y: Coordinate<2>,
    pub Z: Coordinate<2>,
}

impl Affine {
    /// P, or -P for a negative digit.
    #[inline(always)]
    pub fn signed(&self, digit: i16) -> Affine<2> {
        let y = if digit < 0 { Coordinate::ZERO.minus(&self.y) } else { self.y.small::<1, 2>() };
        Affine { x: self.x, y }
    }
}

impl<const M: u64> Affine<M> {
    /// (x z^2, y z^3): its image on the curve y^2 = x^3 + 7 z^6.
    #[inline(always)]
    pub fn scaled(&self, z: &Coordinate) -> Affine {
        let square = z.square();
        Affine { x: self.x.times(&square), y: self.y.times(&square.times(z)) }
    }
}

impl From<&Line> for Affine {
    #[inline(always)]
    fn from(Line([x0, x1, x2, x3, y0, y1, y2, y3]): &Line) -> Self {
        let [x, y] = [[*x0, *x1, *x2, *x3], [*y0, *y1, *y2, *y3]];
        Self { x: Coordinate::new(&x), y: Coordinate::new(&y) }
    }
}

impl<const M: u64> From<Affine<M>> for Jacobian {
    #[inline(always)]
    fn from(point: Affine<M>) -> Self {
        let Z = Coordinate::ONE.small::<1, 2>();
        Self { X: point.x.small::<1, 10>(), Y: point.y.small::<1, 2>(), Z }
    }
}

impl Jacobian {
    /// (X, Y): its image where it is affine.
    pub fn numerators(&self) -> Affine {
        Affine { x: self.X.times(&Coordinate::ONE), y: self.Y.times(&Coordinate::ONE) }
    }

    /// 2 P, which is never the identity: EFD dbl-2009-l, but D is a product. 3 multiplications, 4 squarings.
    ///
    /// A call of its own, like [`Self::plus`]: where both are inlined, a verification leaves the instruction cache, and its time
    /// depends on where the linker puts it (24 or 30 us).
    #[inline(never)]
    pub fn double(&self) -> Self {
        let Self { X, Y, Z } = self;
        let A = X.square();
        let B = Y.square();
        let D: Coordinate<4> = X.times(&B).small::<4, 4>();
        let E: Coordinate<3> = A.small::<3, 3>();
        let X3: Coordinate<10> = E.square().minus(&D.small::<2, 8>());
        let X3mD: Coordinate<15> = X3.minus(&D);
        let minus_Y3 = Coordinate::product_and_square::<15, 1, 8>(&E, &X3mD, &B);
        let Z3: Coordinate<2> = Y.times(Z).small::<2, 2>();
        Self { X: X3, Y: Coordinate::ZERO.minus(&minus_Y3), Z: Z3 }
    }

    /// P + Q; none if that is the identity. `z` is Z, or Z times the z of the curve that P is on and Q is not: the
    /// sum is on P's.
    #[inline(never)]
    pub fn plus(&self, z: &Coordinate<2>, q: &Affine<2>) -> Option<Self> {
        let (H, r) = self.differences(z, q);
        if H.is_zero() {
            return r.is_zero().then(|| self.double());
        }
        Some(self.chord(&H, &r))
    }

    /// P + Q for points that are neither equal nor opposite, and what Z was multiplied by.
    #[inline(always)]
    pub fn plus_other(&self, q: &Affine) -> (Self, Coordinate) {
        let (H, r) = self.differences(&self.Z, q);
        (self.chord(&H, &r), H.times(&Coordinate::ONE))
    }

    /// EFD madd-2004-hmv, first half: what tells the points apart. 3 multiplications, 1 squaring.
    #[inline(always)]
    fn differences<const M: u64>(
        &self,
        z: &Coordinate<2>,
        q: &Affine<M>,
    ) -> (Coordinate<12>, Coordinate<4>) {
        let Z1Z1 = z.square();
        let U2 = q.x.times(&Z1Z1);
        let S2 = q.y.times(&z.times(&Z1Z1));
        (U2.minus(&self.X), S2.minus(&self.Y))
    }

    /// EFD madd-2004-hmv, second half, for H other than 0. 5 multiplications, 2 squarings.
    #[inline(always)]
    fn chord(&self, H: &Coordinate<12>, r: &Coordinate<4>) -> Self {
        let HH = H.square();
        let HHH = H.times(&HH);
        let V = self.X.times(&HH);
        let twice_V: Coordinate<2> = V.small::<2, 2>();
        let X3: Coordinate<10> = r.square().minus(&HHH.plus::<2, 3>(&twice_V));
        let X3mV: Coordinate<12> = X3.minus(&V);
        let minus_Y3 = Coordinate::sum_of_products(r, &X3mV, &self.Y, &HHH);
        Self { X: X3, Y: Coordinate::ZERO.minus(&minus_Y3), Z: self.Z.times(H).small::<1, 2>() }
    }

    /// Is this, below p, the point's x?
    pub fn has_x(&self, x: &[u64; 4]) -> bool {
        let difference: Coordinate<12> = Coordinate::new(x).times(&self.Z.square()).minus(&self.X);
        difference.is_zero()
    }
}
