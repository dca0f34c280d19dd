//! Eight elements of a quadratic extension Fp2 = Fp[u] / (u^2 + N) with floating-point limbs.
//!
//! Products use Karatsuba's three products: with five digits, a sum of two products exceeds the range before its reduction, and would save nothing.
//! A square with eight digits may be up to 1.9 p, and must be reduced before it is squared again.

use super::Fma;
use super::element::{Doubles, DoublesSum};
use crate::field::Field as _;
use crate::lanes::affine::Residue;
use crate::lanes::backend::{Mask, WIDTH, both};
use crate::lanes::primes::Prime;
use crate::tower::{Fp2, Tower};

/// Eight elements c0 + c1 u.
#[derive(Clone, Copy)]
pub struct DoublesPair<T: Tower, const N: usize, const L: usize>(
    pub(super) [Doubles<T::Base, L>; 2],
);

/// A sum or a difference of two.
#[derive(Clone, Copy)]
pub struct DoublesPairSum<T: Tower, const N: usize, const L: usize>([DoublesSum<T::Base, L>; 2]);

/// a b where u^2 = -n; b may be a sum.
#[inline(always)]
pub fn pair_product<P: Prime<L>, const L: usize>(
    a: [&Doubles<P, L>; 2],
    b: [&Doubles<P, L>; 2],
    n: u32,
) -> [Doubles<P, L>; 2] {
    karatsuba(a, b, n, Doubles::product)
}

/// The same in the first four lanes.
#[inline(always)]
pub(super) fn pair_product_in_first_half<P: Prime<L>, const L: usize>(
    a: [&Doubles<P, L>; 2],
    b: [&Doubles<P, L>; 2],
    n: u32,
) -> [Doubles<P, L>; 2] {
    karatsuba(a, b, n, Doubles::product_in_first_half)
}

#[inline(always)]
fn karatsuba<P: Prime<L>, const L: usize>(
    [a0, a1]: [&Doubles<P, L>; 2],
    [b0, b1]: [&Doubles<P, L>; 2],
    n: u32,
    product: impl Fn(&Doubles<P, L>, &Doubles<P, L>) -> Doubles<P, L>,
) -> [Doubles<P, L>; 2] {
    let v0 = product(a0, b0);
    let v1 = product(a1, b1);
    // Where b is a sum this is one of four, and five digits have no room for it.
    let b = if L == 5 { b0.reduced_sum(b1) } else { b0.carried_sum(b1) };
    let v2 = product(&a0.carried_sum(a1), &b);
    [v0.less_multiple(&v1, n), v2.less_both(&v0, &v1)]
}

/// Computes a^2: (a0 + a1) (a0 - a1) + 2 a0 a1 u where n = 1, and a product otherwise.
#[inline(always)]
pub fn pair_square<P: Prime<L>, const L: usize>(
    [a0, a1]: [&Doubles<P, L>; 2],
    n: u32,
) -> [Doubles<P, L>; 2] {
    if n != 1 {
        return pair_product([a0, a1], [a0, a1], n);
    }
    let (sum, twice) = (a0.carried_sum(a1), a0.carried_sum(a0));
    [sum.product(a0.less(a1).digits()), twice.product(a1)]
}

/// c0^2 + n c1^2.
#[inline(always)]
fn norm<P: Prime<L>, const L: usize>([c0, c1]: [&DoublesSum<P, L>; 2], n: u32) -> Doubles<P, L> {
    let (c0, c1) = (Doubles::reduced(c0).squared(), Doubles::reduced(c1).squared());
    c0.reduced_sum(&c1.multiple(n))
}

impl<T: Tower<Base: Prime<L>>, const N: usize, const L: usize> DoublesPair<T, N, L> {
    #[inline(always)]
    fn product(&self, b: [&Doubles<T::Base, L>; 2]) -> Self {
        Self(pair_product(self.0.each_ref(), b, N as u32))
    }
}

