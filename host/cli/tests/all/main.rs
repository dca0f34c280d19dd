//! Integration tests of this crate in one program, so that they are compiled and linked once.

mod bls;
mod cli;
mod coprocessor;
#[cfg(all(unix, feature = "remote"))]
mod device_server;
mod ecdsa;
mod equihash_solve;
#[cfg(all(target_os = "linux", feature = "cuda"))]
mod gpus;
mod groth16;
mod groth16_devices;
mod groth16_progress;
mod msm;
mod ntt;
mod pipes;
mod plonkish;
mod poseidon;
mod r1cs;
#[cfg(all(unix, feature = "serve"))]
mod serve;
mod solidity;
mod support;
mod vdf;
#[cfg(feature = "zcash")]
mod zcash;
