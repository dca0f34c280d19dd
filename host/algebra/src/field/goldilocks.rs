//! p = 2^64 - 2^32 + 1 in Montgomery form: 1/p = 2^32 + 1 modulo 2^64, and a product with p is two shifts (Pornin,
//! "EcGFp5: a specialized elliptic curve", ePrint 2022/274). Measured against the reduction by 2^64 = 2^32 - 1 and
//! 2^96 = -1 of a plain integer, this one has a step less.

use super::constants::power_of_two;
use super::select::mask;
use super::spec::goldilocks::MODULUS;

/// 1 as it is kept, 2^64 modulo p.
pub const R: [u64; 1] = power_of_two(64, &MODULUS);
/// 2^128 modulo p.
pub const R2: [u64; 1] = power_of_two(128, &MODULUS);

/// a b / 2^64 modulo p, for any a, and b below p.
#[inline(always)]
pub fn product(a: &[u64; 1], b: &[u64; 1]) -> [u64; 1] {
    let wide = u128::from(a[0]) * u128::from(b[0]);
    let (low, high) = (wide as u64, (wide >> 64) as u64);
    // m p = low modulo 2^64, and its upper half is m - floor(m / 2^32), less 1 if m was cut.
    let (m, cut) = low.overflowing_add(low << 32);
    let upper = m - (m >> 32) - u64::from(cut);
    // Both halves are below p; 2^64 less p is what p lacks of a wrap.
    let (difference, borrow) = high.overflowing_sub(upper);
    [difference.wrapping_sub(mask(borrow.into()) & MODULUS[0].wrapping_neg())]
}
