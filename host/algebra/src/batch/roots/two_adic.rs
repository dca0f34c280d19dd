//! Square roots modulo p with p - 1 = 2^32 t, t odd, from a power and a logarithm by tables (Sarkar, ePrint 2020/1407):
//! with w = x^((t - 1) / 2) and a root of unity g of order 2^32, x w^2 is g^e, and x is a square if e is even. Then
//! (x w g^(-e/2))^2 = x (x w^2) g^(-e) = x.
//!
//! e has four digits to the base 256, lowest first, as Pohlig and Hellman find them: 24 squarings and 6 multiplications.

use crate::field::PrimeField;

/// The 2-adicity of p - 1.
pub const BITS: u32 = 32;
/// Bits of a digit.
const DIGIT: u32 = 8;
/// Digits of a logarithm.
const DIGITS: usize = (BITS / DIGIT) as usize;

/// Powers of g.
pub struct Tables<F> {
    /// g^(-d 256^i) for each digit d, in row i.
    inverses: Vec<Vec<F>>,
    /// The lowest limb of h^d in Montgomery form, and d, in ascending order; h = g^(2^24) has order 256.
    logarithms: Vec<(u64, u8)>,
}

impl<F: PrimeField> Tables<F> {
    /// Computes the tables.
    pub fn compute() -> Self {
        const { assert!(F::TWO_ADICITY == BITS, "the digits are those of 32 bits") }
        let g = F::ROOT_OF_UNITY.expect("the field's file has a generator");
        let mut base = g.invert().expect("a root of unity is not 0");
        let rows = (0..DIGITS).map(|_| {
            let row = powers(base);
            base = raised(base);
            row
        });
        let inverses = rows.collect();
        let h = (1..DIGITS).fold(g, |h, _| raised(h));
        let mut logarithms: Vec<_> = powers(h).iter().map(lowest).zip(0..=u8::MAX).collect();
        logarithms.sort_unstable();
        Self { inverses, logarithms }
    }

    /// Returns a root of x, either of the two; none if x is no square. `power` is x^((t - 1) / 2).
    pub fn root(&self, x: &F, power: &F) -> Option<F> {
        if *x == F::ZERO {
            return Some(F::ZERO);
        }
        let root = *x * power;
        let e = self.logarithm(root * power);
        let half = (e >> 1).to_le_bytes();
        let root = (0..DIGITS).fold(root, |root, i| root * self.inverse(i, half[i]));
        (e & 1 == 0).then_some(root)
    }

    /// The e with g^e = t.
    fn logarithm(&self, t: F) -> u32 {
        // t^(2^24), t^(2^16), t^(2^8), t.
        let mut powers = [t; DIGITS];
        for i in (1..DIGITS).rev() {
            powers[i - 1] = raised(powers[i]);
        }
        let mut digits = [0; DIGITS];
        for i in 0..DIGITS {
            let below = (0..i).map(|j| self.inverse(DIGITS - 1 - i + j, digits[j]));
            digits[i] = self.digit(below.fold(powers[i], |power, inverse| power * inverse));
        }
        u32::from_le_bytes(digits)
    }

    /// g^(-digit 256^i).
    fn inverse(&self, i: usize, digit: u8) -> &F {
        &self.inverses[i][usize::from(digit)]
    }

    /// The d with h^d = power.
    fn digit(&self, power: F) -> u8 {
        let limb = lowest(&power);
        let at = self.logarithms.binary_search_by_key(&limb, |(limb, _)| *limb);
        self.logarithms[at.expect("a power of h")].1
    }
}

/// 1, x, …, x^255.
fn powers<F: PrimeField>(x: F) -> Vec<F> {
    std::iter::successors(Some(F::ONE), |power| Some(*power * x)).take(1 << DIGIT).collect()
}

/// x^256.
fn raised<F: PrimeField>(x: F) -> F {
    (0..DIGIT).fold(x, |power, _| power.square())
}

fn lowest<F: PrimeField>(x: &F) -> u64 {
    x.to_montgomery().as_ref()[0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Field;
    use crate::{bls12_381, pallas, vesta};

    /// Otherwise a digit is not found, or the wrong one.
    fn limbs_differ<F: PrimeField>() {
        let tables = Tables::<F>::compute();
        assert!(tables.logarithms.windows(2).all(|pair| pair[0].0 < pair[1].0), "{}", F::NAME);
    }

    #[test]
    fn the_lowest_limbs_of_a_table_differ() {
        limbs_differ::<bls12_381::Fr>();
        limbs_differ::<pallas::Fp>();
        limbs_differ::<vesta::Fp>();
    }

    #[test]
    fn logarithms_are_found() {
        let tables = Tables::<pallas::Fp>::compute();
        let g = pallas::Fp::ROOT_OF_UNITY.unwrap();
        for e in [0, 1, 2, 255, 256, 0x0102_0304, 0x8000_0000, u32::MAX - 1, u32::MAX] {
            assert_eq!(tables.logarithm(g.pow_vartime(&[u64::from(e)])), e);
        }
    }
}
