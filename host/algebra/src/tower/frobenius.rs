//! The constants of a -> a^p in a tower.
//!
//! Fp12 is `Fp2[w] / (w^6 - xi)`, so a = sum of a_i w^i with a_i in Fp2, and
//!
//! ```text
//! a^(p^k) = sum of  a_i^(p^k) * gamma(k, i) * w^i,     gamma(k, i) = xi^(i (p^k - 1) / 6)
//! ```
//!
//! where a_i^(p^k) is a_i or its conjugate, and gamma(k + 1, i) = gamma(k, i)^p * gamma(1, i).

use super::{Fp2, Tower};
use crate::field::{Field, PrimeField};

/// gamma(k, i) for k below 12 and i below 6.
#[derive(Clone, Copy, Debug)]
pub struct Frobenius<T: Tower>([[Fp2<T>; 6]; 12]);

impl<T: Tower> Frobenius<T> {
    /// Computes the constants from p and xi: one exponentiation and 65 multiplications.
    pub fn compute() -> Self {
        let mut sixth = T::Base::MODULUS.to_vec();
        let rest = divide_by_6(&mut sixth);
        assert_eq!(rest, 1, "p = 1 mod 6, or v^3 = xi and w^2 = v make no field");
        let root = T::XI.pow_vartime(&sixth);

        let mut first = [Fp2::ONE; 6];
        for i in 1..6 {
            first[i] = first[i - 1] * root;
        }
        let mut table = [[Fp2::ONE; 6]; 12];
        for k in 1..12 {
            for i in 0..6 {
                table[k][i] = table[k - 1][i].conjugate() * first[i];
            }
        }
        Self(table)
    }

    /// xi^(i (p^k - 1) / 6), for i below 6 and any k.
    pub fn gamma(&self, k: usize, i: usize) -> Fp2<T> {
        self.0[k % 12][i]
    }
}

/// Divides a number of 64-bit limbs, least significant first, in place; returns the remainder.
fn divide_by_6(limbs: &mut [u64]) -> u64 {
    limbs.iter_mut().rev().fold(0, |rest, limb| {
        let dividend = u128::from(rest) << 64 | u128::from(*limb);
        *limb = (dividend / 6) as u64;
        (dividend % 6) as u64
    })
}
