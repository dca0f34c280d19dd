//! The driver: opens a card, learns what it offers, and hands requests to the reactor thread that owns the transport.
//!
//! Opening, in order:
//! 1. the identification registers: is this a card of ours, in a layout that we know;
//! 2. the chain of blocks: which engines, with which parameters and queues;
//! 3. RESET, so that nothing of a previous host is left, and a probe that marks the end of stale replies;
//! 4. STATUS, compared with what the blocks say.

pub(crate) mod chain;
mod coprocessor;
mod ecdsa_verify;
mod equihash_verify;
mod flights;
pub(crate) mod handshake;
mod job;
mod msm;
mod ntt;
mod poseidon;
mod reactor;
mod regions;

use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use proofmill_op::{
    Caps, Data, Device, DeviceKind, Error, Metrics, Parked, Request, Result, Ticket,
};

use crate::Transport;
use chain::Channels;
use job::{Engine, Job, Work};
use reactor::{Counters, Reactor};

/// How a card is opened.
#[derive(Clone, Debug)]
pub struct Options {
    /// The URI that it shall be known by, in its capabilities and in errors.
    pub uri: String,
    /// What stands behind the transport.
    pub kind: DeviceKind,
    /// The longest that a command may stay unanswered before the device is given up.
    pub timeout: Duration,
}

impl Options {
    /// A card that is given up after a minute without an answer.
    pub fn new(uri: impl Into<String>, kind: DeviceKind) -> Self {
        Self { uri: uri.into(), kind, timeout: Duration::from_secs(60) }
    }
}

/// A card as a [`Device`]. Dropping it waits, within the time-out, for tickets that are still held.
pub struct Card {
    /// One capability an engine, in the order of the reactor's lanes.
    caps: Caps,
    identity: u64,
    shared: Arc<Shared>,
    desks: Vec<msm::Desk>,
    hashes: Option<Arc<poseidon::Door>>,
    transforms: Option<Arc<ntt::Door>>,
    machine: Option<Arc<coprocessor::Door>>,
    inbox: Option<Sender<Work>>,
    thread: Option<JoinHandle<()>>,
}

/// What the reactor thread tells everybody.
#[derive(Default)]
struct Shared {
    /// Why the device is no more.
    dead: OnceLock<Error>,
    counters: Counters,
}

impl Card {
    /// Opens the card at the other end of `transport`.
    pub fn open(mut transport: Box<dyn Transport>, options: Options) -> Result<Self> {
        let chain = chain::read(&mut *transport, &options.uri)?;
        let status = handshake::perform(&mut *transport, &options)?;
        chain.agrees_with(&status, &options.uri)?;
        let mut engines = equihash_verify::find(&mut *transport, &chain, &options.uri)?;
        engines.extend(ecdsa_verify::find(&mut *transport, &chain, &options.uri)?);
        let identity = Parked::fresh_identity();
        let channels = match transport.has_memory() {
            true => chain.channels(&mut *transport)?,
            false => Channels::default(),
        };
        let transforms = ntt::find(&mut *transport, &chain, &options.uri)?;
        let (transform, transforms) = transforms.unzip();
        let (mut doors, mut results) = (Vec::new(), None);
        for (engine, geometry) in msm::find(&mut *transport, &chain, &options.uri)? {
            let bulk = channels.first(engine.lane.block);
            // The first of these channels, as the circuit lends it.
            let reserved = transforms.as_ref().filter(|_| results.is_none());
            let reserved = reserved.map_or(0, |it| it.reserved(geometry.memory, geometry.order));
            let (number, uri) = (engines.len(), &options.uri);
            let door = msm::Door::new(number, geometry, reserved, identity, uri, bulk);
            if reserved > 0 {
                results = Some(door.clone());
            }
            doors.push(door);
            engines.push(engine);
        }
        let bulk = |engine: &Option<Engine>| channels.first(engine.as_ref()?.lane.block);
        let transforms = transforms.map(|geometry| {
            ntt::Door::new(geometry, identity, &options.uri, bulk(&transform), results)
        });
        let hashes = poseidon::find(&mut *transport, &chain, &options.uri)?;
        let (engine, hashes) = hashes.unzip();
        let hashes = hashes
            .map(|geometry| poseidon::Door::new(geometry, identity, &options.uri, bulk(&engine)));
        engines.extend(engine);
        engines.extend(transform);
        let machine = coprocessor::find(&mut *transport, &chain, &options.uri, identity)?;
        let (engine, machine) = machine.unzip();
        engines.extend(engine);
        agree_on_engines(&engines, status.capabilities, &options.uri)?;

        let mut caps = Caps::new(options.uri.clone(), options.kind, describe(&status, &engines));
        caps.capabilities = engines.iter().map(|it| it.capability.clone()).collect();
        caps.queue = engines.iter().map(|it| it.lane.queue).sum::<usize>().max(1);
        caps.quotients = transforms.as_ref().map(|door| door.geometry.quotients());

        let shared = Arc::new(Shared::default());
        let (inbox, outbox) = mpsc::channel();
        let lanes = engines.iter().map(|engine| engine.lane.clone()).collect();
        let reactor = Reactor::new(transport, lanes, outbox, shared.clone(), options);
        let thread = thread::Builder::new()
            .name("proofmill-card".into())
            .spawn(move || reactor.run())
            .map_err(|error| Error::Io {
                context: "starting a thread".into(),
                source: error.into(),
            })?;
        let desk = |door| msm::Desk::open(door, inbox.clone(), shared.clone());
        let desks = doors.into_iter().map(desk).collect::<Result<_>>()?;
        let (inbox, thread) = (Some(inbox), Some(thread));
        Ok(Self { caps, identity, shared, desks, hashes, transforms, machine, inbox, thread })
    }
}

