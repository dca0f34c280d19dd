//! Several devices as one.
//!
//! ```text
//! request ─► Work ─► parts ─► State: assigns parts to cards ─► responses ─► Task::join ─► response
//!                                ▲                                │
//!                                └───── parts of a lost card ─────┘
//! ```
//!
//! | request | its parts |
//! |---|---|
//! | requests of items ([`Operation::items`](proofmill_op::Operation::items)) | ranges of items, for any free card |
//! | any other request | the request, for the card with the least load |
//! | bases to load | a range of points for each card |
//! | MSMs over resident bases | the scalars of its range for each card; the host adds the partial results |
//! | other MSMs | likewise, with the points |
//!
//! A card is lost when it fails with [`Error::Lost`] or [`Error::TimedOut`]. The pool does not use it again and assigns its parts to other
//! cards. Its range of resident bases is loaded into another card if the host can read the points: those of a stream, or bytes that the caller
//! still holds. Otherwise MSMs over these bases fail with an error that names the lost card.

mod batch;
mod msm;
mod progress;
mod resident;
mod state;
mod task;
mod whole;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Wake, Waker};
use std::thread::{self, JoinHandle, Thread};

use proofmill_op::poseidon;
use proofmill_op::{
    AnyRequest, AnyTicket, Argument, Cancel, Caps, Data, Device, Error, Metrics, ResidentData,
    Result,
};

use self::batch::Batch;
use self::msm::{LoadWork, MsmWork, PlanWork};
use self::state::{Ended, State};
use self::task::Work;
use self::whole::Whole;

/// Several devices as one. Dropping it waits for its outstanding tickets.
pub struct Pool {
    caps: Caps,
    identity: u64,
    shared: Arc<Shared>,
    dispatcher: Option<JoinHandle<()>>,
}

struct Shared {
    state: Mutex<State>,
    requests: AtomicU64,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Resolves tickets without the lock: a waker may submit more requests.
    fn resolve(&self, ended: Vec<Ended>) {
        for ended in ended {
            self.requests.fetch_add(1, Ordering::Relaxed);
            ended.resolve();
        }
    }
}

/// Wakes the dispatcher.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

impl Pool {
    /// Returns these devices as one under this URI. It offers what all of them offer.
    pub fn new(uri: impl Into<String>, members: Vec<Box<dyn Device>>) -> Result<Self> {
        let uri = uri.into();
        let open = |problem: &str| Error::Open { device: uri.clone(), problem: problem.into() };
        let Some(first) = members.first() else { return Err(open("it has no member")) };
        let about = described(&members);
        let mut caps = Caps::new(uri.clone(), first.caps().kind, about);
        caps.capabilities = first.caps().capabilities.clone();
        caps.capabilities.retain(|it| members.iter().all(|member| member.caps().offers(it)));
        if caps.capabilities.is_empty() {
            return Err(open("there is nothing that all of them offer"));
        }
        let quotients = members.iter().filter_map(|it| it.caps().quotients.clone());
        caps.quotients = quotients
            .reduce(|all, these| *all.start().max(these.start())..=*all.end().min(these.end()));
        caps.queue = members.iter().map(|it| it.caps().queue).sum();
        let state = Mutex::new(State::new(&uri, members));
        let shared = Arc::new(Shared { state, requests: AtomicU64::new(0) });
        let theirs = shared.clone();
        let dispatcher = thread::Builder::new()
            .name("proofmill-pool".into())
            .spawn(move || dispatch(&uri, &theirs))
            .map_err(|source| Error::Io {
                context: "starting a thread".into(),
                source: source.into(),
            })?;
        let identity = ResidentData::fresh_identity();
        Ok(Self { caps, identity, shared, dispatcher: Some(dispatcher) })
    }

    /// Returns URI and error of each lost member.
    pub fn lost(&self) -> Vec<(String, Error)> {
        self.shared.lock().lost()
    }

