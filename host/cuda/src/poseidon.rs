//! `poseidon` on a GPU: kernels/poseidon.h has the permutation.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use proofmill_algebra::field::{Field as _, PrimeField};
use proofmill_algebra::poseidon::{Domain, ELEMENT_BYTES, Instance, Scalar, Strength};
use proofmill_op::poseidon::{Layers, LayersResponse, Output, Request, Response};
use proofmill_op::{Argument, Error, Progress, Result};

use crate::device::{Job, Part, Source, Work};
use crate::gpu::{Buffer, Launch, Parameter};
use crate::sources::{Module, POSEIDON_WIDTHS};

/// Threads of a block.
const THREADS: usize = 128;
/// Hashes that are launched at once, at least, while preimages come: a GPU makes some ten thousand side by side.
const PIECE: usize = 1 << 17;
/// The largest piece: between two launches a request can be cancelled.
const MAX_PIECE: usize = 1 << 19;

/// The constants of instances, resident on the GPU.
#[derive(Default)]
pub(crate) struct Constants(Mutex<HashMap<(usize, Strength), Arc<Resident>>>);

struct Resident {
    entries: Vec<u64>,
    half: u32,
    partial: u32,
    first: Buffer,
    rounds: Buffer,
    counts: Buffer,
    last: Buffer,
}

impl Constants {
    fn of(&self, job: &Job<'_>, arity: usize, strength: Strength) -> Result<Arc<Resident>> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = all.get(&(arity, strength)) {
            return Ok(found.clone());
        }
        let two = |power: u32| (0..power).fold(Scalar::ONE, |x, _| x.double());
        let inverse = |x: Scalar| x.invert_vartime().unwrap_or(Scalar::ZERO);
        // A product is x y / 2^256, a combination a sum over 2^64.
        let instance = Instance::of(arity, strength);
        let scaled = instance.and_then(|it| it.scaled(inverse(two(256)), inverse(two(64))));
        let scaled = scaled.ok_or_else(|| job.failed(format!("it has no arity {arity}")))?;
        let (mut rounds, mut counts) = (Vec::new(), Vec::new());
        for round in &scaled.rounds {
            rounds.extend(round.by.iter().chain(&round.after).flat_map(bytes));
            counts.extend((round.after.len() as u32).to_le_bytes());
        }
        let partial = scaled.rounds.iter().filter(|round| round.by.is_some()).count();
        let half = (scaled.rounds.len() - partial) / 2;
        let with = |bytes: &[u8]| Buffer::with(job.stream, bytes);
        let first: Vec<u8> = scaled.first.iter().flat_map(bytes).collect();
        let resident = Arc::new(Resident {
            entries: scaled.entries.clone(),
            half: half as u32,
            partial: partial as u32,
            first: with(&first)?,
            rounds: with(&rounds)?,
            counts: with(&counts)?,
            last: with(&bytes(&scaled.last))?,
        });
        // Other streams use them, too.
        job.stream.wait()?;
        all.insert((arity, strength), resident.clone());
        Ok(resident)
    }
}

fn bytes(x: &Scalar) -> [u8; ELEMENT_BYTES] {
    x.to_le_bytes()
}

/// Returns an error for an arity without a kernel.
fn require(uri: &str, arity: usize) -> Result<()> {
    if POSEIDON_WIDTHS.contains(&(arity + 1)) {
        return Ok(());
    }
    let (least, most) = (POSEIDON_WIDTHS.start() - 1, POSEIDON_WIDTHS.end() - 1);
    let what = format!("poseidon of arity {arity}; it offers {least} to {most}");
    Err(Error::Unsupported { device: uri.to_owned(), what })
}

/// The parameters of a batch of hashes.
#[derive(Clone, Copy)]
struct Kind {
    arity: usize,
    strength: Strength,
    domain: Domain,
    elements: usize,
}

/// Returns the work for hashes, after the checks that need no GPU.
pub(crate) fn work(request: Request, identity: u64, uri: &str) -> Result<Work<Response>> {
    let (elements, count) = (request.elements()?, request.count()?);
    require(uri, request.arity)?;
    let source = Source::of(&request.preimages, identity)?;
    let Request { arity, strength, domain, progress, .. } = request;
    let kind = Kind { arity, strength, domain, elements };
    Ok(Box::new(move |job| {
        job.gpu.load(Module::Poseidon(arity + 1))?;
        let _memory = job.reserve("preimages", count, (elements + 1) * ELEMENT_BYTES)?;
        let digests = Buffer::secret(job.stream, count * ELEMENT_BYTES)?;
        let hashes = Hashes::new(job, kind, digests.address())?;
        job.stream.stage("hashes")?;
        let report = |done: usize| report(progress.as_ref(), done, count);
        let _preimages = hashes.of_source(&source, count, &report)?;
        if let Some(number) = hashes.first_wrong()? {
            let (preimage, element) = (number / elements, number % elements);
            let problem =
                format!("element {element} of preimage {preimage} is not below the modulus");
            return Err(Error::argument(Argument::Preimages, problem));
        }
        job.stream.stage("digests")?;
        let mut found = vec![0; digests.len()];
        job.stream.read(&mut found, digests.address())?;
        report(count);
        Ok(Response { digests: found })
    }))
}

