//! Tests of the public interface, in one program, so that it is compiled and linked once.

mod definition;
mod ecdsa_verify;
mod equihash_verify;
mod msm;
mod ntt;
mod poseidon;
