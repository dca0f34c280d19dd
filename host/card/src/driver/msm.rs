//! `msm` on a card: points are in its memory, scalars are written for every MSM, and one point comes back.
//!
//! ```text
//! Request ─► Queue ─► its thread: points and scalars are checked and converted to the engine's form ─► Job ─► reactor
//! ```
//!
//! Every error of a request is found before its first command: by the queue if it can be found at once (lengths, handles,
//! card memory), by the queue's thread if it is in points or scalars.

mod curve;
mod find;
mod form;
mod geometry;
mod job;
mod memory;
mod prepare;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{self, Sender};
use std::thread::{self, JoinHandle};

use proofmill_op::msm::{
    self, Bases, Check, Instance, MAX_POINTS, Plan, PlanRequest, Request, Response, read,
};
use proofmill_op::{Argument, Capability, Data, Error, ResidentData, Result, Ticket};

pub use self::find::{KNOWN, find};
pub use self::memory::Scalars;

use self::curve::in_group;
use self::geometry::Geometry;
use self::job::{List, Resident};
use self::memory::{Halves, Reserve};
use self::prepare::{Cancelled, Points, Prepared, Whole};
use super::Shared;
use super::job::Work;
use super::regions::{Memory, Region};

/// An engine as requests use it.
#[derive(Debug)]
pub struct Port {
    /// The reactor's lane.
    pub engine: usize,
    /// Its properties.
    pub geometry: Geometry,
    /// The card's identity for resident data.
    pub identity: u64,
    /// The card's URI.
    pub uri: String,
    /// The memory of points.
    pub memory: Arc<Memory>,
    /// The memory of scalars.
    pub halves: Arc<Halves>,
    /// The number of the engine's first channel at the card's memory port, if that is used.
    pub bulk: Option<u32>,
    /// The memory of scalars that the card computes.
    reserve: Reserve,
}

impl Port {
    /// Returns the port of the engine of this lane, with empty memory, of which it reserves `reserved` bytes of each channel.
    pub fn new(
        engine: usize,
        mut geometry: Geometry,
        reserved: u64,
        identity: u64,
        uri: &str,
        bulk: Option<u32>,
    ) -> Arc<Self> {
        geometry.memory -= reserved;
        let reserve = Reserve::new(geometry.memory, reserved);
        let (memory, halves) = (Memory::new(geometry.memory), Halves::new(geometry.memory));
        let uri = uri.to_owned();
        Arc::new(Self { engine, geometry, identity, uri, memory, halves, bulk, reserve })
    }

    /// Reserves memory for `count` scalars that the card computes.
    pub fn reserve(&self, count: usize) -> Result<Scalars> {
        self.reserve.take(count)
    }

    /// Returns a list of scalars; an error if they are resident on another device.
    fn list(&self, scalars: &Data) -> Result<List> {
        if let Data::Resident(handle) = scalars {
            let form = Capability::Msm(self.geometry.instance);
            if let Ok(resident) = handle.inside::<Scalars>(self.identity, &form) {
                return Ok(List::Resident(resident));
            }
        }
        scalars.on(self.identity).cloned().map(List::Host)
    }

    /// Reserves memory for `points` points.
    fn region(&self, points: usize) -> Result<Region> {
        let problem = |free: u64| {
            let most = self.geometry.max_points().min(free / self.geometry.point_bytes() as u64);
            let problem = format!("{points} points, where the card's memory holds {most}");
            Error::argument(Argument::Bases, problem)
        };
        if points as u64 > self.geometry.max_points() {
            return Err(problem(u64::MAX));
        }
        self.memory.take((points * self.geometry.point_bytes()) as u64).map_err(problem)
    }
}

/// The queue of requests for one engine. A thread prepares them in order.
pub struct Queue {
    port: Arc<Port>,
    shared: Arc<Shared>,
    inbox: Sender<Work>,
    tasks: Option<Sender<Task>>,
    thread: Option<JoinHandle<()>>,
}

type Task = Box<dyn FnOnce() + Send>;

impl Queue {
    /// Starts the thread.
    pub fn open(port: Arc<Port>, inbox: Sender<Work>, shared: Arc<Shared>) -> Result<Self> {
        let (tasks, queue) = mpsc::channel::<Task>();
        let thread = thread::Builder::new()
            .name("proofmill-msm".into())
            .spawn(move || queue.into_iter().for_each(|task| task()))
            .map_err(|error| Error::Io {
                context: "starting a thread".into(),
                source: Arc::new(error),
            })?;
        Ok(Self { port, shared, inbox, tasks: Some(tasks), thread: Some(thread) })
    }

    /// Returns whether this is its group.
    pub fn is_for(&self, instance: Instance) -> bool {
        self.port.geometry.instance == instance
    }

