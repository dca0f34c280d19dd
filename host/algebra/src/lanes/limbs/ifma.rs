//! Eight lanes with AVX-512 IFMA: each operation is an instruction, `transpose` is 24 of them.

use std::arch::x86_64::*;

use super::constants::Constants;
use super::product::{self, MAX_LIMBS_INTERLEAVED};
use crate::lanes::backend::{Backend, Kernel, LIMB_BITS, Mask, WIDTH, each};

/// The backend of processors with AVX-512 F, DQ, VL and IFMA. Only [`run`] makes one, and only where the processor
/// has them: this is why the `unsafe` blocks of this file may use their instructions.
#[derive(Clone, Copy)]
pub(in crate::lanes) struct Ifma(());

/// Runs a kernel compiled for these instructions. The caller has an `Isa` of this level.
pub(in crate::lanes) fn run<K: Kernel>(kernel: K) -> K::Output {
    // SAFETY: an `Isa` of this level exists only on a processor with all of these.
    unsafe { entry(kernel) }
}

#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
#[inline(never)]
fn entry<K: Kernel>(kernel: K) -> K::Output {
    kernel.run(Ifma(()))
}

/// Defines operations, each one intrinsic.
macro_rules! operations {
    ($($name:ident($($arg:ident: $type:ty),*) -> $result:ty { $body:expr })*) => {$(
        #[inline(always)]
        fn $name(self, $($arg: $type),*) -> $result {
            // SAFETY: `self` exists, so the processor has the instruction.
            unsafe { $body }
        }
    )*};
}

impl Backend for Ifma {
    type V = __m512i;

    operations! {
        splat(word: u64) -> __m512i { _mm512_set1_epi64(word.cast_signed()) }
        add(a: __m512i, b: __m512i) -> __m512i { _mm512_add_epi64(a, b) }
        sub(a: __m512i, b: __m512i) -> __m512i { _mm512_sub_epi64(a, b) }
        and(a: __m512i, b: __m512i) -> __m512i { _mm512_and_si512(a, b) }
        or(a: __m512i, b: __m512i) -> __m512i { _mm512_or_si512(a, b) }
        shift_left(a: __m512i, bits: u32) -> __m512i {
            _mm512_sll_epi64(a, _mm_cvtsi32_si128(bits.cast_signed()))
        }
        shift_right(a: __m512i, bits: u32) -> __m512i {
            _mm512_srl_epi64(a, _mm_cvtsi32_si128(bits.cast_signed()))
        }
        carry(a: __m512i) -> __m512i { _mm512_srai_epi64::<LIMB_BITS>(a) }
        add_low(acc: __m512i, a: __m512i, b: __m512i) -> __m512i {
            _mm512_madd52lo_epu64(acc, a, b)
        }
        add_high(acc: __m512i, a: __m512i, b: __m512i) -> __m512i {
            _mm512_madd52hi_epu64(acc, a, b)
        }
        select(mask: Mask, a: __m512i, b: __m512i) -> __m512i {
            _mm512_mask_blend_epi64(mask, a, b)
        }
        equal(a: __m512i, b: __m512i) -> Mask { _mm512_cmpeq_epi64_mask(a, b) }
        below(a: __m512i, b: __m512i) -> Mask { _mm512_cmplt_epu64_mask(a, b) }
        negative(a: __m512i) -> Mask { _mm512_movepi64_mask(a) }
        rotate(a: __m512i, lanes: usize) -> __m512i {
            match lanes {
                1 => _mm512_alignr_epi64::<1>(a, a),
                2 => _mm512_alignr_epi64::<2>(a, a),
                _ => _mm512_alignr_epi64::<4>(a, a),
            }
        }
        permute(a: __m512i, from: [u8; WIDTH]) -> __m512i {{
            let from = _mm_cvtsi64_si128(i64::from_le_bytes(from));
            _mm512_permutexvar_epi64(_mm512_cvtepu8_epi64(from), a)
        }}
        transpose(rows: [__m512i; WIDTH]) -> [__m512i; WIDTH] { transpose(rows) }
    }

