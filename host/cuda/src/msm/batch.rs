//! MSMs over the same bases: the launches of kernels/msm.h, and the last additions on this machine's processor.

use std::ops::Range;

use proofmill_algebra::curve::{Affine, Projective};
use proofmill_algebra::encoding::{Coordinate, pair};
use proofmill_algebra::msm::Group;
use proofmill_op::msm::{Instance, Request, SCALAR_BYTES};
use proofmill_op::{Argument, Error, Result, SecretBytes};

use super::bases::{Points, read_points};
use super::plan::{PARTIALS_EACH, Shape};
use crate::device::{Job, Source};
use crate::gpu::{Buffer, Launch, Parameter, parameters};
use crate::sources::Module;

/// Threads of a block where threads add points, and where they do not.
const ADDING: usize = 128;
const COUNTING: usize = 256;
/// Counts that a block of the prefix sums takes (kernels/scan.h).
const SCAN_BLOCK: usize = 4096;

/// Computes the MSM of each list of scalars.
pub(super) fn all<C: Group<Base: Coordinate>>(
    job: &Job<'_>,
    request: &Request,
    points: &Points,
    scalars: &[Source],
) -> Result<Vec<Vec<u8>>> {
    let count = request.count()?;
    let shape = match points {
        Points::Resident(bases) if bases.shape.tables > 1 => bases.shape,
        _ => Shape::best::<C>(count, 1, job.budget.available()),
    };
    // Points of the request exist twice while they are read.
    let extra = if matches!(points, Points::Host(..)) { 2 * pair::bytes::<C>() } else { 0 };
    // While it waits, data that becomes resident may leave it less.
    let (chunk, _memory) = loop {
        let available = job.budget.available();
        let chunk = shape.chunk::<C>(count, extra, available).map_err(|least| {
            job.failed(format!(
                "an MSM needs {least} bytes of its memory at least, where {available} are free"
            ))
        })?;
        let bytes = shape.working_bytes::<C>(chunk) + chunk * extra;
        if let Ok(memory) = job.budget.working(bytes, job.cancelled)? {
            break (chunk, memory);
        }
    };
    if let Points::Resident(bases) = points {
        job.hold(bases.clone());
    }
    let instance = request.bases.instance;
    let pieces = count.div_ceil(chunk.max(1)).max(1) * scalars.len();
    let mut results = vec![Projective::<C>::IDENTITY; scalars.len()];
    let mut done = 0;
    for start in (0..count).step_by(chunk.max(1)) {
        let range = start..count.min(start + chunk);
        let own;
        let (address, stride) = match points {
            Points::Resident(bases) => {
                (bases.points.address() + (start * pair::bytes::<C>()) as u64, bases.count)
            }
            Points::Host(bytes, check) => {
                job.stream.stage("points")?;
                own = Buffer::new(job.stream, range.len() * pair::bytes::<C>())?;
                read_points::<C>(job, instance, bytes, range.clone(), *check, own.address())?;
                (own.address(), range.len())
            }
        };
        for (number, source) in scalars.iter().enumerate() {
            let span = range.start * SCALAR_BYTES..range.end * SCALAR_BYTES;
            let list = List { job, instance, shape, number, start, count: range.len() };
            results[number] += list.msm::<C>(source, span, address, stride)?;
            done += 1;
            if let Some(progress) = &request.progress {
                progress.report(done as f64 / pieces as f64);
            }
        }
    }
    if let (0, Some(progress)) = (count, &request.progress) {
        progress.report(1.0);
    }
    Ok(Affine::batch(&results).iter().map(pair::encode).collect())
}

/// Some scalars of a list.
struct List<'a> {
    job: &'a Job<'a>,
    instance: Instance,
    shape: Shape,
    /// The list's.
    number: usize,
    /// The first scalar's.
    start: usize,
    count: usize,
}