impl<T: Tower<Base: Prime<L>>, const N: usize, const L: usize> Residue<Fma>
    for DoublesPair<T, N, L>
{
    type Element = Fp2<T>;
    type Sum = DoublesPairSum<T, N, L>;
    type Norm = Doubles<T::Base, L>;
    type KeptNorm = [[f64; WIDTH]; L];
    const BLANK_NORM: [[f64; WIDTH]; L] = Doubles::<T::Base, L>::BLANK;
    type AtRest = [[[f64; WIDTH]; L]; 2];
    const BLANK: Self::AtRest = [Doubles::<T::Base, L>::BLANK; 2];

    #[inline(always)]
    fn zero(m: Fma) -> Self {
        Self([Doubles::zero(m); 2])
    }
    #[inline(always)]
    fn one(m: Fma) -> Self {
        Self([Doubles::one(m), Doubles::zero(m)])
    }
    #[inline(always)]
    fn load(m: Fma, at_rest: &Self::AtRest) -> Self {
        Self(both!(n => Doubles::load(m, &at_rest[n])))
    }
    #[inline(always)]
    fn store(&self, [c0, c1]: &mut Self::AtRest) {
        self.0[0].store(c0);
        self.0[1].store(c1);
    }
    #[inline(always)]
    fn from_elements(m: Fma, elements: &[Fp2<T>; WIDTH]) -> Self {
        let c0 = Doubles::from_elements(m, &elements.map(|element| element.c0));
        Self([c0, Doubles::from_elements(m, &elements.map(|element| element.c1))])
    }
    #[inline(always)]
    fn to_elements(&self) -> [Fp2<T>; WIDTH] {
        let [c0, c1] = self.0.each_ref().map(Doubles::to_elements);
        std::array::from_fn(|lane| Fp2::new(c0[lane], c1[lane]))
    }
    #[inline(always)]
    fn less(&self, y: &Self) -> Self::Sum {
        DoublesPairSum(both!(n => self.0[n].less(&y.0[n])))
    }
    #[inline(always)]
    fn plus(&self, y: &Self) -> Self::Sum {
        DoublesPairSum(both!(n => self.0[n].plus(&y.0[n])))
    }
    #[inline(always)]
    fn negative(&self) -> Self {
        Self(both!(n => self.0[n].negative()))
    }
    #[inline(always)]
    fn widened(&self) -> Self::Sum {
        DoublesPairSum(both!(n => self.0[n].widened()))
    }
    #[inline(always)]
    fn reduced(sum: &Self::Sum) -> Self {
        Self(both!(n => Doubles::reduced(&sum.0[n])))
    }
    #[inline(always)]
    fn signed_less(&self, negated: Mask, x: &Self) -> Self::Sum {
        DoublesPairSum(both!(n => self.0[n].signed_less(negated, &x.0[n])))
    }
    #[inline(always)]
    fn less_both(&self, y: &Self, z: &Self) -> Self {
        Self(both!(n => self.0[n].less_both(&y.0[n], &z.0[n])))
    }
    #[inline(always)]
    fn products(x: [&Self; 2], y: [&Self; 2]) -> [Self; 2] {
        both!(n => x[n].product(y[n].0.each_ref()))
    }
    #[inline(always)]
    fn products_with(x: [&Self; 2], y: [&Self::Sum; 2]) -> [Self; 2] {
        both!(n => x[n].product(both!(i => y[n].0[i].digits())))
    }
    #[inline(always)]
    fn squares(x: [&Self; 2]) -> [Self; 2] {
        both!(n => Self(pair_square(x[n].0.each_ref(), N as u32)))
    }
    #[inline(always)]
    fn inverse_vartime(&self) -> Self {
        let mut elements = self.to_elements();
        Fp2::batch_invert_vartime(&mut elements);
        Self::from_elements(Fma(()), &elements)
    }
    #[inline(always)]
    fn norms(x: [&Self::Sum; 2], kept: &mut [[[f64; WIDTH]; L]; 2]) -> [DoublesSum<T::Base, L>; 2] {
        let norms = both!(n => norm(x[n].0.each_ref(), N as u32));
        norms[0].store(&mut kept[0]);
        norms[1].store(&mut kept[1]);
        both!(n => norms[n].widened())
    }
    #[inline(always)]
    fn kept_norms(
        m: Fma,
        _: [&Self::Sum; 2],
        kept: &[[[f64; WIDTH]; L]; 2],
    ) -> [DoublesSum<T::Base, L>; 2] {
        both!(n => Doubles::load(m, &kept[n]).widened())
    }
    #[inline(always)]
    fn inverses_by_norms(x: [&Self::Sum; 2], inverses: [&Self::Norm; 2]) -> [Self; 2] {
        both!(n => {
            let [c0, c1] = x[n].0.each_ref().map(DoublesSum::digits);
            Self([inverses[n].product(c0), inverses[n].negative().product(c1)])
        })
    }
    #[inline(always)]
    fn select(&self, mask: Mask, y: &Self) -> Self {
        Self(both!(n => self.0[n].select(mask, &y.0[n])))
    }
    #[inline(always)]
    fn select_sum(x: &Self::Sum, mask: Mask, y: &Self::Sum) -> Self::Sum {
        DoublesPairSum(both!(n => Doubles::select_sum(&x.0[n], mask, &y.0[n])))
    }
    #[inline(always)]
    fn is_zero(&self) -> Mask {
        self.0[0].is_zero() & self.0[1].is_zero()
    }
    #[inline(always)]
    fn may_be_zero(&self) -> Mask {
        self.0[0].may_be_zero() & self.0[1].may_be_zero()
    }
    #[inline(always)]
    fn sum_may_be_zero(sum: &Self::Sum) -> Mask {
        Doubles::sum_may_be_zero(&sum.0[0]) & Doubles::sum_may_be_zero(&sum.0[1])
    }
}
