//! Eight elements modulo p = 2^256 - C, C = 2^32 + 977, with floating-point limbs: six signed digits of 43 bits.
//!
//! The upper half of a product is folded onto the lower one, because 2^258 = 4 C modulo p: there is no Montgomery form. Digits
//! of 43 bits leave so many spare bits in a product's columns that sums need no carries: products of sums of ten elements are possible.
//!
//! A *normal* element, which a product is, has digits of at most 2^42 + 2^8, the lowest 2^43. A factor is a sum of normal ones.
//! With m and n of them at most, m n <= [`MOST`], every column is less than 8 m n 2^84 < 2^94, which is how far its sum may be
//! from where it starts, and what is folded adds no more than 2^86.

use std::arch::x86_64::*;

use super::constants::{Splat, power_of_two};
use super::product::{self, DIGIT, first_product, for_each, joined, load, product, splat};
use super::{Fma, memory::transpose, plain};
use crate::field::spec::secp256k1_fp::MODULUS;
use crate::field::{Field, Secp256k1Fp};
use crate::lanes::backend::{Mask, WIDTH, both, each};

/// Digits.
const L: usize = 6;
const LAST: usize = L - 1;
/// Bits of a digit.
const BITS: u32 = 43;
/// Words of an integer.
const WORDS: usize = 4;
/// The largest product of the numbers of normal elements that two factors are sums of.
const MOST: f64 = 120.0;

/// Digits of eight elements.
type Digits = product::Digits<L>;

/// The constants of products.
#[repr(C, align(32))]
struct Table {
    /// 2^258 modulo p.
    fold: Splat,
    /// Where the sum of a column starts: what is added to it is rounded to a multiple of 2^43.
    start: Splat,
    /// 2^-43.
    down: Splat,
    /// The number whose addition rounds to an integer.
    nearest: Splat,
}

static TABLE: Table = Table {
    fold: [(4 * MODULUS[0].wrapping_neg()) as f64; 4],
    start: [1.5 * power_of_two(BITS as i32 + 52); 4],
    down: [power_of_two(-(BITS as i32)); 4],
    nearest: [1.5 * power_of_two(52); 4],
};

/// Eight elements, or sums of a few without carries.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct SparseDoubles(Digits);

/// The digits of two elements in memory, and what fills two lines of cache.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct SparsePair([[f64; 4]; 4]);

impl SparsePair {
    /// Two zeros.
    pub const ZERO: Self = Self([[0.0; 4]; 4]);
}

impl SparseDoubles {
    /// Returns a number below 2^256 in every lane.
    #[inline(always)]
    pub fn words(_: Fma, words: &[u64; WORDS]) -> Self {
        let digits = digits_of(words);
        // SAFETY: there is a `Fma`.
        Self(each!(j < L, unsafe { [_mm256_setzero_pd(); 2] } =>
            unsafe { [_mm256_set1_pd(digits[j]); 2] }))
    }

    /// A number below 2^256 a lane.
    #[inline(always)]
    pub fn load(_: Fma, numbers: &[[u64; WORDS]; WIDTH]) -> Self {
        // SAFETY: there is a `Fma`.
        unsafe {
            Self(joined(
                both!(half => digits_of_rows(each!(i < 4, &numbers[0] => &numbers[4 * half + i]))),
            ))
        }
    }

    /// The first and the second numbers below 2^256 of eight pairs.
    #[inline(always)]
    pub fn of_pairs(_: Fma, pairs: [&[u64; 2 * WORDS]; WIDTH]) -> [Self; 2] {
        let numbers = |i: usize| pairs[i].as_chunks::<WORDS>().0;
        // SAFETY: there is a `Fma`.
        unsafe {
            both!(which => Self(joined(both!(half => digits_of_rows(
                each!(i < 4, &numbers(0)[which] => &numbers(4 * half + i)[which]))))))
        }
    }

    /// The elements of pairs in memory.
    #[inline(always)]
    pub fn of_stored(_: Fma, pairs: [&SparsePair; WIDTH]) -> [Self; 2] {
        // SAFETY: there is a `Fma`.
        let halves: [[__m256d; 2 * L]; 2] = unsafe {
            both!(half => {
                let mut digits = [_mm256_setzero_pd(); 2 * L];
                let mut four = 0;
                while four < 3 {
                    let rows = each!(i < 4, _mm256_setzero_si256() =>
                        _mm256_castpd_si256(_mm256_load_pd(pairs[4 * half + i].0[four].as_ptr())));
                    let columns = transpose(rows);
                    let mut j = 0;
                    while j < 4 {
                        digits[4 * four + j] = _mm256_castsi256_pd(columns[j]);
                        j += 1;
                    }
                    four += 1;
                }
                digits
            })
        };
        both!(which => Self(each!(j < L, [halves[0][0]; 2] =>
            [halves[0][L * which + j], halves[1][L * which + j]])))
    }

