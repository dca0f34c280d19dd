//! Jubjub: -x^2 + y^2 = 1 + d x^2 y^2 over the scalars of BLS12-381, of order 8 r (Zcash Protocol Specification, section
//! 5.4.9.3, where x and y are u and v).
//!
//! -1 is a square and d is none, so the formulas hold for all points: no sum is exceptional. Points come from other
//! parties in [`encoding::jubjub`](crate::encoding::jubjub).

#![allow(non_snake_case)]

mod msm;

pub use crate::curve::spec::jubjub::{Fp, Fr};
pub use msm::sum_vartime;

use crate::curve::formula::{hwcd_add, hwcd_dbl, hwcd_madd_precomputed};
use crate::curve::spec::jubjub::twisted_edwards as numbers;
use crate::field::Field;
use std::ops::{Add, AddAssign, Neg};

/// 2 d.
const K: Fp = Fp::constant(numbers::K);

/// d.
pub(crate) const D: Fp = Fp::constant(numbers::D);

/// The number of points divided by r. Multiplied by it, a point is in the subgroup of order r.
pub const COFACTOR: u64 = numbers::COFACTOR;

/// (x, y) on the curve; the identity is (0, 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Affine {
    x: Fp,
    y: Fp,
}

impl Affine {
    /// The identity.
    pub const IDENTITY: Self = Self { x: Fp::ZERO, y: Fp::ONE };

    /// A point of order 8 r, of which every point is a multiple.
    pub const GENERATOR: Self = Self { x: Fp::constant(numbers::X), y: Fp::constant(numbers::Y) };

    /// Returns the point with these coordinates; none when they are not on the curve.
    pub fn new(x: Fp, y: Fp) -> Option<Self> {
        let point = Self { x, y };
        point.is_on_curve().then_some(point)
    }

    /// Creates a point from its coordinates, without a check: the caller ensures that they are on the curve.
    pub(crate) const fn new_unchecked(x: Fp, y: Fp) -> Self {
        Self { x, y }
    }

    /// The first coordinate.
    pub fn x(&self) -> Fp {
        self.x
    }

    /// The second coordinate.
    pub fn y(&self) -> Fp {
        self.y
    }

    fn is_on_curve(&self) -> bool {
        let (xx, yy) = (self.x.square(), self.y.square());
        yy - xx == Fp::ONE + D * xx * yy
    }

    /// Precomputes the second operand of the cheapest addition.
    fn precompute(&self) -> Precomputed {
        Precomputed([self.y - self.x, self.y + self.x, K * self.x * self.y])
    }
}

impl Neg for Affine {
    type Output = Self;
    fn neg(self) -> Self {
        Self { x: -self.x, y: self.y }
    }
}

/// y - x, y + x and 2 d x y.
#[derive(Clone, Copy)]
struct Precomputed([Fp; 3]);

impl Neg for Precomputed {
    type Output = Self;
    fn neg(self) -> Self {
        let Self([YmX, YpX, kT]) = self;
        Self([YpX, YmX, -kT])
    }
}

/// (X : Y : Z : T) with x = X/Z, y = Y/Z, T = XY/Z and Z not 0.
#[derive(Clone, Copy, Debug)]
pub struct Extended([Fp; 4]);

impl Extended {
    /// The identity.
    pub const IDENTITY: Self = Self([Fp::ZERO, Fp::ONE, Fp::ONE, Fp::ZERO]);

    /// Returns whether this is the identity.
    pub fn is_identity(&self) -> bool {
        let [X, Y, Z, _] = self.0;
        X == Fp::ZERO && Y == Z
    }

    /// Returns whether the order divides the cofactor: 1, 2, 4 or 8.
    pub fn is_small_order(&self) -> bool {
        self.times_cofactor().is_identity()
    }

    /// P + P.
    pub fn double(&self) -> Self {
        let [X, Y, Z, _] = self.0;
        Self(hwcd_dbl([X, Y, Z]))
    }

    /// Multiplies by the cofactor; the result is in the subgroup of order r.
    pub fn times_cofactor(&self) -> Self {
        (0..COFACTOR.ilog2()).fold(*self, |point, _| point.double())
    }

    fn add_precomputed(&self, other: &Precomputed) -> Self {
        Self(hwcd_madd_precomputed(self.0, other.0))
    }

    /// Converts to affine coordinates.
    pub fn to_affine(&self) -> Affine {
        let [X, Y, Z, _] = self.0;
        let inverse = Z.invert_vartime().expect("Z is not 0 on a complete curve");
        Affine { x: X * inverse, y: Y * inverse }
    }
}

impl From<Affine> for Extended {
    fn from(Affine { x, y }: Affine) -> Self {
        Self([x, y, Fp::ONE, x * y])
    }
}

impl Add for Extended {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(hwcd_add(self.0, other.0, |a| K * a))
    }
}

impl AddAssign for Extended {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl PartialEq for Extended {
    fn eq(&self, other: &Self) -> bool {
        let ([X1, Y1, Z1, _], [X2, Y2, Z2, _]) = (self.0, other.0);
        X1 * Z2 == X2 * Z1 && Y1 * Z2 == Y2 * Z1
    }
}

impl Eq for Extended {}
