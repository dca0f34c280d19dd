//! A batch of division steps in constant time, with the matrix and the numbers in one pair of words.
//!
//! [`FEW`] steps from delta, f and g depend on the lowest 20 bits of f and g. A row (u, v) of their matrix times 2^20 is two numbers
//! from -2^20 + 1 to 2^20, so three fields of a word hold it and the number itself, as in the library s2n-bignum:
//!
//! | bits from | of f's word | of g's word |
//! |---|---|---|
//! | 0 | f, at first modulo 2^20 | g, likewise |
//! | 21 | -u 2^20 | -q 2^20 |
//! | 42 | -v 2^20 | -r 2^20 |
//!
//! At the beginning u and r are 1 and all 20 bits higher; every step halves g's word. A field may be negative and borrow from the
//! one above it: the word is their sum, and a step is a sum or a difference of words. The minus lets 2^20 fit 21 bits.
//!
//! Kept is h, which is f where delta <= 0 and -f where delta > 0, so that a step always adds:
//!
//! ```text
//! h, g = g, (g + h) / 2              if delta > 0 and g is odd
//!        h, (g + (g mod 2) h) / 2    otherwise
//! h = -h                             if delta is 1/2 now
//! ```
//!
//! Whether delta becomes positive, or stays so, shows in the 1/2: it grows by 1 a step, and 1 - delta is positive for 1/2 alone.

use super::Matrix;
#[cfg(not(target_arch = "x86_64"))]
use portable as machine;

use crate::field::signed62::LIMB_BITS;
#[cfg(target_arch = "x86_64")]
use crate::field::x86_64 as machine;

/// Steps of a batch, whose denominator is 2^62 all the same.
pub const BATCH: u32 = 3 * FEW;
/// Steps in one pair of words.
pub const FEW: u32 = 20;
/// Bits of a field but the highest.
const FIELD: u32 = FEW + 1;

/// [`BATCH`] division steps on the lowest bits of f and g. `zeta` is -(delta + 1/2).
#[inline(always)]
pub fn batch(zeta: i64, f: i64, g: i64) -> (i64, Matrix) {
    let (zeta, first) = few(zeta, f, g);
    let (f, g) = first.applied(f, g);
    let (zeta, second) = few(zeta, f, g);
    let (f, g) = second.applied(f, g);
    let two = second.times(&first);
    let (zeta, third) = few(zeta, f, g);
    let Matrix { u, v, q, r } = third.times(&two);
    let [u, v, q, r] = [u, v, q, r].map(|entry| entry << (LIMB_BITS - BATCH));
    (zeta, Matrix { u, v, q, r })
}

/// [`FEW`] steps; the denominator is 2^FEW.
#[inline(always)]
fn few(zeta: i64, f: i64, g: i64) -> (i64, Matrix) {
    const LOW: i64 = (1 << FEW) - 1;
    let f = (f & LOW) - (1 << (FIELD + FEW));
    let g = (g & LOW) - (1 << (2 * FIELD + FEW));
    let (zeta, h, g) = machine::division_steps(zeta, negated_if(zeta >> 63, f), g);
    let ((u, v), (q, r)) = (row(negated_if(zeta >> 63, h)), row(g));
    (zeta, Matrix { u, v, q, r })
}

/// -x for a mask of ones, x for 0.
#[inline(always)]
fn negated_if(mask: i64, x: i64) -> i64 {
    (x ^ mask).wrapping_sub(mask)
}

/// The row of the matrix in a word.
#[inline(always)]
fn row(word: i64) -> (i64, i64) {
    // The lowest field is above -2^20 and below 2^20.
    let rest = (word + (1 << FEW)) >> FIELD;
    let low = rest << (64 - FIELD) >> (64 - FIELD);
    (-low, -((rest - low) >> FIELD))
}

