//! The driver: opens a card, reads what it offers, and passes requests to the reactor thread that owns the transport.
//!
//! Opening, in order:
//! 1. the identification registers: this is a proofmill card, in a known layout;
//! 2. the chain of blocks: which engines, with which parameters and queues;
//! 3. RESET, so that nothing of a previous host remains, and a probe that marks the end of stale replies;
//! 4. STATUS, compared with the blocks.

pub(crate) mod chain;
mod coprocessor;
mod ecdsa_verify;
mod equihash_solve;
mod equihash_verify;
mod flights;
pub(crate) mod handshake;
mod job;
mod msm;
mod ntt;
mod poseidon;
mod reactor;
mod regions;
mod vdf;

use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use proofmill_op::coprocessor::Coprocessor;
use proofmill_op::ecdsa_verify::EcdsaVerify;
use proofmill_op::equihash_solve::EquihashSolve;
use proofmill_op::equihash_verify::EquihashVerify;
use proofmill_op::msm::{Instance, LoadBases, Msm, PlanMsm};
use proofmill_op::ntt::{ComputeQuotient, Ntt};
use proofmill_op::poseidon::{HashLayers, Poseidon};
use proofmill_op::vdf::Vdf;
use proofmill_op::{
    AnyRequest, AnyTicket, Caps, Data, Device, DeviceKind, Erased, Error, Metrics, ResidentData,
    Result, Ticket,
};

use crate::Transport;
use chain::Channels;
use job::{Engine, Respond, Work};
use reactor::{Counters, Reactor};

/// Options for opening a card.
#[derive(Clone, Debug)]
pub struct Options {
    /// The URI of the device, in its capabilities and in errors.
    pub uri: String,
    /// The kind of the device behind the transport.
    pub kind: DeviceKind,
    /// The time after which a command without a reply ends the device.
    pub timeout: Duration,
}

impl Options {
    /// Returns options with a time-out of a minute.
    pub fn new(uri: impl Into<String>, kind: DeviceKind) -> Self {
        Self { uri: uri.into(), kind, timeout: Duration::from_secs(60) }
    }
}

/// A card as a [`Device`]. Dropping it waits, within the time-out, for tickets that are still held.
pub struct Card {
    /// A capability for each engine, in the order of the reactor's lanes.
    caps: Caps,
    identity: u64,
    shared: Arc<Shared>,
    msms: Vec<msm::Queue>,
    hashes: Option<Arc<poseidon::Port>>,
    transforms: Option<Arc<ntt::Port>>,
    machine: Option<Arc<coprocessor::Port>>,
    squarer: Option<vdf::Geometry>,
    solver: Option<equihash_solve::Geometry>,
    inbox: Option<Sender<Work>>,
    thread: Option<JoinHandle<()>>,
}

/// The state that the reactor thread shares.
#[derive(Default)]
struct Shared {
    /// The error that ended the device.
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
        let identity = ResidentData::fresh_identity();
        let channels = match transport.has_memory() {
            true => chain.channels(&mut *transport)?,
            false => Channels::default(),
        };
        let transforms = ntt::find(&mut *transport, &chain, &options.uri)?;
        let (transform, transforms) = transforms.unzip();
        let (mut ports, mut results) = (Vec::new(), None);
        for (engine, geometry) in msm::find(&mut *transport, &chain, &options.uri)? {
            let bulk = channels.first(engine.lane.block);
            // The first of these channels, as the circuit lends it.
            let reserved = transforms.as_ref().filter(|_| results.is_none());
            let reserved = reserved.map_or(0, |it| it.reserved(geometry.memory, geometry.order));
            let (number, uri) = (engines.len(), &options.uri);
            let port = msm::Port::new(number, geometry, reserved, identity, uri, bulk);
            if reserved > 0 {
                results = Some(port.clone());
            }
            ports.push(port);
            engines.push(engine);
        }
        let bulk = |engine: &Option<Engine>| channels.first(engine.as_ref()?.lane.block);
        let transforms = transforms.map(|geometry| {
            ntt::Port::new(geometry, identity, &options.uri, bulk(&transform), results)
        });
        let hashes = poseidon::find(&mut *transport, &chain, &options.uri)?;
        let (engine, hashes) = hashes.unzip();
        let hashes = hashes
            .map(|geometry| poseidon::Port::new(geometry, identity, &options.uri, bulk(&engine)));
        engines.extend(engine);
        engines.extend(transform);
        let machine = coprocessor::find(&mut *transport, &chain, &options.uri, identity)?;
        let (engine, machine) = machine.unzip();
        engines.extend(engine);
        let squarer = vdf::find(&mut *transport, &chain, &options.uri)?;
        let (engine, squarer) = squarer.unzip();
        engines.extend(engine);
        let solver = equihash_solve::find(&mut *transport, &chain, &options.uri)?;
        let (engine, solver) = solver.unzip();
        engines.extend(engine);
        agree_on_engines(&engines, status.capabilities, &options.uri)?;

