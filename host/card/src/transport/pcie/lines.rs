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
    /// Why they are no more.
    dead: Option<Error>,
}

impl Lines {
    /// Threads for these channels, which give up a transfer after `limit`.
    pub fn open(
        (transfers, answers): (Channel, Channel),
        limit: Duration,
        threads: &mut Vec<JoinHandle<()>>,
    ) -> Result<Self> {
        let name = transfers.name.clone();
        let (told, answered) = mpsc::channel();
        let queues = Queues::open(transfers, answers, threads, move |it| {
            told.send(it.map(SecretBytes::from)).is_ok()
        })?;
        Ok(Self { name, limit, queues, answers: answered, dead: None })
    }

    /// To the writing thread, for what ends a read of the driver.
    pub fn farewell(&self) -> SyncSender<SecretBytes> {
        self.queues.farewell()
    }

    /// What is said of the first transfer that fails is said of all later ones.
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