    /// Divides a request into parts. A request that no member would accept is refused.
    fn work(&self, request: AnyRequest) -> Result<Work> {
        let cards = self.shared.lock().alive()?.len();
        let mut request = match request {
            AnyRequest::PlanMsm(request) => return Ok(Work::Plan(PlanWork::new(request, cards))),
            AnyRequest::LoadBases(bases) => {
                return LoadWork::new(bases, self.identity, cards).map(Work::Load);
            }
            AnyRequest::Msm(request) => {
                return MsmWork::new(request, self.identity, cards).map(Work::Msm);
            }
            other => other,
        };
        for data in request.data_mut() {
            *data = Data::Host(data.on(self.identity)?.clone());
        }
        match &request {
            // The scalars would be resident on one card, and the bases of the MSM are on all.
            AnyRequest::Quotient(request) if request.resident_for.is_some() => {
                return Err(Error::argument(Argument::ResidentFor, "not on several cards"));
            }
            AnyRequest::Poseidon(asked) => {
                asked.count()?;
                let empty = vec![].into();
                self.probe(poseidon::Request {
                    preimages: empty,
                    progress: None,
                    ..asked.clone()
                })?;
            }
            AnyRequest::PoseidonLayers(asked) => {
                asked.counts()?;
                asked
                    .arities
                    .iter()
                    .try_for_each(|arity| self.probe(poseidon::Request::new(*arity, vec![])))?;
            }
            _ => {}
        }
        Ok(match Batch::of(request, cards)? {
            Ok(batch) => Work::Batch(batch),
            Err(request) => Work::Whole(Whole::new(request)),
        })
    }

    /// Returns an error if a member would refuse hashes like these.
    fn probe(&self, request: poseidon::Request) -> Result<()> {
        self.shared.lock().probe_each(&request.into())
    }
}

impl Device for Pool {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    /// Keeps the bytes on the host: the card that will need them is not known yet.
    fn load(&self, bytes: Data) -> Result<ResidentData> {
        Ok(ResidentData::new(self.identity, bytes.on(self.identity)?.clone()))
    }

    fn submit_any(&self, mut request: AnyRequest) -> Result<AnyTicket> {
        let capability = request.capability();
        self.caps.require(&capability)?;
        let cancel = Cancel::new();
        let (completer, ticket) = request.ticket(cancel.clone());
        let progress = request.progress_mut().and_then(Option::take);
        let work = self.work(request)?;
        let mut state = self.shared.lock();
        let entered = state.enter(work, capability, (completer, cancel), progress, self.identity);
        let ended = state.take_ended();
        drop(state);
        self.shared.resolve(ended);
        self.wake();
        entered.map(|()| ticket)
    }

    fn metrics(&self) -> Metrics {
        let mut metrics = Metrics::default();
        metrics.requests = self.shared.requests.load(Ordering::Relaxed);
        metrics.cycles = self.shared.lock().cycles();
        metrics
    }
}

impl Pool {
    fn wake(&self) {
        if let Some(dispatcher) = &self.dispatcher {
            dispatcher.thread().unpark();
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.lock().closing = true;
        self.wake();
        if let Some(dispatcher) = self.dispatcher.take() {
            // The dispatcher catches all panics.
            let _ = dispatcher.join();
        }
    }
}

/// Returns the descriptions of the members, once if they are the same.
fn described(members: &[Box<dyn Device>]) -> String {
    let count = members.len();
    let about: Vec<_> = members.iter().map(|it| it.caps()).collect();
    if about.iter().all(|it| it.description == about[0].description) {
        return format!("{count} as one, each: {}", about[0].description);
    }
    let each = about.iter().map(|it| format!("{}: {}", it.uri, it.description));
    format!("{count} as one: {}", each.collect::<Vec<_>>().join(" | "))
}

/// Collects responses and assigns parts until the pool is closed.
fn dispatch(uri: &str, shared: &Shared) {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let step = || {
        let mut state = shared.lock();
        state.collect(&waker);
        let (is_over, ended) = (state.is_over(), state.take_ended());
        drop(state);
        shared.resolve(ended);
        is_over
    };
    loop {
        match catch_unwind(AssertUnwindSafe(step)) {
            Ok(true) => return,
            Ok(false) => thread::park(),
            // A panic is a bug, or that of a waker, but no caller must wait for ever.
            Err(panic) => {
                let error = Error::panicked(uri, "its dispatcher", &*panic);
                let mut state = shared.lock();
                state.fail_all(&error);
                let ended = state.take_ended();
                drop(state);
                let _ = catch_unwind(AssertUnwindSafe(|| shared.resolve(ended)));
            }
        }
    }
}
