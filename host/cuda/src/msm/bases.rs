//! Bases of MSMs: read, checked, and resident on the GPU with tables of multiples.

use std::ops::Range;
use std::sync::Arc;

use proofmill_algebra::encoding::{Coordinate, pair};
use proofmill_algebra::msm::Group;
use proofmill_op::msm::read::{self, Source};
use proofmill_op::msm::{self, Check};
use proofmill_op::process::parallel;
use proofmill_op::{Capability, Data, Result};
use rayon::prelude::*;

use super::plan::{Shape, tables_in};
use crate::device::Job;
use crate::gpu::{Buffer, Launch, parameters};
use crate::memory::Reservation;
use crate::sources::Module;

/// Points that are copied at a time.
const PIECE: usize = 1 << 18;
/// Points that a thread checks at a time.
const CHECKED: usize = 1 << 8;
/// Threads of a block.
const THREADS: usize = 128;
/// Points that a thread of `multiply_points` takes.
const MULTIPLES_EACH: usize = 16;

/// Resident bases: tables of affine points in Montgomery form, one after the other.
pub(super) struct Bases {
    pub points: Buffer,
    pub count: usize,
    /// The shape that the tables were made for. A single table suits any.
    pub shape: Shape,
    pub check: Check,
    _reservation: Reservation,
}

/// The points of a request, resident or on the host.
pub(super) enum Points {
    Resident(Arc<Bases>),
    Host(Source, Check),
}

impl Points {
    /// Returns the points of a request to the device with this identity.
    pub fn of(bases: &msm::Bases, identity: u64) -> Result<Self> {
        Ok(match &bases.points {
            msm::Points::Data(Data::Resident(handle)) => {
                let resident: Arc<Bases> =
                    handle.inside(identity, &Capability::Msm(bases.instance))?;
                if bases.check != Check::None {
                    read::check_resident(resident.check, bases.check)?;
                }
                Self::Resident(resident)
            }
            points => Self::Host(Source::of(points, identity)?, bases.check),
        })
    }
}

/// Loads bases, with as many tables as are worth their memory.
pub(super) fn load<C: Group<Base: Coordinate>>(
    job: &Job<'_>,
    bases: &msm::Bases,
    source: &Source,
    count: usize,
) -> Result<Bases> {
    let tables = tables_in::<C>(count, bases.max_bytes)?;
    let shape = Shape::best::<C>(count, tables, job.budget.available());
    let table = count * pair::bytes::<C>();
    let reservation = job.budget.resident(shape.tables * table).map_err(|free| {
        let fit = free / (shape.tables * pair::bytes::<C>());
        job.failed(format!(
            "{count} points take {} bytes of its memory, where {free} are free: {fit} would fit",
            shape.tables * table
        ))
    })?;
    // Points as they come, and for tables their multiples before they are affine.
    let each = pair::bytes::<C>() * if shape.tables > 1 { 4 } else { 1 };
    let _memory = job.reserve("points", PIECE.min(count), each)?;
    let points = Buffer::new(job.stream, shape.tables * table)?;
    read_points::<C>(job, bases.instance, source, 0..count, bases.check, points.address())?;
    if shape.tables > 1 {
        multiply::<C>(job, bases.instance, &points, count, &shape)?;
    }
    job.stream.wait()?;
    Ok(Bases { points, count, shape, check: bases.check, _reservation: reservation })
}

/// Writes the points with these numbers to the GPU and checks them.
pub(super) fn read_points<C: Group<Base: Coordinate>>(
    job: &Job<'_>,
    instance: msm::Instance,
    source: &Source,
    range: Range<usize>,
    check: Check,
    to: u64,
) -> Result<()> {
    let each = pair::bytes::<C>();
    let raw = Buffer::new(job.stream, PIECE.min(range.len()) * each)?;
    let first_wrong = Buffer::filled(job.stream, 0xff, 8)?;
    let mut buffer = Vec::new();
    for start in range.clone().step_by(PIECE) {
        job.check()?;
        let piece = start..range.end.min(start + PIECE);
        let bytes = source.range(each, piece.clone(), &mut buffer)?;
        job.stream.write(raw.address(), bytes, &mut |_| Ok(()))?;
        let parameters = parameters![
            &raw,
            piece.len() as u32,
            (start - range.start) as u32,
            u32::from(check != Check::None),
            to,
            &first_wrong
        ];
        let module = Module::Msm(instance);
        job.stream.launch(&Launch::over(
            module,
            "read_points",
            piece.len(),
            THREADS,
            &parameters,
        ))?;
        if check == Check::Subgroup && C::COFACTOR != [1] {
            let chunks = bytes.par_chunks(CHECKED * each).enumerate();
            let checked = |(number, chunk): (usize, &[u8])| {
                job.check()?;
                let numbers = piece.start + number * CHECKED..;
                numbers.zip(chunk.chunks_exact(each)).try_for_each(|(number, bytes)| {
                    read::point::<C>(number, bytes, check).map(|_| ())
                })
            };
            parallel(|| chunks.try_for_each(checked))?;
        }
    }
    let Some(wrong) = job.first_wrong(&first_wrong)? else { return Ok(()) };
    let number = range.start + wrong;
    let point = source.range(each, number..number + 1, &mut buffer)?;
    match read::point::<C>(number, point, check) {
        Err(problem) => Err(problem),
        Ok(_) => Err(job.failed(format!("it refused point {number}, which is right"))),
    }
}

/// Table after table, each from the one before.
fn multiply<C: Group<Base: Coordinate>>(
    job: &Job<'_>,
    instance: msm::Instance,
    points: &Buffer,
    count: usize,
    shape: &Shape,
) -> Result<()> {
    let each = pair::bytes::<C>();
    let piece = PIECE.min(count);
    let sums = Buffer::new(job.stream, piece * 2 * each)?;
    let products = Buffer::new(job.stream, piece * each / 2)?;
    let doublings = shape.bits * shape.sets as u32;
    for table in 1..shape.tables {
        for start in (0..count).step_by(PIECE) {
            job.check()?;
            let length = PIECE.min(count - start);
            let at = |table: usize| points.address() + ((table * count + start) * each) as u64;
            let parameters =
                parameters![at(table - 1), length as u32, doublings, &sums, &products, at(table)];
            let threads = length.div_ceil(MULTIPLES_EACH);
            let module = Module::Msm(instance);
            job.stream.launch(&Launch::over(
                module,
                "multiply_points",
                threads,
                THREADS,
                &parameters,
            ))?;
        }
    }
    job.stream.wait()
}
