//! Fault injection: a [`Transport`] around another one that misbehaves from a chosen reply on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use proofmill_card::Transport;
use proofmill_card::wire::constants::msm::commands::run;
use proofmill_card::wire::constants::shell::commands;
use proofmill_card::wire::constants::shell::replies::ignore;
use proofmill_card::wire::{Header, INDEX_OFFSET, bare, is_engine, put};
use proofmill_op::{Error, Result};

/// Offset of the error bits or the status in every engine's reply, right after the index.
const MASK_OFFSET: u32 = INDEX_OFFSET + 8;

/// A fault. Replies of engines are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The transport fails permanently after this many replies.
    Dies(u64),
    /// No reply arrives after this many replies.
    Stalls(u64),
    /// This reply is lost; all others arrive.
    Loses(u64),
    /// This reply is replaced by random bytes.
    Garbage(u64),
    /// This reply arrives twice.
    Duplicates(u64),
    /// This reply carries an index that was never sent.
    UnknownIndex(u64),
    /// This reply is a byte shorter than the length in its header.
    ShortReply(u64),
    /// This reply, and the length in its header, are longer by a word.
    LongReply(u64),
    /// This reply has error bits that are not defined.
    UndefinedBits(u64),
    /// This reply has a bit that no signature has alone: out_of_range_r without failed_sig_ver.
    UnexpectedBits(u64),
    /// This reply has another status.
    Status(u64, u8),
    /// In this reply, a bit is flipped; the bits are counted from the first, and again from the first after the last.
    FlipsReply(u64, u64),
    /// In this command to an engine, a bit is flipped, counted likewise.
    FlipsCommand(u64, u64),
    /// This reply has the content of the reply before it, with its own index.
    Repeats(u64),
    /// The card is reset before this command to an engine, as if another host had opened it.
    ResetsAt(u64),
    /// In this reply, which is to a run, a bit of the sum is flipped.
    FlipsSum(u64),
    /// An ignore of the command replaces this reply.
    Ignores(u64),
    /// The transport panics after this many replies.
    Panics(u64),
    /// No packet is accepted after this many commands to an engine.
    RefusesSend(u64),
    /// The first register write fails.
    RefusesWrite,
    /// Writes to registers have no effect.
    DropsWrite,
}

impl Fault {
    /// A fault that never occurs.
    pub const NONE: Self = Self::Loses(u64::MAX);

    /// Returns the time-out for a card with this fault: short where only a time-out reveals the fault, otherwise so long that a busy machine does not matter.
    pub const fn timeout(&self) -> Duration {
        match self {
            &Self::Stalls(at) | &Self::Loses(at) if at != u64::MAX => Duration::from_secs(5),
            _ => Duration::from_secs(60),
        }
    }
}

/// A card with a fault.
pub struct Faulty<T> {
    card: T,
    fault: Fault,
    seen: u64,
    commands: u64,
    again: Option<Vec<u8>>,
    previous: Vec<u8>,
    last_command: Option<Header>,
    held: Arc<AtomicBool>,
}

impl<T: Transport> Faulty<T> {
    /// Injects a fault into a card.
    pub fn new(card: T, fault: Fault) -> Self {
        Self {
            card,
            fault,
            seen: 0,
            commands: 0,
            again: None,
            previous: Vec::new(),
            last_command: None,
            held: Arc::default(),
        }
    }

    /// Returns a switch. While it is true, the card accepts everything, answers nothing and does not fail, so that its queues fill.
    pub fn hold(&self) -> Arc<AtomicBool> {
        self.held.clone()
    }

    /// Returns whether faults occur. They begin with the first command to an engine, so that the card can be opened, and pause while it is held.
    fn armed(&self) -> bool {
        self.last_command.is_some() && !self.held.load(Ordering::SeqCst)
    }

    fn dead(&self) -> Result<()> {
        match self.fault {
            Fault::Dies(after) if self.armed() && self.seen >= after => {
                Err(self.lost("an injected fault".into()))
            }
            Fault::Panics(after) if self.armed() && self.seen >= after => {
                panic!("the fault injector's own panic")
            }
            _ => Ok(()),
        }
    }

    fn lost(&self, problem: String) -> Error {
        Error::Lost { device: self.card.name().to_owned(), problem }
    }

