//! The mathematics of proofmill, and nothing else: no input or output, no threads, no knowledge of devices.
//!
//! Where an instruction set makes a difference, its file stands beside the portable one and the caller
//! chooses with an [`Isa`].

pub mod blake2b;
pub mod bls12_377;
pub mod bls12_381;
pub mod bn254;
pub mod curve;
pub mod encoding;
pub mod equihash;
pub mod field;
pub mod fixed_base;
mod isa;
pub mod lanes;
pub mod msm;
pub mod ntt;
pub mod pairing;
pub mod secp256k1;
pub mod tower;
pub mod toy;

pub use isa::{Isa, IsaError, VARIABLE as ISA_VARIABLE};
