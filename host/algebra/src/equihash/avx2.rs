//! Four lanes with AVX2: rotations by whole bytes are shuffles.

use std::arch::asm;
use std::arch::x86_64::*;

use super::begin::{Begun, begin_lanes};
use super::digests::{Digests, digest_lanes};
use super::strips::walk_strips;
use super::{BATCH, Leaves, STRIPS, StripSums, indices};
use crate::blake2b::{SIGMA, columns, diagonals, four_g, g_first_half, g_second_half, rounds};

type V = __m256i;
const LANES: usize = 4;
const ROWS: usize = 1;

/// Defines word operations.
macro_rules! operations {
    ($($name:ident($($arg:ident: $type:ty),*) -> $result:ty { $body:expr })*) => {$(
        #[target_feature(enable = "avx2")]
        #[inline]
        fn $name($($arg: $type),*) -> $result {
            $body
        }
    )*};
}

operations! {
    splat(word: u64) -> V { _mm256_set1_epi64x(word as i64) }
    add(a: V, b: V) -> V { _mm256_add_epi64(a, b) }
    sub(a: V, b: V) -> V { _mm256_sub_epi64(a, b) }
    and(a: V, b: V) -> V { _mm256_and_si256(a, b) }
    or(a: V, b: V) -> V { _mm256_or_si256(a, b) }
    xor(a: V, b: V) -> V { _mm256_xor_si256(a, b) }
    rotr32(a: V) -> V { _mm256_shuffle_epi32::<0b10_11_00_01>(a) }
    rotr24(a: V) -> V { rotr_bytes(a, 0x0201_0007_0605_0403) }
    rotr63(a: V) -> V { _mm256_or_si256(_mm256_srli_epi64::<63>(a), _mm256_add_epi64(a, a)) }
    shl(a: V, bits: u32) -> V { _mm256_sll_epi64(a, _mm_cvtsi32_si128(bits as i32)) }
    shr(a: V, bits: u32) -> V { _mm256_srl_epi64(a, _mm_cvtsi32_si128(bits as i32)) }
    mul32(a: V, b: V) -> V { _mm256_mul_epu32(a, b) }
}

/// Every lane's byte i becomes its byte `order` >> 8 i. (The shuffle counts within 128 bits: the upper lane's
/// bytes are 8 further.)
#[target_feature(enable = "avx2")]
#[inline]
fn rotr_bytes(a: V, order: u64) -> V {
    let (low, high) = (order as i64, (order + 0x0808_0808_0808_0808) as i64);
    _mm256_shuffle_epi8(a, _mm256_set_epi64x(high, low, high, low))
}

/// The bytes of a vector, each from its place in the same 128 bits.
#[repr(align(32))]
struct Order([u64; LANES]);

static ROTR16: Order = Order([
    0x0100_0706_0504_0302,
    0x0908_0f0e_0d0c_0b0a,
    0x0100_0706_0504_0302,
    0x0908_0f0e_0d0c_0b0a,
]);

/// One shuffle that the compiler cannot see through. It would make two of this rotation (`vpshuflw`, `vpshufhw`) and
/// move them before the exclusive or, where they are four, on the two units of a Zen 3 that shuffle.
#[target_feature(enable = "avx2")]
#[inline]
fn rotr16(a: V) -> V {
    let rotated;
    // SAFETY: it reads the 32 bytes of `ROTR16`, aligned as a vector, and changes nothing but its result.
    unsafe {
        asm!(
            "vpshufb {rotated}, {a}, ymmword ptr [{order}]",
            rotated = lateout(ymm_reg) rotated,
            a = in(ymm_reg) a,
            order = in(reg) &ROTR16.0,
            options(pure, readonly, nostack, preserves_flags)
        );
    }
    rotated
}

#[target_feature(enable = "avx2")]
#[inline]
fn xor_rows(a: V) -> V {
    a
}

#[target_feature(enable = "avx2")]
#[inline]
fn xor_where(a: V, slot: V, t: u64, w: V) -> V {
    xor(a, and(w, _mm256_cmpeq_epi64(slot, splat(t))))
}

