//! The device: requests wait in a queue, and threads with a stream each take them to the GPU.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use proofmill_op::msm::{Group, LoadBases, Msm, PlanMsm};
use proofmill_op::ntt::{ComputeQuotient, Ntt};
use proofmill_op::poseidon::{HashLayers, Poseidon};
use proofmill_op::{
    AnyRequest, AnyTicket, Argument, Bytes, Capability, Caps, Data, Device, DeviceKind, Erased,
    Error, Metrics, ResidentData, Result, Ticket, poseidon as op_poseidon,
};
use tracing::{Level, debug, enabled};

use crate::driver::CudaGpu;
use crate::emulated::{EmulatedGpu, Fault};
use crate::gpu::{Buffer, Gpu, Launch, Observed, Stream, parameters};
use crate::memory::{Budget, Reservation};
use crate::sources::Module;
use crate::{compile, msm as gpu_msm, ntt, poseidon};

/// Streams, and the threads that enter work into them.
const STREAMS: usize = 3;
/// The share of free memory for requests and resident data, in 16ths: the rest is for tables and for the driver.
const SHARE: usize = 15;
/// Memory of the emulated GPU.
const EMULATED_BYTES: usize = 1 << 30;

/// Options for opening a GPU.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// The most bytes of its memory that are used. All that is free, if not given.
    pub max_bytes: Option<usize>,
    /// The folder of compiled kernels; [`folder`](crate::folder), if not given.
    pub folder: Option<PathBuf>,
    /// A fault of the emulation.
    pub fault: Option<Fault>,
    /// Bytes, of a secret, that the emulation looks for in memory that is freed.
    pub watch: Option<Vec<u8>>,
}

/// A GPU, or its emulation, as a [`Device`].
///
/// A request is checked when it is submitted, and runs on one of a few streams. The GPU checks scalars and elements while it reads them. A GPU that fails
/// (for CUDA, any error but a lack of memory) is lost: every ticket then ends with [`Error::Lost`].
///
/// Memory of requests whose data are secret, or depend on secrets, is overwritten before it is freed.
pub struct CudaDevice {
    caps: Caps,
    inner: Arc<Inner>,
    /// The stream of data that the caller's thread loads.
    stream: Arc<dyn Stream>,
    queue: Option<Sender<Task>>,
    threads: Vec<JoinHandle<()>>,
}

struct Inner {
    uri: String,
    gpu: Box<dyn Gpu>,
    identity: u64,
    budget: Arc<Budget>,
    tables: ntt::Tables,
    constants: poseidon::Constants,
    lost: Mutex<Option<Error>>,
    completed: AtomicU64,
    stages: Mutex<Option<Stages>>,
}

/// The stages of a request with their milliseconds on the GPU, in order.
pub type Stages = Vec<(&'static str, f32)>;

/// A request that waits for a stream: executes it and resolves its ticket.
type Task = Box<dyn FnOnce(&Inner, &Arc<dyn Stream>) + Send>;

/// The work for a request with a response of type `T`.
pub(crate) type Work<T> = Box<dyn FnOnce(&Job<'_>) -> Result<T> + Send>;

/// A request that runs.
pub(crate) struct Job<'a> {
    pub gpu: &'a dyn Gpu,
    pub stream: &'a Arc<dyn Stream>,
    pub budget: &'a Arc<Budget>,
    pub tables: &'a ntt::Tables,
    pub constants: &'a poseidon::Constants,
    pub cancelled: &'a (dyn Fn() -> bool + Sync),
    uri: &'a str,
    /// Memory of other streams that kernels of this one read, until they are done: it is freed in the order of its own stream.
    held: Mutex<Vec<Arc<dyn Any + Send + Sync>>>,
}

impl Job<'_> {
    /// Keeps memory until all work of this request is done.
    pub fn hold(&self, memory: Arc<dyn Any + Send + Sync>) {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).push(memory);
    }

    /// Returns [`Error::Cancelled`] if the request was cancelled.
    pub fn check(&self) -> Result<()> {
        if (self.cancelled)() { Err(Error::Cancelled) } else { Ok(()) }
    }

    /// The error of a GPU that does something wrong.
    pub fn failed(&self, problem: String) -> Error {
        Error::Failed { device: self.uri.to_owned(), problem }
    }

    /// Reserves memory for `count` items for the duration of the request, and waits for it. Returns a device error if the GPU has less memory: another device may have enough.
    pub fn reserve(&self, what: &str, count: usize, each: usize) -> Result<Reservation> {
        let bytes = count.saturating_mul(each);
        self.budget.working(bytes, self.cancelled)?.map_err(|most| {
            self.failed(format!(
                "{count} {what} need {bytes} bytes of its memory, where {most} are free: {} would fit",
                most / each.max(1)
            ))
        })
    }

    /// The number that a kernel left in these eight bytes, if it found something wrong. Waits for it.
    pub fn first_wrong(&self, number: &Buffer) -> Result<Option<usize>> {
        let mut bytes = [0; 8];
        self.stream.read(&mut bytes, number.address())?;
        let number = u64::from_le_bytes(bytes);
        Ok((number != u64::MAX).then_some(number as usize))
    }
}