    /// Pairs to memory.
    #[inline(always)]
    pub fn stored(pair: [&Self; 2]) -> [SparsePair; WIDTH] {
        let mut stored = [SparsePair::ZERO; WIDTH];
        for half in 0..2 {
            for four in 0..3 {
                // SAFETY: whoever has elements has a `Fma`.
                unsafe {
                    let rows = each!(j < 4, _mm256_setzero_si256() => {
                        let digit = 4 * four + j;
                        _mm256_castpd_si256(pair[digit / L].0[digit % L][half])
                    });
                    let columns = transpose(rows);
                    for i in 0..4 {
                        let row = stored[4 * half + i].0[four].as_mut_ptr();
                        _mm256_store_pd(row, _mm256_castsi256_pd(columns[i]));
                    }
                }
            }
        }
        stored
    }

    /// Converts to elements.
    pub fn to_elements(self) -> [Secp256k1Fp; WIDTH] {
        let mut doubles = [[0.0; WIDTH]; L];
        for (row, [first, second]) in doubles.iter_mut().zip(&self.0) {
            // SAFETY: whoever has elements has a `Fma`; eight doubles are written.
            unsafe {
                _mm256_storeu_pd(row.as_mut_ptr(), *first);
                _mm256_storeu_pd(row[4..].as_mut_ptr(), *second);
            }
        }
        let up = Secp256k1Fp::from(1 << BITS);
        std::array::from_fn(|lane| {
            doubles.iter().rev().fold(Secp256k1Fp::ZERO, |sum, row| {
                let digit = row[lane] as i64;
                let magnitude = Secp256k1Fp::from(digit.unsigned_abs());
                sum * up + if digit < 0 { -magnitude } else { magnitude }
            })
        })
    }

    /// Returns the mask of the lanes where x = 0.
    pub fn is_zero(self) -> Mask {
        let elements = self.to_elements();
        let bit = |lane: usize| Mask::from(elements[lane] == Secp256k1Fp::ZERO) << lane;
        (0..WIDTH).map(bit).sum()
    }

    /// x y.
    #[inline(always)]
    pub fn times(&self, y: &Self) -> Self {
        debug_assert!(self.elements_in_sum() * y.elements_in_sum() <= MOST, "digits too large");
        // SAFETY: whoever has elements has a `Fma`.
        unsafe { multiply_eight(self, y) }
    }

    /// x^2.
    #[inline(always)]
    pub fn square(&self) -> Self {
        debug_assert!(self.elements_in_sum().powi(2) <= MOST, "digits too large");
        // SAFETY: whoever has elements has a `Fma`.
        unsafe { square_eight(self) }
    }

    /// m x + n y, without carries.
    #[inline(always)]
    pub fn sum(m: f64, x: &Self, n: f64, y: &Self) -> Self {
        // SAFETY: whoever has elements has a `Fma`.
        Self(each!(j < L, x.0[0] => both!(half => unsafe {
            let (m, n) = (_mm256_set1_pd(m), _mm256_set1_pd(n));
            _mm256_fmadd_pd(x.0[j][half], m, _mm256_mul_pd(y.0[j][half], n))
        })))
    }

    /// x + y, without carries.
    #[inline(always)]
    pub fn plus(&self, y: &Self) -> Self {
        // SAFETY: whoever has elements has a `Fma`.
        Self(each!(j < L, self.0[0] => both!(half => unsafe {
            _mm256_add_pd(self.0[j][half], y.0[j][half])
        })))
    }

    /// x - y, without carries.
    #[inline(always)]
    pub fn less(&self, y: &Self) -> Self {
        // SAFETY: whoever has elements has a `Fma`.
        Self(each!(j < L, self.0[0] => both!(half => unsafe {
            _mm256_sub_pd(self.0[j][half], y.0[j][half])
        })))
    }

    /// -x in the lanes of the mask, x in the others.
    #[inline(always)]
    pub fn negate(&self, mask: Mask) -> Self {
        let signs = super::element::signs(mask);
        // SAFETY: whoever has elements has a `Fma`.
        Self(each!(j < L, self.0[0] => both!(half => unsafe {
            _mm256_xor_pd(self.0[j][half], signs[half])
        })))
    }

    /// How many normal elements have digits as large as these, for debug assertions.
    fn elements_in_sum(&self) -> f64 {
        let mut most: f64 = 0.0;
        for (j, digit) in self.0.iter().enumerate() {
            for half in digit {
                let mut lanes = [0.0; 4];
                // SAFETY: whoever has elements has a `Fma`; four doubles are written.
                unsafe { _mm256_storeu_pd(lanes.as_mut_ptr(), *half) };
                let normal = if j == 0 { 2.0 } else { 1.0 + power_of_two(-34) };
                let large = lanes.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
                most = most.max(large / (normal * power_of_two(BITS as i32 - 1)));
            }
        }
        most
    }
}

/// The digits of a number below 2^256, none of them negative.
fn digits_of(words: &[u64; WORDS]) -> [f64; L] {
    let bits = |low: usize| {
        let above = words.get(low / 64 + 1).map_or(0, |word| word << 1 << (63 - low % 64));
        (words[low / 64] >> (low % 64) | above) & ((1 << BITS) - 1)
    };
    each!(j < L, 0.0 => bits(BITS as usize * j) as f64)
}