    fn spoil(&mut self, mut reply: Vec<u8>, number: u64) -> Option<Vec<u8>> {
        match self.fault {
            Fault::Loses(at) if at == number => return None,
            Fault::Garbage(at) if at == number => reply = vec![0xa5; 23],
            Fault::Duplicates(at) if at == number => self.again = Some(reply.clone()),
            Fault::UnknownIndex(at) if at == number => {
                put(&mut reply, INDEX_OFFSET, &u64::MAX.to_le_bytes())
            }
            Fault::ShortReply(at) if at == number => _ = reply.pop(),
            Fault::LongReply(at) if at == number => {
                let len = reply.len() as u32 + 8;
                put(&mut reply, 0, &len.to_le_bytes());
                reply.extend([0; 8]);
            }
            Fault::UndefinedBits(at) if at == number => put(&mut reply, MASK_OFFSET, &[0x80]),
            Fault::UnexpectedBits(at) if at == number => put(&mut reply, MASK_OFFSET, &[1]),
            Fault::Status(at, status) if at == number => put(&mut reply, MASK_OFFSET, &[status]),
            Fault::FlipsReply(at, bit) if at == number => flip(&mut reply, bit),
            Fault::Repeats(at) if at == number => {
                let content = MASK_OFFSET as usize..reply.len().min(self.previous.len());
                if !content.is_empty() {
                    reply[content.clone()].copy_from_slice(&self.previous[content]);
                }
            }
            Fault::FlipsSum(at) if at == number => {
                reply[run::reply_fields::sum::OFFSET as usize] ^= 1;
            }
            Fault::Ignores(at) if at == number => {
                let echo = self.last_command.map(Header::to_bytes).unwrap_or_default();
                reply =
                    [Header { len: ignore::LEN, cmd: ignore::NUMBER }.to_bytes(), echo].concat();
            }
            _ => {}
        }
        Some(reply)
    }
}

/// Flips a bit of bytes, of which there is at least one.
fn flip(bytes: &mut [u8], bit: u64) {
    let bit = bit as usize % (8 * bytes.len());
    bytes[bit / 8] ^= 1 << (bit % 8);
}

impl<T: Transport> Transport for Faulty<T> {
    fn name(&self) -> &str {
        self.card.name()
    }

    fn send(&mut self, packet: &[u8]) -> Result<()> {
        self.dead()?;
        if let Some(header) = Header::of(packet).filter(|it| is_engine(it.cmd)) {
            if matches!(self.fault, Fault::RefusesSend(after) if self.commands >= after) {
                return Err(self.lost("send: refused by the fault injector".into()));
            }
            let number = self.commands;
            self.commands += 1;
            self.last_command = Some(header);
            match self.fault {
                Fault::FlipsCommand(at, bit) if at == number => {
                    let mut packet = packet.to_vec();
                    flip(&mut packet, bit);
                    return self.card.send(&packet);
                }
                Fault::ResetsAt(at) if at == number => {
                    self.card.send(&bare(commands::reset::NUMBER))?;
                }
                _ => {}
            }
        }
        self.card.send(packet)
    }

    fn receive(&mut self, limit: Duration) -> Result<Option<Vec<u8>>> {
        if self.held.load(Ordering::SeqCst) {
            std::thread::sleep(limit);
            return Ok(None);
        }
        self.dead()?;
        if let Some(reply) = self.again.take() {
            return Ok(Some(reply));
        }
        if self.armed() && matches!(self.fault, Fault::Stalls(after) if self.seen >= after) {
            std::thread::sleep(limit);
            return Ok(None);
        }
        let Some(reply) = self.card.receive(limit)? else { return Ok(None) };
        if !Header::of(&reply).is_some_and(|header| is_engine(header.cmd)) {
            return Ok(Some(reply));
        }
        let number = self.seen;
        self.seen += 1;
        let whole = reply.clone();
        let spoiled = self.spoil(reply, number);
        self.previous = whole;
        Ok(spoiled)
    }

    fn read_register(&mut self, address: u32) -> Result<u32> {
        self.dead()?;
        self.card.read_register(address)
    }

    fn write_register(&mut self, address: u32, value: u32) -> Result<()> {
        self.dead()?;
        match self.fault {
            Fault::RefusesWrite => Err(self
                .lost(format!("writing register {address:#06x}: refused by the fault injector"))),
            Fault::DropsWrite => Ok(()),
            _ => self.card.write_register(address, value),
        }
    }

    fn cycles(&self) -> Option<u64> {
        self.card.cycles()
    }
}
