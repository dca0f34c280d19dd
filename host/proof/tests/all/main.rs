//! Integration tests of this crate in one program, so that they are compiled and linked once.

mod bad_input_json;
mod batch;
mod bls;
mod bls_vectors;
mod ceremony;
mod changed;
mod chiavdf;
mod dev;
mod eip2537;
mod fflonk_key;
mod files;
mod gpu;
mod groth16;
mod pairings;
mod plonk_key;
mod plonkish;
mod plonkish_key;
mod plonkish_prover;
mod prover;
#[path = "../small/mod.rs"]
mod small;
mod snark;
mod support;
mod vdf;
