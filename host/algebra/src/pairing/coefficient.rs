//! Elements of Fp2 as the formulas of a pairing see them: one, or eight in lanes.

use std::ops::{Add, Mul, Neg, Sub};

use subtle::{Choice, ConditionallySelectable};

use crate::curve::times_small;
use crate::field::Field;
use crate::tower::{Fp2, Tower};

/// One or eight elements of a tower's Fp2. Implementations for lanes run inside a [`Kernel`](crate::lanes::Kernel),
/// so whatever is generic in this is marked `#[inline(always)]` and has no closures.
pub trait Coefficient:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Neg<Output = Self>
{
    /// As many elements of Fp.
    type Base: Copy;
    /// As many answers of yes or no.
    type Choice: Copy;

    /// a^2.
    fn square(self) -> Self;
    /// N a, for small N.
    fn small<const N: u32>(self) -> Self;
    /// The product with the tower's xi.
    fn times_xi(self) -> Self;
    /// The product with elements of Fp.
    fn scale(self, by: Self::Base) -> Self;
    /// The p-th power.
    fn conjugate(self) -> Self;
    /// The other one where the answer is yes.
    fn or_if(self, choice: Self::Choice, other: Self) -> Self;
}

impl<T: Tower> Coefficient for Fp2<T> {
    type Base = T::Base;
    type Choice = Choice;

    fn square(self) -> Self {
        Field::square(&self)
    }
    fn small<const N: u32>(self) -> Self {
        times_small::<N, _>(self)
    }
    fn times_xi(self) -> Self {
        T::times_xi(self)
    }
    fn scale(self, by: T::Base) -> Self {
        Fp2::scale(self, by)
    }
    fn conjugate(self) -> Self {
        Fp2::conjugate(self)
    }
    fn or_if(self, choice: Choice, other: Self) -> Self {
        Self::conditional_select(&self, &other, choice)
    }
}
