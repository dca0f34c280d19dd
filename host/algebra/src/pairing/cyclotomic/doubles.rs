//! An element of the cyclotomic subgroup with floating-point limbs. Its coefficients are separate, so that products are computed in parallel.

use super::Cyclotomic;
use crate::field::Field;
use crate::lanes::{Fma, Work};
use crate::pairing::across::{Across, AcrossDoubles, settled};
use crate::pairing::formula::{
    Twelve, fp12_cyclotomic_sqr_factors, fp12_cyclotomic_sqr_sums, fp12_mul_factors, fp12_mul_sums,
};
use crate::pairing::limbs::LaneTower;
use crate::pairing::power::{power, power_by_bits};
use crate::pairing::{Linear, miller};
use crate::tower::{Fp2, Fp12};

/// The coefficients of 1, v, v^2 and of w, v w, v^2 w.
#[derive(Clone, Copy)]
pub struct Spread<T: LaneTower<L>, const L: usize> {
    fma: Fma,
    a: Twelve<AcrossDoubles<T, L>>,
}

impl<T: LaneTower<L>, const L: usize> Spread<T, L> {
    #[inline(always)]
    pub fn of(fma: Fma, f: Fp12<T>) -> Self {
        let [a0, b0, a1, b1, a2, b2] = f.powers_of_w();
        let [a0, a1, a2, b0, b1, b2] = AcrossDoubles::from_elements(fma, &[a0, a1, a2, b0, b1, b2]);
        Self { fma, a: [[a0, a1, a2], [b0, b1, b2]] }
    }

    #[inline(always)]
    pub fn whole(self) -> Fp12<T> {
        let [[a0, a1, a2], [b0, b1, b2]] = self.a;
        let [a0, a1, a2, b0, b1, b2] =
            AcrossDoubles::to_elements(self.fma, &[a0, a1, a2, b0, b1, b2]);
        miller::whole([[a0, a1, a2], [b0, b1, b2]])
    }
}

impl<T: LaneTower<L>, const L: usize> Cyclotomic for Spread<T, L> {
    #[inline(always)]
    fn times(&self, other: &Self) -> Self {
        self.fma.outline(Product(self, other))
    }
    #[inline(always)]
    fn squared(&self) -> Self {
        self.fma.outline(Squared(self))
    }
    #[inline(always)]
    fn inverse(&self) -> Self {
        let [a, [b0, b1, b2]] = &self.a;
        Self { fma: self.fma, a: [*a, [b0.negative(), b1.negative(), b2.negative()]] }
    }
    #[inline(always)]
    fn frobenius(&self, k: usize) -> Self {
        self.fma.outline(Map(self, k))
    }
    #[inline(always)]
    fn power(&self, n: u64) -> Self {
        self.fma.outline(Power(self, n))
    }
    /// Bit by bit: compressed squares would save a third of the products, and cost an inversion.
    #[inline(always)]
    fn power_by_few_bits(&self, n: u64) -> Self {
        self.fma.outline(PowerByFewBits(self, n))
    }
}

/// Defines operations that are computed out of line.
macro_rules! works {
    ($($work:ident($x:ident $(, $y:ident: $type:ty)*) = $body:expr;)*) => {$(
        struct $work<'a, T: LaneTower<L>, const L: usize>(&'a Spread<T, L> $(, $type)*);

        impl<T: LaneTower<L>, const L: usize> Work for $work<'_, T, L> {
            type Output = Spread<T, L>;

            #[inline(always)]
            fn run(self, _: Fma) -> Spread<T, L> {
                let Self($x $(, $y)*) = self;
                $body
            }
        }
    )*};
}

works! {
    Product(x, y: &'a Spread<T, L>) = {
        let products = AcrossDoubles::products(x.fma, &fp12_mul_factors(&x.a, &y.a));
        Spread { fma: x.fma, a: settled(&fp12_mul_sums(&products)) }
    };
    Squared(x) = {
        let squares = AcrossDoubles::squares(x.fma, &fp12_cyclotomic_sqr_factors(&x.a));
        Spread { fma: x.fma, a: settled(&fp12_cyclotomic_sqr_sums(&x.a, &squares)) }
    };
    Map(x, k: usize) = {
        let mut gamma = [Fp2::ZERO; 6];
        for (i, gamma) in gamma.iter_mut().enumerate() {
            *gamma = T::frobenius().gamma(k, i);
        }
        let gamma = AcrossDoubles::from_elements(x.fma, &gamma);
        let [[a0, a1, a2], [b0, b1, b2]] = x.a;
        let mut a = [a0, b0, a1, b1, a2, b2];
        if k % 2 == 1 {
            for a in &mut a {
                *a = a.conjugate();
            }
        }
        let [a0, b0, a1, b1, a2, b2] = AcrossDoubles::products(x.fma, &[a, gamma]);
        Spread { fma: x.fma, a: [[a0, a1, a2], [b0, b1, b2]] }
    };
    Power(x, n: u64) = power(x, n);
    PowerByFewBits(x, n: u64) = power_by_bits(x, n);
}
