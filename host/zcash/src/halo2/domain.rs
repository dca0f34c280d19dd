//! The rows of a table as powers of a root of unity, and the Lagrange polynomials of rows.

use proofmill_algebra::field::{Field, PrimeField};

use super::Scalar;

/// The 2^k powers of ω.
pub struct Domain {
    k: u32,
    omega: Scalar,
    omega_inverse: Scalar,
    /// 2^-k.
    size_inverse: Scalar,
}

impl Domain {
    /// Returns the domain of 2^k rows.
    pub fn new(k: u32) -> Self {
        let root = Scalar::ROOT_OF_UNITY.expect("the specification has a generator");
        let omega = (k..Scalar::TWO_ADICITY).fold(root, |root, _| root.square());
        let invert = |x: Scalar| x.invert_vartime().expect("not 0");
        Self { k, omega, omega_inverse: invert(omega), size_inverse: invert(Scalar::from(1 << k)) }
    }

    /// Returns ω^rotation x.
    pub fn rotated(&self, x: Scalar, rotation: i32) -> Scalar {
        let base = if rotation < 0 { self.omega_inverse } else { self.omega };
        x * base.pow_vartime(&[rotation.unsigned_abs().into()])
    }

    /// Returns x^(2^k).
    pub fn power_of_size(&self, x: Scalar) -> Scalar {
        (0..self.k).fold(x, |power, _| power.square())
    }

    /// Returns ω^-i / 2^k for each i below 2^k: the coefficients of the Lagrange polynomial of row 1 and, with steps of j, of row j.
    pub fn lagrange_coefficients(&self, row: u32) -> Vec<Scalar> {
        let step = self.rotated(Scalar::ONE, -(row as i32));
        std::iter::successors(Some(self.size_inverse), |c| Some(*c * step))
            .take(1 << self.k)
            .collect()
    }

    /// Evaluates the Lagrange polynomials of rows at x: l_i(x) = ω^i (x^n - 1) / (n (x - ω^i)). `None` if x is a row.
    pub fn lagrange(&self, x: Scalar, rows: impl Iterator<Item = i32>) -> Option<Vec<Scalar>> {
        let common = (self.power_of_size(x) - Scalar::ONE) * self.size_inverse;
        if common == Scalar::ZERO {
            return None;
        }
        let roots: Vec<_> = rows.map(|row| self.rotated(Scalar::ONE, row)).collect();
        let mut values: Vec<_> = roots.iter().map(|root| x - root).collect();
        Scalar::batch_invert_vartime(&mut values);
        values.iter_mut().zip(&roots).for_each(|(value, root)| *value *= common * root);
        Some(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lagrange_polynomials_are_their_coefficients() {
        let domain = Domain::new(4);
        let x = Scalar::from(0x1234_5678);
        let values = domain.lagrange(x, -3..=2).unwrap();
        for (row, value) in (-3_i32..=2).zip(values) {
            let coefficients = domain.lagrange_coefficients(row.rem_euclid(16) as u32);
            let at = coefficients.iter().rev().fold(Scalar::ZERO, |sum, c| sum * x + c);
            assert_eq!(at, value, "row {row}");
        }
        assert!(domain.lagrange(domain.rotated(Scalar::ONE, 5), 0..1).is_none());
    }
}
