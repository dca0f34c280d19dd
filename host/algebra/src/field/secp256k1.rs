//! p = 2^256 - 2^32 - 977: modulo it 2^256 is [`FOLD`], so that the upper half of a product is folded onto the lower.

#[cfg(not(target_arch = "x86_64"))]
use portable as machine;
#[cfg(target_arch = "x86_64")]
use x86_64 as machine;

use super::limbs::{add_carry, mul_add, reduce_once};
use super::select::mask;
use super::spec::secp256k1_fp::MODULUS;
#[cfg(target_arch = "x86_64")]
use super::x86_64::Adx;

#[cfg(target_arch = "x86_64")]
mod x86_64;

/// 2^256 modulo p, 2^32 + 977.
pub const FOLD: u64 = MODULUS[0].wrapping_neg();

/// 1 as it is kept: numbers are kept as they are.
pub const R: [u64; 4] = [1, 0, 0, 0];
/// R^2.
pub const R2: [u64; 4] = R;

/// a b modulo p, for any a and b. One function, as for other fields.
#[inline(never)]
pub fn product(a: &[u64; 4], b: &[u64; 4]) -> [u64; 4] {
    reduce_once(&product_here(a, b), 0, &MODULUS)
}

/// a b modulo p, for any a and b: below 2^256, but maybe not below p.
#[inline(never)]
pub fn loose_product(a: &[u64; 4], b: &[u64; 4]) -> [u64; 4] {
    product_here(a, b)
}

#[inline(always)]
fn product_here(a: &[u64; 4], b: &[u64; 4]) -> [u64; 4] {
    #[cfg(target_arch = "x86_64")]
    if let Some(adx) = Adx::detect() {
        return x86_64::product(adx, a, b);
    }
    portable_product(a, b)
}

/// a^2 modulo p, likewise.
#[inline(never)]
pub fn loose_square(a: &[u64; 4]) -> [u64; 4] {
    #[cfg(target_arch = "x86_64")]
    if let Some(adx) = Adx::detect() {
        return x86_64::square(adx, a);
    }
    portable_product(a, a)
}

/// a / 2 modulo p, below 2^256, for any a.
#[inline(always)]
pub fn half(a: &[u64; 4]) -> [u64; 4] {
    machine::half(a, mask(a[0] & 1))
}

#[cfg(any(test, not(target_arch = "x86_64")))]
mod portable {
    use super::MODULUS;
    use crate::field::limbs::add;

    /// (a + p) / 2 if `odd` is all ones, a / 2 if it is 0.
    #[inline(always)]
    pub fn half(a: &[u64; 4], odd: u64) -> [u64; 4] {
        let (sum, carry) = add(a, &MODULUS.map(|word| word & odd));
        std::array::from_fn(|i| sum[i] >> 1 | sum.get(i + 1).unwrap_or(&carry) << 63)
    }
}

/// Written out: a compiler that keeps the loop over the rows takes half as long again.
#[inline(always)]
fn portable_product(a: &[u64; 4], b: &[u64; 4]) -> [u64; 4] {
    let (w0, t) = row([0; 4], a[0], b);
    let (w1, t) = row(t, a[1], b);
    let (w2, t) = row(t, a[2], b);
    let (w3, [w4, w5, w6, w7]) = row(t, a[3], b);
    fold(&[w0, w1, w2, w3, w4, w5, w6, w7])
}

/// t + x b: the lowest word, which is final, and the others.
#[inline(always)]
fn row([t0, t1, t2, t3]: [u64; 4], x: u64, b: &[u64; 4]) -> (u64, [u64; 4]) {
    let (w0, carry) = mul_add(t0, x, b[0], 0);
    let (w1, carry) = mul_add(t1, x, b[1], carry);
    let (w2, carry) = mul_add(t2, x, b[2], carry);
    let (w3, w4) = mul_add(t3, x, b[3], carry);
    (w0, [w1, w2, w3, w4])
}

/// A number of 512 bits modulo p, below 2^256.
#[inline(always)]
fn fold(wide: &[u64; 8]) -> [u64; 4] {
    // low + FOLD high = t + 2^256 top, top < 2^34.
    let (mut t, mut top) = ([0; 4], 0);
    for i in 0..4 {
        (t[i], top) = mul_add(wide[i], wide[i + 4], FOLD, top);
    }
    // t + FOLD top, below 2^256 + 2^67.
    let mut carry;
    (t[0], carry) = mul_add(t[0], top, FOLD, 0);
    (t[1], carry) = add_carry(t[1], carry, 0);
    (t[2], carry) = add_carry(t[2], carry, 0);
    (t[3], carry) = add_carry(t[3], carry, 0);
    // After a carry t is below 2^67.
    (t[0], carry) = add_carry(t[0], FOLD & carry.wrapping_neg(), 0);
    t[1] += carry;
    t
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha20Rng;

    use super::*;
    use crate::field::constants;
    use crate::field::multiply::Reduction;

    /// The first fold leaves 2^256 - 1 and a top: the second carries out of 256 bits, as for no operands at random.
    #[test]
    fn a_carry_out_of_the_second_fold_counts() {
        let half = 1 << 63;
        let wide = [u64::MAX, u64::MAX, u64::MAX, half - 1, 0, 0, 0, half];
        let top = (FOLD - 1) / 2;
        assert_eq!(fold(&wide), [FOLD * (top + 1) - 1, 0, 0, 0]);
    }

    /// Numbers around 0, p, 2^256 and powers of two, and random ones, against Montgomery's product.
    #[test]
    fn products_and_squares_are_those_of_the_general_code() {
        let reduction = &Reduction::new(MODULUS);
        let square_of_radix = constants::power_of_two(512, &MODULUS);
        let expected = |a: &[u64; 4], b: &[u64; 4]| {
            let b = constants::product(b, &square_of_radix, reduction);
            constants::product(a, &b, reduction)
        };
        let mut rng = ChaCha20Rng::seed_from_u64(256);
        let words = [0, 1, 1 << 63, u64::MAX, MODULUS[0], MODULUS[0] - 1, FOLD, FOLD - 1];
        let edges = (0..4096).map(|i| std::array::from_fn(|j| words[i >> (3 * j) & 7]));
        let random = (0..4096).map(|_| std::array::from_fn(|_| rng.random()));
        let numbers: Vec<[u64; 4]> = edges.chain(random).collect();
        for (i, a) in numbers.iter().enumerate() {
            let square = reduce_once(&loose_square(a), 0, &MODULUS);
            assert_eq!(square, expected(a, a), "{a:x?}");
            let halves = [half(a), portable::half(a, mask(a[0] & 1))];
            for half in halves {
                assert_eq!(product(&half, &[2, 0, 0, 0]), reduce_once(a, 0, &MODULUS), "{a:x?}");
            }
            for step in [1, 7, 63, 512, 4096 + 5] {
                let b = &numbers[(i + step) % numbers.len()];
                assert_eq!(product(a, b), expected(a, b), "{a:x?} {b:x?}");
                let portable = reduce_once(&portable_product(a, b), 0, &MODULUS);
                assert_eq!(portable, expected(a, b), "{a:x?} {b:x?}");
            }
        }
    }
}