/// Bytes that stay on the GPU.
pub(crate) struct Resident {
    buffer: Buffer,
    _reservation: Reservation,
}

impl Resident {
    pub fn new(buffer: Buffer, reservation: Reservation) -> Self {
        Self { buffer, _reservation: reservation }
    }
}

/// Bytes of a request.
pub(crate) enum Source {
    Host(Bytes),
    Resident(Arc<Resident>),
}

impl Source {
    /// Returns the bytes of a request to the device with this identity.
    pub fn of(data: &Data, identity: u64) -> Result<Self> {
        Ok(match data {
            Data::Host(bytes) => Self::Host(bytes.clone()),
            Data::Resident(handle) => Self::Resident(handle.name(identity)?),
        })
    }

    pub fn len(&self) -> usize {
        match self {
            Self::Host(bytes) => bytes.len(),
            Self::Resident(resident) => resident.buffer.len(),
        }
    }

    /// Some of the bytes on the GPU. After each piece, `copied` may enter work on the bytes up to its second argument, from the address that is the first.
    pub fn part(
        &self,
        job: &Job<'_>,
        range: std::ops::Range<usize>,
        copied: &mut dyn FnMut(u64, usize) -> Result<()>,
    ) -> Result<Part> {
        let length = range.len();
        match self {
            Self::Host(bytes) => {
                let buffer = Buffer::secret(job.stream, length)?;
                let address = buffer.address();
                job.stream.write(address, &bytes[range], &mut |end| copied(address, end))?;
                Ok(Part::Own(buffer))
            }
            Self::Resident(resident) => {
                job.hold(resident.clone());
                let part = Part::Resident(resident.clone(), range.start);
                copied(part.address(), length)?;
                Ok(part)
            }
        }
    }
}

/// Bytes of a request on the GPU.
pub(crate) enum Part {
    /// The request's own, to be overwritten.
    Own(Buffer),
    /// Resident ones from a place on, to be read.
    Resident(Arc<Resident>, usize),
}

impl Part {
    pub fn address(&self) -> u64 {
        match self {
            Self::Own(buffer) => buffer.address(),
            Self::Resident(resident, start) => resident.buffer.address() + *start as u64,
        }
    }
}

impl CudaDevice {
    /// Opens the GPU with this number under a URI.
    pub fn open(uri: &str, number: u32, options: Options) -> Result<Self> {
        let folder = options.folder.clone().or_else(compile::folder);
        let gpu = Box::new(CudaGpu::open(uri, number, folder)?);
        Self::over(uri, gpu, &options)
    }

    /// Opens an emulated GPU under a URI: the kernels on this machine's processor, for tests.
    pub fn emulated(uri: &str, options: Options) -> Result<Self> {
        let folder = options.folder.clone().or_else(compile::folder);
        let (fault, watch) = (options.fault, options.watch.clone());
        let gpu = EmulatedGpu::open(uri, folder.as_deref(), EMULATED_BYTES, fault, watch)?;
        Self::over(uri, Box::new(gpu), &options)
    }

