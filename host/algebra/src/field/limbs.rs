//! Integers of N limbs of 64 bits, lowest first, in constant time.

use super::select::{mask, select};

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

/// a + 2^(64 N) carry modulo p; the number is below 2 p.
#[inline(always)]
pub fn reduce_once<const N: usize>(a: &[u64; N], carry: u64, p: &[u64; N]) -> [u64; N] {
    #[cfg(target_arch = "x86_64")]
    if let Some(reduced) = super::x86_64::reduce_once(a, carry, p) {
        return reduced;
    }
    #[cfg(target_arch = "aarch64")]
    if let Some(reduced) = super::aarch64::reduce_once(a, carry, p) {
        return reduced;
    }
    let (difference, borrow) = sub(a, p);
    // Below p exactly if the subtraction borrows and there is no carry to borrow from.
    select(borrow & !carry, a, &difference)
}

/// a + b modulo p, both below p.
#[inline(always)]
pub fn add_mod<const N: usize>(a: &[u64; N], b: &[u64; N], p: &[u64; N]) -> [u64; N] {
    let (sum, carry) = add(a, b);
    reduce_once(&sum, carry, p)
}

/// a - b modulo p, both below p.
#[inline(always)]
pub fn sub_mod<const N: usize>(a: &[u64; N], b: &[u64; N], p: &[u64; N]) -> [u64; N] {
    let (difference, borrow) = sub(a, b);
    let mask = mask(borrow);
    add(&difference, &std::array::from_fn(|i| p[i] & mask)).0
}

/// 1 if a is below b, otherwise 0.
pub const fn below<const N: usize>(a: &[u64; N], b: &[u64; N]) -> u64 {
    sub(a, b).1
}