    #[inline(always)]
    fn load(self, words: &[u64; WIDTH]) -> __m512i {
        // SAFETY: these are the 64 bytes that are read, and the load takes any alignment; `self` exists.
        unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }
    }
    #[inline(always)]
    fn store(self, a: __m512i, words: &mut [u64; WIDTH]) {
        // SAFETY: these are the 64 bytes that are written, and the store takes any alignment; `self` exists.
        unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), a) }
    }
    #[inline(always)]
    fn load_bytes(self, bytes: &[u8; 8 * WIDTH]) -> __m512i {
        // SAFETY: these are the 64 bytes that are read, and the load takes any alignment; `self` exists.
        unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
    }
    #[inline(always)]
    fn store_bytes(self, a: __m512i, bytes: &mut [u8; 8 * WIDTH]) {
        // SAFETY: these are the 64 bytes that are written, and the store takes any alignment; `self` exists.
        unsafe { _mm512_storeu_si512(bytes.as_mut_ptr().cast(), a) }
    }
    /// With many limbs, a single copy: a dozen copies would not fit the first-level cache.
    #[inline(always)]
    fn multiply<const L: usize, const N: usize>(
        self,
        p: &Constants<L>,
        x: [&[__m512i; L]; N],
        y: [&[__m512i; L]; N],
    ) -> [[__m512i; L]; N] {
        if L <= MAX_LIMBS_INTERLEAVED {
            return product::multiply(self, p, x, y);
        }
        // SAFETY: `self` exists.
        each!(n < N, [self.splat(0); L] => unsafe { multiply(p, x[n], y[n]) })
    }
    #[inline(always)]
    fn sum_of_products<const L: usize, const N: usize>(
        self,
        p: &Constants<L>,
        x: [[&[__m512i; L]; 2]; N],
        y: [[&[__m512i; L]; 2]; N],
    ) -> [[__m512i; L]; N] {
        if L <= MAX_LIMBS_INTERLEAVED {
            return product::sum_of_products(self, p, x, y);
        }
        // SAFETY: `self` exists.
        each!(n < N, [self.splat(0); L] => unsafe { sum_of_products(p, x[n], y[n]) })
    }
    #[inline(always)]
    fn square<const L: usize, const N: usize>(
        self,
        p: &Constants<L>,
        x: [&[__m512i; L]; N],
    ) -> [[__m512i; L]; N] {
        if L <= MAX_LIMBS_INTERLEAVED {
            return product::square(self, p, x);
        }
        // SAFETY: `self` exists.
        each!(n < N, [self.splat(0); L] => unsafe { square(p, x[n]) })
    }
    #[inline(always)]
    fn outline<K: Kernel>(self, kernel: K) -> K::Output {
        // SAFETY: `self` exists.
        unsafe { entry(kernel) }
    }
    #[inline(always)]
    fn prefetch<T>(self, line: &T) {
        // SAFETY: a prefetch reads nothing, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(line).cast()) }
    }
}

#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
#[inline(never)]
fn multiply<const L: usize>(p: &Constants<L>, x: &[__m512i; L], y: &[__m512i; L]) -> [__m512i; L] {
    let [product] = product::multiply(Ifma(()), p, [x], [y]);
    product
}

#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
#[inline(never)]
fn sum_of_products<const L: usize>(
    p: &Constants<L>,
    x: [&[__m512i; L]; 2],
    y: [&[__m512i; L]; 2],
) -> [__m512i; L] {
    let [sum] = product::sum_of_products(Ifma(()), p, [x], [y]);
    sum
}

#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
#[inline(never)]
fn square<const L: usize>(p: &Constants<L>, x: &[__m512i; L]) -> [__m512i; L] {
    let [square] = product::square(Ifma(()), p, [x]);
    square
}

/// Three rounds of eight two-vector shuffles: words within pairs, pairs within halves, halves.
#[target_feature(enable = "avx512f")]
#[inline]
fn transpose(r: [__m512i; WIDTH]) -> [__m512i; WIDTH] {
    // After the first round vector 2i + h holds word h of each 128-bit pair, rows 2i and 2i + 1 side by side.
    let mut s = r;
    for i in 0..4 {
        s[2 * i] = _mm512_unpacklo_epi64(r[2 * i], r[2 * i + 1]);
        s[2 * i + 1] = _mm512_unpackhi_epi64(r[2 * i], r[2 * i + 1]);
    }
    // Then rows 4i to 4i + 3, pairs 0 and 2 in `even`, 1 and 3 in `odd`, each pair in a 128-bit quarter.
    let quarters = |a, b| {
        let even = _mm512_shuffle_i64x2::<0b10_00_10_00>(a, b);
        let odd = _mm512_shuffle_i64x2::<0b11_01_11_01>(a, b);
        (even, odd)
    };
    let mut columns = r;
    for h in 0..2 {
        let (low_even, low_odd) = quarters(s[h], s[h + 2]);
        let (high_even, high_odd) = quarters(s[h + 4], s[h + 6]);
        // Columns 2q + h for quarters q = 0 and 2 come from the even ones, 1 and 3 from the odd ones.
        (columns[h], columns[h + 4]) = quarters(low_even, high_even);
        (columns[h + 2], columns[h + 6]) = quarters(low_odd, high_odd);
    }
    columns
}
