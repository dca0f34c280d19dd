//! Test circuits, and keys for them that are INSECURE by construction: their secrets are derived from a public seed, and
//! knowledge of the secrets allows forging proofs. They are for tests, measurements and demonstrations.
//!
//! | what | item |
//! |---|---|
//! | a circuit with its witness | [`Circuit`], of a [`Statement`] |
//! | its files for circom's tools and for [`snarkjs`](crate::snarkjs) | [`Circuit::write_insecure_key`], [`Circuit::write_insecure_plonk_key`], [`Circuit::write_insecure_fflonk_key`], [`Circuit::write_witness`], [`Circuit::write_r1cs`] |
//! | a powers-of-tau file for keys that snarkjs makes | [`InsecurePowersOfTau`] |
//! | other circuits | [`r1cs::Builder`] |
//!
//! The output depends only on the seed, not on the number of threads. snarkjs 0.7 reads it.

mod chain;
mod circuit;
mod container;
mod groups;
mod lagrange;
mod plonk;
mod points;
mod ptau;
pub mod r1cs;
mod r1cs_file;
mod secrets;
mod setup;
mod sha256;
mod wtns;
mod zkey;

pub use chain::chain;
pub use circuit::{Circuit, MAX_CONSTRAINTS, Statement};
pub use ptau::{InsecurePowersOfTau, MAX_POWER};
pub use sha256::sha256;

/// The warning in the files, in fields for free text.
pub const WARNING: &str = "INSECURE: made by proofmill dev; its secrets follow from a seed, whoever knows it proves anything";