#[target_feature(enable = "avx2")]
#[inline]
fn load(rows: &[[u32; STRIPS]], first: usize) -> V {
    let four: &[u32; LANES] =
        rows[0][first..].first_chunk().expect("a row is a whole number of vectors");
    // SAFETY: `four` is the 16 bytes that are read, and the load takes any alignment.
    _mm256_cvtepu32_epi64(unsafe { _mm_loadu_si128(four.as_ptr().cast()) })
}

#[target_feature(enable = "avx2")]
#[inline]
fn load_words(words: &[u64], first: usize) -> V {
    let four: &[u64; LANES] = words[first..].first_chunk().expect("headers fill whole vectors");
    // SAFETY: `four` is the 32 bytes that are read, and the load takes any alignment.
    unsafe { _mm256_loadu_si256(four.as_ptr().cast()) }
}

#[target_feature(enable = "avx2")]
#[inline]
fn store_words(a: V, words: &mut [u64], first: usize) {
    let four: &mut [u64; LANES] =
        words[first..].first_chunk_mut().expect("a row is a whole number of vectors");
    // SAFETY: `four` is the 32 bytes that are written, and the store takes any alignment.
    unsafe { _mm256_storeu_si256(four.as_mut_ptr().cast(), a) }
}

walk_strips!(#[target_feature(enable = "avx2")]);
begin_lanes!(#[target_feature(enable = "avx2")]);
digest_lanes!(#[target_feature(enable = "avx2")]);

pub(super) fn walk(leaves: &Leaves<'_>, rows: &[[u32; STRIPS]]) -> StripSums {
    // SAFETY: an `Isa` of this level exists only on a processor with AVX2.
    unsafe { walk_any(leaves, rows) }
}

pub(super) fn begin(start: &[u64; 8], begun: &mut Begun<BATCH>, count: usize) {
    // SAFETY: an `Isa` of this level exists only on a processor with AVX2.
    unsafe { begin_any(start, begun, count) }
}

pub(super) fn are_out_of_order(rows: &[[u32; STRIPS]]) -> bool {
    #[target_feature(enable = "avx2")]
    fn with_avx2(rows: &[[u32; STRIPS]]) -> bool {
        indices::are_out_of_order(rows)
    }
    // SAFETY: as in `walk`.
    unsafe { with_avx2(rows) }
}

/// Compares all pairs among 32 indices: each row, rotated by each number of places, with the rows before it, and with
/// itself for up to half of the rotations.
pub(super) fn have_equal_pair(rows: &[[u32; STRIPS]; 4]) -> bool {
    #[target_feature(enable = "avx2")]
    fn with_avx2(rows: &[[u32; STRIPS]; 4]) -> bool {
        // SAFETY: a row is the 32 bytes that are read, and the load takes any alignment.
        let [a, b, c, d] =
            [0, 1, 2, 3].map(|s| unsafe { _mm256_loadu_si256(rows[s].as_ptr().cast()) });
        let eq = |x, y| _mm256_cmpeq_epi32(x, y);
        let places = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
        let mut equal = splat(0);
        for turn in 0..STRIPS as i32 {
            // The permutation counts modulo 8.
            let order = _mm256_add_epi32(places, _mm256_set1_epi32(turn));
            let turned = |x| _mm256_permutevar8x32_epi32(x, order);
            let (tb, tc, td) = (turned(b), turned(c), turned(d));
            equal = or(equal, or(eq(a, tb), or(eq(a, tc), eq(a, td))));
            equal = or(equal, or(eq(b, tc), or(eq(b, td), eq(c, td))));
            if (1..=4).contains(&turn) {
                let own = or(or(eq(a, turned(a)), eq(b, tb)), or(eq(c, tc), eq(d, td)));
                equal = or(equal, own);
            }
        }
        _mm256_movemask_epi8(equal) != 0
    }
    // SAFETY: as in `walk`.
    unsafe { with_avx2(rows) }
}

pub(super) fn digests(leaves: &Leaves<'_>, first: u32, digests: &mut Digests) {
    // SAFETY: an `Isa` of this level exists only on a processor with AVX2.
    unsafe { digests_any(leaves, first, digests) }
}
