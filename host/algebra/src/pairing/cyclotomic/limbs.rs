//! An element of the cyclotomic subgroup whose coefficients lie in lanes of limbs.

use super::Cyclotomic;
use crate::field::Field;
use crate::lanes::{Backend, Kernel, Mask, WIDTH};
use crate::pairing::limbs::{self, EightLimbs, LaneTower};
use crate::pairing::power::{power, power_by_bits};
use crate::pairing::{Coefficient, Linear};
use crate::tower::{Fp2, Fp6, Fp12};

/// One element with its coefficients of 1, v, v^2, w, v w, v^2 w in the first six lanes; what is in the others means
/// nothing. Six or fewer products in Fp2 are one of eight.
#[derive(Clone, Copy)]
pub struct Folded<B: Backend, T: LaneTower<L>, const L: usize> {
    b: B,
    a: EightLimbs<B, T, L>,
}

/// The lane of the coefficient of w^i.
const LANE: [u8; 6] = [0, 3, 1, 4, 2, 5];

impl<B: Backend, T: LaneTower<L>, const L: usize> Folded<B, T, L> {
    #[inline(always)]
    pub fn of(b: B, f: Fp12<T>) -> Self {
        Self { b, a: in_lanes(b, &f.powers_of_w()) }
    }

    #[inline(always)]
    pub fn whole(self) -> Fp12<T> {
        let [a0, a1, a2, a3, a4, a5, ..] = self.a.to_elements();
        Fp12::new(Fp6::new(a0, a1, a2), Fp6::new(a3, a4, a5))
    }
}

/// Coefficients of the powers of w in their lanes.
#[inline(always)]
fn in_lanes<B: Backend, T: LaneTower<L>, const L: usize>(
    b: B,
    a: &[Fp2<T>; 6],
) -> EightLimbs<B, T, L> {
    let mut lanes = [Fp2::ZERO; WIDTH];
    for i in 0..6 {
        lanes[usize::from(LANE[i])] = a[i];
    }
    EightLimbs::from_elements(b, &lanes)
}

/// Formula `fp12_cyclotomic_sqr` (Granger, Scott, ePrint 2009/565, section 3.2) with coefficients of powers of w:
/// squares in Fp4 of two products each, (x + y s)^2 = (x + y) (x + xi y) - (1 + xi) x y + 2 x y s.
struct Squared<'a, B: Backend, T: LaneTower<L>, const L: usize>(&'a Folded<B, T, L>);

impl<B: Backend, T: LaneTower<L>, const L: usize> Kernel for Squared<'_, B, T, L> {
    type Output = Folded<B, T, L>;

    /// All but the product is done in place: there is little of it, and the bounds are known.
    #[inline(always)]
    fn run<Same: Backend>(self, _: Same) -> Self::Output {
        const SECOND: u8 = 0b11_1000;
        let Folded { b, a } = self.0;
        let a = &Here::settled(a);
        // Twice a0, a1, a2, and twice a3, a4, a5.
        let (x, y) = (a.permute([0, 3, 1, 0, 3, 1, 6, 7]), a.permute([4, 2, 5, 4, 2, 5, 6, 7]));
        let sum = x.or_if(SECOND, &x.plus(&y));
        let other = y.or_if(SECOND, &x.plus(&y.times_xi()));
        let m = sum.times(&other);
        // Squares to the lanes of a0, a2, a4, and products to those of a0, a2, a4 and of a1, a3, a5.
        let (square, w) =
            (m.permute([3, 4, 5, 3, 4, 5, 6, 7]), m.permute([0, 1, 2, 2, 0, 1, 6, 7]));
        let xi = w.times_xi();
        let even = square.less(&w).less(&xi);
        let odd = w.or_if(0b1000, &xi).small::<2>();
        let sign = a.or_if(0b111, &a.negative());
        let square = even.or_if(SECOND, &odd).small::<3>().plus(&sign.small::<2>());
        Folded { b: *b, a: square.0 }
    }
}

/// Bounds of what is squared and of a product.
const SETTLED: u32 = 8;
const OF_PRODUCT: u32 = 3;

/// Eight elements whose sums are done in place.
#[derive(Clone, Copy)]
struct Here<B: Backend, T: LaneTower<L>, const L: usize>(EightLimbs<B, T, L>);

impl<B: Backend, T: LaneTower<L>, const L: usize> Here<B, T, L> {
    #[inline(always)]
    fn settled(x: &EightLimbs<B, T, L>) -> Self {
        Self(x.settled::<SETTLED>())
    }
    /// A product, which is a function of its own.
    #[inline(always)]
    fn times(&self, other: &Self) -> Self {
        Self(self.0.times(&other.0).settled::<OF_PRODUCT>())
    }
    #[inline(always)]
    fn of(x: &Self, sum: impl Kernel<Output = EightLimbs<B, T, L>>) -> Self {
        Self(sum.run(x.0.backend()))
    }
    #[inline(always)]
    fn permute(&self, from: [u8; WIDTH]) -> Self {
        Self(self.0.permute(from))
    }
    #[inline(always)]
    fn plus(&self, other: &Self) -> Self {
        Self::of(self, limbs::Sum(&self.0, &other.0))
    }
    #[inline(always)]
    fn less(&self, other: &Self) -> Self {
        Self::of(self, limbs::Difference(&self.0, &other.0))
    }
    #[inline(always)]
    fn negative(&self) -> Self {
        Self::of(self, limbs::Negative(&self.0))
    }
    #[inline(always)]
    fn times_xi(&self) -> Self {
        Self::of(self, limbs::TimesXi(&self.0))
    }
    #[inline(always)]
    fn small<const N: u32>(&self) -> Self {
        Self::of(self, limbs::Multiple(&self.0, N))
    }
    #[inline(always)]
    fn or_if(&self, mask: Mask, other: &Self) -> Self {
        Self::of(self, limbs::Select(&self.0, &other.0, mask))
    }
}

