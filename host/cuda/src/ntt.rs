//! `ntt` on a GPU: kernels/ntt.h has the passes.

mod tables;

use std::sync::Arc;

use proofmill_algebra::field::PrimeField;
use proofmill_algebra::ntt::Transform;
use proofmill_op::ntt::{Field, Quotient, QuotientResponse, Request, Response};
use proofmill_op::{Argument, Error, Progress, ResidentData, Result, SecretBytes};
use rayon::prelude::*;

pub(crate) use tables::Tables;

use crate::device::{Job, Part, Resident, Source, Work};
use crate::gpu::{Buffer, Launch, Parameter, parameters};
use crate::memory::{Budget, Reservation};
use crate::sources::Module;
use tables::Powers;

/// The logarithms of the usual and the largest radix, which is the number of rows of a tile of a pass.
const USUAL_RADIX: u32 = 8;
const MAX_RADIX: u32 = 9;
/// Passes from which larger radices are taken.
const MAX_PASSES: u32 = 3;
/// Bytes of a tile in shared memory.
const TILE_BYTES: usize = 1 << 16;
/// Threads of a block: in passes, and where each has an element.
const THREADS: usize = 256;

/// Calls a function for a field that GPUs have.
macro_rules! in_field {
    ($field:expr, $function:ident($($argument:expr),* $(,)?)) => {
        match $field {
            Field::Bn254Fr => $function::<proofmill_algebra::field::Bn254Fr>($($argument),*),
            Field::Bls12_381Fr => $function::<proofmill_algebra::field::Bls12381Fr>($($argument),*),
            Field::Goldilocks => $function::<proofmill_algebra::field::Goldilocks>($($argument),*),
            other => Err(Error::argument("field", format!("there is no kernel for {other}"))),
        }
    };
}

/// Returns the work for a transform, after the checks that need no GPU.
pub(crate) fn work(request: Request, identity: u64) -> Result<Work<Response>> {
    let source = Source::of(&request.elements, identity)?;
    in_field!(request.field, transform_work(request, source))
}

fn transform_work<F: PrimeField>(request: Request, source: Source) -> Result<Work<Response>> {
    let transform = request.transform::<F>()?;
    Ok(Box::new(move |job| {
        let (field, bytes) = (request.field, source.len());
        job.gpu.load(Module::Ntt(field))?;
        let _memory = job.reserve("elements", transform.size(), 2 * F::BYTES)?;
        job.stream.stage("elements")?;
        let elements = source.part(job, 0..bytes, &mut |_, _| Ok(()))?;
        let result = transformed::<F>(job, field, &transform, elements, &|number| {
            let problem = format!("number {number} is not below the modulus");
            Error::argument(Argument::Elements, problem)
        })?;
        job.check()?;
        job.stream.stage("result")?;
        let mut target = plain(request.buffer.0, bytes);
        job.stream.read(&mut target, result.address())?;
        done(request.progress.as_ref());
        Ok(Response { elements: target.into_plain() })
    }))
}

/// Returns the work for a quotient, after the checks that need no GPU. Memory for a result that stays resident is reserved now.
pub(crate) fn quotient_work(
    request: Quotient,
    identity: u64,
    budget: &Arc<Budget>,
) -> Result<Work<QuotientResponse>> {
    request.log_size()?;
    if request.resident_for.is_some() && request.field.bytes() != proofmill_op::msm::SCALAR_BYTES {
        let problem = format!("elements of {} are no scalars", request.field);
        return Err(Error::argument(Argument::ResidentFor, problem));
    }
    let [a, b, c] = request.lists.each_ref().map(|list| Source::of(list, identity));
    let lists = [a?, b?, c?];
    let bytes = lists[0].len();
    let resident = request.resident_for.map(|_| budget.resident(bytes));
    let reservation = resident.transpose().map_err(|free| {
        let problem = format!("{bytes} bytes, where {free} of the GPU's memory are free");
        Error::argument(Argument::ResidentFor, problem)
    })?;
    in_field!(request.field, chain_work(request, lists, reservation, identity))
}

fn chain_work<F: PrimeField>(
    request: Quotient,
    lists: [Source; 3],
    reservation: Option<Reservation>,
    identity: u64,
) -> Result<Work<QuotientResponse>> {
    let (back, forth) = request.transforms::<F>()?;
    Ok(Box::new(move |job| {
        let (field, bytes) = (request.field, lists[0].len());
        job.gpu.load(Module::Ntt(field))?;
        let _memory = job.reserve("elements of a list", bytes / F::BYTES, 4 * F::BYTES)?;
        let mut values = Vec::with_capacity(lists.len());
        for (number, list) in lists.iter().enumerate() {
            job.check()?;
            job.stream.stage("lists")?;
            let list = list.part(job, 0..bytes, &mut |_, _| Ok(()))?;
            let coefficients = transformed::<F>(job, field, &back, list, &|element| {
                let problem = format!("list {number}: number {element} is not below the modulus");
                Error::argument(Argument::Lists, problem)
            })?;
            let part = Part::Own(coefficients);
            let never = |_| job.failed("an element is not below the modulus".into());
            values.push(transformed::<F>(job, field, &forth, part, &never)?);
            if let Some(progress) = &request.progress {
                progress.report((number + 1) as f64 / 4.0);
            }
        }
        let square = Buffer::with(job.stream, &tables::square::<F>())?;
        let count = bytes / F::BYTES;
        let [a, b, c] = &values[..] else { unreachable!("a list each") };
        let parameters = parameters![a, b, c, count as u64, &square];
        let module = Module::Ntt(field);
        job.stream.launch(&Launch::over(
            module,
            "multiply_subtract",
            count,
            THREADS,
            &parameters,
        ))?;
        // Secret lists without other owners are overwritten, each by a thread.
        lists.into_par_iter().for_each(drop);
        let result = values.swap_remove(0);
        if let Some(reservation) = reservation {
            job.stream.wait()?;
            let resident = Resident::new(result, reservation);
            done(request.progress.as_ref());
            let handle = ResidentData::remote(identity, bytes, resident);
            return Ok(QuotientResponse::Resident(handle));
        }
        let mut target = request.buffer.0.reused(bytes);
        job.stream.read(&mut target, result.address())?;
        done(request.progress.as_ref());
        Ok(QuotientResponse::Elements(target))
    }))
}

