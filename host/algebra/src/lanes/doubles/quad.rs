//! Words of 64 bits, four a vector of AVX2.

use std::arch::x86_64::*;

use super::Fma;
use super::memory::transpose;
use crate::lanes::backend::{Mask, each};

/// Four words. They are made with an [`Fma`], so whoever has some is on a processor with AVX2.
#[derive(Clone, Copy, Debug)]
pub struct Quad(__m256i);

/// A vector made of others.
macro_rules! quad {
    ($body:expr) => {
        // SAFETY: an `Fma` is there, or was when what this is made of was made.
        Quad(unsafe { $body })
    };
}

impl Quad {
    /// Returns the word in all four lanes.
    #[inline(always)]
    pub fn splat(_: Fma, word: u64) -> Self {
        quad!(_mm256_set1_epi64x(word.cast_signed()))
    }

    /// Reads from memory.
    #[inline(always)]
    pub fn load(_: Fma, words: &[u64; 4]) -> Self {
        quad!(_mm256_loadu_si256(words.as_ptr().cast()))
    }

    /// Reads from memory, lowest bytes first.
    #[inline(always)]
    pub fn load_bytes(_: Fma, bytes: &[u8; 32]) -> Self {
        quad!(_mm256_loadu_si256(bytes.as_ptr().cast()))
    }

    /// Writes the words to memory.
    #[inline(always)]
    pub fn store(self, words: &mut [u64; 4]) {
        // SAFETY: as for all of these; the vector is as long as the words.
        unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), self.0) }
    }

    /// Writes the words to memory, lowest bytes first.
    #[inline(always)]
    pub fn store_bytes(self, bytes: &mut [u8; 32]) {
        // SAFETY: as for all of these; the vector is as long as the bytes.
        unsafe { _mm256_storeu_si256(bytes.as_mut_ptr().cast(), self.0) }
    }

    /// The sum modulo 2^64.
    #[inline(always)]
    pub fn plus(self, other: Self) -> Self {
        quad!(_mm256_add_epi64(self.0, other.0))
    }

    /// The difference modulo 2^64.
    #[inline(always)]
    pub fn less(self, other: Self) -> Self {
        quad!(_mm256_sub_epi64(self.0, other.0))
    }

    /// The product of the lower halves.
    #[inline(always)]
    pub fn times(self, other: Self) -> Self {
        quad!(_mm256_mul_epu32(self.0, other.0))
    }

    /// Times 2^BITS modulo 2^64.
    #[inline(always)]
    pub fn up<const BITS: i32>(self) -> Self {
        quad!(_mm256_slli_epi64::<BITS>(self.0))
    }

    /// Divided by 2^BITS.
    #[inline(always)]
    pub fn down<const BITS: i32>(self) -> Self {
        quad!(_mm256_srli_epi64::<BITS>(self.0))
    }

    /// The lower half of each word.
    #[inline(always)]
    pub fn low(self) -> Self {
        quad!(_mm256_blend_epi32::<0xaa>(self.0, _mm256_setzero_si256()))
    }

    /// Returns 2^32 - 1 where the highest bit of `self` is 1 and that of `there` is 0; otherwise 0.
    #[inline(always)]
    pub fn low_ones_where_only_self(self, there: Self) -> Self {
        quad!({
            let only_self = _mm256_andnot_si256(there.0, self.0);
            _mm256_srli_epi64::<32>(_mm256_srai_epi32::<31>(only_self))
        })
    }

    /// Returns the mask of the odd words.
    #[inline(always)]
    pub fn odd(self) -> Mask {
        // SAFETY: as for all of these.
        let bits = unsafe { _mm256_movemask_pd(_mm256_castsi256_pd(self.up::<63>().0)) };
        bits as Mask // four of them
    }

    /// Word i of vector j to word j of vector i.
    #[inline(always)]
    pub fn transposed(rows: &[Self; 4]) -> [Self; 4] {
        // SAFETY: as for all of these.
        let words = unsafe { transpose(each!(j < 4, rows[0].0 => rows[j].0)) };
        each!(j < 4, rows[0] => Self(words[j]))
    }
}
