//! The table of a base.

use super::digits::Windows;
use crate::curve::{Affine, Projective};
use crate::isa::Isa;
use crate::lanes::affine::{Addition, Point};
use crate::msm::{Group, Stored, stored};

/// d 2^(c w) B at (d - 1) windows + w, for d from 1 to 2^(c-1): with the multiples up to m, those up to 2 m are their sums
/// with the m-th.
pub(super) fn new<C: Group>(isa: Isa, base: &Affine<C>, windows: Windows) -> Vec<Stored<C>> {
    let count = windows.count;
    let shift = |point: &Projective<C>| (0..windows.bits()).fold(*point, |point, _| point.double());
    let first = std::iter::successors(Some(Projective::from(*base)), |point| Some(shift(point)));
    let first: Vec<_> = first.take(count).collect();

    let mut table = vec![Point::IDENTITY; windows.largest() * count];
    table[..count].copy_from_slice(&stored(isa, &Affine::batch(&first)));
    let mut made = count;
    while made < table.len() {
        let (old, new) = table.split_at_mut(made);
        let new = &mut new[..made];
        new.copy_from_slice(old);
        let last = made - count;
        let additions: Vec<_> = (0..made)
            .map(|at| Addition::new(at as u32, (last + at % count) as u32, false))
            .collect();
        C::add_assign_vartime(isa, new, old, &additions);
        made *= 2;
    }
    table
}