fn done(progress: Option<&Progress>) {
    if let Some(progress) = progress {
        progress.report(1.0);
    }
}

/// Returns memory for a result of `bytes` bytes that becomes a plain vector without a copy.
fn plain(buffer: SecretBytes, bytes: usize) -> SecretBytes {
    let mut memory = buffer.into_plain();
    if memory.capacity() < bytes {
        return SecretBytes::filled(bytes, 0);
    }
    memory.resize(bytes, 0);
    memory.into()
}

/// The radices of a transform's passes, as logarithms.
fn radices(log_size: u32) -> Vec<u32> {
    let passes = |radix: u32| log_size.div_ceil(radix).max(1);
    let usual = passes(USUAL_RADIX);
    let count = if usual <= MAX_PASSES { usual } else { passes(MAX_RADIX) };
    (0..count).map(|pass| log_size / count + u32::from(pass < log_size % count)).collect()
}

/// Transforms elements, which are gone afterwards if they are the request's own.
fn transformed<F: PrimeField>(
    job: &Job<'_>,
    field: Field,
    transform: &Transform<F>,
    elements: Part,
    wrong: &dyn Fn(usize) -> Error,
) -> Result<Buffer> {
    let log_size = transform.size().ilog2();
    let bytes = transform.size() * F::BYTES;
    let powers = |base, factor, log| job.tables.powers::<F>(job, field, base, factor, log);
    let roots = powers(transform.root(), F::ONE, log_size)?;
    let of = |base: F, factor: F| {
        (base != F::ONE || factor != F::ONE).then(|| powers(base, factor, log_size)).transpose()
    };
    let before = of(transform.input(), F::ONE)?;
    let after = of(transform.output(), transform.scale())?;
    let first_wrong = Buffer::filled(job.stream, 0xff, 8)?;

    job.stream.stage("passes")?;
    let radices = radices(log_size);
    let mut current = elements;
    let mut spare: Option<Buffer> = None;
    // The root to the power of the radices before.
    let (mut log_done, mut step) = (0, transform.root());
    for (number, &log_radix) in radices.iter().enumerate() {
        let to = match spare.take() {
            Some(buffer) => buffer,
            None => Buffer::secret(job.stream, bytes)?,
        };
        let (is_first, is_last) = (number == 0, number + 1 == radices.len());
        let log_tile = ((TILE_BYTES / F::BYTES).ilog2() - log_radix)
            .min(log_size - log_radix)
            .min(TILE_COLUMNS);
        let count = 1usize << (log_radix + log_tile);
        let none = None;
        let parameters = [
            Parameter::from(current.address()),
            Parameter::from(&to),
            Parameter::of_u32([log_size, log_done, log_radix, log_tile, u32::from(is_first)]),
            Powers::parameter(&Some(roots.clone())),
            Powers::parameter(&Some(powers(step, F::ONE, log_size - log_done)?)),
            Powers::parameter(if is_first { &before } else { &none }),
            Powers::parameter(if is_last { &after } else { &none }),
            Parameter::from(&first_wrong),
        ];
        job.stream.launch(&Launch {
            module: Module::Ntt(field),
            kernel: "ntt_pass",
            blocks: transform.size() / count,
            threads: (count / 2).clamp(1, THREADS),
            shared: (count + (1 << log_radix) / 2 + 1) * F::BYTES,
            parameters: &parameters,
        })?;
        if let Part::Own(buffer) = std::mem::replace(&mut current, Part::Own(to)) {
            spare = Some(buffer);
        }
        log_done += log_radix;
        step = (0..log_radix).fold(step, |power, _| power.square());
    }
    if let Some(number) = job.first_wrong(&first_wrong)? {
        return Err(wrong(number));
    }
    match current {
        Part::Own(buffer) => Ok(buffer),
        Part::Resident(..) => unreachable!("there is a pass at least"),
    }
}

/// The logarithm of the most columns of a tile.
const TILE_COLUMNS: u32 = 6;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn radices_make_the_size_in_as_few_passes_as_they_can() {
        for log in 0..=27 {
            let radices = radices(log);
            assert_eq!(radices.iter().sum::<u32>(), log);
            assert!(radices.iter().all(|radix| *radix <= MAX_RADIX) && radices.len() <= 3);
        }
        assert_eq!((radices(0), radices(8), radices(22)), (vec![0], vec![8], vec![8, 7, 7]));
    }
}
