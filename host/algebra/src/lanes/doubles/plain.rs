//! Elements of up to 255 bits as integers of 32 bytes, eight of them at a time: plain ones below the modulus, and packed
//! ones, which are digits of either sign as in [`memory`].

use std::arch::x86_64::*;

use super::constants::{digits_of, power_of_two, width};
use super::element::Doubles;
use super::memory::{digits_of_words, transpose, words_of_digits};
use super::product::{self, half, joined};
use super::{Fma, Work};
use crate::lanes::affine::Residue;
use crate::lanes::backend::{Mask, WIDTH, both, each};
use crate::lanes::primes::Prime;

/// Digits, and words of an integer.
const L: usize = 5;
const WORDS: usize = 4;
/// Words of the widest modulus.
const MAX_WORDS: usize = 6;
/// 2^52: the bits of this and a smaller integer are those of this, and the integer's.
const EXPONENT: f64 = (1u64 << 52) as f64;

/// An integer, lowest byte first.
pub type Bytes = [u8; 8 * WORDS];

impl<P: Prime<N>, const N: usize> Doubles<P, N> {
    /// The second factor of [`Self::take_word_form`], whose first product leads from Montgomery form with R = 2^(64 W) to this
    /// one's.
    #[inline(always)]
    pub(super) fn from_word_form(_: Fma) -> Self {
        Self::constant(&Self::table().from_words)
    }

    /// Eight elements in that form, W rows of words, which become the integers. Where they were not below the modulus, what
    /// comes of them is of no use.
    #[inline(always)]
    pub(super) fn take_word_form(&mut self, form: &Self, rows: &mut [[u64; WIDTH]]) -> Mask {
        Fma(()).outline(TakeWordForm(self, form, rows))
    }
}

/// [`Doubles::take_word_form`]: long, and wanted for each coefficient.
struct TakeWordForm<'a, P, const N: usize>(
    &'a mut Doubles<P, N>,
    &'a Doubles<P, N>,
    &'a mut [[u64; WIDTH]],
);

impl<P: Prime<N>, const N: usize> Work for TakeWordForm<'_, P, N> {
    type Output = Mask;

    #[inline(always)]
    fn run(self, _: Fma) -> Mask {
        let Self(element, form, rows) = self;
        let table = Doubles::<P, N>::table();
        let count = P::MODULUS.len();
        // SAFETY: whoever has doubles has a `Fma`; four words of a row are read, or written, at a time.
        unsafe {
            let zero = _mm256_setzero_si256();
            let words = both!(half => {
                let mut words = [zero; MAX_WORDS];
                let mut i = 0;
                while i < count {
                    words[i] = _mm256_loadu_si256(rows[i][4 * half..].as_ptr().cast());
                    i += 1;
                }
                words
            });
            let below = both!(half => below(P::MODULUS, &words[half]));
            let digits = both!(half => digits_of_rows::<N, _>(&words[half], width(N)));
            *element = Doubles::of(joined(digits)).reduced_digits().product(form);
            let integer = element.product(&Doubles::constant(&table.to_integer)).reduced_digits();
            let p = Doubles::<P, N>::modulus_digits();
            let mut half = 0;
            while half < 2 {
                let words = rows_of_digits(&product::half(integer.digits(), half), &p);
                let mut i = 0;
                while i < count {
                    _mm256_storeu_si256(rows[i][4 * half..].as_mut_ptr().cast(), words[i]);
                    i += 1;
                }
                half += 1;
            }
            !(below[0] | below[1] << 4)
        }
    }
}

impl<P: Prime<L>> Doubles<P, L> {
    /// The digits of an integer below p, nearest to 0.
    pub fn digits_of(integer: &[u64]) -> [f64; L] {
        digits_of(integer, P::MODULUS)
    }

    /// Returns the element in every lane.
    #[inline(always)]
    pub fn splat(_: Fma, digits: &[f64; L]) -> Self {
        Self::constant(digits)
    }

