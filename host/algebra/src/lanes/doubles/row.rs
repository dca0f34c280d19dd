//! Elements that lie across two registers: a sum is two instructions, and products are made of eight pairs of elements at a
//! time, which are transposed for it. [`Row`](crate::lanes::Row) is the same in limbs.
//!
//! A row is the sum of up to [`MOST`] normal elements, without carries. That follows from the formula and never from a value, so
//! it is looked at where debug assertions are.

use std::arch::x86_64::*;
use std::marker::PhantomData;

use super::element::Doubles;
use super::extension::{pair_product, pair_product_in_first_half};
use super::memory::transpose;
use super::product::{Digits, splat};
use super::{Fma, Work};
use crate::lanes::affine::Residue;
use crate::lanes::backend::{Mask, WIDTH, both, each};
use crate::lanes::bound::Bound;
use crate::lanes::primes::Prime;

/// An element of P: digit j in lane j % 4 of register j / 4, and zeros above.
#[derive(Clone, Copy)]
pub struct DoublesRow<P, const L: usize> {
    registers: [__m256d; 2],
    /// It is the sum of so many normal elements.
    terms: Bound,
    prime: PhantomData<P>,
}

/// Sums of so many normal elements lose nothing when they are reduced: `test_doubles.py` proves it.
const MOST: u32 = 24;

impl<P: Prime<L>, const L: usize> DoublesRow<P, L> {
    const NORMAL: Bound = Bound::of(1);

    /// The digits of p.
    const MODULUS: [f64; 8] = {
        const { assert!(L > 5, "sums exceed the range of five digits") }
        let (mut row, mut j) = ([0.0; 8], 0);
        while j < L {
            row[j] = Doubles::<P, L>::table().folds[L - 1][j][0];
            j += 1;
        }
        row
    };

    #[inline(always)]
    fn of(registers: [__m256d; 2], terms: Bound) -> Self {
        terms.check(MOST);
        Self { registers, terms, prime: PhantomData }
    }

    /// 0.
    #[inline(always)]
    pub fn zero(_: Fma) -> Self {
        // SAFETY: whoever has a `Fma`, or rows made with one, is on a processor with these instructions.
        Self::of([unsafe { _mm256_setzero_pd() }; 2], Bound::ZERO)
    }

    /// 1.
    #[inline(always)]
    pub fn one(fma: Fma) -> Self {
        rows(&Doubles::one(fma))[0]
    }

    /// Converts from elements.
    #[inline(always)]
    pub fn from_elements(fma: Fma, elements: &[P; WIDTH]) -> [Self; WIDTH] {
        rows(&Doubles::from_elements(fma, elements))
    }

    /// Converts to elements.
    #[inline(always)]
    pub fn to_elements(rows: [&Self; WIDTH]) -> [P; WIDTH] {
        lanes(rows).to_elements()
    }

    /// x + y.
    #[inline(always)]
    pub fn plus(&self, y: &Self) -> Self {
        // SAFETY: see `zero`.
        let sum = both!(n => unsafe { _mm256_add_pd(self.registers[n], y.registers[n]) });
        Self::of(sum, self.terms.from(y.terms, |x, y| x + y))
    }

    /// x - y.
    #[inline(always)]
    pub fn less(&self, y: &Self) -> Self {
        // SAFETY: see `zero`.
        let difference = both!(n => unsafe { _mm256_sub_pd(self.registers[n], y.registers[n]) });
        Self::of(difference, self.terms.from(y.terms, |x, y| x + y))
    }

    /// -x.
    #[inline(always)]
    pub fn negative(&self) -> Self {
        // SAFETY: see `zero`.
        let negative = both!(n => unsafe {
            _mm256_xor_pd(self.registers[n], _mm256_set1_pd(-0.0))
        });
        Self::of(negative, self.terms)
    }

