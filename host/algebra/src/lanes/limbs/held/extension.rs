//! Eight elements of a quadratic extension Fp2 = Fp[u] / (u^2 + N) in limbs.
//!
//! A product takes two sums of products of Fp: ((a0, -N a1) (b0, b1), (a0, a1) (b1, b0)), each a multiplication and a
//! half. That is as much as Karatsuba's three multiplications, without their sums (Aranha, Karabina, Longa, Gebotys,
//! Lopez, ePrint 2010/526, section 3, on reducing sums of products once).

use super::Held;
use crate::lanes::affine::Residue;
use crate::lanes::backend::{Backend, Mask, WIDTH, both};
use crate::lanes::{Lanes, Prime};
use crate::tower::{Fp2, Tower};

/// Eight elements c0 + c1 u.
#[derive(Clone, Copy)]
pub struct HeldPair<B: Backend, T: Tower, const N: usize, const L: usize, const BELOW: usize = 2> {
    pub(in crate::lanes) c0: Held<B, T::Base, L, BELOW>,
    pub(in crate::lanes) c1: Held<B, T::Base, L, BELOW>,
}

/// A bound of -N a1 for all N up to 5, in units of p.
const NEGATIVE: usize = 10;

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

    /// Computes (a0 + a1) (a0 - a1) + 2 a0 a1 u where N = 1, and a product otherwise.
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

impl<B: Backend, T: Tower<Base: Prime<L>>, const N: usize, const L: usize> HeldPair<B, T, N, L, 4> {
    /// c0^2 + N c1^2.
    #[inline(always)]
    fn norm(self) -> Held<B, T::Base, L> {
        let c1 = self.c1.reduced();
        let x = (self.c0.reduced(), c1.negative_multiple::<N, NEGATIVE>());
        let [norm] = Held::sum_of_products_each([x], [[self.c0, -c1]]);
        norm
    }
}

impl<B: Backend, T: Tower<Base: Prime<L>>, const N: usize, const L: usize> Residue<B>
    for HeldPair<B, T, N, L>
{
    type Element = Fp2<T>;
    type Sum = HeldPair<B, T, N, L, 4>;
    type Norm = Held<B, T::Base, L>;
    type KeptNorm = Lanes<T::Base, L>;
    const BLANK_NORM: Lanes<T::Base, L> = Lanes::ZERO;
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
    fn store(&self, [c0, c1]: &mut [Lanes<T::Base, L>; 2]) {
        self.c0.store(c0);
        self.c1.store(c1);
    }
    #[inline(always)]
    fn from_elements(b: B, elements: &[Fp2<T>; WIDTH]) -> Self {
        let c0 = Held::from_elements(b, &elements.map(|element| element.c0));
        Self { c0, c1: Held::from_elements(b, &elements.map(|element| element.c1)) }
    }
    #[inline(always)]
    fn to_elements(&self) -> [Fp2<T>; WIDTH] {
        let (c0, c1) = (self.c0.to_elements(), self.c1.to_elements());
        std::array::from_fn(|lane| Fp2::new(c0[lane], c1[lane]))
    }
    #[inline(always)]
    fn less(&self, y: &Self) -> Self::Sum {
        HeldPair { c0: self.c0 - y.c0, c1: self.c1 - y.c1 }
    }
    #[inline(always)]
    fn plus(&self, y: &Self) -> Self::Sum {
        HeldPair { c0: self.c0 + y.c0, c1: self.c1 + y.c1 }
    }
    #[inline(always)]
    fn negative(&self) -> Self {
        Self { c0: (-self.c0).reduced(), c1: (-self.c1).reduced() }
    }
    #[inline(always)]
    fn widened(&self) -> Self::Sum {
        HeldPair { c0: self.c0.widened(), c1: self.c1.widened() }
    }
    #[inline(always)]
    fn reduced(sum: &Self::Sum) -> Self {
        Self { c0: sum.c0.reduced(), c1: sum.c1.reduced() }
    }
    #[inline(always)]
    fn signed_less(&self, negated: Mask, x: &Self) -> Self::Sum {
        let c0 = Held::signed_less(self.c0, negated, x.c0);
        HeldPair { c0, c1: Held::signed_less(self.c1, negated, x.c1) }
    }
    #[inline(always)]
    fn less_both(&self, y: &Self, z: &Self) -> Self {
        Self { c0: self.c0.less_both(y.c0, z.c0), c1: self.c1.less_both(y.c1, z.c1) }
    }
    #[inline(always)]
    fn products(x: [&Self; 2], y: [&Self; 2]) -> [Self; 2] {
        both!(n => x[n].product(*y[n]))
    }
    #[inline(always)]
    fn products_with(x: [&Self; 2], y: [&Self::Sum; 2]) -> [Self; 2] {
        both!(n => x[n].product(*y[n]))
    }
    #[inline(always)]
    fn squares(x: [&Self; 2]) -> [Self; 2] {
        both!(n => x[n].square())
    }
    /// (c0 - c1 u) / (c0^2 + N c1^2).
    #[inline(always)]
    fn inverse_vartime(&self) -> Self {
        let conjugate = Self { c0: self.c0, c1: (-self.c1).reduced() };
        let inverse = self.product(conjugate).c0.inverse_vartime();
        let [c0, c1] = Held::mul_each([conjugate.c0, conjugate.c1], [inverse; 2]);
        Self { c0, c1 }
    }
    #[inline(always)]
    fn norms(
        x: [&Self::Sum; 2],
        kept: &mut [Lanes<T::Base, L>; 2],
    ) -> [super::Sum<B, T::Base, L>; 2] {
        let norms = both!(n => x[n].norm());
        norms[0].store(&mut kept[0]);
        norms[1].store(&mut kept[1]);
        both!(n => norms[n].widened())
    }
    #[inline(always)]
    fn kept_norms(
        b: B,
        _: [&Self::Sum; 2],
        kept: &[Lanes<T::Base, L>; 2],
    ) -> [super::Sum<B, T::Base, L>; 2] {
        both!(n => Held::load(b, &kept[n]).widened())
    }
    #[inline(always)]
    fn inverses_by_norms(x: [&Self::Sum; 2], inverses: [&Self::Norm; 2]) -> [Self; 2] {
        both!(n => {
            let by = [inverses[n].widened(), -*inverses[n]];
            let [c0, c1] = Held::mul_each(by, [x[n].c0, x[n].c1]);
            Self { c0, c1 }
        })
    }
    #[inline(always)]
    fn select(&self, mask: Mask, y: &Self) -> Self {
        Self::select(*self, mask, *y)
    }
    #[inline(always)]
    fn select_sum(x: &Self::Sum, mask: Mask, y: &Self::Sum) -> Self::Sum {
        x.select(mask, *y)
    }
    #[inline(always)]
    fn is_zero(&self) -> Mask {
        self.c0.is_zero() & self.c1.is_zero()
    }
    #[inline(always)]
    fn may_be_zero(&self) -> Mask {
        Self::may_be_zero(*self)
    }
    #[inline(always)]
    fn sum_may_be_zero(sum: &Self::Sum) -> Mask {
        sum.may_be_zero()
    }
}
