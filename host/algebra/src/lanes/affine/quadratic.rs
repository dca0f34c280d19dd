//! Coordinates in a quadratic extension Fp2 = Fp[u] / (u^2 + N).
//!
//! A product takes two sums of products of Fp: ((a0, -N a1) (b0, b1), (a0, a1) (b1, b0)), each a multiplication and a
//! half. That is as much as Karatsuba's three multiplications, without their sums (Aranha, Karabina, Longa, Gebotys,
//! Lopez, ePrint 2010/526, section 3, on reducing sums of products once).

use std::marker::PhantomData;

use super::base::{Base, Pair};
use super::coordinate::{Coordinate, Residue};
use super::point::Point;
use crate::field::PrimeField;
use crate::lanes::backend::{Backend, Mask, WIDTH, both, each};
use crate::lanes::{Held, Lanes, Prime};
use crate::tower::{Fp2, Tower};

/// The extension at the bottom of a tower with u^2 = -N; coefficients in L limbs, a coordinate in K vectors.
#[derive(Clone, Copy, Debug)]
pub struct Quadratic<T, const N: usize, const L: usize, const K: usize>(PhantomData<T>);

/// Eight elements c0 + c1 u.
#[derive(Clone, Copy)]
pub struct HeldPair<B: Backend, T: Tower, const N: usize, const L: usize, const BELOW: usize = 2> {
    c0: Held<B, T::Base, L, BELOW>,
    c1: Held<B, T::Base, L, BELOW>,
}

/// A bound of -N a1 for all N up to 5, in units of p.
const NEGATIVE: usize = 10;

impl<T, const N: usize, const L: usize, const K: usize> Coordinate for Quadratic<T, N, L, K>
where
    T: Tower<Base: Prime<L>>,
{
    type Element = Fp2<T>;
    type Rows = [Pair<K>; 2];
    const ZERO: [Pair<K>; 2] = [[[0; WIDTH]; K]; 2];
    type Held<B: Backend> = HeldPair<B, T, N, L>;

    #[inline(always)]
    fn read(rows: &[Pair<K>; 2]) -> [Fp2<T>; 2] {
        rows.each_ref().map(|row| {
            let [c0, c1] = Base::<T::Base, L, K>::read_pair(row);
            Fp2::new(c0, c1)
        })
    }

    #[inline(always)]
    fn write(coordinates: [Fp2<T>; 2]) -> [Pair<K>; 2] {
        coordinates.map(|x| Base::<T::Base, L, K>::write_pair([x.c0, x.c1]))
    }

    #[inline(always)]
    fn words(rows: &[Pair<K>; 2]) -> &[u64] {
        rows.as_flattened().as_flattened()
    }

    #[inline(always)]
    fn take_montgomery(words: &mut [u64]) -> Option<Fp2<T>> {
        let (c0, c1) = words.split_at_mut(words.len() / 2);
        let c0 = Base::<T::Base, L, K>::take_montgomery(c0)?;
        Some(Fp2::new(c0, Base::<T::Base, L, K>::take_montgomery(c1)?))
    }

    #[inline(always)]
    fn prefetch<B: Backend>(b: B, rows: &[Pair<K>; 2]) {
        for row in rows.as_flattened() {
            b.prefetch(row);
        }
    }

    #[inline(always)]
    fn gather<B: Backend>(b: B, points: [&[Pair<K>; 2]; WIDTH]) -> [HeldPair<B, T, N, L>; 2] {
        both!(n => {
            let pairs = each!(i < WIDTH, &points[0][n] => &points[i][n]);
            let [c0, c1] = Base::<T::Base, L, K>::gather_pairs(b, pairs);
            HeldPair { c0, c1 }
        })
    }

    #[inline(always)]
    fn from_word_form<B: Backend>(b: B) -> HeldPair<B, T, N, L> {
        HeldPair { c0: Held::from_word_form(b), c1: Held::zero(b) }
    }

    #[inline(always)]
    fn take_word_form<B: Backend>(
        b: B,
        form: HeldPair<B, T, N, L>,
        rows: &mut [[u64; WIDTH]],
    ) -> ([HeldPair<B, T, N, L>; 2], Mask) {
        let (x, y) = rows.split_at_mut(2 * T::Base::MODULUS.len());
        let ([x0, x1], large_x) = form.c0.take_word_form(b, x);
        let ([y0, y1], large_y) = form.c0.take_word_form(b, y);
        ([HeldPair { c0: x0, c1: x1 }, HeldPair { c0: y0, c1: y1 }], large_x | large_y)
    }

    #[inline(always)]
    fn scatter<B: Backend>(
        b: B,
        xy: [HeldPair<B, T, N, L>; 2],
        points: &mut [Point<Self>],
        places: &[usize],
    ) {
        let rows = both!(n => Base::<T::Base, L, K>::scatter_pairs(b, [xy[n].c0, xy[n].c1]));
        for lane in 0..WIDTH {
            if let Some(&place) = places.get(lane) {
                let [x, y] = &mut points[place].rows;
                Base::<T::Base, L, K>::store_pair(b, &rows[0], lane, x);
                Base::<T::Base, L, K>::store_pair(b, &rows[1], lane, y);
            }
        }
    }
}

impl<B: Backend, T: Tower<Base: Prime<L>>, const N: usize, const L: usize, const BELOW: usize>
    HeldPair<B, T, N, L, BELOW>
{
    #[inline(always)]
    fn select(self, mask: Mask, y: Self) -> Self {
        Self { c0: self.c0.select(mask, y.c0), c1: self.c1.select(mask, y.c1) }
    }

    #[inline(always)]
    fn may_be_zero(self) -> Mask {
        self.c0.may_be_zero() & self.c1.may_be_zero()
    }
}

