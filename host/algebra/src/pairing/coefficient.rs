//! Elements of Fp2 as the formulas of a pairing see them: one, or eight in lanes.

use subtle::{Choice, ConditionallySelectable};

use crate::curve::times_small;
use crate::field::Field;
use crate::tower::{Fp2, Tower};

/// One or eight elements of a tower's Fp2. Eight are large, so operands are references. Implementations for lanes run
/// inside a [`Kernel`](crate::lanes::Kernel): whatever is generic in this is marked `#[inline(always)]` and has no
/// closures.
pub trait Coefficient: Copy {
    /// As many elements of Fp.
    type Base: Copy;
    /// As many answers of yes or no.
    type Choice: Copy;

    /// a + b.
    fn plus(&self, other: &Self) -> Self;
    /// a - b.
    fn less(&self, other: &Self) -> Self;
    /// -a.
    fn negative(&self) -> Self;
    /// a b.
    fn times(&self, other: &Self) -> Self;
    /// a^2.
    fn squared(&self) -> Self;
    /// N a, for small N.
    fn small<const N: u32>(&self) -> Self;
    /// The product with the tower's xi.
    fn times_xi(&self) -> Self;
    /// The product with elements of Fp.
    fn scaled(&self, by: &Self::Base) -> Self;
    /// The p-th power.
    fn conjugate(&self) -> Self;
    /// a b of each, and c^2 of each: none waits for another.
    #[inline(always)]
    fn products_and_squares<const N: usize, const M: usize>(
        a: [&Self; N],
        b: [&Self; N],
        c: [&Self; M],
    ) -> ([Self; N], [Self; M]) {
        let blank = if N > 0 { a[0] } else { c[0] };
        let (mut products, mut squares) = ([*blank; N], [*blank; M]);
        for i in 0..N {
            products[i] = a[i].times(b[i]);
        }
        for i in 0..M {
            squares[i] = c[i].squared();
        }
        (products, squares)
    }
    /// The products with elements of Fp of both.
    #[inline(always)]
    fn both_scaled(a: [&Self; 2], by: [&Self::Base; 2]) -> [Self; 2] {
        [a[0].scaled(by[0]), a[1].scaled(by[1])]
    }
    /// The other one where the answer is yes.
    fn or_if(&self, choice: Self::Choice, other: &Self) -> Self;
}

impl<T: Tower> Coefficient for Fp2<T> {
    type Base = T::Base;
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
    fn times(&self, other: &Self) -> Self {
        self * other
    }
    #[inline(always)]
    fn squared(&self) -> Self {
        self.square()
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
    fn scaled(&self, by: &T::Base) -> Self {
        self.scale(*by)
    }
    #[inline(always)]
    fn conjugate(&self) -> Self {
        Fp2::conjugate(*self)
    }
    #[inline(always)]
    fn or_if(&self, choice: Choice, other: &Self) -> Self {
        Self::conditional_select(self, other, choice)
    }
}
