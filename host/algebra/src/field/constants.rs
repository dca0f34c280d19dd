//! Numbers that are computed while the program is compiled, or that are no secret: these functions branch.

use super::limbs::{add, sub};
use super::multiply::{Reduction, multiply};

/// a + 2^(64 N) carry modulo p; the number is below 2 p.
pub const fn reduce_once<const N: usize>(a: &[u64; N], carry: u64, p: &[u64; N]) -> [u64; N] {
    let (difference, borrow) = sub(a, p);
    if carry < borrow { *a } else { difference }
}

/// a b / 2^(64 N) modulo p, for a any number of N limbs and b below p.
pub const fn product<const N: usize>(a: &[u64; N], b: &[u64; N], r: &Reduction<N>) -> [u64; N] {
    let (t, top) = multiply(a, b, r);
    reduce_once(&t, top, &r.p)
}

/// Bits without leading zeros.
pub const fn bit_length(a: &[u64]) -> u32 {
    let mut i = a.len();
    while i > 0 && a[i - 1] == 0 {
        i -= 1;
    }
    if i == 0 { 0 } else { 64 * i as u32 - a[i - 1].leading_zeros() }
}

/// Zero bits at the low end of a number that is not 0.
pub const fn trailing_zeros(a: &[u64]) -> u32 {
    let mut i = 0;
    while a[i] == 0 {
        i += 1;
    }
    64 * i as u32 + a[i].trailing_zeros()
}

/// a >> bits.
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

/// 2^power modulo p.
pub const fn power_of_two<const N: usize>(power: usize, p: &[u64; N]) -> [u64; N] {
    let mut x = [0; N];
    x[0] = 1;
    let mut i = 0;
    while i < power {
        let (double, carry) = add(&x, &x);
        x = reduce_once(&double, carry, p);
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
