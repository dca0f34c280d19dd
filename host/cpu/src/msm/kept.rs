//! Parked points, with multiples where there is room for them.

use proofmill_algebra::Isa;
use proofmill_algebra::msm::{Group, MULTIPLES, Plan, Stored, precomputed};
use proofmill_op::msm::Check;
use proofmill_op::{Error, Result};
use rayon::prelude::*;

use super::decode::DECODED;

/// Parked points, and what was asked of them.
pub(super) struct Kept<C: Group> {
    /// Of every point so many multiples, one after the other.
    pub points: Vec<Stored<C>>,
    pub multiples: usize,
    /// Is one of them the identity?
    pub has_identity: bool,
    pub check: Check,
}

impl<C: Group> Kept<C> {
    /// Points, and as many multiples of each as are asked for.
    pub fn new(
        isa: Isa,
        points: Vec<Stored<C>>,
        multiples: usize,
        check: Check,
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Result<Self> {
        let has_identity = points.par_iter().any(Stored::<C>::is_identity);
        if multiples == 1 {
            return Ok(Self { points, multiples, has_identity, check });
        }
        let mut all = vec![Stored::<C>::IDENTITY; points.len() * multiples];
        all.par_chunks_mut(DECODED * multiples).zip(points.par_chunks(DECODED)).try_for_each(
            |(all, points)| {
                if cancelled() {
                    return Err(Error::Cancelled);
                }
                all.copy_from_slice(&precomputed::<C>(isa, points, multiples));
                Ok(())
            },
        )?;
        Ok(Self { points: all, multiples, has_identity, check })
    }
}

/// What more multiples have to save of the time, to be worth their memory.
const WORTH: f64 = 0.02;

/// How many multiples of each of so many points are worth a room of so many bytes, on so many threads; without room, the point
/// alone. An error when the points themselves do not fit.
pub(super) fn multiples_in<C: Group>(points: usize, room: usize, threads: usize) -> Result<usize> {
    let bytes = |multiples| points.saturating_mul(multiples * size_of::<Stored<C>>());
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
