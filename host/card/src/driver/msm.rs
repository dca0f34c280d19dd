//! `msm` on a card: points lie in its memory, scalars follow for every sum, and one point comes back.
//!
//! ```text
//! Request ─► Desk ─► its thread: points and scalars are checked and brought into the engine's form ─► Job ─► reactor
//! ```
//!
//! Everything that can be wrong with a request is said before a command of it is sent: by the desk what it sees at
//! once (lengths, handles, room in the memory), by its thread what it finds in points and scalars.

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

use proofmill_op::msm::read::{self, Bytes};
use proofmill_op::msm::{Bases, Instance, MOST_POINTS, Plan, Points, Request, Response, Sums};
use proofmill_op::{Answer, Capability, Completer, Data, Error, Result, Ticket};

pub use self::find::{KNOWN, find};
pub use self::memory::Scalars;

use self::curve::in_group;
use self::geometry::Geometry;
use self::job::{Kept, List};
use self::memory::{Halves, Reserve};
use self::prepare::{Source, prepare};
use super::Shared;
use super::job::Work;
use super::reactor::finish;
use super::regions::{Memory, Region};

/// An engine, as requests see it.
#[derive(Debug)]
pub struct Door {
    /// The reactor's lane.
    pub engine: usize,
    /// What it is.
    pub geometry: Geometry,
    /// The card's.
    pub identity: u64,
    /// The card's.
    pub uri: String,
    /// Where points lie.
    pub memory: Arc<Memory>,
    /// Where scalars lie.
    pub halves: Arc<Halves>,
    /// Where the card's door to its memory is used: its number of the engine's first channel.
    pub bulk: Option<u32>,
    /// Where scalars lie that are made on the card.
    reserve: Reserve,
}

impl Door {
    /// To the engine of this lane, with nothing in its memory, of which this reserves so many bytes of each channel.
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

    /// Room for so many scalars that are made on the card.
    pub fn keep(&self, count: usize) -> Result<Scalars> {
        self.reserve.take(count)
    }

    /// A list of scalars of this card.
    fn list(&self, scalars: &Data) -> Result<List> {
        if let Data::Parked(parked) = scalars {
            let form = Capability::Msm(self.geometry.instance);
            if let Ok(kept) = parked.inside::<Scalars>(self.identity, &form) {
                return Ok(List::Kept(kept));
            }
        }
        scalars.on(self.identity).cloned().map(List::Here)
    }

    /// Room for so many points.
    fn room(&self, points: usize) -> Result<Region> {
        let problem = |room: u64| {
            let most = self.geometry.most_points().min(room / Geometry::SLICE as u64);
            let problem = format!("{points} points, where the card's memory has room for {most}");
            Error::argument("bases", problem)
        };
        if points as u64 > self.geometry.most_points() {
            return Err(problem(u64::MAX));
        }
        self.memory.take((points * Geometry::SLICE) as u64).map_err(problem)
    }
}

/// Takes requests for one engine, in their order.
pub struct Desk {
    door: Arc<Door>,
    shared: Arc<Shared>,
    inbox: Sender<Work>,
    tasks: Option<Sender<Task>>,
    thread: Option<JoinHandle<()>>,
}

type Task = Box<dyn FnOnce() + Send>;

impl Desk {
    /// With a thread that prepares what is asked.
    pub fn open(door: Arc<Door>, inbox: Sender<Work>, shared: Arc<Shared>) -> Result<Self> {
        let (tasks, queue) = mpsc::channel::<Task>();
        let thread = thread::Builder::new()
            .name("proofmill-msm".into())
            .spawn(move || queue.into_iter().for_each(|task| task()))
            .map_err(|error| Error::Io {
                context: "starting a thread".into(),
                source: Arc::new(error),
            })?;
        Ok(Self { door, shared, inbox, tasks: Some(tasks), thread: Some(thread) })
    }

    /// Is this its group?
    pub fn is_for(&self, instance: Instance) -> bool {
        self.door.geometry.instance == instance
    }

