//! The sum of d times bucket d, for d from 1.
//!
//! With the sums A_d of the buckets from d up, it is the sum of the A_d: two additions a bucket, each waiting for the
//! one before. So the buckets of a window are cut into segments of m, and many segments run side by side in lanes:
//! segment s, of buckets s m + 1 to s m + m, gives A, the sum of its buckets, and T, the sum of j times its bucket j.
//! The window's sum is the sum of T_s + m s A_s, and the sum of s A_s is a smaller case of the same.

use std::ops::Range;

use super::buckets::Sums;
use super::plan::Plan;
use super::schedule::add_neighbours;
use super::{Group, Stored, affine};
use crate::curve::Projective;
use crate::isa::Isa;
use crate::lanes::affine::{Addition, BATCH, Point};

/// Buckets of a window up to which one addition at a time is faster.
const FEW: usize = 8;
/// The shortest segment.
const SHORTEST: usize = 8;

/// Computes for every range of points the sum of i + 1 times its point i.
pub(super) fn weighted_sums<C: Group>(
    isa: Isa,
    points: &[Stored<C>],
    ranges: &[Range<usize>],
) -> Vec<Projective<C>> {
    if ranges.iter().all(|range| range.len() <= FEW) {
        return few_weighted_sums::<C>(isa, points, ranges);
    }
    let total: usize = ranges.iter().map(Range::len).sum();
    let segment = (total / BATCH).next_power_of_two().max(SHORTEST);
    let chains: Vec<Vec<Range<usize>>> = ranges
        .iter()
        .map(|range| {
            let starts = range.clone().step_by(segment);
            starts.map(|start| start..range.end.min(start + segment)).collect()
        })
        .collect();
    let [lower, higher] = run::<C>(isa, points, &chains.concat(), segment);

    let mut from = 0;
    let ranges: Vec<_> = chains
        .iter()
        .map(|chains| {
            let range = from..from + chains.len();
            from = range.end;
            range
        })
        .collect();
    let after_the_first = |range: &Range<usize>| range.end.min(range.start + 1)..range.end;
    let heads: Vec<_> = ranges.iter().map(after_the_first).collect();
    let multiples = weighted_sums::<C>(isa, &higher, &heads);
    let shift = |sum: Projective<C>| (0..segment.ilog2()).fold(sum, |sum, _| sum.double());
    let sums = plain_sums::<C>(isa, lower, &ranges);
    sums.into_iter().zip(multiples).map(|(sum, multiple)| sum + shift(multiple)).collect()
}

/// Computes for every chain of at most `longest` points the sum of i + 1 times its point i, and the sum of its points.
fn run<C: Group>(
    isa: Isa,
    points: &[Stored<C>],
    chains: &[Range<usize>],
    longest: usize,
) -> [Vec<Stored<C>>; 2] {
    let mut weighted = vec![Point::IDENTITY; chains.len()];
    let mut plain = weighted.clone();
    let (mut firsts, mut additions, mut again) = (Vec::new(), Vec::new(), Vec::new());
    for step in (0..longest).rev() {
        firsts.clear();
        additions.clear();
        again.clear();
        for (chain, range) in (0..).zip(chains) {
            let addition = Addition::new(chain, (range.start + step) as u32, false);
            match step + 1 {
                at if at == range.len() => firsts.push(addition),
                at if at < range.len() => {
                    additions.push(addition);
                    again.push(Addition::new(chain, chain, false));
                }
                _ => {}
            }
        }
        C::assign(isa, &mut plain, points, &firsts);
        C::assign(isa, &mut weighted, points, &firsts);
        C::add_assign_vartime(isa, &mut plain, points, &additions);
        C::add_assign_vartime(isa, &mut weighted, &plain, &again);
    }
    [weighted, plain]
}

/// Computes for every range the sum of its points; the ranges cover all points.
fn plain_sums<C: Group>(
    isa: Isa,
    mut points: Vec<Stored<C>>,
    ranges: &[Range<usize>],
) -> Vec<Projective<C>> {
    let mut owners: Vec<_> = (0..ranges.len()).collect();
    owners = owners.iter().flat_map(|&owner| vec![owner; ranges[owner].len()]).collect();
    add_neighbours::<C, _>(isa, &mut points, &mut owners);
    let mut sums = vec![Projective::IDENTITY; ranges.len()];
    for (owner, sum) in owners.into_iter().zip(affine::<C>(isa, &points)) {
        sums[owner] = sum.into();
    }
    sums
}

/// The sum of points.
pub(super) fn sum<C: Group>(isa: Isa, points: &[Stored<C>]) -> Projective<C> {
    affine::<C>(isa, points).into_iter().fold(Projective::IDENTITY, |sum, point| sum + point)
}

/// Computes for every range the sum of i + 1 times its point i, one addition at a time. All points are converted at once, since
/// one takes as long as eight.
fn few_weighted_sums<C: Group>(
    isa: Isa,
    points: &[Stored<C>],
    ranges: &[Range<usize>],
) -> Vec<Projective<C>> {
    let points: Vec<_> = ranges.iter().flat_map(|range| &points[range.clone()]).copied().collect();
    let points = affine::<C>(isa, &points);
    let mut rest = &points[..];
    let sum = |range: &Range<usize>| {
        let (these, others) = rest.split_at(range.len());
        rest = others;
        let Some((&last, before)) = these.split_last() else { return Projective::IDENTITY };
        let (mut plain, mut weighted) = (Projective::from(last), last.into());
        for &point in before.iter().rev() {
            plain += point;
            weighted += plain;
        }
        weighted
    };
    ranges.iter().map(sum).collect()
}

/// The result: the windows' sums, each shifted by its offset, and the units. The parts come in their order.
pub fn combine<C: Group>(plan: &Plan, parts: &[Sums<C>]) -> Projective<C> {
    let sums: Vec<_> = parts.iter().flat_map(|part| &part.windows).collect();
    let windows = plan.windows();
    let mut total = Projective::IDENTITY;
    for (number, window) in windows.iter().enumerate().rev() {
        total = (0..window.bits).fold(total, |total, _| total.double());
        let copies = sums.iter().skip(number).step_by(windows.len());
        total = copies.fold(total, |total, &&sum| total + sum);
    }
    parts.iter().fold(total, |total, part| total + part.units)
}
