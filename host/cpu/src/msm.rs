//! `msm` on the processor: [`proofmill_algebra::msm`], with a share of the windows for each thread.
//!
//! Few points are multiplied without buckets (`few`). Points and scalars of others are processed in chunks, so that points that are not
//! resident need only the memory of a chunk in addition to the request's.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use proofmill_algebra::curve::Affine;
use proofmill_algebra::encoding::{Coordinate, pair};
use proofmill_algebra::msm::{Buckets, Cancelled as Stopped, Group, Plan, Scalars, combine};
use proofmill_op::msm::{
    self, Bases, Check, Instance, LoadBases, MAX_POINTS, Msm, PlanMsm, PlanRequest, Points,
    Request, Response, SCALAR_BYTES, read,
};
use proofmill_op::{Capability, Data, Error, ResidentData, Result, in_group};
use rayon::prelude::*;
use zeroize::Zeroizing;

use decode::Decoded;
use few::batch_of_few;
use resident::{Resident, bytes_each, multiples_in};
use watch::Watch;

use crate::run::{Cancelled, Context, Job, Run};

mod decode;
mod few;
mod resident;
mod watch;

/// Points that are added at a time: enough to fill the buckets many times over.
const CHUNK: usize = 1 << 18;

/// Scalars that a thread checks or splits into digits at a time.
const PIECE: usize = 1 << 13;

impl Run for Msm {
    fn capabilities() -> Vec<Capability> {
        Instance::ALL.map(Capability::Msm).into()
    }

    fn prepare(request: Request, context: Context) -> Result<Job<Response>> {
        let instance = request.bases.instance;
        // The device and group of the points come first: the number of points of another group would be wrong too.
        in_group!(instance, check_source(context, &request.bases))?;
        for scalars in &request.scalars {
            scalars.on(context.identity)?;
        }
        let count = request.count()?;
        if few::is_few(context, count) {
            let exec = few::exec(&request, count);
            return Ok(Job::new(exec, move |_, cancelled| {
                in_group!(instance, batch_of_few(context, &request, count, cancelled))
            }));
        }
        Ok(Job::on_pool(move |cancelled| {
            in_group!(instance, batch(on_pool(context), &request, cancelled))
        }))
    }
}

impl Run for LoadBases {
    fn prepare(bases: Bases, context: Context) -> Result<Job<ResidentData>> {
        let (count, max_bytes, threads) = (bases.count()?, bases.max_bytes, context.threads);
        in_group!(bases.instance, multiples_in(count, max_bytes, threads))?;
        read::Source::of(&bases.points, context.identity)?;
        Ok(Job::on_pool(move |cancelled| {
            in_group!(bases.instance, load(on_pool(context), &bases, cancelled))
        }))
    }
}

impl Run for PlanMsm {
    fn prepare(request: PlanRequest, context: Context) -> Result<Job<msm::Plan>> {
        if request.points as u64 > MAX_POINTS {
            let problem = format!("{} are more than {MAX_POINTS}", request.points);
            return Err(Error::argument("points", problem));
        }
        Ok(Job::on_pool(move |_| in_group!(request.instance, plan(on_pool(context), &request))))
    }
}

/// The context of the pool that executes a request, which may be the caller's.
fn on_pool(context: Context) -> Context {
    Context { threads: rayon::current_num_threads(), ..context }
}

fn plan<C: Group<Base: Coordinate>>(context: Context, request: &PlanRequest) -> Result<msm::Plan> {
    let PlanRequest { points, resident, max_bytes, .. } = *request;
    let threads = context.threads;
    let multiples = multiples_in::<C>(points, max_bytes, threads)?;
    let plan = Plan::new::<C>(points, threads, multiples);
    let widest = plan.windows().iter().map(|window| window.bits).max().unwrap_or(0);
    let chunk = points.min(CHUNK);
    let decoded = chunk * Decoded::<C>::BYTES_EACH + threads * Decoded::<C>::BYTES_A_THREAD;
    let decoded = if resident || max_bytes > 0 { 0 } else { decoded };
    let changed = threads * PIECE * SCALAR_BYTES;
    let memory = plan.bytes::<C>(chunk, threads) + changed + decoded;
    let windows = plan.digits().count();
    let resident = points * bytes_each::<C>(multiples);
    Ok(msm::Plan::new(windows, widest, memory, resident).with_multiples(multiples))
}

fn load<C: Group<Base: Coordinate>>(
    context: Context,
    bases: &Bases,
    cancelled: Cancelled<'_>,
) -> Result<ResidentData> {
    let Context { isa, identity, threads } = context;
    let (bytes, count) = (read::Source::of(&bases.points, identity)?, bases.count()?);
    let multiples = multiples_in::<C>(count, bases.max_bytes, threads)?;
    let points = Decoded::<C>::new(isa, &bytes, 0..count, bases.check, cancelled)?;
    let resident = Resident::<C>::new(isa, points, multiples, bases.check, cancelled)?;
    let len = count * pair::bytes::<C>();
    Ok(ResidentData::prepared(identity, Capability::Msm(bases.instance), len, resident))
}

