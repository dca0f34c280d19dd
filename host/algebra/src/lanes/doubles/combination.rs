//! Sums of small multiples with one reduction.
//!
//! Columns are made as in [`product`](super::product): a sum of high parts, multiples of 2^51 on top of a constant, and low
//! parts, each exact. The bounds are proved in `spec/model/poseidon_doubles.py`.

use std::arch::x86_64::*;

use super::constants::Table;
use super::element::Doubles;
use super::product::{DIGIT, Digits, VECTOR, carried, for_each, joined, product, splat};
use crate::lanes::backend::both;
use crate::lanes::primes::Prime;

/// Digits.
const L: usize = 5;
const LAST: usize = L - 1;
/// So many terms are added before the low parts give their carries away.
const TERMS: usize = 4;

impl<P: Prime<L>> Doubles<P, L> {
    /// `factors[0] terms[0] + factors[1] terms[1] + … + plus`, of normal terms, as a normal element. There are up to twelve
    /// terms, and the factors' sum is below 2^47.
    #[inline(always)]
    pub fn combination(terms: &[Self], factors: &[u64], plus: &[f64; L]) -> Self {
        debug_assert!(factors.iter().sum::<u64>() < 1 << 47 && terms.len() <= 12);
        debug_assert_eq!(terms.len(), factors.len());
        // SAFETY: whoever has doubles is on a processor with these instructions, and an element is its digits.
        Self::of(unsafe { combination(Self::table(), terms.as_ptr().cast(), factors, plus) })
    }
}

/// Both halves of the lanes.
///
/// # Safety
/// There are as many terms as factors.
#[target_feature(enable = "avx2,fma")]
#[inline(never)]
unsafe fn combination(
    table: &Table<L>,
    terms: *const Digits<L>,
    factors: &[u64],
    plus: &[f64; L],
) -> Digits<L> {
    // SAFETY: the caller's; the second half of a digit follows the first.
    joined(both!(n => unsafe { half(table, terms.cast::<__m256d>().add(n), factors, plus) }))
}

/// Half of the lanes: of each digit the vector where `terms` points, or so many digits behind it.
///
/// # Safety
/// There are as many terms as factors.
#[target_feature(enable = "avx2,fma")]
#[inline]
unsafe fn half(
    table: &Table<L>,
    terms: *const __m256d,
    factors: &[u64],
    plus: &[f64; L],
) -> [__m256d; L] {
    let (start, down, nearest) = (splat(&table.start), splat(&table.down), splat(&table.nearest));
    let mut sum = [start; L];
    let mut low = plus.map(|digit| _mm256_set1_pd(digit));
    for (j, &factor) in factors.iter().enumerate() {
        if j > 0 && j.is_multiple_of(TERMS) {
            for (sum, low) in sum.iter_mut().zip(&mut low) {
                let next = _mm256_add_pd(*sum, *low);
                *low = _mm256_sub_pd(*low, _mm256_sub_pd(next, *sum));
                *sum = next;
            }
        }
        // SAFETY: as the caller says, there is a term of this number, of two vectors a digit.
        let term = unsafe { terms.add(2 * L * j) };
        let factor = _mm256_set1_pd(factor as f64);
        for_each! { K in [0 1 2 3 4] {
            product!(sum[K], low[K], factor, term, DIGIT * K);
        }}
    }
    // Less the multiple of p that is nearest.
    let fourth = _mm256_fmadd_pd(_mm256_sub_pd(sum[LAST - 1], start), down, low[LAST]);
    let top = _mm256_add_pd(_mm256_sub_pd(sum[LAST], start), fourth);
    let multiple = _mm256_sub_pd(_mm256_fmadd_pd(top, splat(&table.per_top), nearest), nearest);
    let less = _mm256_xor_pd(multiple, _mm256_set1_pd(-0.0));
    let p = table.folds[LAST].as_ptr();
    for_each! { K in [0 1 2 3 4] {
        product!(sum[K], low[K], less, p, VECTOR * K);
    }}
    let mut digits = low;
    for j in 1..L {
        digits[j] = _mm256_fmadd_pd(_mm256_sub_pd(sum[j - 1], start), down, low[j]);
    }
    digits[LAST] = _mm256_add_pd(_mm256_sub_pd(sum[LAST], start), digits[LAST]);
    carried(table, digits)
}
