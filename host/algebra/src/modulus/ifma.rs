//! Repeated squaring with AVX-512 IFMA, for the lowest latency: digits of 52 bits, eight in a vector.
//!
//! The digits of a square from number d on are replaced by their products with constants, 2^(52 (d + j)) mod N, as in the circuit
//! (decision 0086). The result is congruent to the square, has d + 1 digits, and is the next state: no quotient is computed.
//!
//! Sums of products have up to 61 bits. One pass of carries leaves digits that exceed 52 bits only with a probability of some
//! 2^-45, and then more passes follow: the branch is predicted, and no carry ripples through the digits.

use std::arch::x86_64::*;

/// Bits of a digit.
pub const BITS: usize = 52;
const MASK: u64 = (1 << BITS) - 1;
const LANES: usize = 8;
/// Rows of a reduction with sums of their own: a product's sum depends on the row this many before. Zeros fill up the constants.
const fn chains(vectors: usize) -> usize {
    if vectors <= 6 { 2 } else { 1 }
}
/// The most vectors of a state, for 4,096 bits.
pub const MAX_VECTORS: usize = 10;
/// Digits of a square: twice those of a state, and those of the last row.
const MAX_DIGITS: usize = (2 * MAX_VECTORS + 2) * LANES;

/// The constants of a modulus.
#[derive(Clone, Debug)]
pub struct Folding {
    /// d: the digits of a square that are kept.
    kept: usize,
    /// The vectors of d digits.
    vectors: usize,
    /// The constants, `vectors` vectors each.
    rows: Box<[__m512i]>,
}

impl Folding {
    /// Returns the number of kept digits for a modulus of so many bits: the products with the constants are below 2^(52 d).
    pub fn kept(bits: usize) -> usize {
        (bits + 8).div_ceil(BITS)
    }

    /// Returns the constants of a modulus of so many bits from 2^(52 (d + j)) mod N in little-endian bytes for all j. None if there is no
    /// code for this length.
    pub fn new(bits: usize, constants: impl Iterator<Item = Vec<u8>>) -> Option<Self> {
        let kept = Self::kept(bits);
        let vectors = kept.div_ceil(LANES);
        if !(2..=MAX_VECTORS).contains(&vectors) {
            return None;
        }
        let count = kept + 2; // a square has twice the d + 1 digits of a state
        let zeros = std::iter::repeat(Vec::new());
        let rows = constants.take(count).chain(zeros).take(count.next_multiple_of(chains(vectors)));
        let digits: Vec<_> = rows.flat_map(|row| digits_of(&row, vectors * LANES)).collect();
        Some(Self { kept, vectors, rows: digits.chunks(LANES).map(vector).collect() })
    }

    /// Squares a number of at most 52 d bits in little-endian bytes; returns a congruent number of at most 52 (d + 1) bits.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA.
    pub unsafe fn square_repeatedly(&self, x: &[u8], times: u64) -> Vec<u8> {
        let mut state = digits_of(x, MAX_DIGITS);
        macro_rules! dispatch {
            ($($vectors:literal)*) => {
                match self.vectors {
                    // SAFETY: as of this function.
                    $($vectors => unsafe {
                        squarings::<
                            $vectors,
                            { 2 * $vectors + 1 },
                            { $vectors + 1 },
                            { chains($vectors) },
                        >(self, &mut state, times)
                    },)*
                    other => unreachable!("{other} vectors"),
                }
            };
        }
        dispatch!(2 3 4 5 6 7 8 9 10);
        bytes_of(&state[..=self.kept])
    }
}

/// The digits of a number in bytes.
fn digits_of(bytes: &[u8], count: usize) -> Vec<u64> {
    let byte = |at: usize| u128::from(bytes.get(at).copied().unwrap_or(0));
    let digit = |i: usize| {
        let from = BITS * i;
        let around = (0..8).fold(0, |around, k| around | byte(from / 8 + k) << (8 * k));
        (around >> (from % 8)) as u64 & MASK
    };
    (0..count).map(digit).collect()
}

/// The bytes of digits of at most 52 bits.
fn bytes_of(digits: &[u64]) -> Vec<u8> {
    let mut bytes = vec![0; (digits.len() * BITS).div_ceil(8) + 8];
    for (i, digit) in digits.iter().enumerate() {
        let from = BITS * i;
        for (k, byte) in (u128::from(*digit) << (from % 8)).to_le_bytes()[..8].iter().enumerate() {
            bytes[from / 8 + k] |= byte;
        }
    }
    bytes
}

fn vector(digits: &[u64]) -> __m512i {
    let digits: [u64; LANES] = digits.try_into().expect("eight digits");
    // SAFETY: both are 64 bytes without invalid values.
    unsafe { std::mem::transmute(digits) }
}

