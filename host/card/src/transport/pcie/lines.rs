//! The channels of a card's memory port.

use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread::JoinHandle;
use std::time::Duration;

use proofmill_op::{Error, Result, SecretBytes};

use super::queues::{Channel, Queues};
use crate::transport::memory_port::Streams;

/// The streams of the memory port.
pub struct Lines {
    name: String,
    limit: Duration,
    queues: Queues,
    answers: Receiver<Result<SecretBytes>>,
    /// The reason why they failed.
    dead: Option<Error>,
}

impl Lines {
    /// Starts threads for these channels, which abandon a transfer after `limit`.
    pub fn open(
        (transfers, answers): (Channel, Channel),
        limit: Duration,
        threads: &mut Vec<JoinHandle<()>>,
    ) -> Result<Self> {
        let name = transfers.name.clone();
        let (sender, answered) = mpsc::channel();
        let queues = Queues::open(transfers, answers, threads, move |it| {
            sender.send(it.map(SecretBytes::from)).is_ok()
        })?;
        Ok(Self { name, limit, queues, answers: answered, dead: None })
    }

    /// Returns the queue of the writing thread, for a packet that ends a pending read of the driver.
    pub fn farewell(&self) -> SyncSender<SecretBytes> {
        self.queues.farewell()
    }

    /// Stores the error of the first transfer that fails and returns it for all later ones.
    fn alive<T>(&mut self, use_them: impl FnOnce(&Self) -> Result<T>) -> Result<T> {
        if let Some(error) = &self.dead {
            return Err(error.clone());
        }
        use_them(self).inspect_err(|error| self.dead = Some(error.clone()))
    }
}

impl Streams for Lines {
    fn device(&self) -> &str {
        &self.name
    }

    fn transfer(&mut self, transfer: &[u8]) -> Result<()> {
        self.alive(|lines| lines.queues.write(transfer, lines.limit))
    }

    fn answer(&mut self) -> Result<SecretBytes> {
        self.alive(|lines| {
            lines.queues.ask();
            let (device, seconds) = (lines.name.clone(), lines.limit.as_secs_f64());
            let answer = lines.queues.wait(&lines.answers, lines.limit)?;
            answer.unwrap_or(Err(Error::TimedOut { device, seconds }))
        })
    }
}
