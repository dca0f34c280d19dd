//! Elements of Fp2 with floating-point limbs, coefficient by coefficient across two registers.

use super::Across;
use crate::lanes::{DoublesRow, Fma, Mask, RowPairProducts, RowProducts, WIDTH, both, each};
use crate::pairing::Linear;
use crate::pairing::limbs::LaneTower;
use crate::tower::Fp2;

/// c0 + c1 u.
#[derive(Clone, Copy)]
pub struct AcrossDoubles<T: LaneTower<L>, const L: usize>([DoublesRow<T::Base, L>; 2]);

impl<T: LaneTower<L>, const L: usize> AcrossDoubles<T, L> {
    /// The p-th power.
    #[inline(always)]
    pub fn conjugate(&self) -> Self {
        Self([self.0[0], self.0[1].negative()])
    }

    /// Products of eight pairs, of which the first `count` are wanted.
    #[inline(always)]
    fn up_to_eight_products(
        fma: Fma,
        count: usize,
        x: [&Self; WIDTH],
        y: [&Self; WIDTH],
    ) -> [Self; WIDTH] {
        let x = each!(i < WIDTH, &x[0].0 => &x[i].0);
        let y = each!(i < WIDTH, &y[0].0 => &y[i].0);
        let products = fma.outline(RowPairProducts { count, n: T::MINUS_BETA, x, y });
        each!(i < WIDTH, Self(products[0]) => Self(products[i]))
    }

    /// Products of any number of pairs.
    #[inline(always)]
    pub fn products<const N: usize>(fma: Fma, [x, y]: &[[Self; N]; 2]) -> [Self; N] {
        let blank = &Self::zero(fma);
        let mut products = [*blank; N];
        for first in (0..N).step_by(WIDTH) {
            let count = if N - first < WIDTH { N - first } else { WIDTH };
            let made = Self::up_to_eight_products(
                fma,
                count,
                each!(i < WIDTH, blank => if i < count { &x[first + i] } else { blank }),
                each!(i < WIDTH, blank => if i < count { &y[first + i] } else { blank }),
            );
            products[first..][..count].copy_from_slice(&made[..count]);
        }
        products
    }

    /// Squares: (c0 + c1) (c0 - c1) + 2 c0 c1 u, or with -N: (c0 + c1) (c0 - N c1) + (N - 1) c0 c1 + 2 c0 c1 u.
    #[inline(always)]
    pub fn squares<const N: usize>(fma: Fma, x: &[Self; N]) -> [Self; N] {
        const FOUR: usize = WIDTH / 2;
        let n = T::MINUS_BETA;
        let zero = DoublesRow::zero(fma);
        let mut squares = [Self::zero(fma); N];
        for (x, squares) in x.chunks(FOUR).zip(squares.chunks_mut(FOUR)) {
            let (mut a, mut b) = ([zero; WIDTH], [zero; WIDTH]);
            for (i, Self([c0, c1])) in x.iter().enumerate() {
                (a[2 * i], b[2 * i]) = (c0.plus(c1), c0.less(&c1.times_small(n)));
                (a[2 * i + 1], b[2 * i + 1]) = (*c0, c1.times_small(2));
            }
            let products = fma.outline(RowProducts {
                count: 2 * x.len(),
                x: each!(i < WIDTH, &zero => &a[i]),
                y: each!(i < WIDTH, &zero => &b[i]),
            });
            for (i, square) in squares.iter_mut().enumerate() {
                let [c0, c1] = [products[2 * i], products[2 * i + 1]];
                let c0 = if n == 1 { c0 } else { c0.plus(&c1.times_small((n - 1) / 2)).settled() };
                *square = Self([c0, c1]);
            }
        }
        squares
    }
}

impl<T: LaneTower<L>, const L: usize> Across<T> for AcrossDoubles<T, L> {
    type Machine = Fma;

    #[inline(always)]
    fn zero(fma: Fma) -> Self {
        Self([DoublesRow::zero(fma); 2])
    }
    #[inline(always)]
    fn one(fma: Fma) -> Self {
        Self([DoublesRow::one(fma), DoublesRow::zero(fma)])
    }
    #[inline(always)]
    fn from_coefficients(fma: Fma, c: &[T::Base; WIDTH]) -> [Self; WIDTH / 2] {
        let rows = DoublesRow::from_elements(fma, c);
        each!(i < WIDTH / 2, Self::zero(fma) => Self([rows[2 * i], rows[2 * i + 1]]))
    }
    #[inline(always)]
    fn to_elements(fma: Fma, elements: &[Self; 6]) -> [Fp2<T>; 6] {
        let zero = &DoublesRow::zero(fma);
        let [c0, c1] = both!(n => DoublesRow::to_elements(
            each!(i < WIDTH, zero => if i < 6 { &elements[i].0[n] } else { zero }),
        ));
        std::array::from_fn(|i| Fp2::new(c0[i], c1[i]))
    }
    #[inline(always)]
    fn settled(&self) -> Self {
        Self([self.0[0].settled(), self.0[1].settled()])
    }
    #[inline(always)]
    fn coefficients(&self, fma: Fma) -> [Self; 2] {
        let zero = DoublesRow::zero(fma);
        [Self([self.0[0], zero]), Self([self.0[1], zero])]
    }
    #[inline(always)]
    fn eight_products(fma: Fma, x: [&Self; WIDTH], y: [&Self; WIDTH]) -> [Self; WIDTH] {
        Self::up_to_eight_products(fma, WIDTH, x, y)
    }
}

impl<T: LaneTower<L>, const L: usize> Linear for AcrossDoubles<T, L> {
    /// No lane or all.
    type Choice = Mask;

    #[inline(always)]
    fn plus(&self, other: &Self) -> Self {
        Self([self.0[0].plus(&other.0[0]), self.0[1].plus(&other.0[1])])
    }
    #[inline(always)]
    fn less(&self, other: &Self) -> Self {
        Self([self.0[0].less(&other.0[0]), self.0[1].less(&other.0[1])])
    }
    #[inline(always)]
    fn negative(&self) -> Self {
        Self([self.0[0].negative(), self.0[1].negative()])
    }
    #[inline(always)]
    fn small<const N: u32>(&self) -> Self {
        Self([self.0[0].times_small(N), self.0[1].times_small(N)])
    }
    #[inline(always)]
    fn times_xi(&self) -> Self {
        let [x0, x1] = T::SMALL_XI;
        let Self([c0, c1]) = if x0 > 2 { self.settled() } else { *self };
        let (low, high) = (c0.times_small(x0), c1.times_small(x0));
        let crossed = c1.times_small(T::MINUS_BETA * x1);
        let product = Self([low.less(&crossed), high.plus(&c0.times_small(x1))]);
        // Formulas have room for twice as many terms, but not for more.
        if x0 + T::MINUS_BETA * x1 > 2 { product.settled() } else { product }
    }
    #[inline(always)]
    fn or_if(&self, choice: Mask, other: &Self) -> Self {
        let c0 = self.0[0].select(choice, &other.0[0]);
        Self([c0, self.0[1].select(choice, &other.0[1])])
    }
}
