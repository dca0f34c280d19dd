//! Points as pairs.

use super::formula::{affine_add, affine_dbl};
use super::{Curve, Projective};
use crate::field::Field;
use std::ops::Neg;
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq, CtOption};

/// (x, y) on y^2 = x^3 + b. The identity is (0, 0), which is on no curve with b /= 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Affine<C: Curve> {
    x: C::Base,
    y: C::Base,
}

impl<C: Curve> Affine<C> {
    /// The identity.
    pub const IDENTITY: Self = Self { x: C::Base::ZERO, y: C::Base::ZERO };

    /// The point with these coordinates; none when they are not on the curve. (0, 0) is the identity.
    pub fn new(x: C::Base, y: C::Base) -> CtOption<Self> {
        let point = Self { x, y };
        CtOption::new(point, point.is_on_curve())
    }

    /// Creates a point from its coordinates, without a check: the caller ensures that they are on the curve, or (0, 0).
    pub const fn new_unchecked(x: C::Base, y: C::Base) -> Self {
        Self { x, y }
    }

    /// A point with this x; none when there is none. Of the two, any; the identity is never the answer.
    pub fn from_x(x: C::Base) -> CtOption<Self> {
        (x.square() * x + C::B).sqrt().map(|y| Self { x, y })
    }

    /// The first coordinate; 0 for the identity.
    pub fn x(&self) -> C::Base {
        self.x
    }

    /// The second coordinate; 0 for the identity.
    pub fn y(&self) -> C::Base {
        self.y
    }

    /// True for the identity.
    pub fn is_identity(&self) -> Choice {
        self.x.is_zero() & self.y.is_zero()
    }

    /// y^2 = x^3 + b, or the identity?
    pub fn is_on_curve(&self) -> Choice {
        let right = self.x.square() * self.x + C::B;
        self.y.square().ct_eq(&right) | self.is_identity()
    }

    /// True when a point of the curve has order r or 1.
    pub fn is_in_subgroup(&self) -> Choice {
        C::is_in_subgroup(&(*self).into())
    }

    /// (beta x, y), which is lambda times a point of the subgroup.
    pub fn endomorphism(&self) -> Self {
        Self { x: self.x * C::BETA, y: self.y }
    }

    /// P + Q of every pair, for one inversion: with it 5 multiplications and 1 squaring a pair.
    pub fn sums_vartime(pairs: &[(Self, Self)]) -> Vec<Self> {
        let mut divisors: Vec<C::Base> = pairs.iter().map(|(p, q)| p.divisor_vartime(q)).collect();
        C::Base::batch_invert(&mut divisors);
        let sum = |((p, q), inverse): (&(Self, Self), C::Base)| p.sum_vartime(q, inverse);
        pairs.iter().zip(divisors).map(sum).collect()
    }

    /// What the slope of the chord or tangent is divided by; 0 where no slope is needed.
    fn divisor_vartime(&self, other: &Self) -> C::Base {
        if bool::from(self.is_identity() | other.is_identity()) {
            C::Base::ZERO
        } else if self == other {
            self.y.double()
        } else {
            other.x - self.x
        }
    }

    /// P + Q with the inverse of their divisor, which is 0 for opposite points and where one is the identity.
    fn sum_vartime(&self, other: &Self, inverse: C::Base) -> Self {
        if bool::from(self.is_identity()) {
            return *other;
        }
        if bool::from(other.is_identity()) {
            return *self;
        }
        if inverse == C::Base::ZERO {
            return Self::IDENTITY;
        }
        let [x, y] = if self == other {
            affine_dbl([self.x, self.y], inverse)
        } else {
            affine_add([self.x, self.y], [other.x, other.y], inverse)
        };
        Self { x, y }
    }

    /// Converts points with a single inversion.
    pub fn batch(points: &[Projective<C>]) -> Vec<Self> {
        let mut inverses: Vec<C::Base> = points.iter().map(|point| point.Z).collect();
        C::Base::batch_invert(&mut inverses);
        let affine = |(point, inverse): (&Projective<C>, C::Base)| Self {
            x: point.X * inverse,
            y: point.Y * inverse,
        };
        points.iter().zip(inverses).map(affine).collect()
    }
}

/// 1/0 = 0 makes (0, 0) of the identity's Z = 0.
impl<C: Curve> From<Projective<C>> for Affine<C> {
    fn from(point: Projective<C>) -> Self {
        let inverse = point.Z.invert().unwrap_or(C::Base::ZERO);
        Self { x: point.X * inverse, y: point.Y * inverse }
    }
}

impl<C: Curve> Neg for Affine<C> {
    type Output = Self;
    fn neg(self) -> Self {
        Self { x: self.x, y: -self.y }
    }
}

impl<C: Curve> ConstantTimeEq for Affine<C> {
    fn ct_eq(&self, other: &Self) -> Choice {
        self.x.ct_eq(&other.x) & self.y.ct_eq(&other.y)
    }
}

impl<C: Curve> ConditionallySelectable for Affine<C> {
    fn conditional_select(a: &Self, b: &Self, choice: Choice) -> Self {
        Self {
            x: C::Base::conditional_select(&a.x, &b.x, choice),
            y: C::Base::conditional_select(&a.y, &b.y, choice),
        }
    }
}
