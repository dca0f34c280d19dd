//! `Fp6 = Fp2[v] / (v^3 - xi)`.

use super::{Fp2, Tower};
use crate::field::{Field, operators};
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq, CtOption};

/// c0 + c1 v + c2 v^2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fp6<T: Tower> {
    /// The coefficient of 1.
    pub c0: Fp2<T>,
    /// The coefficient of v.
    pub c1: Fp2<T>,
    /// The coefficient of v^2.
    pub c2: Fp2<T>,
}

impl<T: Tower> Fp6<T> {
    /// 0.
    pub const ZERO: Self = Self::new(Fp2::ZERO, Fp2::ZERO, Fp2::ZERO);
    /// 1.
    pub const ONE: Self = Self::new(Fp2::ONE, Fp2::ZERO, Fp2::ZERO);

    /// c0 + c1 v + c2 v^2.
    pub const fn new(c0: Fp2<T>, c1: Fp2<T>, c2: Fp2<T>) -> Self {
        Self { c0, c1, c2 }
    }

    /// 2 a.
    pub fn double(self) -> Self {
        Self::new(self.c0.double(), self.c1.double(), self.c2.double())
    }

    /// Formula `fp6_mul_v`: v a.
    pub fn times_v(self) -> Self {
        Self::new(T::times_xi(self.c2), self.c0, self.c1)
    }

    /// The product with an element of Fp2.
    pub fn scale(self, by: Fp2<T>) -> Self {
        Self::new(self.c0 * by, self.c1 * by, self.c2 * by)
    }

    /// a^2.
    pub fn square(self) -> Self {
        fp6_sqr(self)
    }

    /// The product of the two other conjugates of a over Fp2, and a times it, which is the norm in Fp2.
    pub fn adjoint(self) -> (Self, Fp2<T>) {
        fp6_adjoint(self)
    }

    /// 1 / a; none for 0.
    pub fn invert(self) -> CtOption<Self> {
        let (c, n) = self.adjoint();
        n.invert().map(|inverse| c.scale(inverse))
    }

    /// The (p^k)-th power.
    pub fn frobenius(self, k: usize) -> Self {
        let gamma = T::frobenius();
        Self::new(
            self.c0.frobenius(k),
            self.c1.frobenius(k) * gamma.gamma(k, 2),
            self.c2.frobenius(k) * gamma.gamma(k, 4),
        )
    }

    /// True for 0.
    pub fn is_zero(&self) -> Choice {
        self.c0.is_zero() & self.c1.is_zero() & self.c2.is_zero()
    }

    fn sum(&self, other: &Self) -> Self {
        Self::new(self.c0 + other.c0, self.c1 + other.c1, self.c2 + other.c2)
    }

    fn difference(&self, other: &Self) -> Self {
        Self::new(self.c0 - other.c0, self.c1 - other.c1, self.c2 - other.c2)
    }

    fn product(&self, other: &Self) -> Self {
        fp6_mul(*self, *other)
    }

    fn negative(&self) -> Self {
        Self::new(-self.c0, -self.c1, -self.c2)
    }
}

operators!([T: Tower] Fp6<T>);

/// Formula `fp6_mul` (ePrint 2006/471, section 4, Karatsuba): 6 multiplications in Fp2.
fn fp6_mul<T: Tower>(a: Fp6<T>, b: Fp6<T>) -> Fp6<T> {
    let v0 = a.c0 * b.c0;
    let v1 = a.c1 * b.c1;
    let v2 = a.c2 * b.c2;
    let c0 = v0 + T::times_xi((a.c1 + a.c2) * (b.c1 + b.c2) - v1 - v2);
    let c1 = (a.c0 + a.c1) * (b.c0 + b.c1) - v0 - v1 + T::times_xi(v2);
    let c2 = (a.c0 + a.c2) * (b.c0 + b.c2) - v0 + v1 - v2;
    Fp6::new(c0, c1, c2)
}

/// Formula `fp6_sqr` (Chung, Hasan, ARITH 2007, SQR2): 2 multiplications and 3 squarings in Fp2.
fn fp6_sqr<T: Tower>(a: Fp6<T>) -> Fp6<T> {
    let s0 = a.c0.square();
    let s1 = (a.c0 * a.c1).double();
    let s2 = (a.c0 - a.c1 + a.c2).square();
    let s3 = (a.c1 * a.c2).double();
    let s4 = a.c2.square();
    let c0 = s0 + T::times_xi(s3);
    let c1 = s1 + T::times_xi(s4);
    let c2 = s1 + s2 + s3 - s0 - s4;
    Fp6::new(c0, c1, c2)
}

/// Formula `fp6_adjoint` (ePrint 2010/354, Algorithm 17): c, the product of the two other conjugates of a, and the norm
/// n = a c in Fp2. 9 multiplications, 3 squarings.
fn fp6_adjoint<T: Tower>(a: Fp6<T>) -> (Fp6<T>, Fp2<T>) {
    let c0 = a.c0.square() - T::times_xi(a.c1 * a.c2);
    let c1 = T::times_xi(a.c2.square()) - a.c0 * a.c1;
    let c2 = a.c1.square() - a.c0 * a.c2;
    let n = a.c0 * c0 + T::times_xi(a.c2 * c1 + a.c1 * c2);
    (Fp6::new(c0, c1, c2), n)
}

impl<T: Tower> ConstantTimeEq for Fp6<T> {
    fn ct_eq(&self, other: &Self) -> Choice {
        self.c0.ct_eq(&other.c0) & self.c1.ct_eq(&other.c1) & self.c2.ct_eq(&other.c2)
    }
}

impl<T: Tower> ConditionallySelectable for Fp6<T> {
    fn conditional_select(a: &Self, b: &Self, choice: Choice) -> Self {
        Self::new(
            Fp2::conditional_select(&a.c0, &b.c0, choice),
            Fp2::conditional_select(&a.c1, &b.c1, choice),
            Fp2::conditional_select(&a.c2, &b.c2, choice),
        )
    }
}
