//! The input of the reactor: lanes, the interfaces of engines, and jobs, requests that are divided into commands.

use std::time::Duration;

use proofmill_op::{Capability, Completer, Error, Result, SecretBytes};

use super::flights::Sent;
use super::reactor::Counters;
use crate::Transport;
use crate::transport::Place;
use crate::wire::Header;

/// The contents of an engine's registers: offset in its block and value.
pub type Settings = Vec<(u32, u32)>;

/// Returns the contents of registers from this offset on that hold `bytes`, whole words.
pub fn words(offset: u32, bytes: &[u8]) -> Settings {
    let words = bytes.as_chunks().0.iter().zip((offset..).step_by(4));
    words.map(|(word, at)| (at, u32::from_le_bytes(*word))).collect()
}

/// The headers of an engine's command and of its reply.
#[derive(Clone, Copy, Debug)]
pub struct Exchange {
    /// The header of the command.
    pub command: Header,
    /// The header of its reply.
    pub reply: Header,
}

/// The interface of an engine.
#[derive(Clone, Debug)]
pub struct Lane {
    /// The address of its block.
    pub block: u32,
    /// Its commands.
    pub exchanges: Vec<Exchange>,
    /// The most outstanding commands, apart from cancellations.
    pub queue: usize,
    /// For an engine whose commands take long: counters in its block that change while it works.
    pub progress: &'static [u32],
}

impl Lane {
    /// Returns the header of the reply to a command.
    pub fn reply_to(&self, command: Header) -> Option<Header> {
        self.exchanges.iter().find(|it| it.command == command).map(|it| it.reply)
    }
}

/// An engine of the card.
#[derive(Clone, Debug)]
pub struct Engine {
    /// The operation that it offers.
    pub capability: Capability,
    /// Its interface.
    pub lane: Lane,
}

/// The limits of a job that uses the transport by itself.
pub struct Terms<'a> {
    /// The device's URI.
    pub uri: &'a str,
    /// The longest time without progress of the card.
    pub timeout: Duration,
    /// Returns whether the request was cancelled.
    pub cancelled: &'a dyn Fn() -> bool,
}

/// A transfer through the memory port. The bytes may be scalars or elements.
#[derive(Debug)]
pub enum Transfer {
    /// Writes whole slices to a place.
    Up(Place, SecretBytes),
    /// Reads this number of bytes, whole beats, from a place.
    Down(Place, usize),
}

/// A request, divided into commands with one reply each.
pub trait Job: Send {
    /// Returns the number of commands; once one has failed, the number of those that were sent. It may grow with replies: until they have arrived, it
    /// is above the number of known commands, and [`Job::acquire`] returns false for the next one.
    fn commands(&self) -> usize;
    /// Returns the contents that the engine's registers must have.
    fn settings(&self) -> &Settings;
    /// Acquires the resources that the next command needs. Returns false if one is not free: replies to this job or to others release them.
    fn acquire(&mut self, _position: usize) -> bool {
        true
    }
    /// Returns whether the job has memory of its own and depends on no job before it, so that it can proceed while they wait.
    fn is_independent(&self) -> bool {
        false
    }
    /// Returns the transfer that takes the place of the command with this number; `None` for a command that is a packet.
    fn transfer(&self, _position: usize) -> Option<Transfer> {
        None
    }
    /// Accepts the end of a transfer: the bytes that were read, none for a write; `None` if the memory did not respond.
    fn transferred(&mut self, _position: usize, _bytes: Option<SecretBytes>) {}
    /// Returns the packet of a command. It may contain scalars or elements.
    fn command(&mut self, position: usize, index: u64) -> SecretBytes;
    /// Accepts the reply to a command; the error describes the problem.
    fn accept(&mut self, position: usize, reply: &[u8]) -> std::result::Result<(), String>;
    /// Returns the packet that cancels a command in the card, by its index; for jobs of a lane with `progress`.
    fn cancel(&mut self, _position: usize, _target: u64, _index: u64) -> Option<SecretBytes> {
        None
    }
    /// Executes a job that uses the transport by itself, alone, in place of commands; an error ends the device.
    fn talk(&mut self, _transport: &mut dyn Transport, _terms: &Terms<'_>) -> Result<()> {
        Ok(())
    }
    /// Returns whether the job uses the transport by itself.
    fn talks(&self) -> bool {
        false
    }
}

/// A job with a response of type `T`.
pub trait Respond<T>: Job {
    /// Returns the response, after every reply was accepted.
    fn respond(self: Box<Self>) -> Result<T>;
}

/// A job with the completer of its ticket, whatever the type of its response.
trait Task: Send {
    fn job(&self) -> &dyn Job;
    fn job_mut(&mut self) -> &mut dyn Job;
    fn is_abandoned(&self) -> bool;
    fn talk(&mut self, transport: &mut dyn Transport, uri: &str, timeout: Duration) -> Result<()>;
    fn fail(&mut self, counters: &Counters, error: Error);
    fn complete(self: Box<Self>, counters: &Counters);
}

struct Pending<T> {
    job: Box<dyn Respond<T>>,
    /// `None` if the ticket ended before all replies arrived.
    completer: Option<Completer<T>>,
}

impl<T: Send> Task for Pending<T> {
    fn job(&self) -> &dyn Job {
        &*self.job
    }

    fn job_mut(&mut self) -> &mut dyn Job {
        &mut *self.job
    }

    fn is_abandoned(&self) -> bool {
        self.completer.as_ref().is_none_or(Completer::is_cancelled)
    }