/// Points of a request.
enum Source<C: Group> {
    Resident(Arc<Resident<C>>),
    Bytes(read::Source, Check),
}

fn check_source<C: Group>(context: Context, bases: &Bases) -> Result<()> {
    source::<C>(context, bases).map(|_| ())
}

fn source<C: Group>(context: Context, bases: &Bases) -> Result<Source<C>> {
    Ok(match &bases.points {
        Points::Data(Data::Resident(handle)) => {
            let form = Capability::Msm(bases.instance);
            let resident: Arc<Resident<C>> = handle.inside(context.identity, &form)?;
            if bases.check != Check::None {
                read::check_resident(resident.check, bases.check)?;
            }
            Source::Resident(resident)
        }
        points => Source::Bytes(read::Source::of(points, context.identity)?, bases.check),
    })
}

impl<C: Group> Source<C> {
    /// Returns the number of multiples of each point.
    fn multiples(&self) -> usize {
        match self {
            Self::Resident(resident) => resident.multiples,
            Self::Bytes(..) => 1,
        }
    }
}

/// Computes the MSMs of a request.
fn batch<C: Group<Base: Coordinate>>(
    context: Context,
    request: &Request,
    cancelled: Cancelled<'_>,
) -> Result<Response> {
    let count = request.count()?;
    let source = source::<C>(context, &request.bases)?;
    let all = Plan::new::<C>(count, context.threads, source.multiples());
    let lists = request.scalars.len();
    let mut with_digits = Vec::with_capacity(lists);
    for (number, scalars) in request.scalars.iter().enumerate() {
        with_digits.push(check_scalars::<C>(number, scalars.on(context.identity)?)?);
    }
    let mut points = Vec::with_capacity(lists);
    for (number, (scalars, &with_digits)) in request.scalars.iter().zip(&with_digits).enumerate() {
        let plan = all.for_fewer::<C>(with_digits, context.threads);
        let watch = Watch {
            progress: request.progress.as_ref(),
            finished: number as f64 / lists as f64,
            share: 1.0 / lists as f64,
            total: with_digits * plan.digits().count(),
            done: AtomicUsize::new(0),
            cancelled,
        };
        let scalars = scalars.on(context.identity)?;
        let (scalars, _) = scalars.as_chunks::<SCALAR_BYTES>();
        points.push(msm::<C>(context, &source, scalars, &plan, &watch)?);
    }
    Ok(Response::new(points, None))
}

/// Returns how many scalars of a list have digits; an error if one is not below r.
fn check_scalars<C: Group>(number: usize, bytes: &[u8]) -> Result<usize> {
    let (scalars, _) = bytes.as_chunks::<SCALAR_BYTES>();
    let pieces = scalars.par_chunks(PIECE).enumerate().map(|(piece, scalars)| {
        read::check_reduced::<C>(number, piece * PIECE, scalars)?;
        Ok(Scalars::count_with_digits::<C>(scalars))
    });
    pieces.try_reduce(|| 0, |count, more| Ok(count + more))
}

/// Computes one MSM.
fn msm<C: Group<Base: Coordinate>>(
    context: Context,
    source: &Source<C>,
    scalars: &[[u8; SCALAR_BYTES]],
    plan: &Plan,
    watch: &Watch<'_>,
) -> Result<Vec<u8>> {
    if scalars.is_empty() {
        watch.report(1.0);
        return Ok(pair::encode(&Affine::<C>::IDENTITY));
    }
    let isa = context.isa;
    let mut buckets = Buckets::<C>::new(plan);
    let mut parts = buckets.parts(plan, context.threads);
    let multiples = plan.multiples();
    let mut sums = Vec::with_capacity(parts.len());
    for start in (0..scalars.len()).step_by(CHUNK) {
        let range = start..scalars.len().min(start + CHUNK);
        if !watch.advance(0) {
            return Err(Error::Cancelled);
        }
        let (decoded, first);
        let points = match source {
            Source::Resident(resident) => {
                first = range.start;
                &resident.points
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
        let digits: Vec<_> =
            pieces.map_init(|| Zeroizing::new(Vec::with_capacity(PIECE)), cut).collect();
        let points = &points.points[first * multiples..(first + range.len()) * multiples];
        let advance = |digits| watch.advance(digits);
        let of_parts: Vec<_> = parts
            .par_iter_mut()
            .map(|part| {
                part.accumulate(isa, points, &digits, &advance)?;
                Ok(is_last.then(|| part.sums(isa))) // without waiting for the other threads
            })
            .collect::<std::result::Result<_, Stopped>>()
            .map_err(|Stopped| Error::Cancelled)?;
        sums.extend(of_parts.into_iter().flatten());
    }
    watch.report(1.0);
    Ok(pair::encode(&Affine::from(combine(plan, &sums))))
}