    /// Submits MSMs, after the checks that are done at once.
    pub fn submit(&self, request: Request) -> Result<Ticket<Response>> {
        let (instance, points) = (request.bases.instance, self.points(&request)?);
        let inbox = self.inbox.clone();
        Ok(self.start(move |port, cancelled| {
            in_group!(instance, prepare::msm(port, &inbox, points, request, cancelled))?
        }))
    }

    /// Submits bases to load, after the checks that are done at once.
    pub fn load(&self, bases: Bases) -> Result<Ticket<ResidentData>> {
        let source = read::Source::of(&bases.points, self.port.identity)?;
        let count = bases.count()?;
        let (check, region) = (bases.check, self.port.region(count)?);
        let points = Whole { source, count, check, region };
        Ok(self.start(move |port, cancelled| {
            in_group!(bases.instance, prepare::load(port, points, cancelled))?
        }))
    }

    /// Plans an MSM. The ticket is complete.
    pub fn plan(&self, request: PlanRequest) -> Result<Ticket<Plan>> {
        let PlanRequest { points, resident, max_bytes, .. } = request;
        if points as u64 > MAX_POINTS {
            let problem = format!("{points} are more than {MAX_POINTS}");
            return Err(Error::argument("points", problem));
        }
        let is_resident = resident || max_bytes > 0;
        let geometry = &self.port.geometry;
        let cutting = geometry.cutting(points);
        let granules = Geometry::granules(points, geometry.point_bytes()) * geometry.channels;
        let in_card = granules * Geometry::GRANULE;
        let read = prepare::read_bytes(geometry.instance, points);
        let memory = if is_resident { 0 } else { in_card + read };
        let plan = Plan::new(cutting.windows, cutting.bits, memory, in_card);
        let (completer, ticket) = Ticket::pair();
        self.shared.counters.complete(completer, Ok(plan));
        Ok(ticket)
    }

    /// Returns the points of MSMs. Their device and group come first: the number of points of another group would be wrong
    /// too.
    fn points(&self, request: &Request) -> Result<Points> {
        let Bases { points, check, instance, .. } = &request.bases;
        let (identity, check) = (self.port.identity, *check);
        let resident = match points {
            msm::Points::Data(Data::Resident(handle)) => {
                let form = Capability::Msm(*instance);
                let resident = handle.inside::<Arc<Resident>>(identity, &form)?;
                if check != Check::None {
                    read::check_resident(resident.check, check)?;
                }
                Some(Arc::clone(&*resident))
            }
            _ => None,
        };
        for scalars in &request.scalars {
            self.port.list(scalars)?;
        }
        let count = request.count()?;
        Ok(match (resident, points) {
            (Some(resident), _) => Points::Resident(resident),
            (None, msm::Points::Data(_)) => {
                let source = read::Source::of(points, identity)?;
                Points::Whole(Whole { source, count, check, region: self.port.region(count)? })
            }
            (None, msm::Points::Stream(_)) => {
                let stream = read::Source::of(points, identity)?;
                let chunk = prepare::chunk(&self.port.geometry, count);
                let region = || self.port.region(chunk).map(Arc::new);
                Points::Stream { stream, check, chunk, regions: [region()?, region()?] }
            }
        })
    }

    /// Hands the preparation of a request to the thread.
    fn start<T: Send + 'static>(
        &self,
        prepare: impl FnOnce(&Arc<Port>, Cancelled<'_>) -> Result<Prepared<T>> + Send + 'static,
    ) -> Ticket<T> {
        let (completer, ticket) = Ticket::pair();
        let (port, inbox, shared) = (self.port.clone(), self.inbox.clone(), self.shared.clone());
        let task = move || {
            let cancelled = || completer.is_cancelled();
            let prepared = catch_unwind(AssertUnwindSafe(|| prepare(&port, &cancelled)));
            let prepared = prepared.unwrap_or_else(|panic| {
                Err(Error::panicked(&port.uri, "the thread that prepares MSMs", &*panic))
            });
            match prepared {
                // If the reactor is gone, the work is dropped here, and its completer fails the ticket.
                Ok(Prepared::Job(job)) => _ = inbox.send(Work::new(port.engine, job, completer)),
                Ok(Prepared::Response(response)) => {
                    shared.counters.complete(completer, Ok(response));
                }
                Err(error) => shared.counters.complete(completer, Err(error)),
            }
        };
        if let Some(tasks) = &self.tasks {
            // A thread that is gone drops the task, and its completer fails the ticket.
            let _ = tasks.send(Box::new(task));
        }
        ticket
    }
}

impl Drop for Queue {
    /// Waits for the requests that were accepted.
    fn drop(&mut self) {
        self.tasks = None;
        if let Some(thread) = self.thread.take() {
            // Tasks do not panic; if one did, its ticket was failed by dropping it.
            let _ = thread.join();
        }
    }
}