impl<B: Backend, T: Tower<Base: Prime<L>>, const N: usize, const L: usize> HeldPair<B, T, N, L> {
    #[inline(always)]
    fn product<const J: usize>(self, y: HeldPair<B, T, N, L, J>) -> Self {
        let x = [
            (self.c0, self.c1.negative_multiple::<N, NEGATIVE>()),
            (self.c0, self.c1.widened::<NEGATIVE>()),
        ];
        let [c0, c1] = Held::sum_of_products_each(x, [[y.c0, y.c1], [y.c1, y.c0]]);
        Self { c0, c1 }
    }

    /// (a0 + a1) (a0 - a1) + 2 a0 a1 u where N = 1, and a product elsewhere.
    #[inline(always)]
    fn square(self) -> Self {
        if N != 1 {
            return self.product(self);
        }
        let Self { c0: a0, c1: a1 } = self;
        let [c0, c1] = Held::mul_each([a0 + a1, a0.double()], [a0 - a1, a1.widened()]);
        Self { c0, c1 }
    }
}

impl<B: Backend, T: Tower<Base: Prime<L>>, const N: usize, const L: usize> Residue<B>
    for HeldPair<B, T, N, L>
{
    type Element = Fp2<T>;
    type Sum = HeldPair<B, T, N, L, 4>;
    type AtRest = [Lanes<T::Base, L>; 2];
    const BLANK: [Lanes<T::Base, L>; 2] = [Lanes::ZERO; 2];

    #[inline(always)]
    fn zero(b: B) -> Self {
        Self { c0: Held::zero(b), c1: Held::zero(b) }
    }
    #[inline(always)]
    fn one(b: B) -> Self {
        Self { c0: Held::one(b), c1: Held::zero(b) }
    }
    #[inline(always)]
    fn load(b: B, [c0, c1]: &[Lanes<T::Base, L>; 2]) -> Self {
        Self { c0: Held::load(b, c0), c1: Held::load(b, c1) }
    }
    #[inline(always)]
    fn store(self, [c0, c1]: &mut [Lanes<T::Base, L>; 2]) {
        self.c0.store(c0);
        self.c1.store(c1);
    }
    #[inline(always)]
    fn from_elements(b: B, elements: &[Fp2<T>; WIDTH]) -> Self {
        let c0 = Held::from_elements(b, &elements.map(|element| element.c0));
        Self { c0, c1: Held::from_elements(b, &elements.map(|element| element.c1)) }
    }
    #[inline(always)]
    fn to_elements(self) -> [Fp2<T>; WIDTH] {
        let (c0, c1) = (self.c0.to_elements(), self.c1.to_elements());
        std::array::from_fn(|lane| Fp2::new(c0[lane], c1[lane]))
    }
    #[inline(always)]
    fn less(self, y: Self) -> Self::Sum {
        HeldPair { c0: self.c0 - y.c0, c1: self.c1 - y.c1 }
    }
    #[inline(always)]
    fn plus(self, y: Self) -> Self::Sum {
        HeldPair { c0: self.c0 + y.c0, c1: self.c1 + y.c1 }
    }
    #[inline(always)]
    fn negative(self) -> Self {
        Self { c0: (-self.c0).reduced(), c1: (-self.c1).reduced() }
    }
    #[inline(always)]
    fn widened(self) -> Self::Sum {
        HeldPair { c0: self.c0.widened(), c1: self.c1.widened() }
    }
    #[inline(always)]
    fn reduced(sum: Self::Sum) -> Self {
        Self { c0: sum.c0.reduced(), c1: sum.c1.reduced() }
    }
    #[inline(always)]
    fn signed_less(self, negated: Mask, x: Self) -> Self::Sum {
        let c0 = Held::signed_less(self.c0, negated, x.c0);
        HeldPair { c0, c1: Held::signed_less(self.c1, negated, x.c1) }
    }
    #[inline(always)]
    fn less_both(self, y: Self, z: Self) -> Self {
        Self { c0: self.c0.less_both(y.c0, z.c0), c1: self.c1.less_both(y.c1, z.c1) }
    }
    #[inline(always)]
    fn products(x: [Self; 2], y: [Self; 2]) -> [Self; 2] {
        both!(n => x[n].product(y[n]))
    }
    #[inline(always)]
    fn products_with(x: [Self; 2], y: [Self::Sum; 2]) -> [Self; 2] {
        both!(n => x[n].product(y[n]))
    }
    #[inline(always)]
    fn squares(x: [Self; 2]) -> [Self; 2] {
        both!(n => x[n].square())
    }
    /// (c0 - c1 u) / (c0^2 + N c1^2).
    #[inline(always)]
    fn inverse_vartime(self) -> Self {
        let conjugate = Self { c0: self.c0, c1: (-self.c1).reduced() };
        let inverse = self.product(conjugate).c0.inverse_vartime();
        let [c0, c1] = Held::mul_each([conjugate.c0, conjugate.c1], [inverse; 2]);
        Self { c0, c1 }
    }
    #[inline(always)]
    fn select(self, mask: Mask, y: Self) -> Self {
        Self::select(self, mask, y)
    }
    #[inline(always)]
    fn select_sum(x: Self::Sum, mask: Mask, y: Self::Sum) -> Self::Sum {
        x.select(mask, y)
    }
    #[inline(always)]
    fn is_zero(self) -> Mask {
        self.c0.is_zero() & self.c1.is_zero()
    }
    #[inline(always)]
    fn may_be_zero(self) -> Mask {
        Self::may_be_zero(self)
    }
    #[inline(always)]
    fn sum_may_be_zero(sum: Self::Sum) -> Mask {
        sum.may_be_zero()
    }
}
