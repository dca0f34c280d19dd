//! Random bytes of the system, and blinding scalars.

use proofmill_algebra::field::PrimeField;
use proofmill_op::{Secret, SecretBytes};

use crate::{Error, Result};

/// Fills memory from the system's random generator.
#[cfg(not(target_family = "wasm"))]
pub fn fill(bytes: &mut [u8]) -> Result<()> {
    getrandom::fill(bytes).map_err(|problem| Error::Random(problem.to_string()))
}

/// Returns an error: WebAssembly has no random generator. A single proof is verified without one.
#[cfg(target_family = "wasm")]
pub fn fill(_: &mut [u8]) -> Result<()> {
    Err(Error::Random("WebAssembly has none".into()))
}

/// Returns scalars from the system's random generator.
pub fn random_scalars<F: PrimeField>(count: usize) -> Result<Secret<F>> {
    let mut bytes = SecretBytes::zeroed(count * 64);
    fill(&mut bytes)?;
    let mut scalars = Secret::filled(count, F::ZERO);
    for (scalar, bytes) in scalars.iter_mut().zip(bytes.as_chunks::<64>().0) {
        *scalar = F::reduce_wide_le(bytes);
    }
    Ok(scalars)
}
