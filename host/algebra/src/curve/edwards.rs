//! The twisted Edwards form -x^2 + y^2 = 1 + d x^2 y^2 of a curve y^2 = x^3 + b with a point (alpha, 0), in extended
//! coordinates. An addition takes 8 multiplications, or 7 with a precomputed point, where the curve itself takes 11.
//!
//! The map goes by way of the Montgomery curve. With t = s (x - alpha):
//!
//! ```text
//! X = k t / (s y)     Y = (t - 1) / (t + 1)           t = (1 + Y) / (1 - Y)     x = t/s + alpha     y = k t / (s X)
//! ```
//!
//! The identity is (0, 1), and (alpha, 0) is (0, -1). Points with t = -1 and the other points with y = 0 have no image:
//! they are *exceptional*. As -1 and d are squares there are also pairs of points whose sum the formulas miss. All of
//! this is about points of even order: points of the subgroup have images and sums. What is missed is reported: no
//! image is `None`, and a missed sum is [`Edwards::is_missed`], and so is everything computed from it.

#![allow(non_snake_case)]

use super::formula::{hwcd_add, hwcd_dbl, hwcd_madd_precomputed};
use super::multiply::{Additive, times};
use super::{Affine, Curve};
use crate::field::Field;
use std::ops::{Add, AddAssign, Neg, Sub};
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq, CtOption};

/// A curve that has this form.
pub trait EdwardsForm: Curve {
    /// 2 d.
    const K: Self::Base;
    /// A root of x^3 + b.
    const ALPHA: Self::Base;
    /// 1 / sqrt(3 alpha^2).
    const S: Self::Base;
    /// sqrt(-(3 alpha s + 2) / s), the k of the map.
    const SCALE: Self::Base;
}

/// (x, y) on -x^2 + y^2 = 1 + d x^2 y^2; the identity is (0, 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdwardsAffine<C: EdwardsForm> {
    x: C::Base,
    y: C::Base,
}

impl<C: EdwardsForm> EdwardsAffine<C> {
    /// The identity.
    pub const IDENTITY: Self = Self { x: C::Base::ZERO, y: C::Base::ONE };

    /// The point with these coordinates; none when they are not on the curve.
    pub fn new(x: C::Base, y: C::Base) -> CtOption<Self> {
        let point = Self { x, y };
        CtOption::new(point, point.is_on_curve())
    }

    /// The first coordinate.
    pub fn x(&self) -> C::Base {
        self.x
    }

    /// The second coordinate.
    pub fn y(&self) -> C::Base {
        self.y
    }

    /// 2 (y^2 - x^2 - 1) = k x^2 y^2?
    pub fn is_on_curve(&self) -> Choice {
        let (xx, yy) = (self.x.square(), self.y.square());
        (yy - xx - C::Base::ONE).double().ct_eq(&(C::K * xx * yy))
    }

    /// The image of a point of the curve; none when it is exceptional, which no point of the subgroup is.
    pub fn of(point: &Affine<C>) -> CtOption<Self> {
        let inverse = Self::divisor(point).invert().unwrap_or(C::Base::ZERO);
        Self::with_inverse(point, inverse)
    }

    /// [`Self::of`] all points, for one inversion.
    pub fn batch(points: &[Affine<C>]) -> Vec<CtOption<Self>> {
        let mut inverses: Vec<C::Base> = points.iter().map(Self::divisor).collect();
        C::Base::batch_invert(&mut inverses);
        let image = |(point, inverse)| Self::with_inverse(point, inverse);
        points.iter().zip(inverses).map(image).collect()
    }

    /// s y (t + 1), by which both coordinates are divided; 0 where there is no image, and at the identity and (alpha, 0).
    fn divisor(point: &Affine<C>) -> C::Base {
        let t = C::S * (point.x() - C::ALPHA);
        C::S * point.y() * (t + C::Base::ONE)
    }

    /// The image, with 1/divisor, or 0 where that is 0.
    fn with_inverse(point: &Affine<C>, inverse: C::Base) -> CtOption<Self> {
        let t = C::S * (point.x() - C::ALPHA);
        let sy = C::S * point.y();
        let t_plus_1 = t + C::Base::ONE;
        let image =
            Self { x: C::SCALE * t * inverse * t_plus_1, y: (t - C::Base::ONE) * inverse * sy };

        let order_2 = point.y().is_zero() & point.x().ct_eq(&C::ALPHA);
        let minus = Self { x: C::Base::ZERO, y: -C::Base::ONE };
        let image = Self::conditional_select(&image, &minus, order_2);
        let image = Self::conditional_select(&image, &Self::IDENTITY, point.is_identity());
        CtOption::new(image, !inverse.is_zero() | order_2 | point.is_identity())
    }

    /// The point of the curve whose image this is: every point has one.
    pub fn weierstrass(&self) -> Affine<C> {
        // t/s = (1 + Y) / (s (1 - Y)) and y = k (t/s) / X, for one inversion.
        let s_minus_sy = C::S * (C::Base::ONE - self.y);
        let inverse = (self.x * s_minus_sy).invert().unwrap_or(C::Base::ZERO);
        let t_over_s = (C::Base::ONE + self.y) * inverse * self.x;
        let y = C::SCALE * t_over_s * inverse * s_minus_sy;
        let point = Affine::new_unchecked(t_over_s + C::ALPHA, y);
        let order_2 = Affine::new_unchecked(C::ALPHA, C::Base::ZERO);
        let at_x_0 = Affine::conditional_select(&order_2, &Affine::IDENTITY, s_minus_sy.is_zero());
        Affine::conditional_select(&point, &at_x_0, self.x.is_zero())
    }

