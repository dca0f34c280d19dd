//! One element modulo p = 2^256 - C, C = 2^32 + 977, for speed where nothing is secret.
//!
//! Four words, any number below 2^256: a value below C has two forms, and only [`Coordinate::is_zero`] looks at both. So
//! nothing is compared with p, and what passes 2^256 comes back as C.

use crate::field::limbs::{add, sub};
use crate::field::secp256k1::{FOLD as C, half, loose_product, loose_square};
use crate::field::spec::secp256k1_fp::MODULUS as P;

/// An element as 64-bit limbs, lowest first.
#[derive(Clone, Copy, Debug)]
pub struct Coordinate([u64; 4]);

impl Coordinate {
    /// 0.
    pub const ZERO: Self = Self([0; 4]);
    /// 1.
    pub const ONE: Self = Self([1, 0, 0, 0]);

    /// The number of four words.
    #[inline(always)]
    pub const fn new(words: &[u64; 4]) -> Self {
        Self(*words)
    }

    /// x y.
    #[inline(always)]
    pub fn times(&self, y: &Self) -> Self {
        Self(loose_product(&self.0, &y.0))
    }

    /// x^2.
    #[inline(always)]
    pub fn square(&self) -> Self {
        Self(loose_square(&self.0))
    }

    /// x + y.
    #[inline(always)]
    pub fn plus(&self, y: &Self) -> Self {
        let (sum, carry) = add(&self.0, &y.0);
        let (mut sum, carry) = add(&sum, &[C & carry.wrapping_neg(), 0, 0, 0]);
        // After a second carry the sum is below C.
        sum[0] += C & carry.wrapping_neg();
        Self(sum)
    }

    /// x - y.
    #[inline(always)]
    pub fn minus(&self, y: &Self) -> Self {
        let (difference, borrow) = sub(&self.0, &y.0);
        let (mut difference, borrow) = sub(&difference, &[C & borrow.wrapping_neg(), 0, 0, 0]);
        // After a second borrow the difference is at least 2^256 - C.
        difference[0] -= C & borrow.wrapping_neg();
        Self(difference)
    }

    /// -x.
    #[inline(always)]
    pub fn negative(&self) -> Self {
        Self::ZERO.minus(self)
    }

    /// 2 x.
    #[inline(always)]
    pub fn double(&self) -> Self {
        self.plus(self)
    }

    /// x / 2.
    #[inline(always)]
    pub fn half(&self) -> Self {
        Self(half(&self.0))
    }

    /// Returns whether x is 0.
    #[inline(always)]
    pub fn is_zero(&self) -> bool {
        self.0 == [0; 4] || self.0 == P
    }
}

#[cfg(test)]
mod tests;
