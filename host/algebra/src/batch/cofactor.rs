//! Many points made points of the subgroup, in the ways of [`Curve::clear_cofactor`](crate::curve::Curve::clear_cofactor).

use super::{Batched, add_each, times_public};
use crate::bls12_381::{Bls12381Tower, G1, G2};
use crate::curve::bls12::Bls12 as _;
use crate::curve::{Affine, Projective};
use crate::isa::Isa;
use crate::msm::{Stored, affine, stored};

/// A group that clears the cofactor of many points at once.
pub trait ClearedEach: Batched {
    /// The multiples, and the places where what is in lanes does not hold; nothing where there are none.
    fn cleared(isa: Isa, points: &[Affine<Self>]) -> Option<(Vec<Stored<Self>>, Vec<usize>)>;

    /// [`Curve::clear_cofactor`](crate::curve::Curve::clear_cofactor) of each point, which is on the curve or the identity.
    fn clear_each_vartime(isa: Isa, points: Vec<Affine<Self>>) -> Vec<Affine<Self>> {
        let by_itself = |point: &Affine<Self>| Self::clear_cofactor(&Projective::from(*point));
        let Some((cleared, failed)) = Self::cleared(isa, &points) else {
            return Affine::batch(&points.iter().map(by_itself).collect::<Vec<_>>());
        };
        let mut cleared = affine::<Self>(isa, &cleared);
        for place in failed {
            cleared[place] = by_itself(&points[place]).into();
        }
        cleared
    }
}

impl ClearedEach for G1 {
    /// (1 - z) P, with z < 0.
    fn cleared(isa: Isa, points: &[Affine<Self>]) -> Option<(Vec<Stored<Self>>, Vec<usize>)> {
        let points = stored(isa, points);
        let (mut sums, failed) = times_public::<Self>(isa, points.clone(), &Bls12381Tower::Z)?;
        add_each::<Self>(isa, &mut sums, &points, false);
        Some((sums, failed))
    }
}

impl ClearedEach for G2 {
    /// z (z P - P + psi(P)) - P - psi(P) + 2 psi^2(P), with z < 0.
    fn cleared(isa: Isa, points: &[Affine<Self>]) -> Option<(Vec<Stored<Self>>, Vec<usize>)> {
        let psi: Vec<_> = points.iter().map(Affine::psi).collect();
        let psi_squared: Vec<_> = psi.iter().map(Affine::psi).collect();
        let points = stored(isa, points);
        let (psi, psi_squared) = (stored(isa, &psi), stored(isa, &psi_squared));
        // |z| P + P - psi(P), and |z| times that.
        let (mut sums, mut failed) = times_public::<Self>(isa, points.clone(), &Bls12381Tower::Z)?;
        add_each::<Self>(isa, &mut sums, &points, false);
        add_each::<Self>(isa, &mut sums, &psi, true);
        let (mut sums, others) = times_public::<Self>(isa, sums, &Bls12381Tower::Z)?;
        failed.extend(others);
        for (points, negated) in
            [(&points, true), (&psi, true), (&psi_squared, false), (&psi_squared, false)]
        {
            add_each::<Self>(isa, &mut sums, points, negated);
        }
        Some((sums, failed))
    }
}