/// Returns the work for trees, after the checks that need no GPU.
pub(crate) fn layers_work(
    request: Layers,
    identity: u64,
    uri: &str,
) -> Result<Work<LayersResponse>> {
    let counts = request.counts()?;
    request.arities.iter().try_for_each(|arity| require(uri, *arity))?;
    let source = Source::of(&request.nodes, identity)?;
    Ok(Box::new(move |job| {
        for arity in &request.arities {
            job.gpu.load(Module::Poseidon(arity + 1))?;
        }
        let digests: usize = counts[1..].iter().sum();
        let _memory = job.reserve("nodes and digests", counts[0] + digests, ELEMENT_BYTES)?;
        let layers = Buffer::secret(job.stream, digests * ELEMENT_BYTES)?;
        job.stream.stage("hashes")?;
        let mut nodes = None;
        let (mut below, mut to, mut done) = (0, layers.address(), 0);
        for (&arity, &count) in request.arities.iter().zip(&counts[1..]) {
            let (strength, domain) = (Strength::Standard, Domain::MerkleTree);
            let kind = Kind { arity, strength, domain, elements: arity };
            let hashes = Hashes::new(job, kind, to)?;
            let report = |more: usize| report(request.progress.as_ref(), done + more, digests);
            if nodes.is_none() {
                nodes = Some(hashes.of_source(&source, count, &report)?);
                if let Some(number) = hashes.first_wrong()? {
                    return Err(request.too_large(number));
                }
            } else {
                hashes.launch(below, 0..count, &report)?;
            }
            (below, to, done) = (to, to + (count * ELEMENT_BYTES) as u64, done + count);
        }
        job.stream.stage("digests")?;
        let count = match request.output {
            Output::All => digests,
            Output::Last => counts[counts.len() - 1],
        };
        let mut found = vec![0; count * ELEMENT_BYTES];
        let at = layers.address() + ((digests - count) * ELEMENT_BYTES) as u64;
        job.stream.read(&mut found, at)?;
        report(request.progress.as_ref(), digests, digests);
        Ok(LayersResponse { digests: found })
    }))
}

fn report(progress: Option<&Progress>, done: usize, all: usize) {
    if let Some(progress) = progress {
        progress.report(done as f64 / all.max(1) as f64);
    }
}

/// Hashes of one kind.
struct Hashes<'a> {
    job: &'a Job<'a>,
    kind: Kind,
    constants: Arc<Resident>,
    tag: Buffer,
    digests: u64,
    first_wrong: Buffer,
}

impl<'a> Hashes<'a> {
    /// Hashes whose digests go to this address.
    fn new(job: &'a Job<'a>, kind: Kind, digests: u64) -> Result<Self> {
        let constants = job.constants.of(job, kind.arity, kind.strength)?;
        let tag = Buffer::with(job.stream, &kind.domain.tag(kind.arity))?;
        let first_wrong = Buffer::filled(job.stream, 0xff, 8)?;
        Ok(Self { job, kind, constants, tag, digests, first_wrong })
    }

    /// Hashes preimages while they are copied; returns them.
    fn of_source(&self, source: &Source, count: usize, report: &dyn Fn(usize)) -> Result<Part> {
        let each = self.kind.elements * ELEMENT_BYTES;
        let mut done = 0;
        source.part(self.job, 0..source.len(), &mut |address, bytes| {
            let ready = bytes / each;
            if ready - done < PIECE && ready < count {
                return Ok(());
            }
            self.launch(address, done..ready, report)?;
            done = ready;
            Ok(())
        })
    }

    /// Launches the hashes with these numbers, of preimages at this address.
    fn launch(&self, preimages: u64, range: Range<usize>, report: &dyn Fn(usize)) -> Result<()> {
        let Kind { arity, elements, .. } = self.kind;
        let constants = &*self.constants;
        let rounds = || {
            Parameter::of_u64([
                u64::from(constants.half) | u64::from(constants.partial) << 32,
                constants.first.address(),
                constants.rounds.address(),
                constants.counts.address(),
                constants.last.address(),
            ])
        };
        for start in range.clone().step_by(MAX_PIECE) {
            self.job.check()?;
            let end = range.end.min(start + MAX_PIECE);
            let parameters = [
                Parameter::from(preimages),
                Parameter::from(elements as u32),
                Parameter::from(start as u64),
                Parameter::from(end as u64),
                Parameter::of_u64(constants.entries.clone()),
                rounds(),
                Parameter::from(&self.tag),
                Parameter::from(self.digests),
                Parameter::from(&self.first_wrong),
            ];
            let module = Module::Poseidon(arity + 1);
            let launch = Launch::over(module, "hash", end - start, THREADS, &parameters);
            self.job.stream.launch(&launch)?;
            report(end);
        }
        Ok(())
    }

    /// The number of the first element that is not below the modulus.
    fn first_wrong(&self) -> Result<Option<usize>> {
        self.job.first_wrong(&self.first_wrong)
    }
}
