//! G1 of BLS12-377, whose points cards add on its twisted Edwards form: x, y and x y are stored; sums are X, Y, Z, T.
//! Four points of even order have no image there.

use proofmill_algebra::bls12_377::{Fp, G1};
use proofmill_algebra::curve::{Affine, EdwardsAffine};
use proofmill_algebra::field::Field;

use super::OnCard;

impl OnCard for G1 {
    const STORED: usize = 3;
    const SUM: usize = 4;

    fn store(points: &[Affine<Self>]) -> Result<Vec<Fp>, usize> {
        let mut stored = Vec::with_capacity(3 * points.len());
        for (number, image) in EdwardsAffine::batch(points).into_iter().enumerate() {
            let image = Option::<EdwardsAffine<Self>>::from(image).ok_or(number)?;
            stored.extend([image.x(), image.y(), image.x() * image.y()]);
        }
        Ok(stored)
    }

    fn point(coordinates: &[Fp]) -> Option<Affine<Self>> {
        let &[x, y, z, t] = coordinates else { return None };
        let inverse = z.invert_vartime()?;
        let image: Option<EdwardsAffine<Self>> =
            EdwardsAffine::new(x * inverse, y * inverse).into();
        image.filter(|_| x * y == z * t).map(|image| image.weierstrass())
    }
}
