//! Membership of the subgroup for batches of points, by an endomorphism.

use super::times_public;
use crate::bls12_381::{Bls12381Tower, G1, G2};
use crate::bn254;
use crate::curve::Affine;
use crate::curve::bls12::Bls12 as _;
use crate::isa::Isa;
use crate::lanes::affine::Ladder;
use crate::msm::{Group, Stored, affine, stored};

/// A group whose points are looked at and multiplied in lanes, if it has code for that.
pub trait Batched: Group {
    /// A positive integer n, and images of points by an endomorphism: a point P of the curve is in the subgroup if n P is P's image. Nothing if the group has
    /// no such thing.
    fn images(_points: &[Affine<Self>]) -> Option<(Vec<u64>, Vec<Affine<Self>>)> {
        None
    }

    /// [`Ladder::climb`], if there is code for it and the level has lanes.
    fn climb(
        _isa: Isa,
        _ladder: &Ladder<'_, Self::Coordinates>,
    ) -> Option<(Vec<Stored<Self>>, Vec<usize>)> {
        None
    }
}

impl Batched for G1 {
    /// z^2 - 1, and (beta x, y): see [`Curve::is_in_subgroup`](crate::curve::Curve::is_in_subgroup).
    fn images(points: &[Affine<Self>]) -> Option<(Vec<u64>, Vec<Affine<Self>>)> {
        let [z] = Bls12381Tower::Z.map(u128::from);
        let n = z * z - 1;
        let images = points.iter().map(Affine::endomorphism).collect();
        Some((vec![n as u64, (n >> 64) as u64], images))
    }

    fn climb(
        isa: Isa,
        ladder: &Ladder<'_, Self::Coordinates>,
    ) -> Option<(Vec<Stored<Self>>, Vec<usize>)> {
        Some(ladder.climb(isa.machine()?))
    }
}

impl Batched for G2 {
    /// |z|, and -psi: see [`Curve::is_in_subgroup`](crate::curve::Curve::is_in_subgroup).
    fn images(points: &[Affine<Self>]) -> Option<(Vec<u64>, Vec<Affine<Self>>)> {
        Some((Bls12381Tower::Z.to_vec(), points.iter().map(|point| -point.psi()).collect()))
    }

    fn climb(
        isa: Isa,
        ladder: &Ladder<'_, Self::Coordinates>,
    ) -> Option<(Vec<Stored<Self>>, Vec<usize>)> {
        Some(ladder.climb(isa.machine()?))
    }
}

/// The order is prime, so every point is in the subgroup.
impl Batched for bn254::G1 {
    fn climb(
        isa: Isa,
        ladder: &Ladder<'_, Self::Coordinates>,
    ) -> Option<(Vec<Stored<Self>>, Vec<usize>)> {
        Some(ladder.climb(isa.machine()?))
    }
}

impl Batched for bn254::G2 {}

/// [`Affine::is_in_subgroup`] of each point, which is on the curve or the identity.
pub fn are_in_subgroup_vartime<C: Batched>(isa: Isa, points: &[Affine<C>]) -> Vec<bool> {
    let by_itself = |point: &Affine<C>| bool::from(point.is_in_subgroup());
    if C::COFACTOR == [1] {
        return vec![true; points.len()];
    }
    let in_lanes = C::images(points)
        .and_then(|(n, images)| Some((times_public::<C>(isa, stored(isa, points), &n)?, images)));
    let Some(((multiples, failed), images)) = in_lanes else {
        return points.iter().map(by_itself).collect();
    };
    let multiples = affine::<C>(isa, &multiples);
    let mut are: Vec<_> = multiples.iter().zip(&images).map(|(n, image)| n == image).collect();
    for place in failed {
        are[place] = by_itself(&points[place]);
    }
    are
}
