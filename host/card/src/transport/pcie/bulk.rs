//! The door to a card's memory, in a thread of its own: replies are heard while bytes are written.

use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::thread::JoinHandle;
use std::time::Duration;

use proofmill_op::{Error, Result};

use super::queues::{Channel, Queues, spawn};
use crate::transport::door::{Door, Streams};

/// What the thread does next.
type Order = Box<dyn FnOnce(&mut Door, &mut Lines) + Send>;

/// The thread's queue.
pub struct Bulk {
    orders: Sender<Order>,
    /// To its writing thread, for what ends a read of the driver.
    pub farewell: SyncSender<Vec<u8>>,
}

/// The streams of the door.
struct Lines {
    name: String,
    limit: Duration,
    queues: Queues,
    answers: Receiver<Result<Vec<u8>>>,
    /// Why they are no more.
    dead: Option<Error>,
}

impl Lines {
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

    fn answer(&mut self) -> Result<Vec<u8>> {
        self.alive(|lines| {
            lines.queues.ask();
            let (device, seconds) = (lines.name.clone(), lines.limit.as_secs_f64());
            let answer = lines.queues.wait(&lines.answers, lines.limit)?;
            answer.unwrap_or(Err(Error::TimedOut { device, seconds }))
        })
    }
}

impl Bulk {
    /// Threads for these channels, which give up a transfer after `limit`.
    pub fn open(
        (transfers, answers): (Channel, Channel),
        limit: Duration,
        threads: &mut Vec<JoinHandle<()>>,
    ) -> Result<Self> {
        let name = transfers.name.clone();
        let (told, answered) = mpsc::channel();
        let queues = Queues::open(transfers, answers, threads, move |it| told.send(it).is_ok())?;
        let farewell = queues.farewell();
        let (orders, queue) = mpsc::channel::<Order>();
        let mut lines = Lines { name, limit, queues, answers: answered, dead: None };
        threads.push(spawn(move || {
            let mut door = Door::default();
            queue.into_iter().for_each(|order| order(&mut door, &mut lines));
        })?);
        Ok(Self { orders, farewell })
    }

    /// Lets the door work, behind what it does already, and tells what came of it.
    pub fn begin<T>(
        &self,
        work: impl FnOnce(&mut Door, &mut dyn Streams) -> Result<T> + Send + 'static,
        tell: impl FnOnce(Result<T>) + Send + 'static,
    ) {
        // A thread that has ended drops the order, and with it whoever would be told.
        let _ = self.orders.send(Box::new(move |door, lines| tell(work(door, lines))));
    }

    /// The same, and where it is told.
    pub fn ask<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Door, &mut dyn Streams) -> Result<T> + Send + 'static,
    ) -> Receiver<Result<T>> {
        let (told, done) = mpsc::sync_channel(1);
        self.begin(work, move |done| _ = told.send(done));
        done
    }
}
