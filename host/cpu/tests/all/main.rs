//! Tests of the public interface, in one program, so that it is compiled and linked once.

mod definition;
mod device;
mod ecdsa_verify;
mod equihash_solve;
mod equihash_verify;
mod keccak256;
mod msm;
mod ntt;
mod ntt_quotient;
mod poseidon;