    /// Precomputes the second operand of the cheapest addition.
    pub fn precompute(&self) -> Precomputed<C> {
        Precomputed { YmX: self.y - self.x, YpX: self.y + self.x, kT: C::K * self.x * self.y }
    }
}

impl<C: EdwardsForm> ConditionallySelectable for EdwardsAffine<C> {
    fn conditional_select(a: &Self, b: &Self, choice: Choice) -> Self {
        Self {
            x: C::Base::conditional_select(&a.x, &b.x, choice),
            y: C::Base::conditional_select(&a.y, &b.y, choice),
        }
    }
}

/// (y - x, y + x, 2d x y).
#[derive(Clone, Copy, Debug)]
pub struct Precomputed<C: EdwardsForm> {
    YmX: C::Base,
    YpX: C::Base,
    kT: C::Base,
}

/// (X : Y : Z : T) with x = X/Z, y = Y/Z and T = XY/Z. All zeros are no point but a missed sum.
#[derive(Clone, Copy, Debug)]
pub struct Edwards<C: EdwardsForm> {
    X: C::Base,
    Y: C::Base,
    Z: C::Base,
    T: C::Base,
}

impl<C: EdwardsForm> Edwards<C> {
    /// The identity.
    pub const IDENTITY: Self =
        Self { X: C::Base::ZERO, Y: C::Base::ONE, Z: C::Base::ONE, T: C::Base::ZERO };

    const MISSED: Self =
        Self { X: C::Base::ZERO, Y: C::Base::ZERO, Z: C::Base::ZERO, T: C::Base::ZERO };

    fn coordinates(&self) -> [C::Base; 4] {
        [self.X, self.Y, self.Z, self.T]
    }

    /// Creates a point from the result of a formula. Z = 0 marks an exceptional case, and every formula keeps all zeros.
    fn of_formula([X, Y, Z, T]: [C::Base; 4]) -> Self {
        Self::conditional_select(&Self { X, Y, Z, T }, &Self::MISSED, Z.is_zero())
    }

    /// True for a sum that the formulas missed, and all that was computed from one.
    pub fn is_missed(&self) -> Choice {
        self.Z.is_zero()
    }

    /// True for the identity.
    pub fn is_identity(&self) -> Choice {
        self.X.is_zero() & self.Y.ct_eq(&self.Z) & !self.is_missed()
    }

    /// P + P.
    pub fn double(&self) -> Self {
        Self::of_formula(hwcd_dbl([self.X, self.Y, self.Z]))
    }

    /// P + Q with a precomputed Q.
    pub fn add_precomputed(&self, other: &Precomputed<C>) -> Self {
        let other = [other.YmX, other.YpX, other.kT];
        Self::of_formula(hwcd_madd_precomputed(self.coordinates(), other))
    }

    /// k P in constant time.
    pub fn times(&self, k: &C::Scalar) -> Self {
        times(self, k)
    }

    /// Converts to affine coordinates; none for an exceptional case.
    pub fn to_affine(&self) -> CtOption<EdwardsAffine<C>> {
        self.Z.invert().map(|inverse| EdwardsAffine { x: self.X * inverse, y: self.Y * inverse })
    }
}

impl<C: EdwardsForm> From<EdwardsAffine<C>> for Edwards<C> {
    fn from(EdwardsAffine { x, y }: EdwardsAffine<C>) -> Self {
        Self { X: x, Y: y, Z: C::Base::ONE, T: x * y }
    }
}

impl<C: EdwardsForm> Additive for Edwards<C> {
    const IDENTITY: Self = Self::IDENTITY;

    fn double(&self) -> Self {
        self.double()
    }
}

impl<C: EdwardsForm> Add for Edwards<C> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let k = |a| C::K * a;
        Self::of_formula(hwcd_add(self.coordinates(), other.coordinates(), k))
    }
}

impl<C: EdwardsForm> AddAssign for Edwards<C> {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl<C: EdwardsForm> Neg for Edwards<C> {
    type Output = Self;
    fn neg(self) -> Self {
        Self { X: -self.X, T: -self.T, ..self }
    }
}

impl<C: EdwardsForm> Sub for Edwards<C> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

/// Compares points; the result of an exceptional case equals no point.
impl<C: EdwardsForm> ConstantTimeEq for Edwards<C> {
    fn ct_eq(&self, other: &Self) -> Choice {
        let points = !self.is_missed() & !other.is_missed();
        let x = (self.X * other.Z).ct_eq(&(other.X * self.Z));
        let y = (self.Y * other.Z).ct_eq(&(other.Y * self.Z));
        points & x & y
    }
}

impl<C: EdwardsForm> PartialEq for Edwards<C> {
    fn eq(&self, other: &Self) -> bool {
        self.ct_eq(other).into()
    }
}

impl<C: EdwardsForm> ConditionallySelectable for Edwards<C> {
    fn conditional_select(a: &Self, b: &Self, choice: Choice) -> Self {
        let one = |a: &C::Base, b: &C::Base| C::Base::conditional_select(a, b, choice);
        Self { X: one(&a.X, &b.X), Y: one(&a.Y, &b.Y), Z: one(&a.Z, &b.Z), T: one(&a.T, &b.T) }
    }
}
