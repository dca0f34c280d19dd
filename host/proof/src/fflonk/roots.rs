//! The roots of unity that the files of snarkjs contain. They follow from the size of the domain.

use proofmill_algebra::field::{Field, PrimeField};

use super::{F, Scalar};
use crate::groth16::quotient::root;
use crate::plonk::polynomial::put;

/// Roots of unity for a domain of 2^log points.
#[derive(Clone, Copy)]
pub struct Roots {
    /// A cube root of 1: 5^(2 (r - 1) / 3).
    pub w3: F,
    /// The root of order 4.
    pub w4: F,
    /// The root of order 8.
    pub w8: F,
    /// The cube root of omega that is a power of omega.
    pub wr: F,
}

impl Roots {
    /// Computes the roots; the field has a root of order 2^log.
    pub fn new(log: u32) -> Self {
        // r - 1 is a multiple of 3.
        let third = divided_by_3(F::MODULUS);
        let w3 = F::from(5).pow_vartime(&third).square();
        // 3 (2^m + 1) / 3 is 1 modulo 2^log for an odd m from log on.
        let m = log | 1;
        let wr = root::<F>(log).pow_vartime(&[((1 << m) + 1) / 3]);
        Self { w3, w4: root(2), w8: root(3), wr }
    }

    /// Returns the roots with their names in the files, in the files' order.
    pub fn named(&self) -> [(&'static str, Scalar); 4] {
        [("w3", self.w3), ("w4", self.w4), ("w8", self.w8), ("wr", self.wr)].map(|(name, root)| {
            let mut bytes = Scalar::default();
            put(root, &mut bytes);
            (name, bytes)
        })
    }
}

/// Divides an integer of 64-bit limbs, lowest first, by 3, rounded down.
fn divided_by_3(integer: &[u64]) -> Vec<u64> {
    let mut quotient = integer.to_vec();
    let mut rest = 0;
    for limb in quotient.iter_mut().rev() {
        let all = rest << 64 | u128::from(*limb);
        (*limb, rest) = ((all / 3) as u64, all % 3);
    }
    quotient
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_roots_have_their_orders() {
        for log in 3..=28 {
            let Roots { w3, w4, w8, wr } = Roots::new(log);
            assert_eq!(w3.square() + w3 + F::ONE, F::ZERO);
            assert_eq!((w4.square(), w8.square()), (-F::ONE, w4));
            assert_eq!(wr.square() * wr, root(log));
        }
    }
}
