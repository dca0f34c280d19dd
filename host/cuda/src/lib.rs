//! MSM, NTT and Poseidon on NVIDIA GPUs, as a [`Device`](proofmill_op::Device).
//!
//! | part | content |
//! |---|---|
//! | `kernels/` | the kernels, in CUDA C++ that is C++ for the emulation too |
//! | `sources` | the text of a module's kernels, with parameters from `spec/fields` and `spec/curves` |
//! | `gpu` | the interface to a GPU: memory, launches |
//! | `driver`, `compile` | CUDA's driver and NVRTC, both loaded at run time |
//! | `emulated` | the kernels on this machine's processor, in a library that `make cuda EMULATED=1` builds |
//! | `msm`, `ntt`, `poseidon` | a request as kernel launches |
//! | `device` | the queue of requests, streams, the loss of a GPU |

mod compile;
mod device;
mod driver;
mod emulated;
mod gpu;
mod memory;
mod msm;
mod ntt;
mod poseidon;
mod sources;

pub use compile::{FOLDER_VARIABLE, folder, problem as nvrtc_problem};
pub use device::{CudaDevice, Options, Stages};
pub use driver::{Found, driver_version, find};
pub use emulated::{Fault, file_name as emulation_file_name};
pub use gpu::Observed;
pub use sources::{Module, emulation_files};
