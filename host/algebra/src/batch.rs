//! Batches of points of a group, with the available lanes: roots, membership of the subgroup, random multiples, for the verification of many
//! proofs or signatures.
//!
//! All inputs are public, and the time depends on them.

mod cofactor;
mod members;
mod multiples;
mod roots;

pub use cofactor::ClearedEach;
pub use members::{Batched, are_in_subgroup_vartime};
pub use multiples::{FACTOR_BYTES, Factors};
pub use roots::Roots;

use crate::isa::Isa;
use crate::lanes::affine::{Addition, Ladder, Rung};
use crate::msm::{Group, Stored};

/// Up to this number, single computations are faster than lanes.
pub(crate) const FEW: usize = 4;

/// Each sum becomes itself plus, or minus, the point in the same place.
pub(crate) fn add_each<C: Group>(
    isa: Isa,
    sums: &mut [Stored<C>],
    points: &[Stored<C>],
    negated: bool,
) {
    let additions: Vec<_> =
        (0..points.len() as u32).map(|i| Addition::new(i, i, negated)).collect();
    C::add_assign_vartime(isa, sums, points, &additions);
}

/// n P of each point, for a positive integer n: limbs, lowest first. And the places where the formulas do not hold, which have the identity. Nothing
/// where the level has no lanes, and for few.
pub(crate) fn times_public<C: Batched>(
    isa: Isa,
    points: Vec<Stored<C>>,
    n: &[u64],
) -> Option<(Vec<Stored<C>>, Vec<usize>)> {
    if points.len() <= FEW {
        return None;
    }
    let (mut rungs, mut last) = (vec![], 0);
    let bits = n.iter().rev().flat_map(|limb| (0..64).rev().map(move |bit| limb >> bit & 1 == 1));
    for bit in bits.skip_while(|bit| !bit) {
        last += 1;
        if bit {
            rungs.push(Rung { doublings: last, image: false });
            last = 0;
        }
    }
    let digits = [vec![1; rungs.len()]];
    let tables = [points];
    C::climb(isa, &Ladder { tables: &tables, beta: C::BETA, rungs: &rungs, last, digits: &digits })
}
