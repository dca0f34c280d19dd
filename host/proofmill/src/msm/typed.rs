//! MSMs of points and scalars that are not bytes yet.

use proofmill_algebra::curve::Affine;
use proofmill_algebra::encoding::pair;
use proofmill_algebra::field::PrimeField;
use proofmill_algebra::msm::Group;

use super::{Bases, msm};
use crate::malformed::malformed;
use crate::{Device, Error, Result, SecretBytes};

/// Returns bases from affine points, which are on their curve by type; the device checks that they are in the subgroup, unless
/// [`Bases::unchecked`] is called. Returns an error if there are no MSMs in this group.
pub fn bases_from_affine<C: Group>(points: &[Affine<C>]) -> Result<Bases> {
    let instance = C::NAME.parse().map_err(|_| {
        Error::argument("points", format!("there are no MSMs in the group {}", C::NAME))
    })?;
    let bytes: Vec<u8> = points.iter().flat_map(pair::encode).collect();
    Ok(Bases::new(instance, bytes))
}

/// Returns scalars as 32 bytes each, the form of MSMs. The bytes are secret.
pub fn scalar_bytes<F: PrimeField>(scalars: &[F]) -> SecretBytes {
    let mut bytes = SecretBytes::zeroed(scalars.len() * F::BYTES);
    for (scalar, bytes) in scalars.iter().zip(bytes.chunks_exact_mut(F::BYTES)) {
        bytes.copy_from_slice(scalar.to_le_bytes().as_ref());
    }
    bytes
}

/// Computes one MSM of affine points and as many scalars, and waits for it.
///
/// ```
/// use proofmill::algebra::bn254::{Fr, G1};
/// use proofmill::algebra::curve::{Affine, Curve};
///
/// # fn main() -> proofmill::Result<()> {
/// let device = proofmill::open("cpu:?threads=1")?;
/// let (points, scalars) = ([G1::GENERATOR; 2], [Fr::from(5), -Fr::from(5)]);
/// assert_eq!(proofmill::msm::msm_affine(&device, &points, &scalars)?, Affine::<G1>::IDENTITY);
/// # Ok(())
/// # }
/// ```
pub fn msm_affine<C: Group>(
    device: &dyn Device,
    points: &[Affine<C>],
    scalars: &[C::Scalar],
) -> Result<Affine<C>> {
    if points.len() != scalars.len() {
        let problem = format!("{} for {} points", scalars.len(), points.len());
        return Err(Error::argument("scalars", problem));
    }
    let point = msm(device, bases_from_affine(points)?, scalar_bytes(scalars))?;
    pair::decode(&point).map_err(|problem| malformed(device, problem.to_string()))
}
