//! Executes requests on a card. There are two interfaces, one above the other: the [`Transport`] moves packets and register
//! words and depends on no operation; the driver behind [`Card`] uses the command stream of `spec/wire` over it and depends on no
//! transport. The driver reads the properties of a card from its blocks of registers and contains no geometry.
//!
//! ```text
//! Request ─► Card ─► reactor thread ─► Transport ─► card
//!  Ticket ◄────────── matched by index ◄───────────┘
//! ```

mod driver;
mod transport;
mod way;
pub mod wire;

pub use driver::{Card, Options};
pub use transport::f2::{Bar, EMULATED_BASE, F2Transport, PCI_DEVICES, f2_slots, fence};
pub use transport::mailbox::Mailbox;
pub use transport::memory_port::BEAT as DOOR_BEAT;
pub use transport::pcie::{PcieTransport, XDMA_PREFIX, boards_without_driver, xdma_cards};
pub use transport::sim::{Memory, SimLibrary, SimSlot, SimTransport};
pub use transport::uart::{UartTransport, serial_ports};
pub use transport::{Event, Place, Transport};
pub use way::{Way, measure};
