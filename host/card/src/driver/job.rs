//! What the reactor is given: lanes, the doors of engines, and jobs, requests that are cut into commands.

use std::time::Duration;

use proofmill_op::{Answer, Capability, Completer, Result};

use super::flights::Sent;
use crate::Transport;
use crate::transport::Place;
use crate::wire::Header;

/// Contents of an engine's registers: offset in its block and value.
pub type Settings = Vec<(u32, u32)>;

/// A command of an engine and what answers it, by their headers.
#[derive(Clone, Copy, Debug)]
pub struct Exchange {
    /// Of the command.
    pub command: Header,
    /// Of its reply.
    pub reply: Header,
}

/// How an engine is spoken to.
#[derive(Clone, Debug)]
pub struct Lane {
    /// Address of its block.
    pub block: u32,
    /// Its commands.
    pub exchanges: Vec<Exchange>,
    /// Commands that may be outstanding, beside what ends them.
    pub queue: usize,
    /// For an engine whose commands take long: counters in its block that stand still only when nothing goes on.
    pub progress: &'static [u32],
}

impl Lane {
    /// The header of the reply to a command.
    pub fn reply_to(&self, command: Header) -> Option<Header> {
        self.exchanges.iter().find(|it| it.command == command).map(|it| it.reply)
    }
}

/// An engine of the card.
#[derive(Clone, Debug)]
pub struct Engine {
    /// What it answers.
    pub capability: Capability,
    /// How it is spoken to.
    pub lane: Lane,
}

/// What a job that speaks with the card has to keep to.
pub struct Terms<'a> {
    /// Of the device.
    pub uri: &'a str,
    /// The longest that it may see nothing happen.
    pub timeout: Duration,
    /// Whoever waits.
    pub completer: &'a Completer,
}

/// What goes over the door to the card's memory.
#[derive(Debug)]
pub enum Transfer {
    /// Whole slices, to a place.
    Up(Place, Vec<u8>),
    /// So many bytes, whole beats, from a place.
    Down(Place, usize),
}

/// A request, cut into commands with one reply each.
pub trait Job: Send {
    /// How many commands; once one has failed, those that were sent.
    fn commands(&self) -> usize;
    /// What the engine's registers must contain.
    fn settings(&self) -> &Settings;
    /// Is there all that the next command needs? What is not there comes with replies, to this job or to others.
    fn is_ready(&mut self, _position: usize) -> bool {
        true
    }
    /// Has it memory and answers of its own, whatever jobs before it still have to send? Then it goes on while they wait.
    fn stands_alone(&self) -> bool {
        false
    }
    /// What goes over the door to the card's memory in place of the command of this number, which is done when it has ended; `None` for a command
    /// that is a packet.
    fn transfer(&self, _position: usize) -> Option<Transfer> {
        None
    }
    /// It has ended: with the bytes that came down, none for what went up; or `None`, as the memory did not answer.
    fn transferred(&mut self, _position: usize, _bytes: Option<Vec<u8>>) {}
    /// One command's packet.
    fn command(&mut self, position: usize, index: u64) -> Vec<u8>;
    /// Takes in its reply; the error says what is wrong with it.
    fn accept(&mut self, position: usize, reply: &[u8]) -> std::result::Result<(), String>;
    /// The packet that ends a command in the card before its time, by its index; for jobs of a lane with `progress`.
    fn cancel(&mut self, _position: usize, _target: u64, _index: u64) -> Option<Vec<u8>> {
        None
    }
    /// For a job that speaks with the card by itself, alone, in place of commands; an error ends the device.
    fn talk(&mut self, _transport: &mut dyn Transport, _terms: &Terms<'_>) -> Result<()> {
        Ok(())
    }
    /// Does it?
    fn talks(&self) -> bool {
        false
    }
    /// The answer, after every reply was taken in.
    fn answer(&mut self) -> Result<Answer>;
}

/// A job with its engine and with whoever waits for it.
pub struct Work {
    pub engine: usize,
    pub job: Box<dyn Job>,
    pub completer: Completer,
}

/// Work of which something may still be under way: how far it is.
pub struct Active {
    pub engine: usize,
    pub job: Box<dyn Job>,
    /// Gone when the ticket was ended before all replies came.
    pub completer: Option<Completer>,
    sent: usize,
    answered: usize,
    /// Packets in the card: commands, and what cancels them.
    in_card: usize,
    /// Transfers on their way.
    moving: usize,
    /// The next one, when it had to wait.
    prepared: Option<Transfer>,
    ignored: usize,
}

impl Active {
    /// Nothing of it is sent yet.
    pub fn new(Work { engine, job, completer }: Work) -> Self {
        let completer = Some(completer);
        let (sent, answered, in_card, moving, ignored) = (0, 0, 0, 0, 0);
        let prepared = None;
        Self { engine, job, completer, sent, answered, in_card, moving, prepared, ignored }
    }

    /// True when nobody waits for its answer.
    pub fn is_abandoned(&self) -> bool {
        self.completer.as_ref().is_none_or(Completer::is_cancelled)
    }

    /// The command to be sent next; `None` when all are sent, or when nobody waits.
    pub fn next(&self) -> Option<usize> {
        (self.sent < self.job.commands() && !self.is_abandoned()).then_some(self.sent)
    }

    /// Was some of it sent?
    pub fn has_begun(&self) -> bool {
        self.sent > 0
    }

    /// A packet of it was sent.
    pub fn count_sent(&mut self, sent: Sent) {
        self.sent += usize::from(sent != Sent::Cancel);
        self.in_card += 1;
    }

    /// What goes over the door next, if it is not a packet.
    pub fn transfer(&mut self, position: usize) -> Option<&Transfer> {
        if self.prepared.is_none() {
            self.prepared = self.job.transfer(position);
        }
        self.prepared.as_ref()
    }

    /// That was begun, and is handed out.
    pub fn begin_transfer(&mut self) -> Option<Transfer> {
        self.sent += 1;
        self.moving += 1;
        self.prepared.take()
    }

    /// A transfer of it has ended.
    pub fn count_transferred(&mut self) {
        self.answered += 1;
        self.moving -= 1;
    }

    /// Are transfers of it on their way? Its next packet has to wait for them.
    pub fn is_moving(&self) -> bool {
        self.moving > 0
    }

    /// Are packets of it in the card? What comes down has to wait for them.
    pub fn is_in_card(&self) -> bool {
        self.in_card > 0
    }

    /// One of its packets was answered.
    pub fn count_answered(&mut self, sent: Sent) {
        self.answered += usize::from(sent != Sent::Cancel);
        self.in_card -= 1;
    }

    /// One of its packets, nobody knows which, was ignored.
    pub fn count_ignored(&mut self) {
        self.ignored += 1;
    }

    /// Once all of its packets in the card are ones that were ignored: how many. They are counted as answered.
    pub fn take_ignored(&mut self) -> Option<usize> {
        if self.ignored == 0 || self.in_card != self.ignored {
            return None;
        }
        self.in_card = 0;
        Some(std::mem::take(&mut self.ignored))
    }

    /// True when every reply was taken in.
    pub fn is_done(&self) -> bool {
        self.answered >= self.job.commands()
    }

    /// True when nothing is to come any more: it is done, or abandoned with nothing left in the card.
    pub fn is_over(&self) -> bool {
        self.in_card == 0 && self.moving == 0 && (self.is_done() || self.is_abandoned())
    }
}