    /// Converts from the bits of stored doubles.
    #[inline(always)]
    pub fn of_bits(fma: Fma, at_rest: &[[u64; WIDTH]; L]) -> Self {
        // SAFETY: any bits are a double, of the same size and alignment.
        Self::load(fma, unsafe { &*std::ptr::from_ref(at_rest).cast() })
    }

    /// The bits of the doubles to rest.
    #[inline(always)]
    pub fn to_bits(&self, at_rest: &mut [[u64; WIDTH]; L]) {
        // SAFETY: as for `of_bits`.
        self.store(unsafe { &mut *std::ptr::from_mut(at_rest).cast() });
    }

    /// Plain integers as normal elements, and where they are below p.
    #[inline(always)]
    pub fn of_plain(_: Fma, integers: [&Bytes; WIDTH]) -> (Self, Mask) {
        // SAFETY: there is a `Fma`.
        unsafe {
            let words = words_of_bytes(integers);
            let below = below(P::MODULUS, &words[0]) | below(P::MODULUS, &words[1]) << 4;
            let halves = both!(n => digits_of_rows::<L, _>(&words[n], width(L)));
            (Self::of(joined(halves)).reduced_digits(), below)
        }
    }

    /// The plain integers that normal elements are.
    #[inline(always)]
    pub fn to_plain(&self, integers: [&mut Bytes; WIDTH]) {
        // SAFETY: whoever has doubles has a `Fma`.
        unsafe {
            let p = Self::modulus_digits();
            let words: [Words; 2] = both!(n => {
                let words = rows_of_digits(&half(self.digits(), n), &p);
                each!(i < WORDS, words[0] => words[i])
            });
            bytes_of_words(words, integers);
        }
    }

    /// Normal elements from packed integers.
    #[inline(always)]
    pub fn of_packed(_: Fma, integers: [&Bytes; WIDTH]) -> Self {
        // SAFETY: there is a `Fma`.
        unsafe {
            let [first, second] = words_of_bytes(integers);
            Self::of(joined([digits_of_words(first), digits_of_words(second)]))
        }
    }

    /// Normal elements as packed integers.
    #[inline(always)]
    pub fn to_packed(&self, integers: [&mut Bytes; WIDTH]) {
        // SAFETY: whoever has doubles has a `Fma`.
        unsafe {
            let digits = self.digits();
            let words = [words_of_digits(half(digits, 0)), words_of_digits(half(digits, 1))];
            bytes_of_words(words, integers);
        }
    }
}

/// Row j has word j of the integers of four lanes.
type Words = [__m256i; WORDS];

#[target_feature(enable = "avx2")]
#[inline]
fn words_of_bytes(integers: [&Bytes; WIDTH]) -> [Words; 2] {
    let zero = _mm256_setzero_si256();
    // SAFETY: these are the bytes that are read, and the load takes any alignment.
    let rows = each!(i < WIDTH, zero => unsafe { _mm256_loadu_si256(integers[i].as_ptr().cast()) });
    let [first, second] = [each!(i < 4, zero => rows[i]), each!(i < 4, zero => rows[4 + i])];
    [transpose(first), transpose(second)]
}

#[target_feature(enable = "avx2")]
#[inline]
fn bytes_of_words([first, second]: [Words; 2], integers: [&mut Bytes; WIDTH]) {
    let (first, second) = (transpose(first), transpose(second));
    for (i, bytes) in integers.into_iter().enumerate() {
        let row = if i < 4 { first[i] } else { second[i - 4] };
        // SAFETY: these are the bytes that are written, and the store takes any alignment.
        unsafe { _mm256_storeu_si256(bytes.as_mut_ptr().cast(), row) };
    }
}

