//! What the reactor is given: lanes, the doors of engines, and jobs, requests that are cut into commands.

use proofmill_op::{Answer, Capability, Completer};

use crate::wire::Header;

/// Contents of an engine's registers: offset in its block and value.
pub type Settings = Vec<(u32, u32)>;

/// How an engine is spoken to.
#[derive(Clone, Copy, Debug)]
pub struct Lane {
    /// Address of its block.
    pub block: u32,
    /// Header of its commands.
    pub command: Header,
    /// Header of its replies.
    pub reply: Header,
    /// Commands that may be outstanding.
    pub queue: usize,
}

/// An engine of the card.
#[derive(Clone, Debug)]
pub struct Engine {
    /// What it answers.
    pub capability: Capability,
    /// How it is spoken to.
    pub lane: Lane,
}

/// A request, cut into commands with one reply each.
pub trait Job: Send {
    /// How many commands.
    fn commands(&self) -> usize;
    /// What the engine's registers must contain.
    fn settings(&self) -> &Settings;
    /// One command's packet.
    fn command(&self, position: usize, index: u64) -> Vec<u8>;
    /// Takes in its reply; the error says what is wrong with it.
    fn accept(&mut self, position: usize, reply: &[u8]) -> Result<(), String>;
    /// The answer, after every reply was taken in.
    fn answer(&mut self) -> Answer;
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
    ignored: usize,
}

impl Active {
    /// Nothing of it is sent yet.
    pub fn new(Work { engine, job, completer }: Work) -> Self {
        Self { engine, job, completer: Some(completer), sent: 0, answered: 0, ignored: 0 }
    }

    /// True when nobody waits for its answer.
    pub fn is_abandoned(&self) -> bool {
        self.completer.as_ref().is_none_or(Completer::is_cancelled)
    }

    /// The command to be sent next; `None` when all are sent, or when nobody waits.
    pub fn next(&self) -> Option<usize> {
        (self.sent < self.job.commands() && !self.is_abandoned()).then_some(self.sent)
    }

    /// The next command was sent.
    pub fn count_sent(&mut self) {
        self.sent += 1;
    }

    /// One of its commands was answered.
    pub fn count_answered(&mut self) {
        self.answered += 1;
    }

    /// One of its commands, nobody knows which, was ignored.
    pub fn count_ignored(&mut self) {
        self.ignored += 1;
    }

    /// Once all of its commands in the card are ones that were ignored: how many. They are counted as answered.
    pub fn take_ignored(&mut self) -> Option<usize> {
        if self.ignored == 0 || self.sent - self.answered != self.ignored {
            return None;
        }
        self.answered = self.sent;
        Some(std::mem::take(&mut self.ignored))
    }

    /// True when every reply was taken in.
    pub fn is_done(&self) -> bool {
        self.answered == self.job.commands()
    }

    /// True when nothing is to come any more: it is done, or abandoned with nothing left in the card.
    pub fn is_over(&self) -> bool {
        self.is_done() || self.answered == self.sent && self.is_abandoned()
    }
}
