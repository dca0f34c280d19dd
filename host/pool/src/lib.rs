//! Several devices as one.
//!
//! ```text
//! Request ─► Work ─► parts ─► State: which card gets which part ─► answers ─► Work::join ─► Answer
//!                                ▲                                   │
//!                                └────── parts of a lost card ───────┘
//! ```
//!
//! | request | its parts |
//! |---|---|
//! | Equihash, ECDSA, Poseidon, layers of several trees | runs of items, for whichever card is free |
//! | an NTT, a program, one tree | the request, for the card with the least to do |
//! | bases to be resident | a range of points a card |
//! | sums over resident bases | to each card the scalars of its range; the partial sums are added here |
//! | other sums | likewise, with the points |
//!
//! A card is lost when it answers [`Error::Lost`] or [`Error::TimedOut`]. It is left out from then on, and its parts are done by the others. Its
//! range of resident bases goes to another card if the points are still here: those of a stream are, bytes are while somebody else keeps
//! them. Otherwise sums over these bases fail with an error that names the lost card.

mod batch;
mod progress;
mod resident;
mod state;
mod sums;
mod task;
mod whole;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Wake, Waker};
use std::thread::{self, JoinHandle, Thread};

use proofmill_op::poseidon;
use proofmill_op::{Caps, Data, Device, Error, Metrics, Parked, Request, Result, Ticket};

use self::batch::Batch;
use self::state::{Ended, State};
use self::task::Work;
use self::whole::Whole;

/// Devices that are one device. Dropping it waits for tickets that are still held.
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

    /// Tells those who wait, without the lock: whoever listens may ask for more.
    fn tell(&self, ended: Vec<Ended>) {
        for ended in ended {
            self.requests.fetch_add(1, Ordering::Relaxed);
            ended.tell();
        }
    }
}

/// Lets the dispatcher look again.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

impl Pool {
    /// These devices under this URI. It offers what all of them offer.
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
        let identity = Parked::fresh_identity();
        Ok(Self { caps, identity, shared, dispatcher: Some(dispatcher) })
    }

    /// The members that are lost: URI and why.
    pub fn lost(&self) -> Vec<(String, Error)> {
        self.shared.lock().lost()
    }

    /// What is to be done, in parts. What no member would take is refused here.
    fn work(&self, mut request: Request) -> Result<Work> {
        let cards = self.shared.lock().alive()?.len();
        if let Request::Msm(request) = request {
            return sums::work(request, self.identity, cards);
        }
        for data in request.data_mut() {
            *data = Data::Here(data.on(self.identity)?.clone());
        }
        match &request {
            // Its scalars would lie on one card, and the sum's ranges lie on all.
            Request::Quotient(asked) if asked.keep.is_some() => {
                return Err(Error::argument("keep", "not on several cards"));
            }
            Request::Poseidon(asked) => {
                asked.count()?;
                let empty = vec![].into();
                self.probe(poseidon::Request {
                    preimages: empty,
                    progress: None,
                    ..asked.clone()
                })?;
            }
            Request::PoseidonLayers(asked) => {
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

    /// Would every member take hashes like these?
    fn probe(&self, request: poseidon::Request) -> Result<()> {
        self.shared.lock().each_takes(&Request::Poseidon(request))
    }
}

impl Device for Pool {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    /// Which card will need which of them is not known yet: they stay with the host.
    fn park(&self, bytes: Data) -> Result<Parked> {
        Ok(Parked::new(self.identity, bytes.on(self.identity)?.clone()))
    }

    fn submit(&self, request: Request) -> Result<Ticket> {
        self.caps.demand(&request.capability())?;
        let capability = request.capability();
        let mut request = request;
        let progress = request.progress_mut().and_then(Option::take);
        let work = self.work(request)?;
        let mut state = self.shared.lock();
        let ticket = state.enter(work, capability, progress, self.identity);
        let ended = state.ended();
        drop(state);
        self.shared.tell(ended);
        self.wake();
        ticket
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
            // It does not panic outside of what it catches.
            let _ = dispatcher.join();
        }
    }
}

/// What they say of themselves, once if all say the same.
fn described(members: &[Box<dyn Device>]) -> String {
    let count = members.len();
    let about: Vec<_> = members.iter().map(|it| it.caps()).collect();
    if about.iter().all(|it| it.description == about[0].description) {
        return format!("{count} as one, each: {}", about[0].description);
    }
    let each = about.iter().map(|it| format!("{}: {}", it.uri, it.description));
    format!("{count} as one: {}", each.collect::<Vec<_>>().join(" | "))
}

/// Takes answers in and gives parts out, until the pool is closed.
fn dispatch(uri: &str, shared: &Shared) {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let step = || {
        let mut state = shared.lock();
        state.take_in(&waker);
        let (is_over, ended) = (state.is_over(), state.ended());
        drop(state);
        shared.tell(ended);
        is_over
    };
    loop {
        match catch_unwind(AssertUnwindSafe(step)) {
            Ok(true) => return,
            Ok(false) => thread::park(),
            // A panic is a bug, or that of whoever listens, but must not leave anybody waiting.
            Err(panic) => {
                let error = Error::panicked(uri, "its dispatcher", &*panic);
                let mut state = shared.lock();
                state.give_up(&error);
                let ended = state.ended();
                drop(state);
                let _ = catch_unwind(AssertUnwindSafe(|| shared.tell(ended)));
            }
        }
    }
}
