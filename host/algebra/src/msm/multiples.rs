//! Points by rule, for tests and figures.

use super::Group;
use crate::curve::{Affine, Projective};

/// Points that are made at a time.
const BLOCK: usize = 1024;

/// Multiples of the generator, from `first` times it on.
pub fn multiples<C: Group>(first: u64, count: usize) -> Vec<Affine<C>> {
    let multiple = |k: u64| Projective::<C>::generator().times_vartime(&C::Scalar::from(k));
    let next = |sum: &Projective<C>| Some(*sum + C::GENERATOR);
    let block: Vec<_> =
        std::iter::successors(Some(Projective::IDENTITY), next).take(BLOCK.min(count)).collect();
    let block = Affine::batch(&block);
    let starts: Vec<_> = (0..count.div_ceil(BLOCK))
        .map(|number| multiple(first + (number * BLOCK) as u64))
        .collect();
    let blocks = Affine::batch(&starts).into_iter().flat_map(|start| {
        let pairs: Vec<_> = block.iter().map(|&point| (start, point)).collect();
        Affine::sums_vartime(&pairs)
    });
    blocks.take(count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bn254::G1;
    use crate::curve::Curve as _;

    #[test]
    fn multiples_follow_each_other_over_blocks() {
        let points = multiples::<G1>(5, 2 * BLOCK + 3);
        let mut expected = Projective::<G1>::generator().times_public(&[5]);
        for point in points {
            assert_eq!(Projective::from(point), expected);
            expected += G1::GENERATOR;
        }
        assert!(multiples::<G1>(1, 0).is_empty());
    }
}