    fn over(uri: &str, gpu: Box<dyn Gpu>, options: &Options) -> Result<Self> {
        let mut caps = Caps::new(uri, DeviceKind::Gpu, gpu.description());
        for module in Module::all() {
            caps.capabilities.extend(match module {
                Module::Msm(instance) => Some(Capability::Msm(instance)),
                Module::Ntt(field) => Some(Capability::Ntt(field)),
                Module::Poseidon(_) => None,
            });
        }
        caps.capabilities.push(Capability::Poseidon(op_poseidon::Instance::Bls12_381));
        caps.queue = 2 * STREAMS;
        let free = gpu.free_bytes()? / 16 * SHARE;
        let budget = Budget::new(options.max_bytes.map_or(free, |most| most.min(free)));
        let stream = gpu.stream()?;
        let inner = Arc::new(Inner {
            uri: uri.to_owned(),
            gpu,
            identity: ResidentData::fresh_identity(),
            budget,
            tables: ntt::Tables::default(),
            constants: poseidon::Constants::default(),
            lost: Mutex::default(),
            completed: AtomicU64::new(0),
            stages: Mutex::default(),
        });
        let (queue, waiting) = channel();
        let waiting = Arc::new(Mutex::new(waiting));
        let threads = (0..STREAMS).map(|number| {
            let (inner, waiting, stream) = (inner.clone(), waiting.clone(), inner.gpu.stream()?);
            let thread = thread::Builder::new().name(format!("proofmill-cuda-{number}"));
            thread.spawn(move || inner.serve(&waiting, &stream)).map_err(|source| Error::Io {
                context: "starting a thread".into(),
                source: Arc::new(source),
            })
        });
        let threads = threads.collect::<Result<_>>()?;
        Ok(Self { caps, inner, stream, queue: Some(queue), threads })
    }

    /// Begins to time the stages of requests on the GPU, for measurements: [`CudaDevice::stages`] has those of the last one.
    pub fn time_stages(&self) {
        *self.inner.stages() = Some(Stages::new());
    }

    /// The stages of the last request that ended, if they are timed.
    pub fn stages(&self) -> Option<Stages> {
        self.inner.stages().clone()
    }

    /// Returns the use of memory that the emulation observed, for tests.
    #[doc(hidden)]
    pub fn observed(&self) -> Observed {
        self.inner.gpu.observed()
    }

    /// The kernels' products of elements of a module's field (for an MSM that of the coordinates), one by one: for tests. They are x y / 2^(8 n) of elements of
    /// n bytes, and x y in Goldilocks' field.
    #[doc(hidden)]
    pub fn products(&self, module: Module, x: &[u8], y: &[u8]) -> Result<Vec<u8>> {
        self.inner.gpu.load(module)?;
        let bytes = match module {
            Module::Msm(instance) if instance.group == Group::G2 => instance.point_bytes() / 4,
            Module::Msm(instance) => instance.point_bytes() / 2,
            Module::Ntt(field) => field.bytes(),
            Module::Poseidon(_) => return Err(Error::argument("module", "has no products")),
        };
        let [x, y] = [Buffer::with(&self.stream, x)?, Buffer::with(&self.stream, y)?];
        let (count, result) = (x.len() / bytes, Buffer::new(&self.stream, x.len())?);
        let parameters = parameters![&x, &y, count as u64, &result];
        self.stream.launch(&Launch::over(module, "products_of", count, 128, &parameters))?;
        let mut products = vec![0; result.len()];
        self.stream.read(&mut products, result.address())?;
        Ok(products)
    }

    /// Passes the work for a request to the threads.
    fn start<O: Erased>(&self, work: Result<Work<O::Response>>) -> Result<AnyTicket> {
        let work = work?;
        let (completer, ticket) = Ticket::pair();
        let task = move |inner: &Inner, stream: &Arc<dyn Stream>| {
            let response = inner.execute(work, &|| completer.is_cancelled(), stream);
            inner.completed.fetch_add(1, Ordering::Relaxed);
            completer.complete(response);
        };
        if let Some(queue) = &self.queue {
            // Without a thread that takes it the completer is dropped, which ends the ticket.
            let _ended = queue.send(Box::new(task));
        }
        Ok(O::erase_ticket(ticket))
    }
}

impl Inner {
    fn stages(&self) -> std::sync::MutexGuard<'_, Option<Stages>> {
        self.stages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The error that ended the device.
    fn alive(&self) -> Result<()> {
        let lost = self.lost.lock().unwrap_or_else(PoisonError::into_inner);
        lost.clone().map_or(Ok(()), Err)
    }

    /// Records the loss of the GPU, if that is the error.
    fn noted<T>(&self, result: Result<T>) -> Result<T> {
        if let Err(error @ Error::Lost { .. }) = &result {
            let mut lost = self.lost.lock().unwrap_or_else(PoisonError::into_inner);
            lost.get_or_insert_with(|| error.clone());
        }
        result
    }

    /// Takes requests until the device is dropped.
    fn serve(&self, waiting: &Mutex<Receiver<Task>>, stream: &Arc<dyn Stream>) {
        loop {
            let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok(task) = next else { return };
            task(self, stream);
            // After the response: wiping takes longer than a small request.
            stream.wipe();
        }
    }

