//! MSMs of points and scalars that are not bytes yet.

use proofmill_algebra::curve::Affine;
use proofmill_algebra::encoding::pair;
use proofmill_algebra::field::PrimeField;
use proofmill_algebra::msm::Group;

use super::{Bases, sum};
use crate::lost::lost;
use crate::{Device, Error, Result};

/// Bases of typed points, which are on their curve; [`Bases::checked`] has the device look whether they are in the subgroup too. An
/// error when the device's library has no MSMs in this group.
pub fn bases_of<C: Group>(points: &[Affine<C>]) -> Result<Bases> {
    let instance = C::NAME.parse().map_err(|_| {
        Error::argument("points", format!("there are no MSMs in the group {}", C::NAME))
    })?;
    let bytes: Vec<u8> = points.iter().flat_map(pair::encode).collect();
    Ok(Bases::new(instance, bytes))
}

/// Typed scalars as the 32 bytes each that MSMs take.
pub fn scalars_of<F: PrimeField>(scalars: &[F]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(scalars.len() * F::BYTES);
    for scalar in scalars {
        bytes.extend_from_slice(scalar.to_le_bytes().as_ref());
    }
    bytes
}

/// One MSM of typed points and scalars, as many of one as of the other. Waits for it.
///
/// ```
/// use proofmill::algebra::bn254::{Fr, G1};
/// use proofmill::algebra::curve::{Affine, Curve};
///
/// # fn main() -> proofmill::Result<()> {
/// let device = proofmill::open("cpu:?threads=1")?;
/// let (points, scalars) = ([G1::GENERATOR; 2], [Fr::from(5), -Fr::from(5)]);
/// assert_eq!(proofmill::msm::sum_of(&*device, &points, &scalars)?, Affine::<G1>::IDENTITY);
/// # Ok(())
/// # }
/// ```
pub fn sum_of<C: Group>(
    device: &dyn Device,
    points: &[Affine<C>],
    scalars: &[C::Scalar],
) -> Result<Affine<C>> {
    if points.len() != scalars.len() {
        let problem = format!("{} for {} points", scalars.len(), points.len());
        return Err(Error::argument("scalars", problem));
    }
    let sum = sum(device, bases_of(points)?, scalars_of(scalars))?;
    pair::decode(&sum).map_err(|problem| lost(device, problem.to_string()))
}
