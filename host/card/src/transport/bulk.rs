//! A card's memory port in a thread of its own: replies are received while bytes are written.

use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};

use proofmill_op::{Error, Result, SecretBytes};

use super::memory_port::{MemoryPort, Place, Streams};

/// A task of the thread.
type Order = Box<dyn FnOnce(&mut MemoryPort, &mut dyn Streams) + Send>;

/// The queue of the thread, which ends with it.
pub struct Bulk {
    orders: Sender<Order>,
}

impl Bulk {
    /// Starts a thread for a memory port with these streams.
    pub fn open(
        mut streams: impl Streams + Send + 'static,
        threads: &mut Vec<JoinHandle<()>>,
    ) -> Result<Self> {
        let (orders, queue) = mpsc::channel::<Order>();
        threads.push(spawn(move || {
            let mut port = MemoryPort::default();
            queue.into_iter().for_each(|order| order(&mut port, &mut streams));
        })?);
        Ok(Self { orders })
    }

    /// Appends work for the port to the queue; `report` receives its result.
    pub fn begin<T>(
        &self,
        work: impl FnOnce(&mut MemoryPort, &mut dyn Streams) -> Result<T> + Send + 'static,
        report: impl FnOnce(Result<T>) + Send + 'static,
    ) {
        // A thread that has ended drops the task, and with it the sender of its result.
        let _ = self.orders.send(Box::new(move |port, streams| report(work(port, streams))));
    }

    /// Appends work for the port to the queue and returns the receiver of its result.
    pub fn request<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut MemoryPort, &mut dyn Streams) -> Result<T> + Send + 'static,
    ) -> Receiver<Result<T>> {
        let (sender, done) = mpsc::sync_channel(1);
        self.begin(work, move |done| _ = sender.send(done));
        done
    }
}

/// Returns work that reads this number of bytes.
pub fn reading(
    place: Place,
    count: usize,
) -> impl FnOnce(&mut MemoryPort, &mut dyn Streams) -> Result<SecretBytes> + Send + 'static {
    move |port, streams| {
        let mut bytes = SecretBytes::filled(count, 0);
        port.read(streams, place, &mut bytes)?;
        Ok(bytes)
    }
}

/// Returns work that writes bytes.
pub fn writing(
    place: Place,
    bytes: SecretBytes,
) -> impl FnOnce(&mut MemoryPort, &mut dyn Streams) -> Result<()> + Send + 'static {
    move |port, streams| port.write(streams, place, &bytes)
}

/// Starts a thread of a transport.
pub fn spawn(work: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>> {
    thread::Builder::new()
        .name("proofmill-way".into())
        .spawn(work)
        .map_err(|error| Error::Io { context: "starting a thread".into(), source: error.into() })
}
