//! Points for one claim, in Jacobian coordinates.

#![allow(non_snake_case)]

use crate::secp256k1::coordinate::Coordinate;
use crate::secp256k1::lanes::Line;

/// A point that is not the identity.
#[derive(Clone, Copy, Debug)]
pub struct Affine {
    pub x: Coordinate,
    pub y: Coordinate,
}

/// (X : Y : Z), x = X / Z^2 and y = Y / Z^3, not the identity.
#[derive(Clone, Copy, Debug)]
pub struct Jacobian {
    pub X: Coordinate,
    pub Y: Coordinate,
    pub Z: Coordinate,
}

impl Affine {
    /// P, or -P for a negative digit.
    #[inline(always)]
    pub fn signed(&self, digit: i16) -> Self {
        if digit < 0 { Self { y: self.y.negative(), ..*self } } else { *self }
    }

    /// (x z^2, y z^3): its image on the curve y^2 = x^3 + 7 z^6.
    #[inline(always)]
    pub fn scaled(&self, z: &Coordinate) -> Self {
        let square = z.square();
        Self { x: self.x.times(&square), y: self.y.times(&square.times(z)) }
    }
}

impl From<&Line> for Affine {
    #[inline(always)]
    fn from(Line([x0, x1, x2, x3, y0, y1, y2, y3]): &Line) -> Self {
        let [x, y] = [[*x0, *x1, *x2, *x3], [*y0, *y1, *y2, *y3]];
        Self { x: Coordinate::new(&x), y: Coordinate::new(&y) }
    }
}

impl From<Affine> for Jacobian {
    #[inline(always)]
    fn from(point: Affine) -> Self {
        Self { X: point.x, Y: point.y, Z: Coordinate::ONE }
    }
}

impl Jacobian {
    /// (X, Y): its image where it is affine.
    pub fn numerators(&self) -> Affine {
        Affine { x: self.X, y: self.Y }
    }

    /// 2 P, which is never the identity: with L = 3 X^2 / 2 and T = X Y^2, EFD dbl-2009-l with Z / 2 for Z. 3 multiplications,
    /// 4 squarings.
    ///
    /// A call of its own, like [`Self::plus`]: where both are inlined, a verification leaves the instruction cache, and its time
    /// depends on where the linker puts it (24 or 30 us).
    #[inline(never)]
    pub fn double(&self) -> Self {
        let Self { X, Y, Z } = self;
        let S = Y.square();
        let A = X.square();
        let Z3 = Y.times(Z);
        let T = X.times(&S);
        let L = A.plus(&A.half());
        let X3 = L.square().minus(&T.double());
        let SS = S.square();
        let Y3 = L.times(&T.minus(&X3)).minus(&SS);
        Self { X: X3, Y: Y3, Z: Z3 }
    }

    /// P + Q; none if that is the identity. `z` is Z, or Z times the z of the curve that P is on and Q is not: the
    /// sum is on P's.
    #[inline(never)]
    pub fn plus(&self, z: &Coordinate, q: &Affine) -> Option<Self> {
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
        (self.chord(&H, &r), H)
    }

    /// EFD madd-2004-hmv, first half: the differences of the points. 3 multiplications, 1 squaring.
    #[inline(always)]
    fn differences(&self, z: &Coordinate, q: &Affine) -> (Coordinate, Coordinate) {
        let Z1Z1 = z.square();
        let U2 = q.x.times(&Z1Z1);
        let S2 = q.y.times(z).times(&Z1Z1);
        (U2.minus(&self.X), S2.minus(&self.Y))
    }

    /// EFD madd-2004-hmv, second half, for H other than 0. 5 multiplications, 2 squarings.
    #[inline(always)]
    fn chord(&self, H: &Coordinate, r: &Coordinate) -> Self {
        let HH = H.square();
        let rr = r.square();
        let Z3 = self.Z.times(H);
        let V = self.X.times(&HH);
        let HHH = H.times(&HH);
        let X3 = rr.minus(&HHH).minus(&V.double());
        let YHHH = self.Y.times(&HHH);
        let Y3 = r.times(&V.minus(&X3)).minus(&YHHH);
        Self { X: X3, Y: Y3, Z: Z3 }
    }

    /// Returns whether `x`, which is below p, is the point's x.
    pub fn has_x(&self, x: &[u64; 4]) -> bool {
        Coordinate::new(x).times(&self.Z.square()).minus(&self.X).is_zero()
    }
}
