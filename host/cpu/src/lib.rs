//! Executes every operation on this machine's processor, with threads of its own and the widest vectors that the processor has. One file
//! per operation implements `Run`.

mod coprocessor;
mod device;
pub mod difficulty;
mod ecdsa_verify;
mod equihash_solve;
mod equihash_verify;
mod keccak256;
mod msm;
mod ntt;
mod pages;
mod pool;
mod poseidon;
mod processors;
mod run;
mod vdf;

pub use device::CpuDevice;
pub use processors::thread_pool;
pub use proofmill_algebra::{Isa, IsaError};
