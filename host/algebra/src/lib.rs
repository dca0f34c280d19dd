//! The mathematics of proofmill, and nothing else: no input or output, no threads, no dependency on devices.
//!
//! Where an instruction set makes a difference, its file is beside the portable one and the caller
//! chooses with an [`Isa`].
//!
//! Features, on by default: `bls12_377` has that curve, `pasta` has `pallas` and `vesta`. Off by default: `toy`, the toy curves;
//! `emulation`, for tests; `arkworks`, `blst` and `halo2curves`, conversions from and to their types. The types of all fields
//! exist in every build.

pub mod batch;
pub mod blake2b;
#[cfg(feature = "bls12_377")]
pub mod bls12_377;
pub mod bls12_381;
pub mod bn254;
#[cfg(any(feature = "arkworks", feature = "blst", feature = "halo2curves"))]
pub mod conversions;
pub mod coprocessor;
pub mod curve;
pub mod encoding;
pub mod equihash;
pub mod field;
pub mod fixed_base;
pub mod hash_to_curve;
mod isa;
pub mod jubjub;
pub mod keccak256;
pub mod lanes;
pub mod modulus;
pub mod msm;
pub mod ntt;
mod once;
pub mod pairing;
pub mod poseidon;
pub mod secp256k1;
pub mod tower;
#[cfg(feature = "toy")]
pub mod toy;

/// Curves that have nothing of their own but their files in `spec/curves`.
macro_rules! curves {
    ($($(#[$doc:meta])* $curve:ident;)*) => {$(
        $(#[$doc])*
        pub mod $curve {
            pub use crate::curve::spec::$curve::{Fp, Fr};

            crate::curve::group! {
                /// The group.
                G1 of $curve: g1 {}
            }
        }
    )*};
}

curves! {
    /// Pallas: y^2 = x^3 + 5 over Fp, of prime order. Its scalars are the coordinates of [`vesta`].
    #[cfg(feature = "pasta")]
    pallas;
    /// Vesta: y^2 = x^3 + 5 over Fp, of prime order. Its scalars are the coordinates of [`pallas`].
    #[cfg(feature = "pasta")]
    vesta;
}

pub use isa::{Isa, IsaError, VARIABLE as ISA_VARIABLE};

/// The stack of a thread that computes with this crate, in bytes. Pages that are not touched cost nothing; the 2 MiB of other threads are too few
/// for code that was not optimised, which keeps each vector of eight elements there.
pub const STACK_BYTES: usize = 32 << 20;