    /// n x, for small n.
    #[inline(always)]
    pub fn times_small(&self, n: u32) -> Self {
        // SAFETY: see `zero`.
        let multiple = both!(i => unsafe {
            match n {
                0 => _mm256_setzero_pd(),
                1 => self.registers[i],
                2 => _mm256_add_pd(self.registers[i], self.registers[i]),
                n => _mm256_mul_pd(self.registers[i], _mm256_set1_pd(f64::from(n))),
            }
        });
        Self::of(multiple, self.terms.from(Bound::of(n), |x, n| n * x))
    }

    /// y if `choice` is all ones, x if it is 0.
    #[inline(always)]
    pub fn select(&self, choice: Mask, y: &Self) -> Self {
        // SAFETY: see `zero`.
        let chosen = both!(n => unsafe {
            let all = _mm256_castsi256_pd(_mm256_set1_epi64x(i64::from(choice as i8)));
            _mm256_blendv_pd(self.registers[n], y.registers[n], all)
        });
        Self::of(chosen, self.terms.from(y.terms, u32::max))
    }

    /// Returns the same element in normal form.
    #[inline(always)]
    pub fn settled(&self) -> Self {
        // SAFETY: see `zero`.
        Self::of(unsafe { reduced::<P, L>(self.registers) }, Self::NORMAL)
    }
}

/// Less the multiple of p that is nearest, with carries: what `product::reduced` does in lanes.
#[target_feature(enable = "avx2,fma")]
#[inline]
fn reduced<P: Prime<L>, const L: usize>(mut registers: [__m256d; 2]) -> [__m256d; 2] {
    const LANES: usize = 4;
    let table = Doubles::<P, L>::table();
    let (round, down) = (splat(&table.round), splat(&table.down));
    let nearest = splat(&table.nearest);
    let zero = _mm256_setzero_pd();
    // The highest digit, which has no carry, is in lane L - 5 of the second register.
    let top = match L {
        6 => _mm256_permute4x64_pd::<0b01_01_01_01>(registers[1]),
        _ => _mm256_permute4x64_pd::<0b11_11_11_11>(registers[1]),
    };
    let multiple = _mm256_sub_pd(_mm256_fmadd_pd(top, splat(&table.per_top), nearest), nearest);
    let mut above = [zero; 2];
    for (n, (register, above)) in registers.iter_mut().zip(&mut above).enumerate() {
        // SAFETY: these are four of eight doubles.
        let p = unsafe { _mm256_loadu_pd(DoublesRow::<P, L>::MODULUS[LANES * n..].as_ptr()) };
        *register = _mm256_fnmadd_pd(multiple, p, *register);
        *above = _mm256_sub_pd(_mm256_add_pd(*register, round), round);
    }
    above[1] = match L {
        6 => _mm256_blend_pd::<0b0010>(above[1], zero),
        _ => _mm256_blend_pd::<0b1000>(above[1], zero),
    };
    let turned = both!(n => _mm256_permute4x64_pd::<0b10_01_00_11>(above[n]));
    let carry = [
        _mm256_blend_pd::<0b0001>(turned[0], zero),
        _mm256_blend_pd::<0b0001>(turned[1], turned[0]),
    ];
    both!(n => _mm256_fmadd_pd(carry[n], down, _mm256_sub_pd(registers[n], above[n])))
}

/// Eight rows as digits of lanes, normal.
#[inline(always)]
fn lanes<P: Prime<L>, const L: usize>(rows: [&DoublesRow<P, L>; WIDTH]) -> Doubles<P, L> {
    // SAFETY: see `DoublesRow::zero`.
    Doubles::of(unsafe { turned_to_lanes(rows) }).reduced_digits()
}

/// The rows of normal digits.
#[inline(always)]
fn rows<P: Prime<L>, const L: usize>(lanes: &Doubles<P, L>) -> [DoublesRow<P, L>; WIDTH] {
    // SAFETY: see `DoublesRow::zero`.
    let registers = unsafe { turned_to_rows(lanes.digits()) };
    let row = DoublesRow::of(registers[0], DoublesRow::<P, L>::NORMAL);
    each!(i < WIDTH, row => DoublesRow::of(registers[i], DoublesRow::<P, L>::NORMAL))
}