impl List<'_> {
    fn launch(
        &self,
        kernel: &'static str,
        count: usize,
        threads: usize,
        parameters: &[Parameter],
    ) -> Result<()> {
        let module = Module::Msm(self.instance);
        self.job.stream.launch(&Launch::over(module, kernel, count, threads, parameters))
    }

    /// Launches a kernel with a block for each of some scalars and each window.
    fn launch_windows(
        &self,
        kernel: &'static str,
        count: usize,
        parameters: &[Parameter],
    ) -> Result<()> {
        let blocks = count.div_ceil(COUNTING) * self.shape.windows;
        let (module, threads) = (Module::Msm(self.instance), COUNTING);
        self.job.stream.launch(&Launch { module, kernel, blocks, threads, shared: 0, parameters })
    }

    /// Computes the MSM of the scalars in `span` of the source; `stride`: the points of a table.
    fn msm<C: Group<Base: Coordinate>>(
        &self,
        source: &Source,
        span: Range<usize>,
        points: u64,
        stride: usize,
    ) -> Result<Projective<C>> {
        let Self { job, shape, count, .. } = *self;
        let stream = job.stream;
        let bucket_bytes = 2 * pair::bytes::<C>();
        let windows = || {
            let [count, sets, stride] = [shape.windows, shape.sets, stride].map(|it| it as u32);
            Parameter::of_u32([shape.bits, count, sets, stride])
        };

        stream.stage("scalars, digits")?;
        let counts = Buffer::secret(stream, shape.buckets() * 4)?;
        stream.fill(counts.address(), 0, counts.len())?;
        let ranks = Buffer::secret(stream, count * shape.windows * 4)?;
        let first_wrong = Buffer::filled(stream, 0xff, 8)?;
        let mut first = 0;
        let scalars = source.part(job, span, &mut |address, bytes| {
            let end = bytes / SCALAR_BYTES;
            let parameters = parameters![
                address,
                first as u32,
                end as u32,
                count as u32,
                windows(),
                &counts,
                &ranks,
                &first_wrong
            ];
            self.launch_windows("count_digits", end - first, &parameters)?;
            first = end;
            Ok(())
        })?;
        stream.stage("sorting")?;
        let entry_count = self.prefix_sums(&counts, shape.buckets())?;
        if let Some(wrong) = job.first_wrong(&first_wrong)? {
            let (list, number) = (self.number, self.start + wrong);
            let problem =
                format!("list {list}: number {number} is not below the order of the group");
            return Err(Error::argument(Argument::Scalars, problem));
        }
        if entry_count == 0 {
            return Ok(Projective::IDENTITY);
        }
        let total = Buffer::with(stream, &(entry_count as u32).to_le_bytes())?;
        let entries = Buffer::secret(stream, entry_count * 8)?;
        let parameters =
            parameters![scalars.address(), count as u32, windows(), &counts, &ranks, &entries];
        self.launch_windows("scatter", count, &parameters)?;
        drop((scalars, ranks));

        job.check()?;
        stream.stage("accumulation")?;
        let buckets = Buffer::secret(stream, shape.buckets() * bucket_bytes)?;
        stream.fill(buckets.address(), 0, buckets.len())?;
        let (each, threads) = Shape::threads(entry_count);
        let mut partials = Partials::new(stream, threads, bucket_bytes)?;
        let parameters = parameters![
            &entries,
            &total,
            each as u32,
            points,
            &buckets,
            &partials.buckets,
            &partials.sums,
            threads as u32
        ];
        self.launch("accumulate", threads, ADDING, &parameters)?;
        stream.stage("partial sums")?;
        // The first entry of all began nowhere before: of one partial sum none is left.
        while partials.count > 1 {
            let fewer = partials.count.div_ceil(PARTIALS_EACH);
            let next = Partials::new(stream, fewer, bucket_bytes)?;
            let parameters = parameters![
                &partials.buckets,
                &partials.sums,
                partials.count as u32,
                PARTIALS_EACH as u32,
                &buckets,
                &next.buckets,
                &next.sums,
                fewer as u32
            ];
            self.launch("combine_partials", fewer, ADDING, &parameters)?;
            partials = next;
        }

        job.check()?;
        stream.stage("reduction")?;
        let sums = self.reduce(&buckets, bucket_bytes)?;
        let mut bytes = SecretBytes::zeroed(shape.sets * bucket_bytes);
        stream.read(&mut bytes, sums.address())?;
        self.combine(&bytes)
    }

    /// Replaces counts by their prefix sums; returns the sum of all.
    fn prefix_sums(&self, counts: &Buffer, count: usize) -> Result<usize> {
        let stream = self.job.stream;
        let blocks = count.div_ceil(SCAN_BLOCK);
        let sums = Buffer::secret(stream, (blocks + 1) * 4)?;
        let module = Module::Msm(self.instance);
        let launch = |kernel, blocks, parameters: &[Parameter]| {
            let (threads, shared) = (COUNTING, COUNTING * 4);
            stream.launch(&Launch { module, kernel, blocks, threads, shared, parameters })
        };
        launch("scan_sums", blocks, &parameters![counts, count as u32, &sums])?;
        launch("scan_prefixes", 1, &parameters![&sums, blocks as u32])?;
        launch("scan_counts", blocks, &parameters![counts, count as u32, &sums])?;
        let mut total = [0; 4];
        stream.read(&mut total, sums.address() + 4 * blocks as u64)?;
        Ok(u32::from_le_bytes(total) as usize)
    }

    /// The coordinates of each set's sum of 1 b_0 + 2 b_1 + …, canonical.
    fn reduce(&self, buckets: &Buffer, bucket_bytes: usize) -> Result<Buffer> {
        let Self { job, shape, .. } = *self;
        let log_size = shape.log_segment();
        let mut segments = shape.buckets() >> log_size;
        let pair = |count: usize| -> Result<[Buffer; 2]> {
            let new = || Buffer::secret(job.stream, count * bucket_bytes);
            Ok([new()?, new()?])
        };
        let mut sums = pair(segments)?;
        let parameters = parameters![buckets, segments as u32, log_size, &sums[0], &sums[1]];
        self.launch("reduce_segments", segments, ADDING, &parameters)?;
        while segments > shape.sets {
            segments /= 2;
            let next = pair(segments)?;
            let parameters = parameters![&sums[0], &sums[1], segments as u32, &next[0], &next[1]];
            self.launch("fold_segments", segments, ADDING, &parameters)?;
            sums = next;
        }
        let [weighted, canonical] = sums;
        let parameters = parameters![&weighted, shape.sets as u32, &canonical];
        self.launch("write_sums", shape.sets, ADDING, &parameters)?;
        Ok(canonical)
    }

    /// The sum of 2^(c i) times the sum of set i.
    fn combine<C: Group<Base: Coordinate>>(&self, bytes: &[u8]) -> Result<Projective<C>> {
        let sets = bytes.chunks_exact(2 * pair::bytes::<C>());
        let sum = |bytes: &[u8]| -> Option<Projective<C>> {
            let mut parts = bytes.chunks_exact(C::Base::BYTES);
            let mut next = || C::Base::read_le(parts.next()?).ok();
            let (x, y, zz, zzz) = (next()?, next()?, next()?, next()?);
            // x = X / ZZ, y = Y / ZZZ
            let is_identity = bool::from(proofmill_algebra::field::Field::is_zero(&zz));
            Some(if is_identity {
                Projective::IDENTITY
            } else {
                Projective::from([x * zzz, y * zz, zz * zzz])
            })
        };
        let mut total = Projective::IDENTITY;
        for set in sets.rev() {
            for _ in 0..self.shape.bits {
                total = total.double();
            }
            total += sum(set).ok_or_else(|| {
                self.job.failed("a coordinate of a sum is not below the modulus".into())
            })?;
        }
        Ok(total)
    }
}

/// Sums of entries whose bucket began in an earlier part.
struct Partials {
    buckets: Buffer,
    sums: Buffer,
    count: usize,
}

impl Partials {
    fn new(
        stream: &std::sync::Arc<dyn crate::gpu::Stream>,
        count: usize,
        bucket_bytes: usize,
    ) -> Result<Self> {
        let buckets = Buffer::secret(stream, count * 4)?;
        Ok(Self { buckets, sums: Buffer::secret(stream, count * bucket_bytes)?, count })
    }
}
