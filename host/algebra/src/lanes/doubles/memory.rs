//! Pairs of elements in memory, eight of them at a time: see [`Base`](crate::lanes::affine::Base) for how they lie.
//!
//! In two vectors a pair is its sixteen digits, as they are. In one vector it is five digits of 51 bits twice, each in four
//! words; a digit's sign bit is its highest, so that zeros are the number zero.

use std::arch::x86_64::*;

use super::constants::{power_of_two, width};
use super::product::Digits;
use crate::lanes::backend::{WIDTH, each};

/// A pair: a row of four words is a vector.
pub(super) type Row = [__m256i; 4];

/// Bits of a digit in a pair of one vector.
const BITS: u32 = width(5);
/// The sign bits of five digits, side by side.
const SIGNS: [i64; 4] = {
    let (mut words, mut j) = ([0u64; 4], 0);
    while j < 5 {
        let bit = BITS * j + BITS - 1;
        words[bit as usize / 64] |= 1 << (bit % 64);
        j += 1;
    }
    [words[0] as i64, words[1] as i64, words[2] as i64, words[3] as i64]
};
/// 2^52 + 2^50: a digit and this is a double whose bits are those of 2^52 and, with the sign bit inverted, the digit's.
const ABOVE: f64 = ((1u64 << 52) + (1 << 50)) as f64;

/// Word j of row i becomes word i of row j.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn transpose(r: [__m256i; 4]) -> [__m256i; 4] {
    let [a, b] = [_mm256_unpacklo_epi64(r[0], r[1]), _mm256_unpackhi_epi64(r[0], r[1])];
    let [c, d] = [_mm256_unpacklo_epi64(r[2], r[3]), _mm256_unpackhi_epi64(r[2], r[3])];
    [
        _mm256_permute2x128_si256::<0x20>(a, c),
        _mm256_permute2x128_si256::<0x20>(b, d),
        _mm256_permute2x128_si256::<0x31>(a, c),
        _mm256_permute2x128_si256::<0x31>(b, d),
    ]
}

/// Loads four words.
#[target_feature(enable = "avx2")]
#[inline]
fn load(words: &[u64; WIDTH], half: usize) -> __m256i {
    // SAFETY: these are the bytes that are read, and the load takes any alignment.
    unsafe { _mm256_loadu_si256(words[4 * half..].as_ptr().cast()) }
}

/// The first and the second elements of eight pairs of one vector.
///
/// # Safety
/// An element may be written to each place.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) unsafe fn gather_five(pairs: [&[u64; WIDTH]; WIDTH], to: [*mut Digits<5>; 2]) {
    for (which, to) in to.into_iter().enumerate() {
        for half in 0..2 {
            let rows = each!(i < 4, _mm256_setzero_si256() => load(pairs[4 * half + i], which));
            for (j, digit) in digits_of_words(transpose(rows)).into_iter().enumerate() {
                // SAFETY: the caller's.
                unsafe { to.cast::<__m256d>().add(2 * j + half).write(digit) };
            }
        }
    }
}

#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn digits_of_words(words: [__m256i; 4]) -> [__m256d; 5] {
    let mask = _mm256_set1_epi64x((1 << BITS) - 1);
    let above = _mm256_set1_pd(ABOVE);
    let exponent = _mm256_castpd_si256(_mm256_set1_pd((1u64 << 52) as f64));
    let mut signed = words;
    for (word, sign) in signed.iter_mut().zip(SIGNS) {
        *word = _mm256_xor_si256(*word, _mm256_set1_epi64x(sign));
    }
    let [w0, w1, w2, w3] = signed;
    let bits = [
        w0,
        _mm256_or_si256(_mm256_srli_epi64::<51>(w0), _mm256_slli_epi64::<13>(w1)),
        _mm256_or_si256(_mm256_srli_epi64::<38>(w1), _mm256_slli_epi64::<26>(w2)),
        _mm256_or_si256(_mm256_srli_epi64::<25>(w2), _mm256_slli_epi64::<39>(w3)),
        _mm256_srli_epi64::<12>(w3),
    ];
    let mut digits = [above; 5];
    for (digit, bits) in digits.iter_mut().zip(bits) {
        let bits = _mm256_or_si256(_mm256_and_si256(bits, mask), exponent);
        *digit = _mm256_sub_pd(_mm256_castsi256_pd(bits), above);
    }
    digits
}