impl Device for Card {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    /// No engine reads bare bytes from card memory: they stay with the host.
    fn park(&self, bytes: Data) -> Result<Parked> {
        Ok(Parked::new(self.identity, bytes.on(self.identity)?.clone()))
    }

    fn submit(&self, request: Request) -> Result<Ticket> {
        if let Some(error) = self.shared.dead.get() {
            return Err(error.clone());
        }
        let asked = request.capability();
        self.caps.demand(&asked)?;
        let unsupported =
            || Error::Unsupported { device: self.caps.uri.clone(), what: asked.to_string() };
        let engine = self.caps.capabilities.iter().position(|offered| *offered == asked);
        let engine = engine.ok_or_else(unsupported)?;
        let job: Box<dyn Job> = match request {
            Request::EquihashVerify(request) => {
                Box::new(equihash_verify::Job::new(request, self.identity)?)
            }
            Request::EcdsaVerify(request) => {
                Box::new(ecdsa_verify::Job::new(request, self.identity)?)
            }
            Request::Poseidon(request) => {
                let hashes = self.hashes.as_ref().ok_or_else(unsupported)?;
                Box::new(poseidon::Job::new(request, hashes)?)
            }
            Request::PoseidonLayers(request) => {
                let hashes = self.hashes.as_ref().ok_or_else(unsupported)?;
                Box::new(poseidon::layers::Job::new(request, hashes)?)
            }
            Request::Ntt(request) => {
                let door = self.transforms.as_ref().ok_or_else(unsupported)?;
                Box::new(ntt::Job::new(request, door)?)
            }
            Request::Quotient(request) => {
                let door = self.transforms.as_ref().ok_or_else(unsupported)?;
                Box::new(ntt::Job::quotient(*request, door)?)
            }
            Request::Coprocessor(request) => {
                let door = self.machine.as_ref().ok_or_else(unsupported)?;
                Box::new(coprocessor::Job::new(request, door)?)
            }
            Request::Msm(request) => {
                let desk = self.desks.iter().find(|desk| desk.is_for(request.instance()));
                return desk.ok_or_else(unsupported)?.submit(request);
            }
            _ => return Err(unsupported()),
        };
        let (completer, ticket) = Ticket::pair();
        let work = Work { engine, job, completer };
        // A reactor that is gone has dropped the other end: the completer inside `work` then fails the ticket.
        let _ = self.inbox.as_ref().map(|inbox| inbox.send(work));
        Ok(ticket)
    }

    fn metrics(&self) -> Metrics {
        self.shared.counters.read()
    }
}

impl Drop for Card {
    fn drop(&mut self) {
        self.desks.clear();
        self.inbox = None;
        if let Some(thread) = self.thread.take() {
            // A reactor that panicked has failed its tickets by dropping them; there is no one left to tell.
            let _ = thread.join();
        }
    }
}

/// The capability bits and the blocks must name the same engines.
fn agree_on_engines(engines: &[Engine], capabilities: u64, uri: &str) -> Result<()> {
    let verification = equihash_verify::KNOWN.iter().chain(&ecdsa_verify::KNOWN);
    let known = verification.chain(msm::KNOWN).chain(&poseidon::KNOWN);
    let transforms = [ntt::known(engines)];
    let known = known.chain(&transforms).chain(&coprocessor::KNOWN);
    for (capability, bit) in known {
        let block = engines.iter().any(|engine| engine.capability == *capability);
        let promised = capabilities >> bit & 1 == 1;
        if block != promised {
            let problem = format!(
                "the card contradicts itself on {capability}: capability bit {bit} is {}, {}",
                u8::from(promised),
                if block { "its block is there" } else { "there is no block of it" },
            );
            return Err(open_error(uri, problem));
        }
    }
    Ok(())
}

fn describe(status: &handshake::Status, engines: &[Engine]) -> String {
    let [patch, minor, major, _] = status.version.to_le_bytes();
    let engines: Vec<_> =
        engines.iter().map(|it| format!("{}, queue {}", it.capability, it.lane.queue)).collect();
    format!(
        "card {major}.{minor}.{patch}, built {} on {}; {}",
        status.build_date,
        if status.build_host.is_empty() { "an unnamed host" } else { &status.build_host },
        if engines.is_empty() {
            "no engine that this driver knows".into()
        } else {
            engines.join("; ")
        },
    )
}

fn open_error(uri: &str, problem: impl Into<String>) -> Error {
    Error::Open { device: uri.to_owned(), problem: problem.into() }
}