    /// Takes a request, if nothing is wrong with it at first sight.
    pub fn submit(&self, request: Request) -> Result<Ticket> {
        let (completer, ticket) = Ticket::pair();
        match request {
            Request::Plan { points, parked, room, .. } => {
                let plan = self.plan(points, parked || room > 0)?;
                finish(&self.shared, completer, Ok(Answer::Msm(Response::Plan(plan))));
            }
            Request::Park(bases) => {
                let bytes = Bytes::of(&bases.points, self.door.identity)?;
                let count = bases.count()?;
                let room = self.door.room(count)?;
                let source = Source::Whole { bytes, count, check: bases.check, room };
                self.start(bases.instance, source, None, completer)?;
            }
            Request::Sums(sums) => {
                let source = self.source(&sums)?;
                self.start(sums.bases.instance, source, Some(sums), completer)?;
            }
            other => {
                return Err(Error::argument("request", format!("{other:?} is not known here")));
            }
        }
        Ok(ticket)
    }

    fn plan(&self, points: usize, parked: bool) -> Result<Plan> {
        if points as u64 > MOST_POINTS {
            return Err(Error::argument("points", format!("{points} are more than {MOST_POINTS}")));
        }
        let geometry = &self.door.geometry;
        let cutting = geometry.cutting(points);
        let granules = Geometry::granules(points, Geometry::SLICE) * geometry.channels;
        let kept = granules * Geometry::GRANULE;
        let memory = if parked { 0 } else { kept + prepare::read_bytes(geometry.instance, points) };
        Ok(Plan::new(cutting.windows, cutting.bits, memory, kept))
    }

    /// Where the points of sums come from. Whose points these are comes first: of another group, their number would be
    /// wrong too.
    fn source(&self, sums: &Sums) -> Result<Source> {
        let Bases { points, check, instance, .. } = &sums.bases;
        let kept = match points {
            Points::Data(Data::Parked(parked)) => {
                let form = Capability::Msm(*instance);
                let kept = parked.inside::<Arc<Kept>>(self.door.identity, &form)?;
                read::checked(kept.check, *check)?;
                Some(Arc::clone(&*kept))
            }
            _ => None,
        };
        for scalars in &sums.scalars {
            self.door.list(scalars)?;
        }
        let count = sums.count()?;
        Ok(match (kept, points) {
            (Some(kept), _) => Source::Kept(kept),
            (None, Points::Data(_)) => {
                let bytes = Bytes::of(points, self.door.identity)?;
                Source::Whole { bytes, count, check: *check, room: self.door.room(count)? }
            }
            (None, Points::Stream(_)) => {
                let chunk = prepare::chunk(&self.door.geometry, count);
                let room = || Ok::<_, Error>(Arc::new(self.door.room(chunk)?));
                Source::Stream {
                    stream: Bytes::of(points, self.door.identity)?,
                    check: *check,
                    chunk,
                    rooms: [room()?, room()?],
                }
            }
        })
    }

    /// Hands a request to the thread; without sums, the points are to be parked.
    fn start(
        &self,
        instance: Instance,
        source: Source,
        sums: Option<Sums>,
        completer: Completer,
    ) -> Result<()> {
        let (door, inbox, shared) = (self.door.clone(), self.inbox.clone(), self.shared.clone());
        let task = move || {
            let prepared = catch_unwind(AssertUnwindSafe(|| {
                in_group!(instance, prepare(&door, &inbox, source, sums, &completer))?
            }));
            let prepared = prepared.unwrap_or_else(|panic| {
                Err(Error::panicked(&door.uri, "the thread that prepares sums", &*panic))
            });
            match prepared {
                Ok(prepare::Prepared::Job(job)) => {
                    let work = Work { engine: door.engine, job, completer };
                    // A reactor that is gone has dropped the other end: the completer then fails the ticket.
                    let _ = inbox.send(work);
                }
                Ok(prepare::Prepared::Answer(answer)) => {
                    finish(&shared, completer, Ok(Answer::Msm(answer)));
                }
                Err(error) => finish(&shared, completer, Err(error)),
            }
        };
        if let Some(tasks) = &self.tasks {
            // As above.
            let _ = tasks.send(Box::new(task));
        }
        Ok(())
    }
}

impl Drop for Desk {
    /// Waits for what was taken.
    fn drop(&mut self) {
        self.tasks = None;
        if let Some(thread) = self.thread.take() {
            // Tasks do not panic; if one did, its ticket was failed by dropping it.
            let _ = thread.join();
        }
    }
}
