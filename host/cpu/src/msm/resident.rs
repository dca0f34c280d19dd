//! Resident points, with multiples within a memory limit.

use proofmill_algebra::Isa;
use proofmill_algebra::encoding::Coordinate;
use proofmill_algebra::msm::{Group, MULTIPLES, Plan, Stored, precomputed};
use proofmill_op::msm::Check;
use proofmill_op::{Error, Result};
use rayon::prelude::*;

use super::decode::Decoded;

/// Points whose multiples a thread makes at a time.
const BLOCK: usize = 1 << 10;

/// Resident points.
pub(super) struct Resident<C: Group> {
    /// `multiples` multiples of each point, one after the other.
    pub points: Decoded<C>,
    pub multiples: usize,
    pub check: Check,
}

impl<C: Group<Base: Coordinate>> Resident<C> {
    /// Computes `multiples` multiples of each point.
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

/// Returns the bytes of a point with its multiples.
pub(super) fn bytes_each<C: Group<Base: Coordinate>>(multiples: usize) -> usize {
    Decoded::<C>::BYTES_EACH + (multiples - 1) * size_of::<Stored<C>>()
}

/// The fraction of time that more multiples must save.
const WORTH: f64 = 0.02;

/// Returns the number of multiples of each of `points` points that fit `max_bytes` and save time on `threads` threads; 1 if `max_bytes` is 0.
/// Returns an error if the points alone do not fit.
pub(super) fn multiples_in<C: Group<Base: Coordinate>>(
    points: usize,
    max_bytes: usize,
    threads: usize,
) -> Result<usize> {
    let bytes = |multiples| points.saturating_mul(bytes_each::<C>(multiples));
    if max_bytes == 0 {
        return Ok(1);
    }
    if bytes(1) > max_bytes {
        let problem = format!("{max_bytes} bytes are too few: the points take {}", bytes(1));
        return Err(Error::argument("max_bytes", problem));
    }
    let cost = |multiples| Plan::new::<C>(points, threads, multiples).cost::<C>(points, threads);
    let fitting = MULTIPLES.into_iter().skip(1).filter(|&multiples| bytes(multiples) <= max_bytes);
    let (best, _) = fitting.fold((1, cost(1)), |(best, least), multiples| {
        let found = cost(multiples);
        if found < (1.0 - WORTH) * least { (multiples, found) } else { (best, least) }
    });
    Ok(best)
}
