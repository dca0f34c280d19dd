//! What can be asked of a device, and how: one request and one answer type an operation, the trait [`Device`]
//! that every backend implements, and the [`Ticket`] for an answer that is on its way.
//!
//! This room knows no backend. Data crosses it in one form: canonical little-endian bytes.

mod cancel;
pub mod coprocessor;
mod data;
mod device;
pub mod ecdsa_verify;
pub mod equihash_verify;
mod error;
mod features;
#[cfg(feature = "serde")]
pub mod forms;
pub mod msm;
pub mod ntt;
pub mod poseidon;
pub mod process;
mod ticket;
mod verdict;

pub use cancel::Cancel;
pub use data::{Data, Parked};
pub use device::{Answer, Capability, Caps, Device, DeviceKind, Metrics, Request};
pub use error::{Error, Result};
pub use features::not_in_this_build;
pub use ticket::{Completer, Ticket, milliseconds};