/// The same of the numbers of four lanes.
#[target_feature(enable = "avx2")]
#[inline]
fn digits_of_rows(numbers: [&[u64; WORDS]; 4]) -> [__m256d; L] {
    // SAFETY: these are the bytes that are read, and the load takes any alignment.
    let rows = each!(i < 4, _mm256_setzero_si256() => unsafe {
        _mm256_loadu_si256(numbers[i].as_ptr().cast())
    });
    plain::digits_of_rows(&transpose(rows), BITS)
}

/// Defines a product, or a square, of half of the lanes. x and y are every other vector from these on.
macro_rules! define {
    ($name:ident, $is_square:literal) => {
        #[target_feature(enable = "avx2,fma")]
        #[inline]
        fn $name(x: *const __m256d, y: *const __m256d) -> [__m256d; L] {
            let (start, down) = (splat(&TABLE.start), splat(&TABLE.down));
            let fold = TABLE.fold.as_ptr();
            let zero = _mm256_setzero_pd();
            let (mut sum, mut low) = ([zero; 2 * L], [zero; 2 * L]);

            macro_rules! rows {
                ($group:tt) => {
                    for_each! { I in [0 1 2 3 4 5] {
                        let x = load!(x, DIGIT * I);
                        let twice = if $is_square { _mm256_add_pd(x, x) } else { x };
                        for_each! { K in $group {
                            const J: usize = K.wrapping_sub(I);
                            if J < L && (!$is_square || I <= J) {
                                let x = if $is_square && I < J { twice } else { x };
                                if I == 0 || J == LAST {
                                    first_product!(start, sum[K], low[K], x, y, DIGIT * (J % L));
                                } else {
                                    product!(sum[K], low[K], x, y, DIGIT * (J % L));
                                }
                            }
                        }}
                    }}
                };
            }

            // The upper digits, each with what is above the column before it.
            rows!([5 6 7 8 9 10]);
            let mut upper = [zero; L];
            for_each! { K in [6 7 8 9 10 11] {
                let above = _mm256_sub_pd(sum[K - 1], start);
                upper[K - L] = if K < 11 { _mm256_fmadd_pd(above, down, low[K]) } else { _mm256_mul_pd(above, down) };
            }}
            let of_five = low[LAST];
            // The lower ones, and the upper ones folded onto them.
            rows!([0 1 2]);
            for_each! { K in [0 1 2] {
                product!(sum[K], low[K], upper[K], fold, 0);
            }}
            rows!([3 4]);
            for_each! { K in [3 4] {
                product!(sum[K], low[K], upper[K], fold, 0);
            }}
            first_product!(start, sum[5], low[5], upper[5], fold, 0);
            let mut digits = [low[0]; L];
            for_each! { K in [1 2 3 4 5] {
                let above = _mm256_sub_pd(sum[K - 1], start);
                digits[K] = _mm256_fmadd_pd(above, down, low[K]);
            }}
            digits[LAST] = _mm256_add_pd(digits[LAST], of_five);
            // What is above the last of them, folded once more.
            let above = _mm256_mul_pd(_mm256_sub_pd(sum[LAST], start), down);
            let (last_sum, last_low);
            first_product!(start, last_sum, last_low, above, fold, 0);
            digits[0] = _mm256_add_pd(digits[0], last_low);
            digits[1] = _mm256_fmadd_pd(_mm256_sub_pd(last_sum, start), down, digits[1]);
            carried(digits)
        }
    };
}

define!(multiply, false);
define!(square, true);

/// Normal digits, from such of less than 2^51.
#[target_feature(enable = "avx2,fma")]
#[inline]
fn carried(digits: [__m256d; L]) -> [__m256d; L] {
    let (down, nearest) = (splat(&TABLE.down), splat(&TABLE.nearest));
    let up = _mm256_set1_pd(power_of_two(BITS as i32));
    let carries = each!(j < L, digits[0] =>
        _mm256_sub_pd(_mm256_fmadd_pd(digits[j], down, nearest), nearest));
    each!(j < L, digits[0] => {
        let rest = _mm256_fnmadd_pd(carries[j], up, digits[j]);
        if j == 0 {
            _mm256_fmadd_pd(carries[LAST], splat(&TABLE.fold), rest)
        } else {
            _mm256_add_pd(rest, carries[j - 1])
        }
    })
}

/// x y in all eight lanes.
#[target_feature(enable = "avx2,fma")]
#[inline(never)]
fn multiply_eight(x: &SparseDoubles, y: &SparseDoubles) -> SparseDoubles {
    let (x, y) = (x.0.as_flattened().as_ptr(), y.0.as_flattened().as_ptr());
    // SAFETY: the second vector is one of the array.
    SparseDoubles(joined(both!(half => multiply(unsafe { x.add(half) }, unsafe { y.add(half) }))))
}

/// x^2 in all eight lanes.
#[target_feature(enable = "avx2,fma")]
#[inline(never)]
fn square_eight(x: &SparseDoubles) -> SparseDoubles {
    let x = x.0.as_flattened().as_ptr();
    // SAFETY: as for `multiply_eight`.
    SparseDoubles(joined(both!(half => square(unsafe { x.add(half) }, unsafe { x.add(half) }))))
}
