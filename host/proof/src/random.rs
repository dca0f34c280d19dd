//! Blinding scalars.

use proofmill_algebra::field::PrimeField;
use proofmill_op::{Secret, SecretBytes};

use crate::{Error, Result};

/// Returns scalars from the system's random generator.
pub fn random_scalars<F: PrimeField>(count: usize) -> Result<Secret<F>> {
    let mut bytes = SecretBytes::zeroed(count * 64);
    getrandom::fill(&mut bytes).map_err(|problem| Error::Random(problem.to_string()))?;
    let mut scalars = Secret::filled(count, F::ZERO);
    for (scalar, bytes) in scalars.iter_mut().zip(bytes.as_chunks::<64>().0) {
        *scalar = F::reduce_wide_le(bytes);
    }
    Ok(scalars)
}
