//! The challenges of the verifier: each round hashes its messages and the challenges before it with Keccak-256.
//!
//! | challenge | hashed |
//! |---|---|
//! | beta | commitments of the key, public inputs, a, b, c |
//! | gamma | beta |
//! | alpha | beta, gamma, z |
//! | zeta | alpha, t_lo, t_mid, t_hi |
//! | v | zeta, the six evaluations |
//! | u | W_zeta, W_zeta_omega |
//!
//! A scalar is hashed as 32 bytes, a point as x and y; all integers are big-endian, and the identity is zeros. The digest is a big-endian
//! integer, modulo r.

use proofmill_algebra::field::PrimeField;
use proofmill_algebra::keccak256;

use super::{Evaluations, Scalar, VerifyingKey};

/// The messages of a round.
#[derive(Default)]
pub struct Round(Vec<u8>);

impl Round {
    pub fn with_point(mut self, point: &[u8]) -> Self {
        let (x, y) = point.split_at(point.len() / 2);
        self.0.extend(x.iter().rev().chain(y.iter().rev()));
        self
    }

    pub fn with_points<'a>(self, points: impl IntoIterator<Item = &'a [u8]>) -> Self {
        points.into_iter().fold(self, Self::with_point)
    }

    pub fn with_scalar(mut self, scalar: &[u8]) -> Self {
        self.0.extend(scalar.iter().rev());
        self
    }

    pub fn with_scalars<'a>(self, scalars: impl IntoIterator<Item = &'a Scalar>) -> Self {
        scalars.into_iter().fold(self, |round, scalar| round.with_scalar(scalar))
    }

    pub fn with_challenge<F: PrimeField>(self, challenge: F) -> Self {
        self.with_scalar(challenge.to_le_bytes().as_ref())
    }

    pub fn challenge<F: PrimeField>(self) -> F {
        let mut wide = [0; 64];
        wide[..keccak256::DIGEST_BYTES].copy_from_slice(&keccak256::hash(&self.0));
        wide[..keccak256::DIGEST_BYTES].reverse();
        F::reduce_wide_le(&wide)
    }
}

/// Returns beta and gamma.
pub fn beta_gamma<F: PrimeField>(
    key: &VerifyingKey,
    public_inputs: &[Scalar],
    wires: [&[u8]; 3],
) -> (F, F) {
    let round = Round::default().with_points(key.points());
    let round = round.with_scalars(public_inputs);
    let beta = round.with_points(wires).challenge();
    (beta, Round::default().with_challenge(beta).challenge())
}

/// Returns alpha.
pub fn alpha<F: PrimeField>((beta, gamma): (F, F), z: &[u8]) -> F {
    Round::default().with_challenge(beta).with_challenge(gamma).with_point(z).challenge()
}

/// Returns zeta.
pub fn zeta<F: PrimeField>(alpha: F, quotient: [&[u8]; 3]) -> F {
    Round::default().with_challenge(alpha).with_points(quotient).challenge()
}

/// Returns v.
pub fn v<F: PrimeField>(zeta: F, evaluations: &Evaluations) -> F {
    Round::default().with_challenge(zeta).with_scalars(evaluations.values()).challenge()
}

/// Returns u.
pub fn u<F: PrimeField>(openings: [&[u8]; 2]) -> F {
    Round::default().with_points(openings).challenge()
}
