//! The mathematics of proofmill, and nothing else: no input or output, no threads, no knowledge of devices.
//!
//! Where an instruction set makes a difference, its file stands beside the portable one and the caller
//! chooses with an [`Isa`].

pub mod blake2b;
pub mod equihash;
pub mod field;
mod isa;
pub mod lanes;

pub use isa::Isa;