/// Where integers are below the modulus: from the lowest word to the highest, the last that differs decides.
#[target_feature(enable = "avx2")]
#[inline]
fn below(modulus: &[u64], words: &[__m256i]) -> Mask {
    let top = 1 << 63;
    let mut below = _mm256_setzero_si256();
    for (word, p) in words.iter().zip(modulus) {
        // The comparison is one of signed words.
        let word = _mm256_xor_si256(*word, _mm256_set1_epi64x(i64::MIN));
        let p = _mm256_set1_epi64x((p ^ top) as i64);
        let equal = _mm256_cmpeq_epi64(word, p);
        let less = _mm256_cmpgt_epi64(p, word);
        below = _mm256_or_si256(less, _mm256_and_si256(equal, below));
    }
    _mm256_movemask_pd(_mm256_castsi256_pd(below)) as Mask
}

/// Digits of so many bits that are not negative, from words and zeros behind them; the highest may have more bits in numbers
/// that are not below a modulus.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn digits_of_rows<const N: usize, const W: usize>(
    words: &[__m256i; W],
    bits: u32,
) -> [__m256d; N] {
    let (bits, exponent) = (bits as usize, _mm256_set1_pd(EXPONENT));
    let mask = _mm256_set1_epi64x((1 << bits) - 1);
    each!(j < N, exponent => {
        let (word, low) = (bits * j / 64, bits * j % 64);
        let mut digit = _mm256_srl_epi64(words[word], _mm_cvtsi32_si128(low as i32));
        if low + bits > 64 && word + 1 < W {
            let above = _mm256_sll_epi64(words[word + 1], _mm_cvtsi32_si128(64 - low as i32));
            digit = _mm256_or_si256(digit, above);
        }
        if j + 1 < N {
            digit = _mm256_and_si256(digit, mask);
        }
        let double = _mm256_or_pd(_mm256_castsi256_pd(digit), exponent);
        _mm256_sub_pd(double, exponent)
    })
}

/// The words of the integers between 0 and p that normal digits are, or are with p more.
#[target_feature(enable = "avx2,fma")]
#[inline]
fn rows_of_digits<const N: usize>(x: &[__m256d; N], p: &[f64; N]) -> [__m256i; MAX_WORDS] {
    let bits = width(N);
    let down = _mm256_set1_pd(power_of_two(-(bits as i32)));
    // Rounding changes no sign.
    let mut sign = x[0];
    for digit in &x[1..] {
        sign = _mm256_fmadd_pd(sign, down, *digit);
    }
    let negative = _mm256_cmp_pd::<_CMP_LT_OQ>(sign, _mm256_setzero_pd());
    let (up, exponent) = (_mm256_set1_pd(power_of_two(bits as i32)), _mm256_set1_pd(EXPONENT));
    let mut carry = _mm256_setzero_pd();
    let mut words = [_mm256_setzero_si256(); MAX_WORDS];
    let mut j = 0;
    while j < N {
        let more = _mm256_and_pd(negative, _mm256_set1_pd(p[j]));
        let all = _mm256_add_pd(_mm256_add_pd(x[j], more), carry);
        carry = _mm256_floor_pd(_mm256_mul_pd(all, down));
        let rest = if j + 1 < N { _mm256_fnmadd_pd(carry, up, all) } else { all };
        let double = _mm256_castpd_si256(_mm256_add_pd(rest, exponent));
        let digit = _mm256_xor_si256(double, _mm256_castpd_si256(exponent));
        let (word, low) = (bits as usize * j / 64, bits as usize * j % 64);
        let lower = _mm256_sll_epi64(digit, _mm_cvtsi32_si128(low as i32));
        words[word] = _mm256_or_si256(words[word], lower);
        if low + bits as usize > 64 && word + 1 < MAX_WORDS {
            let upper = _mm256_srl_epi64(digit, _mm_cvtsi32_si128(64 - low as i32));
            words[word + 1] = _mm256_or_si256(words[word + 1], upper);
        }
        j += 1;
    }
    words
}
