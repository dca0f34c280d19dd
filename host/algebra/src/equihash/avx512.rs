//! Eight lanes with AVX-512 F: every rotation is one instruction.
//!
//! Two rows go through the rounds side by side. One alone is a chain of 4 independent instructions at a time,
//! each of which waits for the one before (two cycles on Zen 5), and leaves half of the processor idle: 11.8 us
//! for a (200,9) solution against 8.2 us with two, measured in the same minute. The two states are 32 vectors,
//! all that there are.

use std::arch::x86_64::*;

use super::begin::{Begun, begin_lanes};
use super::digests::{Digests, digest_lanes};
use super::strips::walk_strips;
use super::{BATCH, Leaves, STRIPS, StripSums};
use crate::blake2b::{SIGMA, columns, diagonals, four_g, g_first_half, g_second_half, rounds};

/// Two rows at once.
type V = [__m512i; ROWS];
const ROWS: usize = 2;
const LANES: usize = 8;

/// Defines operations on V: vector arguments first, then plain ones; the body is for one row.
macro_rules! operations {
    ($($name:ident($($arg:ident),* $(; $($plain:ident: $type:ty),*)?) $body:expr)*) => {$(
        #[target_feature(enable = "avx512f")]
        #[inline]
        fn $name($($arg: V,)* $($($plain: $type),*)?) -> V {
            std::array::from_fn(|_row| { $(let $arg = $arg[_row];)* $body })
        }
    )*};
}

operations! {
    splat(; word: u64) _mm512_set1_epi64(word as i64)
    add(a, b) _mm512_add_epi64(a, b)
    sub(a, b) _mm512_sub_epi64(a, b)
    and(a, b) _mm512_and_si512(a, b)
    or(a, b) _mm512_or_si512(a, b)
    xor(a, b) _mm512_xor_si512(a, b)
    rotr32(a) _mm512_ror_epi64::<32>(a)
    rotr24(a) _mm512_ror_epi64::<24>(a)
    rotr16(a) _mm512_ror_epi64::<16>(a)
    rotr63(a) _mm512_ror_epi64::<63>(a)
    shl(a; bits: u32) _mm512_sll_epi64(a, _mm_cvtsi32_si128(bits as i32))
    shr(a; bits: u32) _mm512_srl_epi64(a, _mm_cvtsi32_si128(bits as i32))
    mul32(a, b) _mm512_mul_epu32(a, b)
}

#[target_feature(enable = "avx512f")]
#[inline]
fn xor_where(a: V, slot: V, t: u64, w: V) -> V {
    let t = _mm512_set1_epi64(t as i64);
    std::array::from_fn(|i| {
        _mm512_mask_xor_epi64(a[i], _mm512_cmpeq_epi64_mask(slot[i], t), a[i], w[i])
    })
}

#[target_feature(enable = "avx512f")]
#[inline]
fn xor_rows(a: V) -> V {
    [_mm512_xor_si512(a[0], a[1]), _mm512_setzero_si512()]
}

#[target_feature(enable = "avx512f")]
#[inline]
fn load(rows: &[[u32; STRIPS]], first: usize) -> V {
    debug_assert_eq!(first, 0, "all strips are in one vector");
    std::array::from_fn(|i| {
        // SAFETY: the row is the 32 bytes that are read, and the load takes any alignment.
        _mm512_cvtepu32_epi64(unsafe { _mm256_loadu_si256(rows[i].as_ptr().cast()) })
    })
}

#[target_feature(enable = "avx512f")]
#[inline]
fn load_words(words: &[u64], first: usize) -> V {
    let (rows, _) = words[first..].as_chunks::<LANES>();
    // SAFETY: the row is the 64 bytes that are read, and the load takes any alignment.
    std::array::from_fn(|i| unsafe { _mm512_loadu_si512(rows[i].as_ptr().cast()) })
}

#[target_feature(enable = "avx512f")]
#[inline]
fn store_words(a: V, words: &mut [u64], first: usize) {
    let (rows, _) = words[first..].as_chunks_mut::<LANES>();
    for (a, row) in a.into_iter().zip(rows) {
        // SAFETY: the row is the 64 bytes that are written, and the store takes any alignment.
        unsafe { _mm512_storeu_si512(row.as_mut_ptr().cast(), a) }
    }
}

walk_strips!(#[target_feature(enable = "avx512f")]);
begin_lanes!(#[target_feature(enable = "avx512f")]);
digest_lanes!(#[target_feature(enable = "avx512f")]);

pub(super) fn walk(leaves: &Leaves<'_>, rows: &[[u32; STRIPS]]) -> StripSums {
    // SAFETY: an `Isa` of this level exists only on a processor with AVX-512 F.
    unsafe { walk_any(leaves, rows) }
}

pub(super) fn begin(start: &[u64; 8], begun: &mut Begun<BATCH>, count: usize) {
    // SAFETY: an `Isa` of this level exists only on a processor with AVX-512 F.
    unsafe { begin_any(start, begun, count) }
}

pub(super) fn digests(leaves: &Leaves<'_>, first: u32, digests: &mut Digests) {
    // SAFETY: an `Isa` of this level exists only on a processor with AVX-512 F.
    unsafe { digests_any(leaves, first, digests) }
}
