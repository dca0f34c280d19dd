//! Elements of Fp2 as the formulas of a pairing see them: one, or eight in lanes.

use subtle::{Choice, ConditionallySelectable};

use crate::curve::times_small;
use crate::field::Field;
use crate::tower::{Fp2, Tower};

/// One or eight elements of a tower's Fp2, and what is made of them without products. Eight are large, so operands are
/// references. Implementations for lanes run inside a [`Kernel`](crate::lanes::Kernel): whatever is generic in this is marked
/// `#[inline(always)]` and has no closures.
pub trait Linear: Copy {
    /// A truth value for each element.
    type Choice: Copy;

    /// a + b.
    fn plus(&self, other: &Self) -> Self;
    /// a - b.
    fn less(&self, other: &Self) -> Self;
    /// -a.
    fn negative(&self) -> Self;
    /// N a, for small N.
    fn small<const N: u32>(&self) -> Self;
    /// The product with the tower's xi.
    fn times_xi(&self) -> Self;
    /// The other one where the answer is yes.
    fn or_if(&self, choice: Self::Choice, other: &Self) -> Self;
}

/// Linear operations and products.
pub trait Coefficient: Linear {
    /// The same number of elements of Fp.
    type Base: Copy;

    /// a b.
    fn times(&self, other: &Self) -> Self;
    /// a^2.
    fn squared(&self) -> Self;
    /// The product with elements of Fp.
    fn scaled(&self, by: &Self::Base) -> Self;
    /// The p-th power.
    fn conjugate(&self) -> Self;
}

impl<T: Tower> Linear for Fp2<T> {
    type Choice = Choice;

    #[inline(always)]
    fn plus(&self, other: &Self) -> Self {
        self + other
    }
    #[inline(always)]
    fn less(&self, other: &Self) -> Self {
        self - other
    }
    #[inline(always)]
    fn negative(&self) -> Self {
        -self
    }
    #[inline(always)]
    fn small<const N: u32>(&self) -> Self {
        times_small::<N, _>(*self)
    }
    #[inline(always)]
    fn times_xi(&self) -> Self {
        T::times_xi(*self)
    }
    #[inline(always)]
    fn or_if(&self, choice: Choice, other: &Self) -> Self {
        Self::conditional_select(self, other, choice)
    }
}

impl<T: Tower> Coefficient for Fp2<T> {
    type Base = T::Base;

    #[inline(always)]
    fn times(&self, other: &Self) -> Self {
        self * other
    }
    #[inline(always)]
    fn squared(&self) -> Self {
        self.square()
    }
    #[inline(always)]
    fn scaled(&self, by: &T::Base) -> Self {
        self.scale(*by)
    }
    #[inline(always)]
    fn conjugate(&self) -> Self {
        Fp2::conjugate(*self)
    }
}
