//! A software model of the card: a [`Transport`] with the command stream and the registers, any engines, any queues,
//! and a verdict function in place of the engines' circuits. It counts violations of the protocol by the driver.

mod engine;
mod msm;
mod ntt;
pub(crate) mod poseidon;
mod registers;
mod replies;

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use proofmill_card::Transport;
use proofmill_card::wire::constants::msm::commands::{cancel, run, write};
use proofmill_card::wire::constants::shell::{address_map, block};
use proofmill_card::wire::u64_at;
use proofmill_op::{AnyRequest, Capability, Error, Result};

pub use engine::{SoftEngine, VerdictFn, first_byte};
pub(crate) use engine::{reply_of, request_after_reset};
pub use msm::MsmGeometry;

use crate::random::Random;
use crate::stream_model::{BODY, Reaction, reaction};

/// The order in which engines answer.
#[derive(Clone, Debug)]
pub enum Order {
    /// The order of the commands.
    InOrder,
    /// A random order of the outstanding commands.
    Shuffled(Random),
}

/// Counts of accesses to the card.
#[derive(Clone, Debug, Default)]
pub struct Log {
    /// Packets accepted.
    pub packets: u64,
    /// Maximum number of commands outstanding in one engine.
    pub max_outstanding: usize,
    /// Commands other than cancellations sent to an engine whose queue was full.
    pub overruns: u64,
    /// Register writes to an engine that was busy.
    pub writes_while_busy: u64,
    /// Register writes to idle engines.
    pub writes: u64,
    /// Runs that were cancelled in time.
    pub cancelled: u64,
}

/// The software model of the card.
pub struct SoftCard {
    engines: Vec<SoftEngine>,
    verdict: VerdictFn,
    order: Order,
    registers: HashMap<u32, u32>,
    outstanding: VecDeque<Pending>,
    /// The memory of each engine, which only those for MSMs use.
    memories: Vec<msm::Memory>,
    /// The memory of the NTT engine.
    transforms: ntt::Memory,
    /// The memory of the Poseidon engine.
    hashed: poseidon::Memory,
    replies: VecDeque<Vec<u8>>,
    log: Arc<Mutex<Log>>,
    cycles: u64,
}

struct Pending {
    engine: usize,
    index: u64,
    what: What,
}

/// The work behind a reply.
enum What {
    /// Compute the verdict.
    Verdict(Box<AnyRequest>),
    /// Compute the MSM.
    Run(msm::Run),
    /// Send this reply.
    Reply(Vec<u8>),
}

impl SoftCard {
    /// The version in its status reply and its shell block.
    pub const VERSION: u32 = 0x0001_0203;

    /// Creates a card with these engines, in the state after a reset.
    pub fn new(engines: &[SoftEngine], verdict: VerdictFn) -> Self {
        let mut card = Self {
            engines: engines.to_vec(),
            verdict,
            order: Order::InOrder,
            registers: HashMap::new(),
            outstanding: VecDeque::new(),
            memories: vec![msm::Memory::default(); engines.len()],
            transforms: ntt::Memory::default(),
            hashed: poseidon::Memory::default(),
            replies: VecDeque::new(),
            log: Arc::default(),
            cycles: 0,
        };
        card.reset();
        card
    }

    /// Sets the order in which engines answer.
    pub fn with_order(mut self, order: Order) -> Self {
        self.order = order;
        self
    }

    /// Adds replies to an earlier host, which are sent first.
    pub fn with_stale(mut self, replies: impl IntoIterator<Item = Vec<u8>>) -> Self {
        self.replies.extend(replies);
        self
    }

    /// Returns the counts, which are readable while a driver owns the card.
    pub fn log(&self) -> Arc<Mutex<Log>> {
        self.log.clone()
    }

    /// Fixes a register to a value, as on a broken card.
    pub fn with_register(mut self, address: u32, value: u32) -> Self {
        self.registers.insert(address, value);
        self
    }

    /// Returns the address of an engine's block; the shell's block is the one before the first.
    pub fn block_of(engine: usize) -> u32 {
        address_map::blocks::BASE + address_map::blocks::STRIDE * (engine as u32 + 1)
    }

