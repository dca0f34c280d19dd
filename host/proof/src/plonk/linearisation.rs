//! The linearisation polynomial r of round 5: the quotient's equation at zeta, linear in the polynomials that are not opened (ePrint 2019/953,
//! section 8.3, round 5).
//!
//! ```text
//! r = a b q_m + a q_l + b q_r + c q_o + q_c
//!   + z (alpha (a + beta zeta + gamma) (b + beta k1 zeta + gamma) (c + beta k2 zeta + gamma) + alpha^2 L_0(zeta))
//!   - s3 alpha beta z_omega (a + beta s1 + gamma) (b + beta s2 + gamma)
//!   - (zeta^n - 1) (t_lo + zeta^n t_mid + zeta^2n t_hi)
//!   + r_0
//! ```
//!
//! a, b, c, s1, s2 and z_omega denote evaluations. r(zeta) = 0.

use proofmill_algebra::field::PrimeField;

use super::Evaluations;
use super::lagrange::vanishing;
use crate::{Error, Result};

/// The challenges before round 5.
#[derive(Clone, Copy)]
pub struct Challenges<F> {
    pub beta: F,
    pub gamma: F,
    pub alpha: F,
    pub zeta: F,
}

/// The evaluations as elements.
#[derive(Clone, Copy)]
pub struct Opened<F> {
    pub a: F,
    pub b: F,
    pub c: F,
    pub s1: F,
    pub s2: F,
    pub z_omega: F,
}

impl<F: PrimeField> Opened<F> {
    /// Returns an error that names a value that is not below r.
    pub fn new(evaluations: &Evaluations) -> Result<Self> {
        const NAMES: [&str; 6] = ["a", "b", "c", "s1", "s2", "z_omega"];
        let mut values = [F::ZERO; 6];
        for ((value, bytes), name) in values.iter_mut().zip(evaluations.values()).zip(NAMES) {
            *value = F::from_le_bytes(bytes).map_err(|problem| {
                Error::argument("proof", format!("evaluation {name} is {problem}"))
            })?;
        }
        let [a, b, c, s1, s2, z_omega] = values;
        Ok(Self { a, b, c, s1, s2, z_omega })
    }
}

/// The factors of the polynomials in r; that of q_c is 1.
pub struct Linearisation<F> {
    pub q_m: F,
    pub q_l: F,
    pub q_r: F,
    pub q_o: F,
    pub z: F,
    pub s3: F,
    /// The factors of t_lo, t_mid and t_hi.
    pub t: [F; 3],
    /// r_0 without the value of the public inputs' polynomial.
    pub constant: F,
}

impl<F: PrimeField> Linearisation<F> {
    /// Computes the factors for a domain of 2^log points, the coset shifts k1 and k2, and the value of L_0 at zeta.
    pub fn new(
        log: u32,
        [k1, k2]: [F; 2],
        challenges: &Challenges<F>,
        opened: &Opened<F>,
        l0: F,
    ) -> Self {
        let Challenges { beta, gamma, alpha, zeta } = *challenges;
        let Opened { a, b, c, s1, s2, z_omega } = *opened;
        let place = beta * zeta;
        let identity = (a + place + gamma) * (b + place * k1 + gamma) * (c + place * k2 + gamma);
        let permuted = alpha * (a + beta * s1 + gamma) * (b + beta * s2 + gamma) * z_omega;
        let start = alpha.square() * l0;
        let vanishing = vanishing(log, zeta);
        let power = vanishing + F::ONE;
        Self {
            q_m: a * b,
            q_l: a,
            q_r: b,
            q_o: c,
            z: alpha * identity + start,
            s3: -(permuted * beta),
            t: [-vanishing, -vanishing * power, -vanishing * power.square()],
            constant: -(permuted * (c + gamma)) - start,
        }
    }
}