#[target_feature(enable = "avx2,fma")]
#[inline]
fn turned_to_lanes<P: Prime<L>, const L: usize>(rows: [&DoublesRow<P, L>; WIDTH]) -> Digits<L> {
    let mut digits = [[_mm256_setzero_pd(); 2]; L];
    for half in 0..2 {
        let four = each!(i < 4, rows[0].registers => rows[4 * half + i].registers);
        let low = transposed(each!(i < 4, four[0][0] => four[i][0]));
        let high = transposed(each!(i < 4, four[0][0] => four[i][1]));
        for (j, digit) in digits.iter_mut().enumerate() {
            digit[half] = if j < 4 { low[j] } else { high[j - 4] };
        }
    }
    digits
}

#[target_feature(enable = "avx2,fma")]
#[inline]
fn turned_to_rows<const L: usize>(digits: &Digits<L>) -> [[__m256d; 2]; WIDTH] {
    let zero = _mm256_setzero_pd();
    let mut rows = [[zero; 2]; WIDTH];
    for half in 0..2 {
        let low = transposed(each!(j < 4, zero => digits[j][half]));
        let high =
            transposed(each!(j < 4, zero => if j + 4 < L { digits[j + 4][half] } else { zero }));
        for i in 0..4 {
            rows[4 * half + i] = [low[i], high[i]];
        }
    }
    rows
}

/// Lane j of register i becomes lane i of register j.
#[target_feature(enable = "avx2,fma")]
#[inline]
fn transposed(r: [__m256d; 4]) -> [__m256d; 4] {
    let words = transpose(each!(i < 4, _mm256_setzero_si256() => _mm256_castpd_si256(r[i])));
    each!(j < 4, r[0] => _mm256_castsi256_pd(words[j]))
}

/// x y of up to eight pairs of elements of Fp[u]/(u^2 + n), [c0, c1]; those of the first four take half of the time.
pub struct RowPairProducts<'a, P, const L: usize> {
    /// The number of requested products.
    pub count: usize,
    /// n, small.
    pub n: u32,
    /// The factors x.
    pub x: [&'a [DoublesRow<P, L>; 2]; WIDTH],
    /// The factors y.
    pub y: [&'a [DoublesRow<P, L>; 2]; WIDTH],
}

impl<P: Prime<L>, const L: usize> Work for RowPairProducts<'_, P, L> {
    type Output = [[DoublesRow<P, L>; 2]; WIDTH];

    #[inline(always)]
    fn run(self, _: Fma) -> Self::Output {
        let Self { count, n, x, y } = self;
        let x = both!(c => lanes(each!(i < WIDTH, &x[0][0] => &x[i][c])));
        let y = both!(c => lanes(each!(i < WIDTH, &y[0][0] => &y[i][c])));
        let (x, y) = (x.each_ref(), y.each_ref());
        let [c0, c1] = if count > WIDTH / 2 {
            pair_product(x, y, n)
        } else {
            pair_product_in_first_half(x, y, n)
        };
        let (c0, c1) = (rows(&c0), rows(&c1));
        each!(i < WIDTH, [c0[0]; 2] => [c0[i], c1[i]])
    }
}

/// x y of up to eight pairs of elements; those of the first four take half of the time.
pub struct RowProducts<'a, P, const L: usize> {
    /// The number of requested products.
    pub count: usize,
    /// The factors x.
    pub x: [&'a DoublesRow<P, L>; WIDTH],
    /// The factors y.
    pub y: [&'a DoublesRow<P, L>; WIDTH],
}

impl<P: Prime<L>, const L: usize> Work for RowProducts<'_, P, L> {
    type Output = [DoublesRow<P, L>; WIDTH];

    #[inline(always)]
    fn run(self, _: Fma) -> Self::Output {
        let (x, y) = (lanes(self.x), lanes(self.y));
        rows(&if self.count > WIDTH / 2 { x.product(&y) } else { x.product_in_first_half(&y) })
    }
}
