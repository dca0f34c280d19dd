//! A card in a slot of an AWS F2 instance (`spec/wire/slot_rings.toml`), through the files in which the system shows a PCI function. No
//! library or driver of Amazon is needed.
//!
//! | the function's file | carries |
//! |---|---|
//! | `resource0` | registers, over OCL |
//! | `resource4_wc` | pages that the host writes, over PCIS: write-combined stores |
//! | `config` | the right of the card to write to the memory of this machine, over PCIM, while a session is open |
//!
//! Consequences of the hardware:
//! 1. The card needs physical addresses. The host memory is one huge page, whose address is read from `/proc/self/pagemap`. This requires root, as
//!    the files do.
//! 2. Only fences order stores, and PCIS is not ordered with OCL. Therefore a descriptor is in the window, behind its data.
//! 3. No call sleeps in the kernel, so this transport implements all time-outs. Packets need no thread, and the memory port has one.
//!
//! A register of a card that has left the bus reads all ones.

mod bar;
mod memory;
mod ring;
mod session;
mod slots;

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use proofmill_op::{Error, Result, SecretBytes};

pub use self::bar::{Bar, fence};
pub use self::memory::EMULATED as EMULATED_BASE;
pub use self::slots::{PCI_DEVICES, f2_slots};

use self::ring::Ring;
use self::session::Session;
use super::bulk::{Bulk, reading, writing};
use super::memory_port::{MemoryPort, Place, Streams};
use super::{Event, Transport};
use crate::driver::chain;
use crate::wire::constants::memory_door;
use crate::wire::constants::slot_rings::stream;

/// A card in a slot.
pub struct F2Transport {
    session: Arc<Session>,
    packets: Ring,
    /// The memory port, if the card has one.
    bulk: Option<Bulk>,
    threads: Vec<JoinHandle<()>>,
    teller: Sender<Event>,
    /// The ends of transfers that were begun at the memory port.
    moved: Receiver<Event>,
    looked: Instant,
}

impl F2Transport {
    /// Opens the card in slot `number`, counted as Amazon's tools do, and resets it. With `emulated`, the slots are those that files in a folder
    /// show, and so is the memory. No call but `receive` and `event` takes longer than `limit`, and those of the memory no longer than that a transfer.
    pub fn open(emulated: Option<&Path>, number: u32, limit: Duration) -> Result<Self> {
        let session = Arc::new(Session::open(emulated, number, limit)?);
        let packets = Ring::new(session.clone(), stream::PACKETS, limit);
        let (teller, moved) = mpsc::channel();
        let (threads, looked) = (Vec::new(), Instant::now());
        let mut transport = Self { session, packets, bulk: None, threads, teller, moved, looked };
        // A card without a memory port never takes a page of that stream.
        let blocks = chain::walk(&mut transport, &format!("f2:{number}"))?;
        if blocks.iter().any(|block| block.kind == memory_door::block::TYPE) {
            let ring = Ring::new(transport.session.clone(), stream::DOOR, limit);
            transport.bulk = Some(Bulk::open(ring, &mut transport.threads)?);
            transport.through(|port, streams| port.open(streams, 1))?;
        }
        Ok(transport)
    }

    fn bulk(&self) -> Result<&Bulk> {
        self.session.alive()?;
        self.bulk.as_ref().ok_or_else(|| super::unsupported(self.name(), "card memory"))
    }

    /// Executes work on the memory port and waits for it.
    fn through<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&mut MemoryPort, &mut dyn Streams) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let ended = |_| Err(self.session.lost("the thread of its memory has ended"));
        let done = self.bulk()?.request(work).recv().unwrap_or_else(ended);
        self.survived(done)
    }

    /// Records the loss of the card if an error ends the exchange with the memory port; an error of the memory does not.
    fn survived<T>(&self, done: Result<T>) -> Result<T> {
        match done {
            Err(error @ (Error::Lost { .. } | Error::TimedOut { .. })) => self.session.died(error),
            other => other,
        }
    }
}

impl Transport for F2Transport {
    fn name(&self) -> &str {
        self.session.name()
    }

    fn send(&mut self, packet: &[u8]) -> Result<()> {
        if packet.is_empty() {
            return Err(Error::argument("packet", "has no bytes"));
        }
        self.packets.send(packet)
    }

    fn receive(&mut self, limit: Duration) -> Result<Option<Vec<u8>>> {
        self.packets.receive(limit)
    }

    fn event(&mut self, limit: Duration) -> Result<Option<Event>> {
        let Self { session, packets, moved, looked, .. } = self;
        let happened = session.wait(limit, looked, || {
            if let Ok(event) = moved.try_recv() {
                return Ok(Some(event));
            }
            Ok(packets.poll()?.map(Event::Reply))
        })?;
        match happened {
            Some(Event::Written(Err(error)) | Event::Read(Err(error)))
                if !matches!(error, Error::Failed { .. }) =>
            {
                self.survived(Err(error))
            }
            other => Ok(other),
        }
    }

    fn read_register(&mut self, address: u32) -> Result<u32> {
        self.session.read(address)
    }

    fn write_register(&mut self, address: u32, value: u32) -> Result<()> {
        self.session.write(address, value)
    }

    fn has_memory(&self) -> bool {
        self.bulk.is_some()
    }

    fn read_memory(&mut self, place: Place, bytes: &mut [u8]) -> Result<()> {
        bytes.copy_from_slice(&self.through(reading(place, bytes.len()))?);
        Ok(())
    }

    fn write_memory(&mut self, place: Place, bytes: &[u8]) -> Result<()> {
        self.through(writing(place, bytes.to_vec().into()))
    }

    fn begin_write(&mut self, place: Place, bytes: SecretBytes) -> Result<()> {
        let teller = self.teller.clone();
        // The receiver is gone if the card was closed.
        let tell = move |done| _ = teller.send(Event::Written(done));
        self.bulk()?.begin(writing(place, bytes), tell);
        Ok(())
    }

    fn begin_read(&mut self, place: Place, bytes: usize) -> Result<()> {
        let teller = self.teller.clone();
        // As above.
        let tell = move |done| _ = teller.send(Event::Read(done));
        self.bulk()?.begin(reading(place, bytes), tell);
        Ok(())
    }
}

impl Drop for F2Transport {
    fn drop(&mut self) {
        self.session.close();
        self.bulk = None;
        for thread in self.threads.drain(..) {
            // It checks whether the session is closed whenever it waits; a panic was reported when it occurred.
            let _ = thread.join();
        }
    }
}