    /// Executes a request.
    fn execute<T>(
        &self,
        work: Work<T>,
        cancelled: &(dyn Fn() -> bool + Sync),
        stream: &Arc<dyn Stream>,
    ) -> Result<T> {
        self.alive()?;
        let job = Job {
            gpu: &*self.gpu,
            stream,
            budget: &self.budget,
            tables: &self.tables,
            constants: &self.constants,
            cancelled,
            uri: &self.uri,
            held: Mutex::default(),
        };
        job.check()?;
        let is_timed = self.stages().is_some() || enabled!(Level::DEBUG);
        if is_timed {
            stream.time_stages();
        }
        let work = AssertUnwindSafe(|| self.noted(work(&job)));
        // A panic, of a progress callback say, does not lose the GPU.
        let response = catch_unwind(work)
            .unwrap_or_else(|panic| Err(Error::panicked(&self.uri, "a worker", &*panic)));
        // Wait before buffers are reused; asynchronous errors surface here.
        let done = self.noted(stream.wait());
        drop(job);
        if is_timed && done.is_ok() {
            let stages = stream.stages()?;
            for (stage, ms) in &stages {
                debug!(stage, ms, "done on the GPU");
            }
            if let Some(last) = &mut *self.stages() {
                *last = stages;
            }
        }
        done.and(response)
    }
}

impl Device for CudaDevice {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn load(&self, bytes: Data) -> Result<ResidentData> {
        let identity = self.inner.identity;
        let bytes = match bytes {
            Data::Host(bytes) => bytes,
            Data::Resident(handle) => {
                handle.name::<Resident>(identity)?;
                return Ok(handle);
            }
        };
        self.inner.alive()?;
        let reservation = self.inner.budget.resident(bytes.len()).map_err(|free| {
            let problem =
                format!("{} bytes, where {free} of the GPU's memory are free", bytes.len());
            Error::argument(Argument::Data, problem)
        })?;
        let write = || {
            let buffer = Buffer::secret(&self.stream, bytes.len())?;
            self.stream.write(buffer.address(), &bytes, &mut |_| Ok(()))?;
            self.stream.wait()?;
            self.stream.wipe();
            Ok(buffer)
        };
        // The copy is divided among rayon's threads. One of them that waits for that may begin another task, which may come here, too.
        let buffer = match rayon::current_thread_index() {
            None => write(),
            Some(_) => thread::scope(|scope| scope.spawn(write).join())
                .unwrap_or_else(|panic| Err(Error::panicked(&self.inner.uri, "a copy", &*panic))),
        };
        let buffer = self.inner.noted(buffer)?;
        let resident = Resident::new(buffer, reservation);
        Ok(ResidentData::remote(identity, bytes.len(), resident))
    }

    fn submit_any(&self, request: AnyRequest) -> Result<AnyTicket> {
        self.caps.require(&request.capability())?;
        self.inner.alive()?;
        let Inner { identity, uri, budget, .. } = &*self.inner;
        let identity = *identity;
        match request {
            AnyRequest::Msm(request) => self.start::<Msm>(gpu_msm::work(request, identity)),
            AnyRequest::LoadBases(bases) => {
                self.start::<LoadBases>(gpu_msm::load_work(bases, identity))
            }
            AnyRequest::PlanMsm(request) => self.start::<PlanMsm>(Ok(gpu_msm::plan_work(request))),
            AnyRequest::Ntt(request) => self.start::<Ntt>(ntt::work(request, identity)),
            AnyRequest::Quotient(request) => {
                self.start::<ComputeQuotient>(ntt::quotient_work(request, identity, budget))
            }
            AnyRequest::Poseidon(request) => {
                self.start::<Poseidon>(poseidon::work(request, identity, uri))
            }
            AnyRequest::PoseidonLayers(request) => {
                self.start::<HashLayers>(poseidon::layers_work(request, identity, uri))
            }
            other => {
                let what = other.capability().to_string();
                Err(Error::Unsupported { device: uri.clone(), what })
            }
        }
    }

    fn metrics(&self) -> Metrics {
        let mut metrics = Metrics::default();
        metrics.requests = self.inner.completed.load(Ordering::Relaxed);
        metrics
    }
}

impl Drop for CudaDevice {
    /// Waits for requests that were submitted: those whose tickets are gone end at once.
    fn drop(&mut self) {
        self.queue = None;
        for thread in self.threads.drain(..) {
            // The thread catches all panics.
            let _ = thread.join();
        }
    }
}
