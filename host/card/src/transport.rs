//! The low door: how bytes reach a card. The driver above cannot tell a simulation from a card.
//!
//! Contract of every transport: no call blocks for ever. `receive` and `wait_event` end after the limit that they
//! are given, the others after a limit of their own, with [`Error::TimedOut`]. Packets keep their order in each
//! direction and are never cut or joined. After an error that is not about an argument the driver gives the
//! transport up.

mod bulk;
pub mod door;
pub mod f2;
mod image;
pub mod mailbox;
pub mod pcie;
pub mod sim;
pub mod uart;

use std::time::Duration;

use proofmill_op::{Error, Result};

pub use self::door::Place;

/// What a card tells.
#[derive(Debug)]
pub enum Event {
    /// A packet.
    Reply(Vec<u8>),
    /// The oldest of the writes and reads of its memory that were begun has ended, and is a write.
    Written(Result<()>),
    /// The same of a read, with its bytes.
    Read(Result<Vec<u8>>),
}

/// A way to a card. Owned by one thread at a time.
pub trait Transport: Send {
    /// What it leads to, for messages.
    fn name(&self) -> &str;

    /// Sends one packet. Waits for a limited time when the card does not take it.
    fn send(&mut self, packet: &[u8]) -> Result<()>;

    /// The oldest packet that the card sent; `None` when there is none within `limit`.
    fn receive(&mut self, limit: Duration) -> Result<Option<Vec<u8>>>;

    /// Reads a 32-bit register at a byte address.
    fn read_register(&mut self, address: u32) -> Result<u32>;

    /// Writes a 32-bit register at a byte address.
    fn write_register(&mut self, address: u32, value: u32) -> Result<()>;

    /// Has it a way to the card's memory beside that of the packets?
    fn has_memory(&self) -> bool {
        false
    }

    /// Fills `bytes`, whole beats, from the card's memory.
    fn read_memory(&mut self, _place: Place, _bytes: &mut [u8]) -> Result<()> {
        Err(unsupported(self.name(), "card memory"))
    }

    /// Copies `bytes`, whole slices, into the card's memory; they are there when it returns. [`Error::Failed`] says that the memory did not answer,
    /// which the card survives.
    fn write_memory(&mut self, _place: Place, _bytes: &[u8]) -> Result<()> {
        Err(unsupported(self.name(), "card memory"))
    }

    /// Begins what [`Transport::write_memory`] does, behind what was begun before; an [`Event::Written`] says that it has ended.
    fn begin_write(&mut self, _place: Place, _bytes: Vec<u8>) -> Result<()> {
        Err(unsupported(self.name(), "card memory"))
    }

    /// Begins what [`Transport::read_memory`] does, behind what was begun before, of so many bytes; an [`Event::Read`] brings them.
    fn begin_read(&mut self, _place: Place, _bytes: usize) -> Result<()> {
        Err(unsupported(self.name(), "card memory"))
    }

    /// The next packet or the end of a write or read, whichever comes first; `None` when neither comes within `limit`.
    fn event(&mut self, limit: Duration) -> Result<Option<Event>> {
        Ok(self.receive(limit)?.map(Event::Reply))
    }

    /// Waits for an interrupt; false when there was none within `limit`.
    fn wait_event(&mut self, _limit: Duration) -> Result<bool> {
        Err(unsupported(self.name(), "events"))
    }

    /// Cycles of the card's clock since power-up, where the transport can tell without asking the card.
    fn cycles(&self) -> Option<u64> {
        None
    }
}

impl<T: Transport + ?Sized> Transport for Box<T> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn send(&mut self, packet: &[u8]) -> Result<()> {
        (**self).send(packet)
    }

    fn receive(&mut self, limit: Duration) -> Result<Option<Vec<u8>>> {
        (**self).receive(limit)
    }

    fn read_register(&mut self, address: u32) -> Result<u32> {
        (**self).read_register(address)
    }

    fn write_register(&mut self, address: u32, value: u32) -> Result<()> {
        (**self).write_register(address, value)
    }

    fn has_memory(&self) -> bool {
        (**self).has_memory()
    }

    fn read_memory(&mut self, place: Place, bytes: &mut [u8]) -> Result<()> {
        (**self).read_memory(place, bytes)
    }

    fn write_memory(&mut self, place: Place, bytes: &[u8]) -> Result<()> {
        (**self).write_memory(place, bytes)
    }

    fn begin_write(&mut self, place: Place, bytes: Vec<u8>) -> Result<()> {
        (**self).begin_write(place, bytes)
    }

    fn begin_read(&mut self, place: Place, bytes: usize) -> Result<()> {
        (**self).begin_read(place, bytes)
    }

    fn event(&mut self, limit: Duration) -> Result<Option<Event>> {
        (**self).event(limit)
    }

    fn wait_event(&mut self, limit: Duration) -> Result<bool> {
        (**self).wait_event(limit)
    }

    fn cycles(&self) -> Option<u64> {
        (**self).cycles()
    }
}

fn unsupported(device: &str, what: &str) -> Error {
    Error::Unsupported { device: device.to_owned(), what: format!("its transport has no {what}") }
}
