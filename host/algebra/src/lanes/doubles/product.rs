//! Products and squares of elements in registers of four doubles.
//!
//! A column's sum starts at a constant so large that the unit in its last place is 2^W. Adding a product of two digits
//! leaves the product's multiple of 2^W in the sum, and the rounding error is an exact double: two
//! fused multiply-adds and two additions for each product. The low digits of the result are folded onto the upper ones, and the
//! last of them by Montgomery's quotient.
//!
//! The compiler would hoist the loads and spill the loaded values. One `asm!` for the four or five instructions of a product
//! fixes their order, which was chosen for the window of a Zen 3, and leaves the registers to the compiler.

use std::arch::x86_64::*;
use std::mem::transmute_copy;

use super::constants::{Splat, Table};
use crate::lanes::backend::both;

/// Eight elements: the doubles of a digit are lanes 0 to 3 and lanes 4 to 7.
pub(super) type Digits<const L: usize> = [[__m256d; 2]; L];

/// Bytes from one digit to the next.
pub(super) const DIGIT: usize = size_of::<[__m256d; 2]>();
/// Bytes from one vector of a table to the next.
pub(super) const VECTOR: usize = size_of::<__m256d>();

/// A copy of the body for each number.
macro_rules! for_each {
    ($name:ident in [$($number:literal)*] $body:block) => {
        $({
            const $name: usize = $number;
            $body
        })*
    };
}
pub(super) use for_each;

/// Adds another product to the sum of a column, and its rounding error to `low`.
macro_rules! product {
    ($sum:expr, $low:expr, $x:expr, $pointer:expr, $offset:expr) => {{
        let (next, low): (__m256d, __m256d);
        // SAFETY: the caller names a vector of an array that it borrows; the processor has the instructions.
        unsafe {
            std::arch::asm!(
                "vmovapd {next}, {sum}",
                "vfmadd231pd {next}, {x}, [{pointer} + {offset}]",
                "vsubpd {sum}, {sum}, {next}",
                "vfmadd231pd {sum}, {x}, [{pointer} + {offset}]",
                "vaddpd {low}, {low}, {sum}",
                sum = inout(ymm_reg) $sum => _,
                next = out(ymm_reg) next,
                low = inout(ymm_reg) $low => low,
                x = in(ymm_reg) $x,
                pointer = in(reg) $pointer,
                offset = const $offset,
                options(nostack, readonly, preserves_flags),
            );
        }
        ($sum, $low) = (next, low);
    }};
}
pub(super) use product;

/// The first product of a column.
macro_rules! first_product {
    ($start:expr, $sum:expr, $low:expr, $x:expr, $pointer:expr, $offset:expr) => {{
        let (next, low): (__m256d, __m256d);
        // SAFETY: as for `product`.
        unsafe {
            std::arch::asm!(
                "vmovapd {next}, {start}",
                "vfmadd231pd {next}, {x}, [{pointer} + {offset}]",
                "vsubpd {low}, {start}, {next}",
                "vfmadd231pd {low}, {x}, [{pointer} + {offset}]",
                start = in(ymm_reg) $start,
                next = out(ymm_reg) next,
                low = out(ymm_reg) low,
                x = in(ymm_reg) $x,
                pointer = in(reg) $pointer,
                offset = const $offset,
                options(nostack, readonly, preserves_flags),
            );
        }
        ($sum, $low) = (next, low);
    }};
}
pub(super) use first_product;

/// Loads a vector at this point of the code and not earlier.
macro_rules! load {
    ($pointer:expr, $offset:expr) => {{
        let vector: __m256d;
        // SAFETY: as for `product`.
        unsafe {
            std::arch::asm!(
                "vmovapd {vector}, [{pointer} + {offset}]",
                vector = out(ymm_reg) vector,
                pointer = in(reg) $pointer,
                offset = const $offset,
                options(nostack, readonly, preserves_flags),
            );
        }
        vector
    }};
}
pub(super) use load;

