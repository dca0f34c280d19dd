//! One element of Fp2 at a time, whose products go eight side by side: what makes a single pairing fast.

use super::Coefficient;
use super::eight::LaneTower;
use crate::lanes::{Backend, Mask, PairProducts, Row, WIDTH};
use crate::tower::Fp2;

/// c0 + c1 u.
#[derive(Clone, Copy)]
pub struct Across<B: Backend, T: LaneTower<L>, const L: usize> {
    b: B,
    c: [Row<B, T::Base, L>; 2],
}

impl<B: Backend, T: LaneTower<L>, const L: usize> Across<B, T, L> {
    /// 0.
    #[inline(always)]
    pub fn zero(b: B) -> Self {
        Self { b, c: [Row::zero(b); 2] }
    }

    /// From elements.
    #[inline(always)]
    pub fn from_elements<const N: usize>(b: B, elements: &[Fp2<T>; N]) -> [Self; N] {
        let mut all = [Self::zero(b); N];
        let mut at = 0;
        while at < N {
            let (mut c0, mut c1) = ([T::Base::default(); WIDTH], [T::Base::default(); WIDTH]);
            let count = if N - at < WIDTH { N - at } else { WIDTH };
            for i in 0..count {
                (c0[i], c1[i]) = (elements[at + i].c0, elements[at + i].c1);
            }
            let (c0, c1) = (Row::from_elements(b, &c0), Row::from_elements(b, &c1));
            for i in 0..count {
                all[at + i].c = [c0[i], c1[i]];
            }
            at += WIDTH;
        }
        all
    }

    /// To elements.
    #[inline(always)]
    pub fn to_elements(b: B, elements: &[Self; 6]) -> [Fp2<T>; 6] {
        let mut rows = [[Row::zero(b); WIDTH]; 2];
        for i in 0..6 {
            [rows[0][i], rows[1][i]] = elements[i].c;
        }
        let (c0, c1) = (Row::to_elements(b, &rows[0]), Row::to_elements(b, &rows[1]));
        std::array::from_fn(|i| Fp2::new(c0[i], c1[i]))
    }

    #[inline(always)]
    fn of(b: B, c0: Row<B, T::Base, L>, c1: Row<B, T::Base, L>) -> Self {
        Self { b, c: [c0, c1] }
    }

    /// Products of all, eight at a time; the last eight may be fewer.
    #[inline(always)]
    fn all_products<const N: usize>(x: [&Self; N], y: [&Self; N]) -> [Self; N] {
        let b = x[0].b;
        let mut all = [Self::zero(b); N];
        let mut at = 0;
        while at < N {
            let count = if N - at < WIDTH { N - at } else { WIDTH };
            let (mut xs, mut ys) = ([all[0].c; WIDTH], [all[0].c; WIDTH]);
            for i in 0..count {
                (xs[i], ys[i]) = (x[at + i].c, y[at + i].c);
            }
            let products = b.apart(PairProducts { b, n: T::MINUS_BETA, x: &xs, y: &ys });
            for i in 0..count {
                all[at + i].c = products[i];
            }
            at += WIDTH;
        }
        all
    }
}

impl<B: Backend, T: LaneTower<L>, const L: usize> Coefficient for Across<B, T, L> {
    /// With c1 = 0.
    type Base = Self;
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
    fn times(&self, other: &Self) -> Self {
        let [product] = Self::all_products([self], [other]);
        product
    }
    #[inline(always)]
    fn squared(&self) -> Self {
        self.times(self)
    }
    #[inline(always)]
    fn products_and_squares<const N: usize, const M: usize>(
        x: [&Self; N],
        y: [&Self; N],
        z: [&Self; M],
    ) -> ([Self; N], [Self; M]) {
        if M == 0 {
            return (Self::all_products(x, y), [*x[0]; M]);
        }
        let first = z[0];
        let (mut a, mut b) = ([first; WIDTH], [first; WIDTH]);
        const { assert!(M == 0 || N + M <= WIDTH, "more than go side by side") }
        for i in 0..N {
            (a[i], b[i]) = (x[i], y[i]);
        }
        for i in 0..M {
            (a[N + i], b[N + i]) = (z[i], z[i]);
        }
        let all = Self::all_products(a, b);
        let (mut products, mut squares) = ([all[0]; N], [all[0]; M]);
        products.copy_from_slice(&all[..N]);
        squares.copy_from_slice(&all[N..N + M]);
        (products, squares)
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
    fn scaled(&self, by: &Self) -> Self {
        self.times(by)
    }
    #[inline(always)]
    fn both_scaled(a: [&Self; 2], by: [&Self; 2]) -> [Self; 2] {
        Self::all_products(a, by)
    }
    #[inline(always)]
    fn conjugate(&self) -> Self {
        Self::of(self.b, self.c[0], Row::zero(self.b).less(self.b, &self.c[1]))
    }
    #[inline(always)]
    fn or_if(&self, choice: Mask, other: &Self) -> Self {
        let b = self.b;
        let c0 = self.c[0].select(b, choice, &other.c[0]);
        Self::of(b, c0, self.c[1].select(b, choice, &other.c[1]))
    }
}
