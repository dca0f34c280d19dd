//! Points in Jacobian coordinates, for speed where nothing is secret: exceptional pairs are branches.

#![allow(non_snake_case)]

use super::formula::{jacobian_add, jacobian_dbl, jacobian_madd};
use super::{Affine, Curve, Projective};
use crate::field::Field;

/// (X : Y : Z) with x = X/Z^2 and y = Y/Z^3; the identity has Z = 0.
#[derive(Clone, Copy, Debug)]
pub struct Jacobian<C: Curve> {
    X: C::Base,
    Y: C::Base,
    Z: C::Base,
}

impl<C: Curve> Jacobian<C> {
    /// The identity.
    pub const IDENTITY: Self = Self { X: C::Base::ONE, Y: C::Base::ONE, Z: C::Base::ZERO };

    fn coordinates(&self) -> [C::Base; 3] {
        [self.X, self.Y, self.Z]
    }

    /// True for the identity.
    pub fn is_identity_vartime(&self) -> bool {
        self.Z == C::Base::ZERO
    }

    /// P + P.
    pub fn double_vartime(&self) -> Self {
        jacobian_dbl(self.coordinates()).into()
    }

    /// Computes P + Q. Z3 = 0 indicates equal or opposite points; Y distinguishes the two cases.
    pub fn add_mixed_vartime(&self, other: &Affine<C>) -> Self {
        if bool::from(other.is_identity()) {
            return *self;
        }
        if self.is_identity_vartime() {
            return (*other).into();
        }
        let sum = Self::from(jacobian_madd(self.coordinates(), [other.x(), other.y()]));
        let equal = || self.Y == other.y() * self.Z.square() * self.Z;
        if sum.is_identity_vartime() && equal() { self.double_vartime() } else { sum }
    }

    /// P + Q.
    pub fn add_vartime(&self, other: &Self) -> Self {
        if other.is_identity_vartime() {
            return *self;
        }
        if self.is_identity_vartime() {
            return *other;
        }
        let sum = Self::from(jacobian_add(self.coordinates(), other.coordinates()));
        let cube = |Z: C::Base| Z.square() * Z;
        let equal = || self.Y * cube(other.Z) == other.Y * cube(self.Z);
        if sum.is_identity_vartime() && equal() { self.double_vartime() } else { sum }
    }

    /// Converts points with a single inversion.
    pub fn batch_to_affine_vartime(points: &[Self]) -> Vec<Affine<C>> {
        let mut inverses: Vec<C::Base> = points.iter().map(|point| point.Z).collect();
        C::Base::batch_invert(&mut inverses);
        let affine = |(point, inverse): (&Self, C::Base)| {
            let square = inverse.square();
            Affine::new_unchecked(point.X * square, point.Y * square * inverse)
        };
        points.iter().zip(inverses).map(affine).collect()
    }
}

/// Creates a point without a check: the caller ensures that these are its coordinates.
impl<C: Curve> From<[C::Base; 3]> for Jacobian<C> {
    fn from([X, Y, Z]: [C::Base; 3]) -> Self {
        Self { X, Y, Z }
    }
}

impl<C: Curve> From<Affine<C>> for Jacobian<C> {
    fn from(point: Affine<C>) -> Self {
        if bool::from(point.is_identity()) {
            return Self::IDENTITY;
        }
        Self { X: point.x(), Y: point.y(), Z: C::Base::ONE }
    }
}

/// (X : Y : Z) has x = X/Z = (X Z) / Z^2 and y = Y/Z = (Y Z^2) / Z^3.
impl<C: Curve> From<Projective<C>> for Jacobian<C> {
    fn from(point: Projective<C>) -> Self {
        let [X, Y, Z] = point.coordinates();
        Self { X: X * Z, Y: Y * Z.square(), Z }
    }
}

/// x = X/Z^2 = (X Z) / Z^3; the identity is given a Y that is not 0.
impl<C: Curve> From<Jacobian<C>> for Projective<C> {
    fn from(point: Jacobian<C>) -> Self {
        if point.is_identity_vartime() {
            return Self::IDENTITY;
        }
        let Jacobian { X, Y, Z } = point;
        [X * Z, Y, Z.square() * Z].into()
    }
}
