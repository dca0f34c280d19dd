//! `msm` on the processor: [`proofmill_algebra::msm`], with a share of the windows for each thread.
//!
//! Points and scalars are taken in chunks, so that what is not parked needs no more memory than a chunk besides the
//! request's own.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use proofmill_algebra::Isa;
use proofmill_algebra::curve::Affine;
use proofmill_algebra::encoding::{Coordinate, pair};
use proofmill_algebra::msm::{Buckets, Cancelled, Group, Plan, Scalars, combine};
use proofmill_op::msm::{
    self, Bases, Check, MOST_POINTS, Points, Request, Response, SCALAR_BYTES, Sums, read,
};
use proofmill_op::{Capability, Data, Error, Parked, Result, in_group};
use rayon::prelude::*;
use zeroize::Zeroizing;

use decode::Decoded;
use kept::{Kept, bytes_each, multiples_in};
use read::Bytes;
use watch::Watch;

mod decode;
mod kept;
mod watch;

/// Points that are added at a time: enough to fill the buckets many times over.
const CHUNK: usize = 1 << 18;

/// Scalars that a thread checks or cuts at a time.
const PIECE: usize = 1 << 13;

/// The device that asks: its instruction set, its identity, its threads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asker {
    pub isa: Isa,
    pub identity: u64,
    pub threads: usize,
}

impl Asker {
    /// What can be said of a request before it runs: lengths, and whose parked points these are.
    pub fn demand(self, request: &Request) -> Result<()> {
        match request {
            Request::Park(bases) => {
                in_group!(bases.instance, multiples_in(bases.count()?, bases.room, self.threads))?;
                Bytes::of(&bases.points, self.identity)?;
            }
            Request::Sums(sums) => {
                // Whose points these are comes first: of another group, their number would be wrong too.
                in_group!(sums.bases.instance, demand_source(self, &sums.bases))?;
                for scalars in &sums.scalars {
                    scalars.on(self.identity)?;
                }
                sums.count()?;
            }
            Request::Plan { points, .. } if *points as u64 > MOST_POINTS => {
                let problem = format!("{points} are more than {MOST_POINTS}");
                return Err(Error::argument("points", problem));
            }
            _ => {}
        }
        Ok(())
    }