/// Defines a product, or a square, of half of the lanes. `groups` are columns whose products are made together; the
/// upper columns of `folded` take what the low ones are folded into.
macro_rules! define {
    (
        $name:ident, $digits:literal, $is_square:literal,
        rows $rows:tt, low $lows:tt, upper $uppers:tt,
        groups $([$($column:literal)*])*, folded $([$($fold:literal)*])*
    ) => {
        #[target_feature(enable = "avx2,fma")]
        #[inline]
        fn $name(table: &Table<$digits>, x: *const __m256d, y: *const __m256d) -> [__m256d; $digits] {
            const L: usize = $digits;
            const LAST: usize = L - 1;
            let (start, round, down) = (splat(&table.start), splat(&table.round), splat(&table.down));
            let folds = table.folds.as_ptr();
            let zero = _mm256_setzero_pd();
            let (mut sum, mut low) = ([zero; 2 * L], [zero; 2 * L]);
            let (mut high, mut digit) = ([zero; 2 * L], [zero; L]);
            let mut carry = zero;
            let mut quotient = zero;
            let up = |x: __m256d, by: __m256d| _mm256_sub_pd(_mm256_add_pd(x, by), by);

            macro_rules! rows {
                ($group:tt) => {
                    for_each! { I in $rows {
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

            $(
                rows!([$($column)*]);
                for_each! { K in [$($column)*] {
                    if K < LAST || L == 5 {
                        // What is above this column goes to the next one.
                        high[K] = _mm256_sub_pd(sum[K], start);
                        let mut all = low[K];
                        if K > 0 && !(L == 5 && K == LAST) {
                            all = _mm256_fmadd_pd(high[K - 1], down, all);
                        }
                        if K < LAST {
                            let above = up(all, round);
                            let rest = _mm256_sub_pd(all, above);
                            digit[K % L] = if K == 0 { rest } else { _mm256_fmadd_pd(carry, down, rest) };
                            carry = above;
                        } else {
                            // A new start, so that there is room for what is folded.
                            sum[K] = _mm256_add_pd(all, round);
                            low[K] = _mm256_add_pd(all, _mm256_sub_pd(round, sum[K]));
                            if K == LAST {
                                let below = _mm256_fmadd_pd(carry, down, low[K]);
                                low[K] = _mm256_fmadd_pd(high[K - 1], down, below);
                            }
                        }
                    }
                }}
            )*
            $(
                if L != 5 && [$($fold),*][0] > LAST {
                    rows!([$($fold)*]);
                }
                for_each! { I in $lows {
                    for_each! { K in [$($fold)*] {
                        product!(sum[K], low[K], digit[I], folds, VECTOR * (L * I + K - LAST));
                    }}
                }}
                if [$($fold),*][0] == LAST {
                    if L != 5 {
                        let below = _mm256_fmadd_pd(carry, down, low[LAST]);
                        low[LAST] = _mm256_fmadd_pd(high[LAST - 1], down, below);
                    }
                    let (by, start) = (splat(&table.negative_inverse), splat(&table.quotient));
                    let above = _mm256_fmadd_pd(low[LAST], by, start);
                    quotient = _mm256_fmadd_pd(low[LAST], by, _mm256_sub_pd(start, above));
                }
            )*
            for_each! { K in $uppers {
                product!(sum[K], low[K], quotient, folds, VECTOR * (L * LAST + K - LAST));
            }}
            // The lowest of these columns has become a multiple of 2^W.
            let mut result = [zero; L];
            let mut above = _mm256_sub_pd(sum[LAST], round);
            for k in L..2 * L - 1 {
                let mut all = _mm256_fmadd_pd(above, down, low[k]);
                if k == L {
                    all = _mm256_fmadd_pd(low[LAST], down, all);
                }
                above = _mm256_sub_pd(sum[k], round);
                result[k - L] = all;
            }
            if L == 5 {
                above = _mm256_add_pd(above, high[2 * L - 2]);
            }
            result[LAST] = _mm256_mul_pd(above, down);
            if L == 5 {
                reduced(table, result)
            } else {
                carried(table, result)
            }
        }
    };
}

define! {
    multiply_five, 5, false,
    rows [0 1 2 3 4], low [0 1 2 3], upper [4 5 6 7 8],
    groups [0 1 2 3] [4 5 6 7 8], folded [4 5 6] [7 8]
}
define! {
    square_five, 5, true,
    rows [0 1 2 3 4], low [0 1 2 3], upper [4 5 6 7 8],
    groups [0 1 2] [3 4 5] [6 7 8], folded [4 5 6] [7 8]
}
define! {
    multiply_six, 6, false,
    rows [0 1 2 3 4 5], low [0 1 2 3 4], upper [5 6 7 8 9 10],
    groups [0 1 2 3 4] [5 6 7 8], folded [5 6 7 8] [9 10]
}
define! {
    multiply_eight, 8, false,
    rows [0 1 2 3 4 5 6 7], low [0 1 2 3 4 5 6], upper [7 8 9 10 11 12 13 14],
    groups [0 1 2 3] [4 5 6] [7 8 9 10], folded [7 8 9 10] [11 12 13 14]
}
define! {
    square_eight, 8, true,
    rows [0 1 2 3 4 5 6 7], low [0 1 2 3 4 5 6], upper [7 8 9 10 11 12 13 14],
    groups [0 1 2 3] [4 5 6] [7 8 9 10], folded [7 8 9 10] [11 12 13 14]
}

/// Digits of at most 2^53 with carries, all at once: at most a few above 2^(W - 1) in absolute value.
#[target_feature(enable = "avx2,fma")]
#[inline]
pub(super) fn carried<const L: usize>(table: &Table<L>, mut x: [__m256d; L]) -> [__m256d; L] {
    let (round, down) = (splat(&table.round), splat(&table.down));
    let mut carry = _mm256_setzero_pd();
    for (j, digit) in x.iter_mut().enumerate() {
        let all = *digit;
        let above = _mm256_sub_pd(_mm256_add_pd(all, round), round);
        let rest = if j + 1 < L { _mm256_sub_pd(all, above) } else { all };
        *digit = _mm256_fmadd_pd(carry, down, rest);
        carry = above;
    }
    x
}

/// Less the multiple of p that is nearest, with carries.
#[target_feature(enable = "avx2,fma")]
#[inline]
fn reduced<const L: usize>(table: &Table<L>, mut x: [__m256d; L]) -> [__m256d; L] {
    let (per_top, nearest) = (splat(&table.per_top), splat(&table.nearest));
    let multiple = _mm256_sub_pd(_mm256_fmadd_pd(x[L - 1], per_top, nearest), nearest);
    for (digit, p) in x.iter_mut().zip(&table.folds[L - 1]) {
        *digit = _mm256_fnmadd_pd(multiple, splat(p), *digit);
    }
    carried(table, x)
}

/// [`carried`] in all eight lanes.
#[target_feature(enable = "avx2,fma")]
#[inline]
pub(super) fn carried_eight<const L: usize>(table: &Table<L>, x: &Digits<L>) -> Digits<L> {
    joined([carried(table, half(x, 0)), carried(table, half(x, 1))])
}

/// [`reduced`] in all eight lanes.
#[target_feature(enable = "avx2,fma")]
#[inline]
pub(super) fn reduced_eight<const L: usize>(table: &Table<L>, x: &Digits<L>) -> Digits<L> {
    joined([reduced(table, half(x, 0)), reduced(table, half(x, 1))])
}

#[target_feature(enable = "avx2,fma")]
#[inline]
pub(super) fn splat(vector: &Splat) -> __m256d {
    // SAFETY: four doubles are read.
    unsafe { _mm256_load_pd(vector.as_ptr()) }
}

#[target_feature(enable = "avx2,fma")]
#[inline]
pub(super) fn half<const L: usize>(x: &Digits<L>, half: usize) -> [__m256d; L] {
    let mut digits = [_mm256_setzero_pd(); L];
    for (digit, both) in digits.iter_mut().zip(x) {
        *digit = both[half];
    }
    digits
}

#[target_feature(enable = "avx2,fma")]
#[inline]
pub(super) fn joined<const L: usize>([first, second]: [[__m256d; L]; 2]) -> Digits<L> {
    let mut digits = [[_mm256_setzero_pd(); 2]; L];
    for (j, both) in digits.iter_mut().enumerate() {
        *both = [first[j], second[j]];
    }
    digits
}

/// Both halves of the lanes of a product.
macro_rules! halves {
    ($table:ident, $x:ident, $y:ident: $($digits:literal => $product:ident),*) => {{
        let table = std::ptr::from_ref($table);
        let (x, y) = ($x.as_flattened().as_ptr(), $y.as_flattened().as_ptr());
        // SAFETY: with L as compared, the types are the same; from either of the first two vectors on, every other one is a
        // digit of that half.
        let halves: [[__m256d; L]; 2] = both!(half => unsafe {
            match L {
                $($digits => transmute_copy(&$product(&*table.cast(), x.add(half), y.add(half))),)*
                _ => unreachable!("no product of so many digits"),
            }
        });
        joined(halves)
    }};
}

/// x y in all eight lanes. There is one copy for each L: a half has 300 instructions or 600.
#[target_feature(enable = "avx2,fma")]
#[inline(never)]
pub(super) fn multiply<const L: usize>(
    table: &Table<L>,
    x: &Digits<L>,
    y: &Digits<L>,
) -> Digits<L> {
    halves!(table, x, y: 5 => multiply_five, 6 => multiply_six, 8 => multiply_eight)
}

/// x y in the first four lanes, and zeros.
#[target_feature(enable = "avx2,fma")]
#[inline(never)]
pub(super) fn multiply_first_half<const L: usize>(
    table: &Table<L>,
    x: &Digits<L>,
    y: &Digits<L>,
) -> Digits<L> {
    let table = std::ptr::from_ref(table);
    let (x, y) = (x.as_flattened().as_ptr(), y.as_flattened().as_ptr());
    // SAFETY: as for `halves`.
    let first: [__m256d; L] = unsafe {
        match L {
            6 => transmute_copy(&multiply_six(&*table.cast(), x, y)),
            8 => transmute_copy(&multiply_eight(&*table.cast(), x, y)),
            _ => unreachable!("no product of so many digits"),
        }
    };
    joined([first, [_mm256_setzero_pd(); L]])
}

/// x^2 in all eight lanes.
#[target_feature(enable = "avx2,fma")]
#[inline(never)]
pub(super) fn square<const L: usize>(table: &Table<L>, x: &Digits<L>) -> Digits<L> {
    halves!(table, x, x: 5 => square_five, 8 => square_eight)
}
