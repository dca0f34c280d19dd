//! Tests of the public interface, in one program, so that it is compiled and linked once.

mod batch;
mod conversions;
mod coprocessor;
mod curve_arkworks;
mod curve_formulas;
mod curve_toy;
mod curve_vectors;
mod encoding;
mod encoding_montgomery;
mod encoding_pasta;
mod field_arkworks;
mod field_blst;
mod field_toy;
mod field_vectors;
mod json;
mod jubjub;
mod lanes;
mod lanes_affine;
mod modulus;
mod msm;
mod ntt;
mod pairing;
mod pairing_vectors;
mod poseidon;
mod poseidon_plain;
mod tower;