/// The rows of eight pairs in one vector, of normal digits.
#[target_feature(enable = "avx2,fma")]
#[inline]
pub(super) fn scatter_five(elements: [&Digits<5>; 2]) -> [Row; WIDTH] {
    let mut rows = [[_mm256_setzero_si256(); 4]; WIDTH];
    for (which, digits) in elements.into_iter().enumerate() {
        for half in 0..2 {
            let digits = each!(j < 5, digits[0][0] => digits[j][half]);
            let words = transpose(words_of_digits(digits));
            for (i, word) in words.into_iter().enumerate() {
                rows[4 * half + i][which] = word;
            }
        }
    }
    rows
}

#[target_feature(enable = "avx2,fma")]
#[inline]
pub(super) fn words_of_digits(digits: [__m256d; 5]) -> [__m256i; 4] {
    let round = _mm256_set1_pd(1.5 * power_of_two(52 + BITS as i32));
    let down = _mm256_set1_pd(power_of_two(-(BITS as i32)));
    let (above, half) = (_mm256_set1_pd(ABOVE), _mm256_set1_pd(0.5));
    let mask = _mm256_set1_epi64x((1 << BITS) - 1);
    let mut carry = _mm256_setzero_pd();
    let mut bits = [_mm256_setzero_si256(); 5];
    for (j, (bits, digit)) in bits.iter_mut().zip(digits).enumerate() {
        let mut rest = _mm256_fmadd_pd(carry, down, digit);
        if j < 4 {
            // A half more, so that 2^50 is carried: no digit is left above 2^50 - 1.
            carry = _mm256_sub_pd(_mm256_add_pd(_mm256_add_pd(rest, half), round), round);
            rest = _mm256_sub_pd(rest, carry);
        }
        *bits = _mm256_and_si256(_mm256_castpd_si256(_mm256_add_pd(rest, above)), mask);
    }
    let [b0, b1, b2, b3, b4] = bits;
    let mut words = [
        _mm256_or_si256(b0, _mm256_slli_epi64::<51>(b1)),
        _mm256_or_si256(_mm256_srli_epi64::<13>(b1), _mm256_slli_epi64::<38>(b2)),
        _mm256_or_si256(_mm256_srli_epi64::<26>(b2), _mm256_slli_epi64::<25>(b3)),
        _mm256_or_si256(_mm256_srli_epi64::<39>(b3), _mm256_slli_epi64::<12>(b4)),
    ];
    for (word, sign) in words.iter_mut().zip(SIGNS) {
        *word = _mm256_xor_si256(*word, _mm256_set1_epi64x(sign));
    }
    words
}

/// The first and the second elements of eight pairs of two vectors.
///
/// # Safety
/// An element may be written to each place.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) unsafe fn gather_eight(pairs: [&[[u64; WIDTH]; 2]; WIDTH], to: [*mut Digits<8>; 2]) {
    for (which, to) in to.into_iter().enumerate() {
        for half in 0..2 {
            for four in 0..2 {
                let rows =
                    each!(i < 4, _mm256_setzero_si256() => load(&pairs[4 * half + i][which], four));
                for (j, digit) in transpose(rows).into_iter().enumerate() {
                    let place = 2 * (4 * four + j) + half;
                    // SAFETY: the caller's.
                    unsafe { to.cast::<__m256d>().add(place).write(_mm256_castsi256_pd(digit)) };
                }
            }
        }
    }
}

/// The rows of eight pairs in two vectors.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn scatter_eight(elements: [&Digits<8>; 2]) -> [Row; WIDTH] {
    let mut rows = [[_mm256_setzero_si256(); 4]; WIDTH];
    for (which, digits) in elements.into_iter().enumerate() {
        for half in 0..2 {
            for four in 0..2 {
                let words = each!(j < 4, _mm256_setzero_si256() =>
                    _mm256_castpd_si256(digits[4 * four + j][half]));
                for (i, word) in transpose(words).into_iter().enumerate() {
                    rows[4 * half + i][2 * which + four] = word;
                }
            }
        }
    }
    rows
}

/// A row's words to memory.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn store<const K: usize>(row: &Row, pair: &mut [[u64; WIDTH]; K]) {
    let (words, _) = pair.as_flattened_mut().as_chunks_mut::<4>();
    for (word, four) in row.iter().zip(words) {
        // SAFETY: these are the bytes that are written, and the store takes any alignment.
        unsafe { _mm256_storeu_si256(four.as_mut_ptr().cast(), *word) };
    }
}
