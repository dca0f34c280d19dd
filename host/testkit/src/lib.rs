//! One examiner for every device.
//!
//! * [`vectors`]: the cases of `spec/vectors`, embedded.
//! * [`mod@conformance`]: the suite that every [`proofmill_op::Device`] passes, whatever stands behind it.
//! * `soft_card` and `faults` (feature `card`): a card in software, and the ways in which cards go wrong, for tests of the driver.
//! * `boards`, `xdma` and `f2` (feature `card`): boards, emulated around any card in software or in simulation, and how they go wrong.
//! * `packets` (feature `card`): random and mutated packets against a card's command stream, with the reply of each predicted.
//! * `signatures` (feature `libsecp256k1`): random signatures, and what that library thinks of any.
//! * [`zebra`]: real blocks, from the sources of a published crate that is not part of this repository.

#[cfg(all(feature = "card", target_os = "linux"))]
pub mod boards;
pub mod conformance;
#[cfg(all(feature = "card", target_os = "linux"))]
pub mod f2;
#[cfg(feature = "card")]
pub mod faults;
#[cfg(feature = "card")]
pub mod packets;
pub mod random;
#[cfg(feature = "libsecp256k1")]
pub mod signatures;
#[cfg(feature = "card")]
pub mod soft_card;
#[cfg(feature = "card")]
pub mod stream_model;
pub mod vectors;
#[cfg(all(feature = "card", target_os = "linux"))]
pub mod xdma;
pub mod zebra;

pub use conformance::conformance;
