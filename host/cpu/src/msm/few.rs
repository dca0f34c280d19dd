//! MSMs of few points: on one thread, without buckets.

use proofmill_algebra::curve::Affine;
use proofmill_algebra::encoding::{Coordinate, pair};
use proofmill_algebra::msm::{self, Group, affine_sum_vartime, few};
use proofmill_op::msm::{Points, Request, Response, SCALAR_BYTES, read};
use proofmill_op::{Error, Result};

use super::decode::affine;
use super::{Source, source};
use crate::run::{Cancelled, Context, Exec};

/// The bytes of all points that are multiplied inline: six in G1 of BN254, two in G2 of BLS12-381, a fifth of a millisecond.
const INLINE_BYTES: usize = 384;

/// Returns whether MSMs of so many points need neither buckets nor threads.
pub(super) fn is_few(context: Context, points: usize) -> bool {
    points <= few(context.isa)
}

/// Returns the threads for a request of `count` points each: inline where it is short and its points are in memory.
pub(super) fn exec(request: &Request, count: usize) -> Exec {
    let in_memory = matches!(request.bases.points, Points::Data(_));
    let multiples = request.scalars.len().saturating_mul(count);
    let bytes = multiples.saturating_mul(request.bases.instance.point_bytes());
    Exec::inline_if(in_memory && request.progress.is_none() && bytes <= INLINE_BYTES)
}

/// Computes the MSMs of a request for few points, on this thread.
pub(super) fn batch_of_few<C: Group<Base: Coordinate>>(
    context: Context,
    request: &Request,
    count: usize,
    cancelled: Cancelled<'_>,
) -> Result<Response> {
    let isa = context.isa;
    let points = match source::<C>(context, &request.bases)? {
        Source::Bytes(bytes, check) => affine::<C>(&bytes, 0..count, check, &mut Vec::new())?,
        Source::Resident(resident) => {
            let stored = resident.points.points.iter().step_by(resident.multiples);
            msm::affine::<C>(isa, &stored.copied().collect::<Vec<_>>())
        }
    };
    let lists = request.scalars.len();
    let mut results = Vec::with_capacity(lists);
    for (number, scalars) in request.scalars.iter().enumerate() {
        let (scalars, _) = scalars.on(context.identity)?.as_chunks::<SCALAR_BYTES>();
        read::check_reduced::<C>(number, 0, scalars)?;
        if cancelled() {
            return Err(Error::Cancelled);
        }
        let sum = affine_sum_vartime::<C>(isa, &points, scalars).expect("checked before");
        results.push(pair::encode(&Affine::from(sum)));
        if let Some(progress) = &request.progress {
            progress.report((number + 1) as f64 / lists as f64);
        }
    }
    Ok(Response::new(results, None))
}