/// Formula `fp12_mul` (Karatsuba): three products in Fp6.
struct Product<'a, B: Backend, T: LaneTower<L>, const L: usize>(
    &'a Folded<B, T, L>,
    &'a Folded<B, T, L>,
);

impl<B: Backend, T: LaneTower<L>, const L: usize> Kernel for Product<'_, B, T, L> {
    type Output = Folded<B, T, L>;

    #[inline(always)]
    fn run<Same: Backend>(self, _: Same) -> Self::Output {
        let (b, x0, y0) = (self.0.b, &Here::settled(&self.0.a), &Here::settled(&self.1.a));
        let (x1, y1) = (upper(x0), upper(y0));
        let v0 = fp6_mul(x0, y0);
        let v1 = fp6_mul(&x1, &y1);
        let both = fp6_mul(&x0.plus(&x1), &y0.plus(&y1));
        let turned = v1.permute([2, 0, 1, 3, 4, 5, 6, 7]);
        let c0 = v0.plus(&turned.or_if(0b1, &turned.times_xi()));
        let c1 = both.less(&v0).less(&v1);
        Folded { b, a: c0.or_if(0b11_1000, &upper(&c1)).0 }
    }
}

/// Halves change places.
#[inline(always)]
fn upper<B: Backend, T: LaneTower<L>, const L: usize>(a: &Here<B, T, L>) -> Here<B, T, L> {
    a.permute([3, 4, 5, 0, 1, 2, 6, 7])
}

/// Formula `fp6_mul` (ePrint 2006/471, section 4, Karatsuba) of the first three lanes, to these.
#[inline(always)]
fn fp6_mul<B: Backend, T: LaneTower<L>, const L: usize>(
    x: &Here<B, T, L>,
    y: &Here<B, T, L>,
) -> Here<B, T, L> {
    let m = fp6_factors(x).times(&fp6_factors(y));
    // v0, v1, v2, t0, t1, t2.
    let less = m.permute([3, 4, 5, 3, 4, 5, 6, 7]).less(&m.permute([1, 0, 0, 3, 4, 5, 6, 7]));
    let less = less.less(&m.permute([2, 1, 2, 3, 4, 5, 6, 7]));
    let v = m.permute([0, 2, 1, 3, 4, 5, 6, 7]);
    let xi = v.or_if(0b1, &less).times_xi();
    less.or_if(0b1, &v).plus(&xi.or_if(0b100, &v))
}

/// a0, a1, a2, a1 + a2, a0 + a1, a0 + a2.
#[inline(always)]
fn fp6_factors<B: Backend, T: LaneTower<L>, const L: usize>(a: &Here<B, T, L>) -> Here<B, T, L> {
    let first = a.permute([0, 1, 2, 1, 0, 0, 6, 7]);
    first.or_if(0b11_1000, &first.plus(&a.permute([0, 1, 2, 2, 1, 2, 6, 7])))
}

impl<B: Backend, T: LaneTower<L>, const L: usize> Cyclotomic for Folded<B, T, L> {
    #[inline(always)]
    fn times(&self, other: &Self) -> Self {
        self.b.outline(Product(self, other))
    }
    #[inline(always)]
    fn squared(&self) -> Self {
        self.b.outline(Squared(self))
    }
    #[inline(always)]
    fn inverse(&self) -> Self {
        Self { b: self.b, a: self.a.or_if(0b11_1000, &self.a.negative()) }
    }
    #[inline(always)]
    fn frobenius(&self, k: usize) -> Self {
        let mut gamma = [Fp2::ZERO; 6];
        for (i, gamma) in gamma.iter_mut().enumerate() {
            *gamma = T::frobenius().gamma(k, i);
        }
        let conjugate = if k % 2 == 1 { self.a.conjugate() } else { self.a };
        Self { b: self.b, a: conjugate.times(&in_lanes(self.b, &gamma)) }
    }
    #[inline(always)]
    fn power(&self, n: u64) -> Self {
        self.b.outline(Power(self, n))
    }
    /// Squares are as fast as compressed ones.
    #[inline(always)]
    fn power_by_few_bits(&self, n: u64) -> Self {
        self.b.outline(PowerByFewBits(self, n))
    }
}

struct Power<'a, B: Backend, T: LaneTower<L>, const L: usize>(&'a Folded<B, T, L>, u64);

impl<B: Backend, T: LaneTower<L>, const L: usize> Kernel for Power<'_, B, T, L> {
    type Output = Folded<B, T, L>;

    #[inline(always)]
    fn run<Same: Backend>(self, _: Same) -> Self::Output {
        power(self.0, self.1)
    }
}

struct PowerByFewBits<'a, B: Backend, T: LaneTower<L>, const L: usize>(&'a Folded<B, T, L>, u64);

impl<B: Backend, T: LaneTower<L>, const L: usize> Kernel for PowerByFewBits<'_, B, T, L> {
    type Output = Folded<B, T, L>;

    #[inline(always)]
    fn run<Same: Backend>(self, _: Same) -> Self::Output {
        power_by_bits(self.0, self.1)
    }
}