    /// The answer, on the threads of the caller's pool.
    pub fn answer(
        self,
        request: &Request,
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Result<Response> {
        match request {
            Request::Plan { instance, points, parked, room } => {
                let parked = *parked || *room > 0;
                in_group!(*instance, plan(self, *points, parked, *room))
            }
            Request::Park(bases) => in_group!(bases.instance, park(self, bases, cancelled)),
            Request::Sums(asked) => in_group!(asked.bases.instance, sums(self, asked, cancelled)),
            other => Err(Error::argument("request", format!("{other:?} is not known here"))),
        }
    }
}

fn plan<C: Group<Base: Coordinate>>(
    asker: Asker,
    points: usize,
    parked: bool,
    room: usize,
) -> Result<Response> {
    let multiples = multiples_in::<C>(points, room, asker.threads)?;
    let plan = Plan::new::<C>(points, asker.threads, multiples);
    let widest = plan.windows().iter().map(|window| window.bits).max().unwrap_or(0);
    let chunk = points.min(CHUNK);
    let decoded = chunk * Decoded::<C>::BYTES_EACH + asker.threads * Decoded::<C>::BYTES_A_THREAD;
    let changed = asker.threads * PIECE * SCALAR_BYTES;
    let memory = plan.bytes::<C>(chunk, asker.threads) + changed + if parked { 0 } else { decoded };
    let windows = plan.digits().count();
    let parked = points * bytes_each::<C>(multiples);
    let answer = msm::Plan::new(windows, widest, memory, parked).with_multiples(multiples);
    Ok(Response::Plan(answer))
}

fn park<C: Group<Base: Coordinate>>(
    asker: Asker,
    bases: &Bases,
    cancelled: &(dyn Fn() -> bool + Sync),
) -> Result<Response> {
    let (bytes, count) = (Bytes::of(&bases.points, asker.identity)?, bases.count()?);
    let multiples = multiples_in::<C>(count, bases.room, asker.threads)?;
    let points = Decoded::<C>::new(asker.isa, &bytes, 0..count, bases.check, cancelled)?;
    let kept = Kept::<C>::new(asker.isa, points, multiples, bases.check, cancelled)?;
    let form = Capability::Msm(bases.instance);
    let len = count * pair::bytes::<C>();
    Ok(Response::Parked(Parked::prepared(asker.identity, form, len, kept)))
}

/// Points of a request.
enum Source<C: Group> {
    Parked(Arc<Kept<C>>),
    Bytes(Bytes, Check),
}

fn demand_source<C: Group>(asker: Asker, bases: &Bases) -> Result<()> {
    source::<C>(asker, bases).map(|_| ())
}

fn source<C: Group>(asker: Asker, bases: &Bases) -> Result<Source<C>> {
    Ok(match &bases.points {
        Points::Data(Data::Parked(parked)) => {
            let form = Capability::Msm(bases.instance);
            let kept: Arc<Kept<C>> = parked.inside(asker.identity, &form)?;
            read::checked(kept.check, bases.check)?;
            Source::Parked(kept)
        }
        points => Source::Bytes(Bytes::of(points, asker.identity)?, bases.check),
    })
}

impl<C: Group> Source<C> {
    /// How many multiples of each point there are.
    fn multiples(&self) -> usize {
        match self {
            Self::Parked(kept) => kept.multiples,
            Self::Bytes(..) => 1,
        }
    }
}

fn sums<C: Group<Base: Coordinate>>(
    asker: Asker,
    request: &Sums,
    cancelled: &(dyn Fn() -> bool + Sync),
) -> Result<Response> {
    let count = request.count()?;
    let source = source::<C>(asker, &request.bases)?;
    let all = Plan::new::<C>(count, asker.threads, source.multiples());
    let lists = request.scalars.len();
    let mut with_digits = Vec::with_capacity(lists);
    for (number, scalars) in request.scalars.iter().enumerate() {
        with_digits.push(check_scalars::<C>(number, scalars.on(asker.identity)?)?);
    }
    let mut sums = Vec::with_capacity(lists);
    for (number, (scalars, &with_digits)) in request.scalars.iter().zip(&with_digits).enumerate() {
        let plan = all.for_fewer::<C>(with_digits, asker.threads);
        let watch = Watch {
            progress: request.progress.as_ref(),
            finished: number as f64 / lists as f64,
            share: 1.0 / lists as f64,
            total: with_digits * plan.digits().count(),
            done: AtomicUsize::new(0),
            cancelled,
        };
        let scalars = scalars.on(asker.identity)?;
        let (scalars, _) = scalars.as_chunks::<SCALAR_BYTES>();
        sums.push(sum::<C>(asker, &source, scalars, &plan, &watch)?);
    }
    Ok(Response::Sums { points: sums, cycles: None })
}

/// How many scalars of a list have digits; an error if one is not below r.
fn check_scalars<C: Group>(number: usize, bytes: &[u8]) -> Result<usize> {
    let (scalars, _) = bytes.as_chunks::<SCALAR_BYTES>();
    let pieces = scalars.par_chunks(PIECE).enumerate().map(|(piece, scalars)| {
        read::reduced::<C>(number, piece * PIECE, scalars)?;
        Ok(Scalars::count_with_digits::<C>(scalars))
    });
    pieces.try_reduce(|| 0, |count, more| Ok(count + more))
}

fn sum<C: Group<Base: Coordinate>>(
    asker: Asker,
    source: &Source<C>,
    scalars: &[[u8; SCALAR_BYTES]],
    plan: &Plan,
    watch: &Watch<'_>,
) -> Result<Vec<u8>> {
    if scalars.is_empty() {
        watch.say(1.0);
        return Ok(pair::encode(&Affine::<C>::IDENTITY));
    }
    let isa = asker.isa;
    let mut buckets = Buckets::<C>::new(plan);
    let mut parts = buckets.parts(plan, asker.threads);
    let multiples = plan.multiples();
    let mut sums = Vec::with_capacity(parts.len());
    for start in (0..scalars.len()).step_by(CHUNK) {
        let range = start..scalars.len().min(start + CHUNK);
        if !watch.go_on(0) {
            return Err(Error::Cancelled);
        }
        let (decoded, first);
        let points = match source {
            Source::Parked(kept) => {
                first = range.start;
                &kept.points
            }
            Source::Bytes(bytes, check) => {
                first = 0;
                decoded = Decoded::new(isa, bytes, range.clone(), *check, watch.cancelled)?;
                &decoded
            }
        };
        let cut = |changed: &mut Zeroizing<_>, (number, piece)| {
            let scalars = points.relevant(first + number * PIECE, piece, changed);
            Scalars::new::<C>(number * PIECE, scalars, plan).expect("checked before")
        };
        let is_last = range.end == scalars.len();
        let pieces = scalars[range.clone()].par_chunks(PIECE).enumerate();
        let digits: Vec<_> = pieces.map_init(|| Zeroizing::new(Vec::new()), cut).collect();
        let points = &points.points[first * multiples..(first + range.len()) * multiples];
        let go_on = |digits| watch.go_on(digits);
        let of_parts: Vec<_> = parts
            .par_iter_mut()
            .map(|part| {
                part.accumulate(isa, points, &digits, &go_on)?;
                Ok(is_last.then(|| part.sums(isa))) // without waiting for the other threads
            })
            .collect::<std::result::Result<_, Cancelled>>()
            .map_err(|Cancelled| Error::Cancelled)?;
        sums.extend(of_parts.into_iter().flatten());
    }
    watch.say(1.0);
    Ok(pair::encode(&Affine::from(combine(plan, &sums))))
}
