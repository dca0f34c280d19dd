//! Integration tests of this crate in one program, so that they are compiled and linked once.

mod conformance;
mod coprocessor;
mod ecdsa_defects;
mod ecdsa_verify;
mod equihash_solve;
mod f2;
mod groth16;
mod memory_port;
mod msm;
mod ntt;
mod pcie;
mod pool;
mod poseidon;
mod reading;
mod remote;
mod simulation;
mod soak;
mod support;
mod vdf;
mod zebra;
