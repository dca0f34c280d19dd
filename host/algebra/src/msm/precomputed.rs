//! Multiples of points that are used again and again: more points, fewer buckets.

use super::plan::stride;
use super::{Group, Stored};
use crate::isa::Isa;
use crate::lanes::affine::{Addition, Point};

/// Computes `multiples` multiples of every point P, one after the other: P, 2^s P, 2^2s P, ..., with the stride s of a
/// [`Plan`](super::Plan) for that number, which is one of [`MULTIPLES`](super::MULTIPLES). Each multiple after the first takes s
/// doublings.
pub fn precomputed<C: Group>(isa: Isa, points: &[Stored<C>], multiples: usize) -> Vec<Stored<C>> {
    let doublings: Vec<_> = (0..points.len() as u32).map(|i| Addition::new(i, i, false)).collect();
    let mut all = vec![Point::IDENTITY; points.len() * multiples];
    let mut current = points.to_vec();
    for multiple in 0..multiples {
        for (of_one, point) in all.chunks_mut(multiples).zip(&current) {
            of_one[multiple] = *point;
        }
        if multiple + 1 < multiples {
            for _ in 0..stride::<C>(multiples) {
                let same = current.clone();
                C::add_assign_vartime(isa, &mut current, &same, &doublings);
            }
        }
    }
    all
}
