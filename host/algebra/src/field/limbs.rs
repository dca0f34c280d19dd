//! Integers of N limbs of 64 bits, lowest first. Nothing here branches on a limb, apart from the functions that
//! compute constants: those say so.

/// a + b + carry, and the carry; `carry` is 0 or 1.
#[inline(always)]
pub const fn add_carry(a: u64, b: u64, carry: u64) -> (u64, u64) {
    let (sum, first) = a.overflowing_add(b);
    let (sum, second) = sum.overflowing_add(carry);
    (sum, (first | second) as u64)
}

/// a - b - borrow, and the borrow; `borrow` is 0 or 1.
#[inline(always)]
pub const fn sub_borrow(a: u64, b: u64, borrow: u64) -> (u64, u64) {
    let (difference, first) = a.overflowing_sub(b);
    let (difference, second) = difference.overflowing_sub(borrow);
    (difference, (first | second) as u64)
}

/// The low and the high half of a + b c + carry.
#[inline(always)]
pub const fn mul_add(a: u64, b: u64, c: u64, carry: u64) -> (u64, u64) {
    let wide = a as u128 + b as u128 * c as u128 + carry as u128;
    (wide as u64, (wide >> 64) as u64)
}

/// a + b, and the carry.
#[inline(always)]
pub const fn add<const N: usize>(a: &[u64; N], b: &[u64; N]) -> ([u64; N], u64) {
    let (mut sum, mut carry, mut i) = ([0; N], 0, 0);
    while i < N {
        (sum[i], carry) = add_carry(a[i], b[i], carry);
        i += 1;
    }
    (sum, carry)
}

/// a - b, and the borrow.
#[inline(always)]
pub const fn sub<const N: usize>(a: &[u64; N], b: &[u64; N]) -> ([u64; N], u64) {
    let (mut difference, mut borrow, mut i) = ([0; N], 0, 0);
    while i < N {
        (difference[i], borrow) = sub_borrow(a[i], b[i], borrow);
        i += 1;
    }
    (difference, borrow)
}

/// `chosen` if `bit` is 1, `otherwise` if it is 0.
#[inline(always)]
pub const fn select<const N: usize>(bit: u64, chosen: &[u64; N], otherwise: &[u64; N]) -> [u64; N] {
    let mask = bit.wrapping_neg();
    let (mut limbs, mut i) = ([0; N], 0);
    while i < N {
        limbs[i] = chosen[i] & mask | otherwise[i] & !mask;
        i += 1;
    }
    limbs
}

/// a + 2^(64 N) carry modulo p; the number is below 2 p.
#[inline(always)]
pub const fn reduce_once<const N: usize>(a: &[u64; N], carry: u64, p: &[u64; N]) -> [u64; N] {
    let (difference, borrow) = sub(a, p);
    // Below p exactly if the subtraction borrows and there is no carry to borrow from.
    select(borrow & !carry, a, &difference)
}

/// a + b modulo p, both below p.
#[inline(always)]
pub const fn add_mod<const N: usize>(a: &[u64; N], b: &[u64; N], p: &[u64; N]) -> [u64; N] {
    let (sum, carry) = add(a, b);
    reduce_once(&sum, carry, p)
}

/// a - b modulo p, both below p.
#[inline(always)]
pub const fn sub_mod<const N: usize>(a: &[u64; N], b: &[u64; N], p: &[u64; N]) -> [u64; N] {
    let (difference, borrow) = sub(a, b);
    add(&difference, &select(borrow, p, &[0; N])).0
}

/// 1 if a is below b, otherwise 0.
pub const fn below<const N: usize>(a: &[u64; N], b: &[u64; N]) -> u64 {
    sub(a, b).1
}

/// Bits without leading zeros. Branches: for constants.
pub const fn bit_length(a: &[u64]) -> u32 {
    let mut i = a.len();
    while i > 0 && a[i - 1] == 0 {
        i -= 1;
    }
    if i == 0 { 0 } else { 64 * i as u32 - a[i - 1].leading_zeros() }
}

/// Zero bits at the low end of a number that is not 0. Branches: for constants.
pub const fn trailing_zeros(a: &[u64]) -> u32 {
    let mut i = 0;
    while a[i] == 0 {
        i += 1;
    }
    64 * i as u32 + a[i].trailing_zeros()
}

/// a >> bits. Branches: for constants.
pub const fn shift_right<const N: usize>(a: &[u64; N], bits: u32) -> [u64; N] {
    let (whole, part) = ((bits / 64) as usize, bits % 64);
    let (mut limbs, mut i) = ([0; N], 0);
    while i + whole < N {
        limbs[i] = a[i + whole] >> part;
        if part > 0 && i + whole + 1 < N {
            limbs[i] |= a[i + whole + 1] << (64 - part);
        }
        i += 1;
    }
    limbs
}

/// 2^power modulo p. Branches: for constants.
pub const fn power_of_two<const N: usize>(power: usize, p: &[u64; N]) -> [u64; N] {
    let mut x = [0; N];
    x[0] = 1;
    let mut i = 0;
    while i < power {
        x = add_mod(&x, &x, p);
        i += 1;
    }
    x
}

/// 1/a modulo 2^64 of an odd a: Newton's iteration doubles the good bits, from the five of 3 a ^ 2.
pub const fn inverse_mod_word(a: u64) -> u64 {
    let mut x = (a.wrapping_mul(3)) ^ 2;
    let mut good = 5;
    while good < 64 {
        x = x.wrapping_mul(2u64.wrapping_sub(a.wrapping_mul(x)));
        good *= 2;
    }
    x
}
