//! Scalars as digits that are never 0: for eight lanes that go through the same additions.
//!
//! A scalar k becomes k1 + k2 lambda ([`crate::curve::Split`]), with two odd numbers of at most [`BITS`] bits and a
//! sign. The quotients c1 and c2 of the split are not the nearest integers but the nearest of the right parity:
//! a1, b1 and b2 are odd and a2 is even, so k1 = k - c1 a1 - c2 a2 is odd if c1 is not congruent to k modulo 2, and
//! k2 = -c1 b1 - c2 b2 is odd if c2 is not congruent to c1. Each is at most 1 + 2^-64 away from the exact quotient, and
//! |a1| + |a2| and |b1| + |b2| are below 1.3 * 2^128, so |k1| and |k2| are below 2^129.
//!
//! An odd k, |k| < 2^(w m), has m odd digits between -2^w and 2^w (Joye, Tunstall, "Exponent recoding and regular
//! exponentiation algorithms", AFRICACRYPT 2009): if e_i are the digits of (k + 2^(w m) - 1) / 2 to the base 2^w, then
//! d_i = 2 e_i - 2^w + 1.

use crate::curve::spec::secp256k1::endomorphism::{BASIS, QUOTIENTS};

/// Bits of all windows of a half together; the halves are below 2^(BITS - 1).
pub const BITS: u32 = 130;

/// Half of a scalar: an odd number between -2^129 and 2^129, modulo 2^192.
#[derive(Clone, Copy, Debug, Default)]
pub struct Half([u64; 3]);

/// The digits of an odd number that are never 0, any window's at any time: (k + 2^[`BITS`] - 1) / 2.
#[derive(Clone, Copy, Debug, Default)]
pub struct Windows([u64; 3]);

/// A place in a table of odd multiples P, 3 P, 5 P, ..., and a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digit {
    /// Half of the absolute value.
    pub index: usize,
    /// True if it is below 0.
    pub negative: bool,
}

/// The digits of the non-adjacent form, lowest first: 0, or odd.
pub type NonAdjacent = [i16; BITS as usize + 1];

/// The halves k1 and k2 of a canonical scalar.
#[inline(always)]
pub fn split(k: &[u64; 4]) -> [Half; 2] {
    let [c1, c2] = QUOTIENTS.map(|quotient| quotient_of(k, &quotient));
    let c1 = c1 + u128::from((c1 as u64 ^ k[0] ^ 1) & 1);
    let c2 = c2 + u128::from((c2 as u64 ^ c1 as u64 ^ 1) & 1);
    let [[a1, b1], [a2, b2]] = BASIS;
    let k1 = less(less([k[0], k[1], k[2]], c1, &a1), c2, &a2);
    let k2 = less(less([0; 3], c1, &b1), c2, &b2);
    [Half(k1), Half(k2)]
}

impl Half {
    /// Returns windows for digits that are never 0.
    #[inline(always)]
    pub fn windows(self) -> Windows {
        let Self(k) = self;
        // k is odd, so this is k + 2^BITS without its lowest bit.
        let top = k[2].wrapping_add(1 << (BITS - 128));
        Windows([k[0] >> 1 | k[1] << 63, k[1] >> 1 | top << 63, top >> 1])
    }

    /// The non-adjacent form of this width, from 2 to 16: a digit is below 2^(width - 1), and width - 1 zeros follow it
    /// (Hankerson, Menezes, Vanstone, "Guide to elliptic curve cryptography", algorithm 3.35).
    pub fn non_adjacent(self, width: u32) -> NonAdjacent {
        let negative = self.0[2] >> 63 == 1;
        let k = if negative { less([0; 3], 1, &self.0) } else { self.0 };
        let mut digits = [0; BITS as usize + 1];
        // What is left of k, divided by 2^bit, is the bits from `bit` on, and `carry`.
        let (mut bit, mut carry) = (0, 0);
        while bit <= BITS {
            if bits(&k, bit, 1) == carry {
                bit += 1;
                continue;
            }
            let digit = bits(&k, bit, width) + carry;
            carry = digit >> (width - 1);
            let digit = digit as i16 - ((carry as i16) << (width - 1) << 1);
            digits[bit as usize] = if negative { -digit } else { digit };
            bit += width;
        }
        digits
    }
}

impl Windows {
    /// The digit of `width` bits, up to 16, that counts 2^bit; below 2^[`BITS`].
    #[inline(always)]
    pub fn digit(&self, bit: u32, width: u32) -> Digit {
        let bits = bits(&self.0, bit, width);
        let half = 1 << (width - 1);
        let negative = bits & half == 0;
        let flip = if negative { half - 1 } else { 0 };
        Digit { index: ((bits & (half - 1)) ^ flip) as usize, negative }
    }
}

/// Some bits of a number; above 192 there are zeros.
#[inline(always)]
fn bits(number: &[u64; 3], bit: u32, width: u32) -> u64 {
    let (word, low) = ((bit / 64) as usize, bit % 64);
    let mut bits = number[word] >> low;
    if low + width > 64 && word < 2 {
        bits |= number[word + 1] << (64 - low);
    }
    bits & ((1 << width) - 1)
}

/// floor(k quotient / 2^320) of a quotient of three limbs.
#[inline(always)]
fn quotient_of(k: &[u64; 4], quotient: &[u64; 5]) -> u128 {
    let mut product = [0u64; 7];
    for i in 0..3 {
        let mut carry = 0;
        for j in 0..4 {
            let term = u128::from(quotient[i]) * u128::from(k[j]);
            let sum = term + u128::from(product[i + j]) + carry;
            product[i + j] = sum as u64;
            carry = sum >> 64;
        }
        product[i + 4] = carry as u64;
    }
    u128::from(product[6]) << 64 | u128::from(product[5])
}

/// x - c a modulo 2^192.
#[inline(always)]
fn less(x: [u64; 3], c: u128, a: &[u64; 3]) -> [u64; 3] {
    let [c0, c1] = [c as u64, (c >> 64) as u64].map(u128::from);
    let [a0, a1, a2] = a.map(u128::from);
    let low = c0 * a0;
    let middle = c0 * a1 + (low >> 64);
    let other = c1 * a0 + u128::from(middle as u64);
    let carries = (middle >> 64) + (other >> 64);
    let high = (c0 * a2).wrapping_add(c1 * a1).wrapping_add(carries) as u64;
    let (d0, borrow) = x[0].overflowing_sub(low as u64);
    let (d1, first) = x[1].overflowing_sub(other as u64);
    let (d1, second) = d1.overflowing_sub(borrow.into());
    [d0, d1, x[2].wrapping_sub(high).wrapping_sub((first | second).into())]
}

#[cfg(test)]
mod tests;
