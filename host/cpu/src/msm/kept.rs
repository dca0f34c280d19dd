//! Parked points, with multiples where there is room for them.

use proofmill_algebra::Isa;
use proofmill_algebra::encoding::Coordinate;
use proofmill_algebra::msm::{Group, MULTIPLES, Plan, Stored, precomputed};
use proofmill_op::msm::Check;
use proofmill_op::{Error, Result};
use rayon::prelude::*;

use super::decode::Decoded;

/// Points whose multiples a thread makes at a time.
const BLOCK: usize = 1 << 10;

/// Parked points, and what was asked of them.
pub(super) struct Kept<C: Group> {
    /// In place of every point so many multiples of it, one after the other.
    pub points: Decoded<C>,
    pub multiples: usize,
    pub check: Check,
}

impl<C: Group<Base: Coordinate>> Kept<C> {
    /// Points, and as many multiples of each as are asked for.
    pub fn new(
        isa: Isa,
        mut points: Decoded<C>,
        multiples: usize,
        check: Check,
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Result<Self> {
        if multiples > 1 {
            let alone = std::mem::take(&mut points.points);
            points.points = vec![Stored::<C>::IDENTITY; alone.len() * multiples];
            let blocks = points.points.par_chunks_mut(BLOCK * multiples);
            blocks.zip(alone.par_chunks(BLOCK)).try_for_each(|(all, alone)| {
                if cancelled() {
                    return Err(Error::Cancelled);
                }
                all.copy_from_slice(&precomputed::<C>(isa, alone, multiples));
                Ok(())
            })?;
        }
        Ok(Self { points, multiples, check })
    }
}

/// Bytes for a point with so many multiples.
pub(super) fn bytes_each<C: Group<Base: Coordinate>>(multiples: usize) -> usize {
    Decoded::<C>::BYTES_EACH + (multiples - 1) * size_of::<Stored<C>>()
}

/// What more multiples have to save of the time, to be worth their memory.
const WORTH: f64 = 0.02;

/// How many multiples of each of so many points are worth a room of so many bytes, on so many threads; without room, the point
/// alone. An error when the points themselves do not fit.
pub(super) fn multiples_in<C: Group<Base: Coordinate>>(
    points: usize,
    room: usize,
    threads: usize,
) -> Result<usize> {
    let bytes = |multiples| points.saturating_mul(bytes_each::<C>(multiples));
    if room == 0 {
        return Ok(1);
    }
    if bytes(1) > room {
        let problem = format!("{room} bytes are too few: the points take {}", bytes(1));
        return Err(Error::argument("room", problem));
    }
    let cost = |multiples| Plan::new::<C>(points, threads, multiples).cost::<C>(points, threads);
    let fitting = MULTIPLES.into_iter().skip(1).filter(|&multiples| bytes(multiples) <= room);
    let (best, _) = fitting.fold((1, cost(1)), |(best, least), multiples| {
        let found = cost(multiples);
        if found < (1.0 - WORTH) * least { (multiples, found) } else { (best, least) }
    });
    Ok(best)
}
