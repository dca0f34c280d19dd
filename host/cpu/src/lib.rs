//! Answers every request on this machine's processor, with threads of its own and the widest vectors that the
//! processor has. One file an operation.

mod coprocessor;
mod device;
pub mod difficulty;
mod ecdsa_verify;
mod equihash_verify;
mod msm;
mod ntt;
mod pages;
mod pool;
mod poseidon;
mod processors;

pub use device::CpuDevice;
pub use processors::thread_pool;
pub use proofmill_algebra::{Isa, IsaError};