    fn talk(&mut self, transport: &mut dyn Transport, uri: &str, timeout: Duration) -> Result<()> {
        let Self { job, completer } = self;
        let cancelled = || completer.as_ref().is_none_or(Completer::is_cancelled);
        job.talk(transport, &Terms { uri, timeout, cancelled: &cancelled })
    }

    fn fail(&mut self, counters: &Counters, error: Error) {
        if let Some(completer) = self.completer.take() {
            counters.complete(completer, Err(error));
        }
    }

    fn complete(self: Box<Self>, counters: &Counters) {
        let Self { job, completer } = *self;
        // The job is dropped here: when the response arrives, the job's memory is free.
        let response = job.respond();
        if let Some(completer) = completer {
            counters.complete(completer, response);
        }
    }
}

/// A job for an engine, with the ticket that waits for it.
pub struct Work {
    engine: usize,
    task: Box<dyn Task>,
}

impl Work {
    /// Returns work for the engine of this lane.
    pub fn new<T: Send + 'static>(
        engine: usize,
        job: Box<dyn Respond<T>>,
        completer: Completer<T>,
    ) -> Self {
        Self { engine, task: Box::new(Pending { job, completer: Some(completer) }) }
    }

    /// Ends the ticket with an error.
    pub fn fail(mut self, counters: &Counters, error: Error) {
        self.task.fail(counters, error);
    }
}

/// Work with its progress. Some of its packets may be in the card.
pub struct Active {
    pub engine: usize,
    task: Box<dyn Task>,
    sent: usize,
    answered: usize,
    /// Packets in the card: commands and cancellations.
    in_card: usize,
    /// Transfers that were begun and have not ended.
    moving: usize,
    /// The next transfer, if it had to wait.
    prepared: Option<Transfer>,
    ignored: usize,
}

impl Active {
    /// Returns work of which nothing was sent.
    pub fn new(Work { engine, task }: Work) -> Self {
        let (sent, answered, in_card, moving, ignored) = (0, 0, 0, 0, 0);
        let prepared = None;
        Self { engine, task, sent, answered, in_card, moving, prepared, ignored }
    }

    pub fn job(&self) -> &dyn Job {
        self.task.job()
    }

    pub fn job_mut(&mut self) -> &mut dyn Job {
        self.task.job_mut()
    }

    /// Returns whether the ticket has ended.
    pub fn is_abandoned(&self) -> bool {
        self.task.is_abandoned()
    }

    /// Lets the job use the transport.
    pub fn talk(
        &mut self,
        transport: &mut dyn Transport,
        uri: &str,
        timeout: Duration,
    ) -> Result<()> {
        self.task.talk(transport, uri, timeout)
    }

    /// Ends the ticket with an error.
    pub fn fail(&mut self, counters: &Counters, error: Error) {
        self.task.fail(counters, error);
    }

    /// Ends the ticket with the job's response.
    pub fn complete(self, counters: &Counters) {
        self.task.complete(counters);
    }

    /// Returns the command to send next; `None` if all are sent, or if the ticket has ended.
    pub fn next(&self) -> Option<usize> {
        (self.sent < self.job().commands() && !self.is_abandoned()).then_some(self.sent)
    }

    /// Returns whether anything was sent.
    pub fn has_begun(&self) -> bool {
        self.sent > 0
    }

    /// Counts a packet that was sent.
    pub fn count_sent(&mut self, sent: Sent) {
        self.sent += usize::from(sent != Sent::Cancel);
        self.in_card += 1;
    }

    /// Returns the next transfer, if the next command is one.
    pub fn transfer(&mut self, position: usize) -> Option<&Transfer> {
        if self.prepared.is_none() {
            self.prepared = self.task.job().transfer(position);
        }
        self.prepared.as_ref()
    }

    /// Takes the transfer that begins.
    pub fn begin_transfer(&mut self) -> Option<Transfer> {
        self.sent += 1;
        self.moving += 1;
        self.prepared.take()
    }

    /// Counts a transfer that has ended.
    pub fn count_transferred(&mut self) {
        self.answered += 1;
        self.moving -= 1;
    }

    /// Returns whether transfers have begun and not ended. The next packet waits for them.
    pub fn is_moving(&self) -> bool {
        self.moving > 0
    }

    /// Returns whether packets are in the card. Reads wait for them.
    pub fn is_in_card(&self) -> bool {
        self.in_card > 0
    }

    /// Counts a packet that was answered.
    pub fn count_answered(&mut self, sent: Sent) {
        self.answered += usize::from(sent != Sent::Cancel);
        self.in_card -= 1;
    }

    /// Counts a packet that was ignored; which one is unknown.
    pub fn count_ignored(&mut self) {
        self.ignored += 1;
    }

    /// Returns the number of ignored packets once no others are in the card, and counts them as answered.
    pub fn take_ignored(&mut self) -> Option<usize> {
        if self.ignored == 0 || self.in_card != self.ignored {
            return None;
        }
        self.in_card = 0;
        Some(std::mem::take(&mut self.ignored))
    }

    /// Returns whether every reply was accepted.
    pub fn is_done(&self) -> bool {
        self.answered >= self.job().commands()
    }

    /// Returns whether nothing more will arrive: it is done, or abandoned with nothing in the card.
    pub fn is_over(&self) -> bool {
        self.in_card == 0 && self.moving == 0 && (self.is_done() || self.is_abandoned())
    }
}
