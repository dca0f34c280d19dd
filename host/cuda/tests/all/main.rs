//! Requests on the emulation, which runs the kernels themselves on this machine's processor; or on the GPU that `PROOFMILL_TEST_GPU` names by its number.

mod arithmetic;
mod conformance;
mod faults;
mod memory;
mod msm;
mod ntt;
mod poseidon;
mod support;