/// The lanes of `above` one or more places up, with the highest ones of `below` under them.
#[inline]
#[target_feature(enable = "avx512f")]
fn shifted<const PLACES: usize>(above: __m512i, below: __m512i) -> __m512i {
    match PLACES {
        0 => above,
        1 => _mm512_alignr_epi64::<7>(above, below),
        2 => _mm512_alignr_epi64::<6>(above, below),
        3 => _mm512_alignr_epi64::<5>(above, below),
        4 => _mm512_alignr_epi64::<4>(above, below),
        5 => _mm512_alignr_epi64::<3>(above, below),
        6 => _mm512_alignr_epi64::<2>(above, below),
        _ => _mm512_alignr_epi64::<1>(above, below),
    }
}

/// Carries of each vector into the next one, until every digit has at most 52 bits: nearly always once.
#[inline]
#[target_feature(enable = "avx512f")]
fn carry<const COUNT: usize>(sums: &mut [__m512i; COUNT]) {
    let mask = _mm512_set1_epi64(MASK as i64);
    loop {
        let mut below = _mm512_setzero_si512();
        let mut any = _mm512_setzero_si512();
        for sum in sums.iter_mut() {
            let up = _mm512_srli_epi64::<52>(*sum);
            *sum = _mm512_add_epi64(_mm512_and_si512(*sum, mask), shifted::<1>(up, below));
            any = _mm512_or_si512(any, *sum);
            below = up;
        }
        if _mm512_cmpgt_epu64_mask(any, mask) == 0 {
            return;
        }
    }
}

/// The digits of a state, and what the products of a class take of them.
struct State<'a, const V: usize> {
    digits: &'a [u64; MAX_DIGITS],
    vectors: [__m512i; V],
}

impl<const V: usize> State<'_, V> {
    /// Digit i in every lane.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn digit(&self, i: usize) -> __m512i {
        _mm512_set1_epi64(self.digits[i] as i64)
    }
}

/// The sums of products of a class, before they are shifted: those of digits of the same vector, and those that count twice.
struct Class<const W: usize> {
    once: [__m512i; W],
    twice: [__m512i; W],
}

impl<const W: usize> Class<W> {
    /// Adds the lower halves of the products of digit 8 `A` + `SHIFT` and the vectors, and the upper halves of those of the digit
    /// before it, which have the same places.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA.
    #[inline(always)]
    unsafe fn add<const SHIFT: usize, const A: usize, const V: usize>(
        &mut self,
        state: &State<'_, V>,
    ) {
        // Digit 8 A - 1 has the place 7 of the vector before.
        let (before, up) = if SHIFT == 0 { (7, 1) } else { (SHIFT - 1, 0) };
        // SAFETY: as of this function.
        unsafe {
            let (x, once, twice) = (&state.vectors, &mut self.once, &mut self.twice);
            let low = state.digit(LANES * A + SHIFT);
            let high = state.digit(LANES * A + before);
            once[2 * A] = _mm512_madd52lo_epu64(once[2 * A], low, x[A]);
            once[2 * A + up] = _mm512_madd52hi_epu64(once[2 * A + up], high, x[A]);
            for v in A + 1..V {
                twice[A + v] = _mm512_madd52lo_epu64(twice[A + v], low, x[v]);
                twice[A + v + up] = _mm512_madd52hi_epu64(twice[A + v + up], high, x[v]);
            }
        }
    }
}

/// Adds the products of a class to a square.
///
/// # Safety
/// The processor has AVX-512 F and IFMA.
#[inline(always)]
unsafe fn class<const SHIFT: usize, const V: usize, const W: usize>(
    sums: &mut [__m512i; W],
    state: &State<'_, V>,
) {
    // SAFETY: as of this function.
    unsafe {
        let zero = _mm512_setzero_si512();
        let mut class = Class { once: [zero; W], twice: [zero; W] };
        // Written out, since the compiler keeps the sums in registers only without a loop.
        macro_rules! add {
            ($($a:literal)*) => {
                $(if $a < V {
                    class.add::<SHIFT, { if $a < MAX_VECTORS { $a } else { 0 } }, V>(state);
                })*
            };
        }
        add!(0 1 2 3 4 5 6 7 8 9);
        // The digit above the vectors times the vectors.
        if SHIFT < 2 {
            let digit = state.digit(LANES * V);
            for v in 0..V {
                let sum = &mut class.twice[V + v];
                *sum = match SHIFT {
                    0 => _mm512_madd52lo_epu64(*sum, digit, state.vectors[v]),
                    _ => _mm512_madd52hi_epu64(*sum, digit, state.vectors[v]),
                };
            }
        }
        let mut below = zero;
        for (sum, (once, twice)) in sums.iter_mut().zip(class.once.into_iter().zip(class.twice)) {
            let all = _mm512_add_epi64(once, _mm512_add_epi64(twice, twice));
            *sum = _mm512_add_epi64(*sum, shifted::<SHIFT>(all, below));
            below = all;
        }
    }
}

