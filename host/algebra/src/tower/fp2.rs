//! `Fp2 = Fp[u] / (u^2 - beta)`.

use super::Tower;
use crate::field::{Field, Modulus, Montgomery, PrimeField, operators};
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq, CtOption};

/// c0 + c1 u.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Fp2<T: Tower> {
    /// The coefficient of 1.
    pub c0: T::Base,
    /// The coefficient of u.
    pub c1: T::Base,
}

impl<T, P, const N: usize> Fp2<T>
where
    T: Tower<Base = Montgomery<P, N>>,
    P: Modulus<N>,
{
    /// The element of two canonical integers, for constants: as [`Montgomery::constant`].
    pub const fn constant([c0, c1]: [[u64; N]; 2]) -> Self {
        Self::new(Montgomery::constant(c0), Montgomery::constant(c1))
    }
}

impl<T: Tower> Fp2<T> {
    /// c0 + c1 u.
    pub const fn new(c0: T::Base, c1: T::Base) -> Self {
        Self { c0, c1 }
    }

    /// The coefficients of 1 and of u.
    #[inline(always)]
    pub(crate) fn coefficients(&self) -> &[T::Base; 2] {
        // SAFETY: two fields of one type in the order of C are an array of two.
        unsafe { &*std::ptr::from_ref(self).cast() }
    }

    /// c0 - c1 u, which is also the p-th power.
    pub fn conjugate(self) -> Self {
        Self::new(self.c0, -self.c1)
    }

    /// The (p^k)-th power.
    pub fn frobenius(self, k: usize) -> Self {
        if k.is_multiple_of(2) { self } else { self.conjugate() }
    }

    /// The product with an element of Fp.
    pub fn scale(self, by: T::Base) -> Self {
        Self::new(self.c0 * by, self.c1 * by)
    }

    /// Formula `fp2_norm`: c0^2 - beta c1^2, in Fp.
    pub fn norm(self) -> T::Base {
        self.c0.square() - T::times_beta(self.c1.square())
    }

    #[inline(always)]
    fn sum(&self, other: &Self) -> Self {
        Self::new(self.c0 + other.c0, self.c1 + other.c1)
    }

    #[inline(always)]
    fn difference(&self, other: &Self) -> Self {
        Self::new(self.c0 - other.c0, self.c1 - other.c1)
    }

    /// Formula `fp2_mul`.
    #[inline(always)]
    fn product(&self, other: &Self) -> Self {
        let (a, b) = (self.coefficients(), other.coefficients());
        let [c0, c1] = T::Base::quadratic_product(a, b, T::MINUS_BETA);
        Self::new(c0, c1)
    }

    #[inline(always)]
    fn negative(&self) -> Self {
        Self::new(-self.c0, -self.c1)
    }
}

operators!([T: Tower] Fp2<T>);

/// The square root by the complex method (Scott, ePrint 2020/1497), for any p and any `beta`: with s^2 = norm(a) and
/// t = (a0 + s) / 2,
///
/// * if t is a square, x0 = sqrt(t) and x1 = a1 / (2 x0);
/// * otherwise t beta is one, x1 = sqrt(t beta) / beta and x0 = a1 / (2 x1): then beta x1^2 = t, and
///   x0^2 = beta a1^2 / (4 t) = (a0 - s) / 2.
///
/// t = 0 with a /= 0 means a1 = 0 and s = -a0: then the other root of the norm is taken, t = a0.
///
/// Nothing is halved: from T = 4 t and R, the root of T or of T beta, come t / sqrt(t) = T / (2 R) and the other
/// coordinate, a1 / R or beta a1 / R, by one inversion.
fn sqrt<T: Tower>(a: Fp2<T>) -> CtOption<Fp2<T>> {
    let s = a.norm().sqrt().unwrap_or(T::Base::ZERO);
    let t2 = a.c0 + s;
    let t2 = T::Base::conditional_select(&t2, &a.c0.double(), t2.is_zero());
    let t4 = t2.double();

    let of_t = t4.sqrt();
    let direct = of_t.is_some();
    let of_t_beta = T::times_beta(t4).sqrt().unwrap_or(T::Base::ZERO);
    let root = T::Base::conditional_select(&of_t_beta, &of_t.unwrap_or(T::Base::ZERO), direct);

    let inverse = root.double().invert().unwrap_or(T::Base::ZERO);
    let a1 = T::Base::conditional_select(&T::times_beta(a.c1), &a.c1, direct);
    let (of_root, other) = (t4 * inverse, a1.double() * inverse);
    let x = Fp2::new(
        T::Base::conditional_select(&other, &of_root, direct),
        T::Base::conditional_select(&of_root, &other, direct),
    );
    CtOption::new(x, x.square().ct_eq(&a))
}

impl<T: Tower> Field for Fp2<T> {
    const ZERO: Self = Self::new(T::Base::ZERO, T::Base::ZERO);
    const ONE: Self = Self::new(T::Base::ONE, T::Base::ZERO);

    #[inline(always)]
    fn double(&self) -> Self {
        Self::new(self.c0.double(), self.c1.double())
    }

    /// Formula `fp2_sqr` (ePrint 2006/471, section 3, complex squaring), or `fp2_sqr_i` where beta = -1.
    #[inline(always)]
    fn square(&self) -> Self {
        let [c0, c1] = T::Base::quadratic_square(self.coefficients(), T::MINUS_BETA);
        Self::new(c0, c1)
    }

    #[inline(always)]
    fn times_difference(&self, x: &Self, y: &Self) -> Self {
        let [x, y, b] = [x.coefficients(), y.coefficients(), self.coefficients()];
        let [c0, c1] = T::Base::quadratic_product_of_difference(x, y, b, T::MINUS_BETA);
        Self::new(c0, c1)
    }

    #[inline(always)]
    fn signed(&self, negative: bool) -> Self {
        Self::new(self.c0.signed(negative), self.c1.signed(negative))
    }

    /// 1 / a = conjugate(a) / norm(a).
    fn invert(&self) -> CtOption<Self> {
        self.norm().invert().map(|inverse| self.conjugate().scale(inverse))
    }

    fn sqrt(&self) -> CtOption<Self> {
        sqrt(*self)
    }

    fn is_zero(&self) -> Choice {
        self.c0.is_zero() & self.c1.is_zero()
    }
}

impl<T: Tower> ConstantTimeEq for Fp2<T> {
    fn ct_eq(&self, other: &Self) -> Choice {
        self.c0.ct_eq(&other.c0) & self.c1.ct_eq(&other.c1)
    }
}

impl<T: Tower> ConditionallySelectable for Fp2<T> {
    fn conditional_select(a: &Self, b: &Self, choice: Choice) -> Self {
        Self::new(
            T::Base::conditional_select(&a.c0, &b.c0, choice),
            T::Base::conditional_select(&a.c1, &b.c1, choice),
        )
    }
}

impl<T: Tower> zeroize::DefaultIsZeroes for Fp2<T> {}

impl<T: Tower> From<u64> for Fp2<T> {
    fn from(value: u64) -> Self {
        Self::new(value.into(), T::Base::ZERO)
    }
}
