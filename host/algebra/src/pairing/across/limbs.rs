//! Elements of Fp2 in limbs, coefficient by coefficient across a vector.

use super::Across;
use crate::lanes::{Backend, Mask, PairProducts, Row, WIDTH, each};
use crate::pairing::Linear;
use crate::pairing::limbs::LaneTower;
use crate::tower::Fp2;

/// c0 + c1 u.
#[derive(Clone, Copy)]
pub struct AcrossLimbs<B: Backend, T: LaneTower<L>, const L: usize> {
    b: B,
    c: [Row<B, T::Base, L>; 2],
}

impl<B: Backend, T: LaneTower<L>, const L: usize> AcrossLimbs<B, T, L> {
    #[inline(always)]
    fn of(b: B, c0: Row<B, T::Base, L>, c1: Row<B, T::Base, L>) -> Self {
        Self { b, c: [c0, c1] }
    }
}

impl<B: Backend, T: LaneTower<L>, const L: usize> Across<T> for AcrossLimbs<B, T, L> {
    type Machine = B;

    #[inline(always)]
    fn zero(b: B) -> Self {
        Self { b, c: [Row::zero(b); 2] }
    }

    #[inline(always)]
    fn one(b: B) -> Self {
        Self::of(b, Row::one(b), Row::zero(b))
    }

    #[inline(always)]
    fn from_coefficients(b: B, c: &[T::Base; WIDTH]) -> [Self; WIDTH / 2] {
        let rows = Row::from_elements(b, c);
        each!(i < WIDTH / 2, Self::zero(b) => Self::of(b, rows[2 * i], rows[2 * i + 1]))
    }

    #[inline(always)]
    fn settled(&self) -> Self {
        *self
    }

    #[inline(always)]
    fn coefficients(&self, b: B) -> [Self; 2] {
        let zero = Row::zero(b);
        [Self::of(b, self.c[0], zero), Self::of(b, self.c[1], zero)]
    }

    #[inline(always)]
    fn to_elements(b: B, elements: &[Self; 6]) -> [Fp2<T>; 6] {
        let mut rows = [[Row::zero(b); WIDTH]; 2];
        for i in 0..6 {
            [rows[0][i], rows[1][i]] = elements[i].c;
        }
        let (c0, c1) = (Row::to_elements(b, &rows[0]), Row::to_elements(b, &rows[1]));
        std::array::from_fn(|i| Fp2::new(c0[i], c1[i]))
    }

    #[inline(always)]
    fn eight_products(b: B, x: [&Self; WIDTH], y: [&Self; WIDTH]) -> [Self; WIDTH] {
        let x = each!(i < WIDTH, &x[0].c => &x[i].c);
        let y = each!(i < WIDTH, &y[0].c => &y[i].c);
        let products = b.outline(PairProducts { b, n: T::MINUS_BETA, x, y });
        each!(i < WIDTH, Self::zero(b) => Self { b, c: products[i] })
    }
}

impl<B: Backend, T: LaneTower<L>, const L: usize> Linear for AcrossLimbs<B, T, L> {
    /// No lane or all.
    type Choice = Mask;

    #[inline(always)]
    fn plus(&self, other: &Self) -> Self {
        let b = self.b;
        Self::of(b, self.c[0].plus(b, &other.c[0]), self.c[1].plus(b, &other.c[1]))
    }
    #[inline(always)]
    fn less(&self, other: &Self) -> Self {
        let b = self.b;
        Self::of(b, self.c[0].less(b, &other.c[0]), self.c[1].less(b, &other.c[1]))
    }
    #[inline(always)]
    fn negative(&self) -> Self {
        Self::zero(self.b).less(self)
    }
    #[inline(always)]
    fn small<const N: u32>(&self) -> Self {
        let b = self.b;
        Self::of(b, self.c[0].times_small(b, N), self.c[1].times_small(b, N))
    }
    #[inline(always)]
    fn times_xi(&self) -> Self {
        let (b, [x0, x1], [c0, c1]) = (self.b, T::SMALL_XI, &self.c);
        let (low, high) = (c0.times_small(b, x0), c1.times_small(b, x0));
        let crossed = c1.times_small(b, T::MINUS_BETA * x1);
        Self::of(b, low.less(b, &crossed), high.plus(b, &c0.times_small(b, x1)))
    }
    #[inline(always)]
    fn or_if(&self, choice: Mask, other: &Self) -> Self {
        let b = self.b;
        let c0 = self.c[0].select(b, choice, &other.c[0]);
        Self::of(b, c0, self.c[1].select(b, choice, &other.c[1]))
    }
}
