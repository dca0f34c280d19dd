//! The obvious way, for small sizes.

use crate::field::{DecodeError, PrimeField};

use super::plan::NotBelowModulus;
use super::tables::reversed;
use super::transform::Transform;

/// Transforms as many elements as the transform has, from canonical bytes to canonical bytes. Another length is a bug of
/// the caller.
///
/// Cooley and Tukey, "An algorithm for the machine calculation of complex Fourier series", 1965.
pub fn direct<F: PrimeField>(
    transform: &Transform<F>,
    source: &[u8],
    target: &mut [u8],
) -> Result<(), NotBelowModulus> {
    let size = transform.size();
    assert!(source.len() == size * F::BYTES && target.len() == source.len(), "a size's bytes");
    let mut x = vec![F::ZERO; size];
    let mut power = transform.scale;
    for (i, bytes) in source.chunks_exact(F::BYTES).enumerate() {
        let element = F::from_le_bytes(bytes).map_err(|problem| match problem {
            DecodeError::NotReduced => NotBelowModulus(i),
            DecodeError::Length { .. } => unreachable!("chunks of an element's length"),
        })?;
        x[reversed(i, transform.log_size)] = element * power;
        power *= transform.input;
    }
    for level in 0..transform.log_size {
        let half = 1 << level;
        let root = transform.root.pow_vartime(&[((size / 2) >> level) as u64]);
        let mut power = F::ONE;
        for k in 0..half {
            for block in x.chunks_exact_mut(2 * half) {
                let product = block[k + half] * power;
                (block[k], block[k + half]) = (block[k] + product, block[k] - product);
            }
            power *= root;
        }
    }
    let mut power = F::ONE;
    for (x, bytes) in x.iter().zip(target.chunks_exact_mut(F::BYTES)) {
        bytes.copy_from_slice((*x * power).to_le_bytes().as_ref());
        power *= transform.output;
    }
    Ok(())
}
