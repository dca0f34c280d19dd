//! The interface through which bytes reach a card. It is the same for a simulation and for a card.
//!
//! Contract of every transport: no call blocks for ever. `receive` and `wait_event` end after the limit that they
//! are given, the others after a limit of their own, with [`Error::TimedOut`]. Packets keep their order in each
//! direction and are never cut or joined. After an error that is not about an argument the driver closes
//! the transport.

mod bulk;
pub mod f2;
mod image;
pub mod mailbox;
pub mod memory_port;
pub mod pcie;
pub mod sim;
pub mod uart;

use std::time::Duration;

use proofmill_op::{Error, Result, SecretBytes};

pub use self::memory_port::Place;

/// An event of a card.
#[derive(Debug)]
pub enum Event {
    /// A packet.
    Reply(Vec<u8>),
    /// The oldest transfer that was begun has ended, and is a write.
    Written(Result<()>),
    /// The oldest transfer that was begun has ended, and is a read: its bytes.
    Read(Result<SecretBytes>),
}

/// A connection to a card. Owned by one thread at a time.
pub trait Transport: Send {
    /// Returns the name of the device, for messages.
    fn name(&self) -> &str;

    /// Sends one packet. Waits for a limited time when the card does not take it.
    fn send(&mut self, packet: &[u8]) -> Result<()>;

    /// Returns the oldest packet of the card; `None` if there is none within `limit`.
    fn receive(&mut self, limit: Duration) -> Result<Option<Vec<u8>>>;

    /// Reads a 32-bit register at a byte address.
    fn read_register(&mut self, address: u32) -> Result<u32>;

    /// Writes a 32-bit register at a byte address.
    fn write_register(&mut self, address: u32, value: u32) -> Result<()>;

    /// Returns whether it has access to the card's memory apart from packets.
    fn has_memory(&self) -> bool {
        false
    }

    /// Fills `bytes`, whole beats, from the card's memory.
    fn read_memory(&mut self, _place: Place, _bytes: &mut [u8]) -> Result<()> {
        Err(unsupported(self.name(), "card memory"))
    }

    /// Copies `bytes`, whole slices, into the card's memory; returns when they are written. [`Error::Failed`] means that the memory did not respond;
    /// the card still works.
    fn write_memory(&mut self, _place: Place, _bytes: &[u8]) -> Result<()> {
        Err(unsupported(self.name(), "card memory"))
    }

    /// Begins a write as [`Transport::write_memory`] does, after the transfers that were begun before; an [`Event::Written`] reports its end. The bytes
    /// may be scalars or elements.
    fn begin_write(&mut self, _place: Place, _bytes: SecretBytes) -> Result<()> {
        Err(unsupported(self.name(), "card memory"))
    }

    /// Begins a read of this number of bytes as [`Transport::read_memory`] does, after the transfers that were begun before; an [`Event::Read`] has them.
    fn begin_read(&mut self, _place: Place, _bytes: usize) -> Result<()> {
        Err(unsupported(self.name(), "card memory"))
    }

    /// Returns the next packet or end of a transfer, whichever comes first; `None` if there is none within `limit`.
    fn event(&mut self, limit: Duration) -> Result<Option<Event>> {
        Ok(self.receive(limit)?.map(Event::Reply))
    }

    /// Waits for an interrupt; returns false if there was none within `limit`.
    fn wait_event(&mut self, _limit: Duration) -> Result<bool> {
        Err(unsupported(self.name(), "events"))
    }

    /// Returns the cycles of the card's clock since power-up, if the transport has them without a command.
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

    fn begin_write(&mut self, place: Place, bytes: SecretBytes) -> Result<()> {
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
