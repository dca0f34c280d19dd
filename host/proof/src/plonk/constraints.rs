//! The constraints of a circuit, at the powers w^i of the root of unity of order 4n, where the key has the values of its polynomials.

use proofmill_algebra::field::PrimeField;

use crate::Result;
use crate::snarkjs::PlonkishKey;
use crate::snarkjs::plonk::{Elements, Polynomial};

/// The values of the key's polynomials, with the shifts k1 and k2 and the challenges of the permutation.
pub struct Constraints<'a, F> {
    fixed: [Elements<'a>; 9],
    k: [F; 2],
    beta: F,
    gamma: F,
}

impl<'a, F: PrimeField> Constraints<'a, F> {
    /// Prepares the values of a key. The gates do not use the challenges.
    pub fn new<H>(key: &'a PlonkishKey<H>, k: [F; 2], beta: F, gamma: F) -> Self {
        Self { fixed: Polynomial::ALL.map(|f| key.values(f)), k, beta, gamma }
    }

    /// Returns the value of a polynomial at w^i.
    #[inline]
    pub fn fixed(&self, polynomial: Polynomial, i: usize) -> Result<F> {
        self.fixed[polynomial as usize].get(i)
    }

    /// Returns a b q_m + a q_l + b q_r + c q_o + q_c at w^i.
    #[inline]
    pub fn gate(&self, i: usize, [a, b, c]: [F; 3]) -> Result<F> {
        use Polynomial::{QC, QL, QM, QO, QR};
        let mut gate = a * b * self.fixed(QM, i)?;
        gate += a * self.fixed(QL, i)? + b * self.fixed(QR, i)?;
        gate += c * self.fixed(QO, i)? + self.fixed(QC, i)?;
        Ok(gate)
    }

    /// Returns the difference of the products of the permutation at w^i; `beta_x` is beta w^i.
    ///
    /// ```text
    ///   (a + beta X + gamma) (b + beta k1 X + gamma) (c + beta k2 X + gamma) z
    /// - (a + beta s1 + gamma) (b + beta s2 + gamma) (c + beta s3 + gamma) z_omega
    /// ```
    #[inline]
    pub fn permutation(
        &self,
        i: usize,
        beta_x: F,
        wires: [F; 3],
        [z, z_omega]: [F; 2],
    ) -> Result<F> {
        use Polynomial::{S1, S2, S3};
        let Self { k, beta, gamma, .. } = *self;
        let [a, b, c] = wires.map(|value| value + gamma);
        let identity = (a + beta_x) * (b + beta_x * k[0]) * (c + beta_x * k[1]) * z;
        let [s1, s2, s3] = [S1, S2, S3].map(|s| self.fixed(s, i));
        let permuted = (a + beta * s1?) * (b + beta * s2?) * (c + beta * s3?) * z_omega;
        Ok(identity - permuted)
    }
}