impl Matrix {
    /// The lowest bits of f and g after the [`FEW`] steps of this.
    #[inline(always)]
    fn applied(&self, f: i64, g: i64) -> (i64, i64) {
        let row = |a: i64, b: i64| a.wrapping_mul(f).wrapping_add(b.wrapping_mul(g)) >> FEW;
        (row(self.u, self.v), row(self.q, self.r))
    }

    /// The product with the matrix of the steps before.
    #[inline(always)]
    fn times(&self, before: &Self) -> Self {
        let row = |a, b| (a * before.u + b * before.q, a * before.v + b * before.r);
        let ((u, v), (q, r)) = (row(self.u, self.v), row(self.q, self.r));
        Self { u, v, q, r }
    }
}

#[cfg(any(test, not(target_arch = "x86_64")))]
mod portable {
    use super::{FEW, negated_if};

    /// [`FEW`] steps on zeta and the words with h and g.
    #[inline(always)]
    pub fn division_steps(mut zeta: i64, mut h: i64, mut g: i64) -> (i64, i64, i64) {
        for _ in 0..FEW {
            let odd = -(g & 1);
            let swap = (zeta >> 63) & odd;
            let sum = g.wrapping_add(h & odd);
            h ^= (h ^ g) & swap;
            g = sum >> 1;
            zeta ^= swap;
            // All ones where zeta is 0, and -1 after this.
            let turn = !(zeta | zeta.wrapping_neg()) >> 63;
            zeta = zeta.wrapping_sub(1);
            h = negated_if(turn, h);
        }
        (zeta, h, g)
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha20Rng;

    use super::*;

    /// Numbers of 62 bits, f odd: random ones, and ones with many equal bits.
    fn numbers() -> impl Iterator<Item = (i64, i64)> {
        let edges = [
            0,
            1,
            -1,
            1 << 19,
            1 << 20,
            1 << 40,
            (1 << 60) - 1,
            -(1 << 60),
            0x5555_5555_5555_5555 >> 2,
        ];
        let mut rng = ChaCha20Rng::seed_from_u64(63);
        let pairs = edges.into_iter().flat_map(move |f| edges.map(|g| (f | 1, g)));
        pairs.chain(
            (0..10_000).map(move |_| (rng.random::<i64>() >> 2 | 1, rng.random::<i64>() >> 2)),
        )
    }

    /// Twice delta, f and g after some steps, by the definition.
    fn defined(mut twice_delta: i64, f: i64, g: i64, steps: u32) -> (i64, i128, i128) {
        let (mut f, mut g) = (i128::from(f), i128::from(g));
        for _ in 0..steps {
            (twice_delta, f, g) = if twice_delta > 0 && g & 1 == 1 {
                (2 - twice_delta, g, (g - f) / 2)
            } else {
                (2 + twice_delta, f, (g + (g & 1) * f) / 2)
            };
        }
        (twice_delta, f, g)
    }

    #[test]
    fn a_batch_is_its_steps_one_by_one() {
        for (f, g) in numbers() {
            for zeta in [-1, 0, 1, -2, 7, -30] {
                let (after, matrix) = batch(zeta, f, g);
                let wide = |a: i64, b: i64| {
                    (i128::from(a) * i128::from(f) + i128::from(b) * i128::from(g)) >> LIMB_BITS
                };
                let row = (wide(matrix.u, matrix.v), wide(matrix.q, matrix.r));
                let expected = defined(-2 * zeta - 1, f, g, BATCH);
                assert_eq!((-2 * after - 1, row.0, row.1), expected, "{zeta} {f:#x} {g:#x}");
            }
        }
    }

    #[test]
    fn the_processor_and_the_portable_file_do_the_same() {
        for (f, g) in numbers() {
            for zeta in [-1, 0, 1, -2, 7, -30] {
                let (h, g) = (negated_if(zeta >> 63, f), g);
                assert_eq!(
                    machine::division_steps(zeta, h, g),
                    portable::division_steps(zeta, h, g),
                    "{zeta} {h:#x} {g:#x}"
                );
            }
        }
    }
}