/// Squares; `V` vectors have the lower digits of a state, `W` = 2 V + 1 a square, and `U` = V + 1 a reduced one, in whose sum `C` rows
/// have sums of their own.
#[target_feature(enable = "avx512f,avx512ifma")]
fn squarings<const V: usize, const W: usize, const U: usize, const C: usize>(
    folding: &Folding,
    state: &mut [u64],
    times: u64,
) {
    const { assert!(W == 2 * V + 1 && U == V + 1) };
    let zero = _mm512_setzero_si512();
    let kept = folding.kept;
    let mut digits = [0; MAX_DIGITS];
    digits[..state.len()].copy_from_slice(state);
    let mut vectors: [__m512i; V] =
        std::array::from_fn(|v| vector(&digits[LANES * v..LANES * (v + 1)]));
    for _ in 0..times {
        let mut square = [zero; W];
        let state = State { digits: &digits, vectors };
        // SAFETY: this function has the instructions.
        unsafe {
            class::<0, V, W>(&mut square, &state);
            class::<1, V, W>(&mut square, &state);
            class::<2, V, W>(&mut square, &state);
            class::<3, V, W>(&mut square, &state);
            class::<4, V, W>(&mut square, &state);
            class::<5, V, W>(&mut square, &state);
            class::<6, V, W>(&mut square, &state);
            class::<7, V, W>(&mut square, &state);
        }
        // The square of the digit above the vectors.
        let top = u128::from(digits[LANES * V]).pow(2);
        let [low, high] = [top as u64 & MASK, (top >> BITS) as u64].map(|half| half as i64);
        let top = _mm512_set_epi64(0, 0, 0, 0, 0, 0, high, low);
        square[W - 1] = _mm512_add_epi64(square[W - 1], top);
        carry(&mut square);

        for (w, vector) in square.iter().enumerate() {
            // SAFETY: `digits` has more than W vectors.
            unsafe { _mm512_storeu_si512(digits[LANES * w..].as_mut_ptr().cast(), *vector) };
        }
        let (mut low, mut high) = ([[zero; V]; C], [[zero; V]; C]);
        for (v, sum) in low[0].iter_mut().enumerate() {
            let lanes = kept.saturating_sub(LANES * v).min(LANES);
            *sum = _mm512_maskz_mov_epi64(((1_u32 << lanes) - 1) as u8, square[v]);
        }
        for (rows, upper) in folding.rows.chunks_exact(V * C).zip(digits[kept..].chunks_exact(C)) {
            for c in 0..C {
                let digit = _mm512_set1_epi64(upper[c] as i64);
                for v in 0..V {
                    low[c][v] = _mm512_madd52lo_epu64(low[c][v], digit, rows[V * c + v]);
                    high[c][v] = _mm512_madd52hi_epu64(high[c][v], digit, rows[V * c + v]);
                }
            }
        }
        let (mut sums, mut below) = ([zero; U], zero);
        for v in 0..V {
            let up = high.iter().fold(zero, |sum, chain| _mm512_add_epi64(sum, chain[v]));
            let here = low
                .iter()
                .fold(shifted::<1>(up, below), |sum, chain| _mm512_add_epi64(sum, chain[v]));
            (sums[v], below) = (here, up);
        }
        sums[V] = shifted::<1>(zero, below);
        carry(&mut sums);
        for (v, vector) in sums.iter().enumerate() {
            // SAFETY: `digits` has more than U vectors.
            unsafe { _mm512_storeu_si512(digits[LANES * v..].as_mut_ptr().cast(), *vector) };
        }
        vectors.copy_from_slice(&sums[..V]);
    }
    state.copy_from_slice(&digits[..state.len()]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[target_feature(enable = "avx512f")]
    fn carried(digits: [u64; 16]) -> [u64; 16] {
        let mut vectors: [_; 2] = std::array::from_fn(|v| vector(&digits[LANES * v..][..LANES]));
        carry(&mut vectors);
        // SAFETY: both are 128 bytes without invalid values.
        unsafe { std::mem::transmute(vectors) }
    }

    #[test]
    fn carries_ripple_through_all_digits() {
        if !is_x86_feature_detected!("avx512f") {
            eprintln!("SKIPPED: this processor has no AVX-512");
            return;
        }
        // The first pass leaves 2^52 in digit 1, and each further pass in the next one.
        let mut digits = [MASK; 16];
        (digits[0], digits[15]) = (1 << BITS, 5);
        let mut wanted = [0; 16];
        wanted[15] = 6;
        // SAFETY: the processor has the instructions.
        assert_eq!(unsafe { carried(digits) }, wanted);
        // SAFETY: the same.
        let sums =
            unsafe { carried([u64::MAX >> 3; 16].map(|sum| sum & !(0xfff << 52) | 511 << 52)) };
        assert_eq!(sums[0], MASK);
        assert!(sums.iter().take(15).all(|digit| *digit <= MASK));
    }

    #[test]
    fn digits_and_bytes_are_inverse() {
        let bytes: Vec<u8> = (0..260).map(|i| (i * 37 + 11) as u8).collect();
        let digits = digits_of(&bytes, 40);
        assert!(digits.iter().all(|digit| *digit <= MASK));
        assert_eq!(bytes_of(&digits)[..260], bytes);
    }
}