    fn note(&self, note: impl FnOnce(&mut Log)) {
        note(&mut self.log.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn capabilities(&self) -> u64 {
        self.engines.iter().map(SoftEngine::bit).sum()
    }

    /// Resets the card. Registers that [`Self::with_register`] fixed keep their values.
    fn reset(&mut self) {
        self.outstanding.clear();
        for (address, word) in registers::fixed(&self.engines, self.capabilities()) {
            self.registers.entry(address).or_insert(word);
        }
        self.registers.extend(registers::settings(&self.engines));
    }

    fn begin(&mut self, engine: &Capability, index: u64, packet: &[u8]) {
        let Some(engine) = self.engines.iter().position(|it| it.capability == *engine) else {
            return;
        };
        let what = match (self.engines[engine].msm, &self.engines[engine].capability) {
            (Some(geometry), _) => self.msm(engine, &geometry, index, packet),
            (None, Capability::Poseidon(_)) => What::Reply(self.hashed.answer(index, packet)),
            (None, &Capability::Ntt(field)) => {
                What::Reply(self.transforms.reply(field, index, packet))
            }
            (None, _) => {
                let body = &packet[BODY..];
                let mut request = request_after_reset(&self.engines[engine].capability, body);
                if let AnyRequest::EquihashVerify(request) = &mut request {
                    (request.personalisation, request.network) =
                        registers::asked(&self.registers, Self::block_of(engine));
                }
                What::Verdict(Box::new(request))
            }
        };
        self.outstanding.push_back(Pending { engine, index, what });
        let outstanding =
            self.outstanding.iter().filter(|pending| pending.engine == engine).count();
        let queue = self.engines[engine].queue as usize;
        let cancels = match self.engines[engine].msm {
            Some(geometry) => geometry.command_of(packet) == Some(cancel::NUMBER),
            None => false,
        };
        self.note(|log| {
            log.max_outstanding = log.max_outstanding.max(outstanding);
            log.overruns += u64::from(outstanding > queue && !cancels);
        });
    }

    /// Executes writes and cancellations at once, and queues runs.
    fn msm(&mut self, engine: usize, geometry: &MsmGeometry, index: u64, packet: &[u8]) -> What {
        match geometry.command_of(packet) {
            Some(write::NUMBER) => {
                What::Reply(self.memories[engine].write(geometry, index, packet))
            }
            Some(run::NUMBER) => What::Run(msm::Run::of(geometry, packet)),
            _ => {
                let target = u64_at(packet, BODY as u32);
                let mut pending = self.outstanding.iter_mut().filter(|it| it.engine == engine);
                let run = pending.find_map(|pending| match &mut pending.what {
                    What::Run(run) if Some(pending.index) == target => Some(run),
                    _ => None,
                });
                let found = run.map(msm::Run::cancel).is_some();
                self.note(|log| log.cancelled += u64::from(found));
                What::Reply(geometry.cancelled(index, found))
            }
        }
    }

    /// Finishes one command of an engine.
    fn finish_one(&mut self) {
        if self.outstanding.is_empty() {
            return;
        }
        let which = match &mut self.order {
            Order::InOrder => 0,
            Order::Shuffled(random) => random.below(self.outstanding.len() as u64) as usize,
        };
        let Some(Pending { engine, index, what }) = self.outstanding.remove(which) else {
            return;
        };
        let (engine, memory) = (&self.engines[engine], &self.memories[engine]);
        self.replies.push_back(match (what, &engine.msm) {
            (What::Run(run), Some(geometry)) => run.reply(geometry, memory, index),
            (What::Reply(reply), _) => reply,
            (What::Verdict(request), _) => {
                let mask = (self.verdict)(&request);
                let cycles = u16::try_from(self.cycles).unwrap_or(u16::MAX);
                reply_of(&engine.capability, index, mask, cycles)
            }
            (What::Run(_), None) => unreachable!("only an MSM engine has runs"),
        });
    }
}

impl Transport for SoftCard {
    fn name(&self) -> &str {
        "soft:"
    }

    fn send(&mut self, packet: &[u8]) -> Result<()> {
        if packet.is_empty() {
            return Err(Error::argument("packet", "has no bytes"));
        }
        self.note(|log| log.packets += 1);
        self.cycles += packet.len().div_ceil(8) as u64;
        let engines: Vec<_> = self.engines.iter().map(|it| it.capability.clone()).collect();
        match reaction(&engines, packet) {
            Reaction::Reset => {
                self.reset();
                self.replies.push_back(replies::reset());
            }
            Reaction::Status => {
                let busy = !self.outstanding.is_empty();
                let reply = replies::status(&self.registers, self.capabilities(), busy);
                self.replies.push_back(reply);
            }
            Reaction::Engine { engine, index, body } => {
                self.begin(&engine, index, &packet[..BODY + body.len()])
            }
            Reaction::Ignore(echo) => self.replies.push_back(replies::ignored(echo)),
        }
        Ok(())
    }

    fn receive(&mut self, limit: Duration) -> Result<Option<Vec<u8>>> {
        if self.replies.is_empty() {
            self.finish_one();
        }
        let reply = self.replies.pop_front();
        match reply {
            Some(_) => self.cycles += 1,
            None => thread::sleep(limit.min(Duration::from_millis(1))),
        }
        Ok(reply)
    }

    fn read_register(&mut self, address: u32) -> Result<u32> {
        Ok(self.registers.get(&address).copied().unwrap_or(address_map::UNMAPPED))
    }

    fn write_register(&mut self, address: u32, value: u32) -> Result<()> {
        let busy = |pending: &Pending| {
            let block = Self::block_of(pending.engine);
            (block..block + address_map::blocks::STRIDE).contains(&address)
        };
        let busy = self.outstanding.iter().any(busy);
        self.note(|log| if busy { log.writes_while_busy += 1 } else { log.writes += 1 });
        match address == address_map::blocks::BASE + block::registers::control::OFFSET {
            true if value & 1 == 1 => self.reset(),
            true => {}
            false => _ = self.registers.insert(address, value),
        }
        Ok(())
    }

    fn cycles(&self) -> Option<u64> {
        Some(self.cycles)
    }
}