        let mut caps = Caps::new(options.uri.clone(), options.kind, describe(&status, &engines));
        caps.capabilities = engines.iter().map(|it| it.capability.clone()).collect();
        caps.queue = engines.iter().map(|it| it.lane.queue).sum::<usize>().max(1);
        caps.quotients = transforms.as_ref().map(|port| port.geometry.quotients());

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
        let queue = |port| msm::Queue::open(port, inbox.clone(), shared.clone());
        let msms = ports.into_iter().map(queue).collect::<Result<_>>()?;
        let (inbox, thread) = (Some(inbox), Some(thread));
        Ok(Self {
            caps,
            identity,
            shared,
            msms,
            hashes,
            transforms,
            machine,
            squarer,
            solver,
            inbox,
            thread,
        })
    }

    /// Hands a job to the reactor.
    fn start<O: Erased>(
        &self,
        engine: usize,
        job: impl Respond<O::Response> + 'static,
    ) -> Result<AnyTicket> {
        let (completer, ticket) = Ticket::pair();
        let work = Work::new(engine, Box::new(job), completer);
        // If the reactor is gone, the work is dropped here, and its completer fails the ticket.
        let _ = self.inbox.as_ref().map(|inbox| inbox.send(work));
        Ok(O::erase_ticket(ticket))
    }

    fn unsupported(&self, request: &AnyRequest) -> Error {
        let what = request.capability().to_string();
        Error::Unsupported { device: self.caps.uri.clone(), what }
    }

    fn msm(&self, instance: Instance) -> Option<&msm::Queue> {
        self.msms.iter().find(|queue| queue.is_for(instance))
    }

    /// Submits a request to the engine of this lane; `None` if the card has no such engine.
    fn dispatch(&self, engine: usize, request: AnyRequest) -> Option<Result<AnyTicket>> {
        let identity = self.identity;
        Some(match request {
            AnyRequest::EquihashVerify(request) => equihash_verify::Job::new(request, identity)
                .and_then(|job| self.start::<EquihashVerify>(engine, job)),
            AnyRequest::EcdsaVerify(request) => ecdsa_verify::Job::new(request, identity)
                .and_then(|job| self.start::<EcdsaVerify>(engine, job)),
            AnyRequest::Msm(request) => {
                self.msm(request.bases.instance)?.submit(request).map(Msm::erase_ticket)
            }
            AnyRequest::LoadBases(bases) => {
                self.msm(bases.instance)?.load(bases).map(LoadBases::erase_ticket)
            }
            AnyRequest::PlanMsm(request) => {
                self.msm(request.instance)?.plan(request).map(PlanMsm::erase_ticket)
            }
            AnyRequest::Ntt(request) => ntt::Job::new(request, self.transforms.as_ref()?)
                .and_then(|job| self.start::<Ntt>(engine, job)),
            AnyRequest::Quotient(request) => ntt::Job::quotient(request, self.transforms.as_ref()?)
                .and_then(|job| self.start::<ComputeQuotient>(engine, job)),
            AnyRequest::Poseidon(request) => poseidon::Job::new(request, self.hashes.as_ref()?)
                .and_then(|job| self.start::<Poseidon>(engine, job)),
            AnyRequest::PoseidonLayers(request) => {
                poseidon::layers::Job::new(request, self.hashes.as_ref()?)
                    .and_then(|job| self.start::<HashLayers>(engine, job))
            }
            AnyRequest::Coprocessor(request) => {
                coprocessor::Job::new(request, self.machine.as_ref()?)
                    .and_then(|job| self.start::<Coprocessor>(engine, job))
            }
            AnyRequest::Vdf(request) => vdf::Job::new(request, self.squarer?, &self.caps.uri)
                .and_then(|job| self.start::<Vdf>(engine, job)),
            AnyRequest::EquihashSolve(request) => {
                equihash_solve::Job::new(request, self.solver?, identity, &self.caps.uri)
                    .and_then(|job| self.start::<EquihashSolve>(engine, job))
            }
            _ => return None,
        })
    }
}

impl Device for Card {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    /// Keeps the bytes in host memory: no engine reads them from card memory in this form.
    fn load(&self, bytes: Data) -> Result<ResidentData> {
        Ok(ResidentData::new(self.identity, bytes.on(self.identity)?.clone()))
    }

    fn submit_any(&self, request: AnyRequest) -> Result<AnyTicket> {
        if let Some(error) = self.shared.dead.get() {
            return Err(error.clone());
        }
        let capability = request.capability();
        self.caps.require(&capability)?;
        let unsupported = self.unsupported(&request);
        let engine = self.caps.capabilities.iter().position(|offered| *offered == capability);
        let ticket = engine.and_then(|engine| self.dispatch(engine, request));
        ticket.unwrap_or(Err(unsupported))
    }

    fn metrics(&self) -> Metrics {
        self.shared.counters.read()
    }
}

impl Drop for Card {
    fn drop(&mut self) {
        self.msms.clear();
        self.inbox = None;
        if let Some(thread) = self.thread.take() {
            // A reactor that panicked has failed its tickets by dropping them.
            let _ = thread.join();
        }
    }
}

/// Checks that the capability bits and the blocks name the same engines.
fn agree_on_engines(engines: &[Engine], capabilities: u64, uri: &str) -> Result<()> {
    let verification = equihash_verify::KNOWN.iter().chain(&ecdsa_verify::KNOWN);
    let known = verification.chain(msm::KNOWN).chain(&poseidon::KNOWN);
    let transforms = [ntt::known(engines)];
    let known = known.chain(&transforms).chain(&coprocessor::KNOWN).chain(&vdf::KNOWN);
    let known = known.chain(&equihash_solve::KNOWN);
    for (capability, bit) in known {
        let block = engines.iter().any(|engine| engine.capability == *capability);
        let promised = capabilities >> bit & 1 == 1;
        if block != promised {
            let problem = format!(
                "the card contradicts itself on {capability}: capability bit {bit} is {}, {}",
                u8::from(promised),
                if block { "its block exists" } else { "there is no block of it" },
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
            "no engine that this driver supports".into()
        } else {
            engines.join("; ")
        },
    )
}

fn open_error(uri: &str, problem: impl Into<String>) -> Error {
    Error::Open { device: uri.to_owned(), problem: problem.into() }
}
