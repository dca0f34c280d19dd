//! The door to a card's memory, in a thread of its own: replies are heard while bytes are written.

use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};

use proofmill_op::{Error, Result};

use super::door::{Door, Place, Streams};

/// What the thread does next.
type Order = Box<dyn FnOnce(&mut Door, &mut dyn Streams) + Send>;

/// The thread's queue. The thread ends with it.
pub struct Bulk {
    orders: Sender<Order>,
}

impl Bulk {
    /// A thread for a door with these streams.
    pub fn open(
        mut streams: impl Streams + Send + 'static,
        threads: &mut Vec<JoinHandle<()>>,
    ) -> Result<Self> {
        let (orders, queue) = mpsc::channel::<Order>();
        threads.push(spawn(move || {
            let mut door = Door::default();
            queue.into_iter().for_each(|order| order(&mut door, &mut streams));
        })?);
        Ok(Self { orders })
    }

    /// Lets the door work, behind what it does already, and tells what came of it.
    pub fn begin<T>(
        &self,
        work: impl FnOnce(&mut Door, &mut dyn Streams) -> Result<T> + Send + 'static,
        tell: impl FnOnce(Result<T>) + Send + 'static,
    ) {
        // A thread that has ended drops the order, and with it whoever would be told.
        let _ = self.orders.send(Box::new(move |door, streams| tell(work(door, streams))));
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

/// Work: reads so many bytes.
pub fn reading(
    place: Place,
    count: usize,
) -> impl FnOnce(&mut Door, &mut dyn Streams) -> Result<Vec<u8>> + Send + 'static {
    move |door, streams| {
        let mut room = vec![0; count];
        door.read(streams, place, &mut room)?;
        Ok(room)
    }
}

/// Work: writes bytes.
pub fn writing(
    place: Place,
    bytes: Vec<u8>,
) -> impl FnOnce(&mut Door, &mut dyn Streams) -> Result<()> + Send + 'static {
    move |door, streams| door.write(streams, place, &bytes)
}

/// A thread of a transport.
pub fn spawn(work: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>> {
    thread::Builder::new()
        .name("proofmill-way".into())
        .spawn(work)
        .map_err(|error| Error::Io { context: "starting a thread".into(), source: error.into() })
}
