//! Points in homogeneous coordinates with complete formulas: Renes, Costello, Batina, ePrint 2015/1060, for a = 0.
//!
//! They hold for every pair of points P, Q unless P - Q has order 2, and then give (0 : 0 : 0). Most curves of this crate have
//! no point of order 2. On the others (an even cofactor: BLS12-377 G1) that result is detected and the chord formula is
//! used instead. The branch reveals nothing about points of the subgroup, of which no two make such a pair.

#![allow(non_snake_case)]

use super::formula::{rcb_add, rcb_dbl, rcb_madd};
use super::{Affine, Curve};
use crate::field::Field;
use std::ops::{Add, AddAssign, Neg, Sub, SubAssign};
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};

/// (X : Y : Z) with x = X/Z and y = Y/Z; the identity is (0 : 1 : 0).
#[derive(Clone, Copy, Debug)]
pub struct Projective<C: Curve> {
    pub(super) X: C::Base,
    pub(super) Y: C::Base,
    pub(super) Z: C::Base,
}

impl<C: Curve> Projective<C> {
    /// The identity.
    pub const IDENTITY: Self = Self { X: C::Base::ZERO, Y: C::Base::ONE, Z: C::Base::ZERO };

    /// The curve's generator of the subgroup.
    pub fn generator() -> Self {
        C::GENERATOR.into()
    }

    /// True for the identity.
    pub fn is_identity(&self) -> Choice {
        self.Z.is_zero()
    }

    /// X, Y and Z.
    pub fn coordinates(&self) -> [C::Base; 3] {
        [self.X, self.Y, self.Z]
    }

    /// True for (0 : 0 : 0).
    fn is_no_point(&self) -> Choice {
        self.X.is_zero() & self.Y.is_zero() & self.Z.is_zero()
    }

    /// P + P.
    pub fn double(&self) -> Self {
        rcb_dbl(self.coordinates(), C::times_b3).into()
    }

    /// P + Q: 1 multiplication less than with a projective Q.
    pub fn add_mixed(&self, other: &Affine<C>) -> Self {
        let pair = [other.x(), other.y()];
        let sum = Self::from(rcb_madd(self.coordinates(), pair, C::times_b3));
        let sum = Self::conditional_select(&sum, self, other.is_identity());
        if has_even_order::<C>() && bool::from(sum.is_no_point()) {
            return chord(self, &(*other).into());
        }
        sum
    }

    /// (beta x, y), which is lambda times a point of the subgroup.
    pub fn endomorphism(&self) -> Self {
        Self { X: self.X * C::BETA, ..*self }
    }
}

/// True on curves with points of order 2.
const fn has_even_order<C: Curve>() -> bool {
    C::COFACTOR[0] % 2 == 0
}

/// P + Q for every pair of points of every curve.
fn add<C: Curve>(p: &Projective<C>, q: &Projective<C>) -> Projective<C> {
    let sum = Projective::from(rcb_add(p.coordinates(), q.coordinates(), C::times_b3));
    if has_even_order::<C>() && bool::from(sum.is_no_point()) { chord(p, q) } else { sum }
}

/// P + Q, where P - Q has order 2 (EFD add-1998-cmo-2); P = -Q comes out right too, since then u /= 0.
fn chord<C: Curve>(p: &Projective<C>, q: &Projective<C>) -> Projective<C> {
    if bool::from(p.is_identity()) {
        return *q;
    }
    if bool::from(q.is_identity()) {
        return *p;
    }
    let (X1, Y1, Z1) = (p.X, p.Y, p.Z);
    let (X2, Y2, Z2) = (q.X, q.Y, q.Z);
    let Y1Z2 = Y1 * Z2;
    let X1Z2 = X1 * Z2;
    let Z1Z2 = Z1 * Z2;
    let u = Y2 * Z1 - Y1Z2;
    let v = X2 * Z1 - X1Z2;
    let vv = v.square();
    let vvv = v * vv;
    let R = vv * X1Z2;
    let A = u.square() * Z1Z2 - vvv - R.double();
    Projective { X: v * A, Y: u * (R - A) - vvv * Y1Z2, Z: vvv * Z1Z2 }
}

/// Creates a point without a check: the caller ensures that these are its coordinates.
impl<C: Curve> From<[C::Base; 3]> for Projective<C> {
    fn from([X, Y, Z]: [C::Base; 3]) -> Self {
        Self { X, Y, Z }
    }
}

impl<C: Curve> Default for Projective<C> {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl<C: Curve> From<Affine<C>> for Projective<C> {
    fn from(point: Affine<C>) -> Self {
        let affine = Self { X: point.x(), Y: point.y(), Z: C::Base::ONE };
        Self::conditional_select(&affine, &Self::IDENTITY, point.is_identity())
    }
}

impl<C: Curve> Add for Projective<C> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        add(&self, &other)
    }
}

impl<C: Curve> Add<Affine<C>> for Projective<C> {
    type Output = Self;
    fn add(self, other: Affine<C>) -> Self {
        self.add_mixed(&other)
    }
}

impl<C: Curve> AddAssign for Projective<C> {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl<C: Curve> AddAssign<Affine<C>> for Projective<C> {
    fn add_assign(&mut self, other: Affine<C>) {
        *self = *self + other;
    }
}

impl<C: Curve> Neg for Projective<C> {
    type Output = Self;
    fn neg(self) -> Self {
        Self { Y: -self.Y, ..self }
    }
}

impl<C: Curve> Sub for Projective<C> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl<C: Curve> SubAssign for Projective<C> {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

/// X1 Z2 = X2 Z1 and Y1 Z2 = Y2 Z1.
impl<C: Curve> ConstantTimeEq for Projective<C> {
    fn ct_eq(&self, other: &Self) -> Choice {
        (self.X * other.Z).ct_eq(&(other.X * self.Z))
            & (self.Y * other.Z).ct_eq(&(other.Y * self.Z))
    }
}

impl<C: Curve> PartialEq for Projective<C> {
    fn eq(&self, other: &Self) -> bool {
        self.ct_eq(other).into()
    }
}

impl<C: Curve> Eq for Projective<C> {}

impl<C: Curve> ConditionallySelectable for Projective<C> {
    fn conditional_select(a: &Self, b: &Self, choice: Choice) -> Self {
        Self {
            X: C::Base::conditional_select(&a.X, &b.X, choice),
            Y: C::Base::conditional_select(&a.Y, &b.Y, choice),
            Z: C::Base::conditional_select(&a.Z, &b.Z, choice),
        }
    }
}
