//! The challenges of the verifier: each round hashes its messages and the challenges before it, as in [PLONK](crate::plonk).
//!
//! | challenge | hashed |
//! |---|---|
//! | beta | C0, public inputs, C1 |
//! | gamma | beta |
//! | seed | gamma, C2 |
//! | alpha | seed, the fifteen evaluations |
//! | y | alpha, W1 |
//!
//! zeta = seed^24. C0, C1 and C2 are opened at the 8th, the 4th and the 3rd roots of zeta, C2 also at the 3rd roots of zeta omega:
//!
//! ```text
//! Z0(X) = X^8 - zeta        Z1(X) = X^4 - zeta        Z2(X) = (X^3 - zeta) (X^3 - zeta omega)
//! W1 = (C0 - R0) / Z0 + alpha (C1 - R1) / Z1 + alpha^2 (C2 - R2) / Z2                        with R_i = C_i modulo Z_i
//! W2 = (C0 - R0(y) + f1 (C1 - R1(y)) + f2 (C2 - R2(y)) - Z0(y) W1) / (X - y)                 with f_i = alpha^i Z0(y) / Z_i(y)
//! ```

use proofmill_algebra::field::Field;

use super::{Evaluations, F, Scalar, VerifyingKey};
use crate::plonk::lagrange::vanishing;
use crate::plonk::transcript::Round;

/// Returns beta and gamma.
pub fn beta_gamma(key: &VerifyingKey, public_inputs: &[Scalar], c1: &[u8]) -> (F, F) {
    let round = Round::default().with_point(&key.c0).with_scalars(public_inputs);
    let beta = round.with_point(c1).challenge();
    (beta, Round::default().with_challenge(beta).challenge())
}

/// Returns the seed of zeta.
pub fn seed(gamma: F, c2: &[u8]) -> F {
    Round::default().with_challenge(gamma).with_point(c2).challenge()
}

/// Returns seed^24.
pub fn zeta(seed: F) -> F {
    seed.pow_vartime(&[24])
}

/// Returns alpha.
pub fn alpha(seed: F, evaluations: &Evaluations) -> F {
    Round::default().with_challenge(seed).with_scalars(evaluations.values()).challenge()
}

/// Returns y.
pub fn y(alpha: F, w1: &[u8]) -> F {
    Round::default().with_challenge(alpha).with_point(w1).challenge()
}

/// zeta, zeta omega and y, with the values of the vanishing polynomials at y.
#[derive(Clone, Copy)]
pub struct AtY {
    pub zeta: F,
    pub zeta_omega: F,
    pub y: F,
    /// y^3.
    pub cube: F,
    /// Z0(y).
    pub z0: F,
    /// Z1(y).
    pub z1: F,
    /// Z2(y).
    pub z2: F,
}

impl AtY {
    /// Computes the values.
    pub fn new([zeta, zeta_omega]: [F; 2], y: F) -> Self {
        let (square, cube) = (y.square(), y.square() * y);
        let (z0, z1) = (square.square().square() - zeta, square.square() - zeta);
        let z2 = (cube - zeta) * (cube - zeta_omega);
        Self { zeta, zeta_omega, y, cube, z0, z1, z2 }
    }

    /// Returns f1 and f2; `None` if a denominator is 0.
    pub fn factors(&self, alpha: F) -> Option<[F; 2]> {
        let inverse = (self.z1 * self.z2).invert_vartime()?;
        let first = alpha * self.z0 * inverse;
        Some([first * self.z2, first * alpha * self.z1])
    }

    /// Returns the product of the denominators whose inverse is part of a proof: those of a verifier that interpolates R0, R1 and R2 by Lagrange
    /// polynomials, and those of the first `count` Lagrange polynomials of the domain of 2^log points.
    ///
    /// ```text
    /// zeta^n - 1,  Z1(y),  Z2(y)
    /// 8 h^6 h_j (y - h_i)                   h = seed^3, and h_i, h_j run through the 8th roots of zeta
    /// 4 h^2 h_j (y - h_i)                   h = seed^6, and the 4th roots
    /// 3 h (zeta - zeta omega) h_j (y - h_i) h = seed^8, and the 3rd roots; likewise those of zeta omega with the opposite difference
    /// n (zeta - omega^i)                    i < count
    /// ```
    ///
    /// The product of the k-th roots h_i of x is (-1)^(k+1) x, and that of all y - h_i is y^k - x.
    pub fn denominators(&self, log: u32, omega: F, count: usize) -> F {
        let Self { zeta, zeta_omega, z0, z1, z2, .. } = *self;
        let power = |x: F, exponent: u64| x.pow_vartime(&[exponent]);
        let eighth = -power(F::from(8), 8) * power(zeta, 7) * z0;
        let fourth = -power(F::from(4), 4) * power(zeta, 3) * z1;
        let third =
            -power(F::from(3), 6) * power(zeta * zeta_omega, 2) * power(zeta - zeta_omega, 6) * z2;
        let (n, mut root, mut lagrange) = (F::from(1 << log), F::ONE, F::ONE);
        for _ in 0..count {
            lagrange *= n * (zeta - root);
            root *= omega;
        }
        vanishing(log, zeta) * z1 * z2 * eighth * fourth * third * lagrange
    }
}
