//! `Fp12 = Fp6[w] / (w^2 - v)`.

use super::{Fp2, Fp6, Tower};
use crate::field::operators;
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq, CtOption};

/// c0 + c1 w.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fp12<T: Tower> {
    /// The coefficient of 1.
    pub c0: Fp6<T>,
    /// The coefficient of w.
    pub c1: Fp6<T>,
}

impl<T: Tower> Fp12<T> {
    /// 0.
    pub const ZERO: Self = Self::new(Fp6::ZERO, Fp6::ZERO);
    /// 1.
    pub const ONE: Self = Self::new(Fp6::ONE, Fp6::ZERO);

    /// c0 + c1 w.
    pub const fn new(c0: Fp6<T>, c1: Fp6<T>) -> Self {
        Self { c0, c1 }
    }

    /// Creates an element from the coefficients over Fp2 of 1, w, w^2, ..., w^5.
    pub const fn from_powers_of_w(a: [Fp2<T>; 6]) -> Self {
        Self::new(Fp6::new(a[0], a[2], a[4]), Fp6::new(a[1], a[3], a[5]))
    }

    /// The coefficients over Fp2 of 1, w, w^2, ..., w^5.
    pub const fn powers_of_w(&self) -> [Fp2<T>; 6] {
        let (even, odd) = (&self.c0, &self.c1);
        [even.c0, odd.c0, even.c1, odd.c1, even.c2, odd.c2]
    }

    /// a^2.
    pub fn square(self) -> Self {
        fp12_sqr(self)
    }

    /// Formula `fp12_norm`: c0^2 - v c1^2, in Fp6.
    pub fn norm(self) -> Fp6<T> {
        self.c0.square() - self.c1.square().times_v()
    }

    /// 1 / a = conjugate(a) / norm(a); none for 0.
    pub fn invert(self) -> CtOption<Self> {
        self.norm().invert().map(|inverse| Self::new(self.c0 * inverse, -(self.c1 * inverse)))
    }

    /// c0 - c1 w, the (p^6)-th power; the inverse of an element of norm 1 over Fp6.
    pub fn conjugate(self) -> Self {
        Self::new(self.c0, -self.c1)
    }

    /// The (p^k)-th power.
    pub fn frobenius(self, k: usize) -> Self {
        let mut a = self.powers_of_w();
        let constants = T::frobenius();
        for (i, coefficient) in a.iter_mut().enumerate() {
            *coefficient = coefficient.frobenius(k) * constants.gamma(k, i);
        }
        Self::from_powers_of_w(a)
    }

    /// The power with this exponent, 64-bit limbs least significant first; its time depends on the exponent alone.
    pub fn pow_vartime(self, exponent: &[u64]) -> Self {
        let mut power = Self::ONE;
        for limb in exponent.iter().rev() {
            for bit in (0..64).rev() {
                power = power.square();
                if limb >> bit & 1 == 1 {
                    power *= self;
                }
            }
        }
        power
    }

    /// True for 0.
    pub fn is_zero(&self) -> Choice {
        self.c0.is_zero() & self.c1.is_zero()
    }

    fn sum(&self, other: &Self) -> Self {
        Self::new(self.c0 + other.c0, self.c1 + other.c1)
    }

    fn difference(&self, other: &Self) -> Self {
        Self::new(self.c0 - other.c0, self.c1 - other.c1)
    }

    fn product(&self, other: &Self) -> Self {
        fp12_mul(*self, *other)
    }

    fn negative(&self) -> Self {
        Self::new(-self.c0, -self.c1)
    }
}

operators!([T: Tower] Fp12<T>);

/// Formula `fp12_mul` (Karatsuba): 3 multiplications in Fp6.
fn fp12_mul<T: Tower>(a: Fp12<T>, b: Fp12<T>) -> Fp12<T> {
    let v0 = a.c0 * b.c0;
    let v1 = a.c1 * b.c1;
    let c0 = v0 + v1.times_v();
    let c1 = (a.c0 + a.c1) * (b.c0 + b.c1) - v0 - v1;
    Fp12::new(c0, c1)
}

/// Formula `fp12_sqr` (complex squaring): 2 multiplications in Fp6.
fn fp12_sqr<T: Tower>(a: Fp12<T>) -> Fp12<T> {
    let m = a.c0 * a.c1;
    let c0 = (a.c0 + a.c1) * (a.c0 + a.c1.times_v()) - m - m.times_v();
    let c1 = m.double();
    Fp12::new(c0, c1)
}

impl<T: Tower> ConstantTimeEq for Fp12<T> {
    fn ct_eq(&self, other: &Self) -> Choice {
        self.c0.ct_eq(&other.c0) & self.c1.ct_eq(&other.c1)
    }
}

impl<T: Tower> ConditionallySelectable for Fp12<T> {
    fn conditional_select(a: &Self, b: &Self, choice: Choice) -> Self {
        Self::new(
            Fp6::conditional_select(&a.c0, &b.c0, choice),
            Fp6::conditional_select(&a.c1, &b.c1, choice),
        )
    }
}
