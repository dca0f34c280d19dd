//! p = 2^256 - 2^32 - 977: modulo it 2^256 is [`FOLD`], so that the upper half of a product is folded onto the lower.

use super::limbs::{add_carry, mul_add, reduce_once};
use super::spec::secp256k1_fp::MODULUS;

/// 2^256 modulo p, 2^32 + 977.
const FOLD: u64 = MODULUS[0].wrapping_neg();

/// 1 as it is kept: numbers are kept as they are.
pub const R: [u64; 4] = [1, 0, 0, 0];
/// R^2.
pub const R2: [u64; 4] = R;

/// a b modulo p, for any a and b. One function, as for other fields.
#[inline(never)]
pub fn product(a: &[u64; 4], b: &[u64; 4]) -> [u64; 4] {
    let mut wide = [0; 8];
    for i in 0..4 {
        let mut carry = 0;
        for j in 0..4 {
            (wide[i + j], carry) = mul_add(wide[i + j], a[i], b[j], carry);
        }
        wide[i + 4] = carry;
    }
    fold(&wide)
}

/// A number of 512 bits modulo p.
#[inline(always)]
fn fold(wide: &[u64; 8]) -> [u64; 4] {
    // low + FOLD high = t + 2^256 top, top < 2^34.
    let (mut t, mut top) = ([0; 4], 0);
    for i in 0..4 {
        (t[i], top) = mul_add(wide[i], wide[i + 4], FOLD, top);
    }
    // t + FOLD top, below 2^256 + 2^67 and so below 2 p.
    let mut carry;
    (t[0], carry) = mul_add(t[0], top, FOLD, 0);
    (t[1], carry) = add_carry(t[1], carry, 0);
    (t[2], carry) = add_carry(t[2], carry, 0);
    (t[3], carry) = add_carry(t[3], carry, 0);
    reduce_once(&t, carry, &MODULUS)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first fold leaves 2^256 - 1 and a top: the second carries out of 256 bits, as for no operands at random.
    #[test]
    fn a_carry_out_of_the_second_fold_counts() {
        let half = 1 << 63;
        let wide = [u64::MAX, u64::MAX, u64::MAX, half - 1, 0, 0, 0, half];
        let top = (FOLD - 1) / 2;
        assert_eq!(fold(&wide), [FOLD * (top + 1) - 1, 0, 0, 0]);
    }
}
