//! Factors that are computed once for a plan.

use crate::field::PrimeField;

use super::form::Form;

/// 1, x, x^2, ...: so many.
pub fn powers<F: PrimeField>(x: F, count: usize) -> Vec<F> {
    std::iter::successors(Some(F::ONE), |power| Some(*power * x)).take(count).collect()
}

/// The number with the bits of i, of which there are so many, in the other order.
pub fn reversed(i: usize, bits: u32) -> usize {
    if bits == 0 { 0 } else { i.reverse_bits() >> (usize::BITS - bits) }
}

/// The factors of a transform of 2^log rows that gives values at g w^k, w a root of unity of order 2^log: at 2^l + i that
/// of block i of level l.
///
/// Level l has 2^l blocks of 2 h rows. Block i is a polynomial modulo x^(2h) - t^2; its butterflies leave it modulo
/// x^h - t and modulo x^h + t, the blocks 2 i and 2 i + 1 of the next level. So t = g^h w^e, where e is i with its l bits
/// reversed, times h; and the row at i in the end holds the value for k = i with all bits reversed.
pub fn levels<F: Form<D>, const D: usize>(log: u32, w: F, g: F) -> Vec<[u64; D]> {
    let powers = powers(w, 1 << log.saturating_sub(1));
    let mut factors = vec![[0; D]; 1 << log];
    for level in 0..log {
        let half = 1usize << (log - level - 1);
        let shift = g.pow_vartime(&[half as u64]);
        for i in 0..1 << level {
            let t = shift * powers[reversed(i, level) * half];
            factors[(1 << level) + i] = t.factor_digits();
        }
    }
    factors
}
