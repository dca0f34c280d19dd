//! One test suite for every device.
//!
//! * [`vectors`]: the cases of `spec/vectors`, embedded.
//! * [`mod@conformance`]: the suite that every [`proofmill_op::Device`] passes.
//! * `soft_card` and `faults` (feature `card`): a software model of the card, and fault injection for tests of the driver.
//! * `boards`, `xdma` and `f2` (feature `card`): boards emulated around a software model or a simulation, and their faults.
//! * [`generator`]: a witness generator as circom writes them.
//! * `packets` (feature `card`): random and mutated packets for a card's command stream, with the predicted replies.
//! * `signatures` (feature `libsecp256k1`): random signatures, and the verdicts of libsecp256k1.
//! * [`zebra`]: real blocks, from the sources of a published crate that is not part of this repository.

#[cfg(all(feature = "card", target_os = "linux"))]
pub mod boards;
pub mod conformance;
#[cfg(all(feature = "card", target_os = "linux"))]
pub mod f2;
#[cfg(all(feature = "card", unix))]
pub mod faults;
pub mod generator;
pub mod lying;
#[cfg(all(feature = "card", unix))]
pub mod packets;
pub mod random;
#[cfg(feature = "libsecp256k1")]
pub mod signatures;
#[cfg(all(feature = "card", unix))]
pub mod soft_card;
#[cfg(all(feature = "card", unix))]
pub mod stream_model;
pub mod vectors;
#[cfg(all(feature = "card", target_os = "linux"))]
pub mod xdma;
pub mod zebra;

pub use conformance::conformance;
