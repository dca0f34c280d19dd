//! Secrets that are derived from a public seed.

use proofmill_algebra::field::PrimeField;
use sha2::{Digest, Sha256};

/// Returns SHA-256 of "proofmill INSECURE 0 NAME SEED" and of the same with 1: 64 bytes, little-endian, modulo r. It is 0
/// for one seed in 2^250.
fn secret<F: PrimeField>(name: &str, seed: &[u8]) -> F {
    let mut bytes = [0; 64];
    for (half, number) in bytes.chunks_exact_mut(32).zip('0'..) {
        let prefix = format!("proofmill INSECURE {number} {name} ");
        half.copy_from_slice(&Sha256::new().chain_update(prefix).chain_update(seed).finalize());
    }
    F::reduce_wide_le(&bytes)
}

/// The secrets of a key. As in keys of snarkjs, gamma is 1.
#[derive(Clone, Copy)]
pub(super) struct Secrets<F> {
    /// The point at which polynomials are evaluated.
    pub tau: F,
    /// The coefficient of A(tau).
    pub alpha: F,
    /// The coefficient of B(tau).
    pub beta: F,
    /// The divisor of the parts of the private variables.
    pub delta: F,
}

impl<F: PrimeField> Secrets<F> {
    pub fn new(seed: &[u8]) -> Self {
        Self {
            tau: secret("tau", seed),
            alpha: secret("alpha", seed),
            beta: secret("beta", seed),
            delta: secret("delta", seed),
        }
    }
}
