//! Circuits of our own, and keys for them that are INSECURE by construction: their secrets follow from a seed that everybody
//! may read, and whoever knows the secrets proves anything. They are for tests, figures and demonstrations.
//!
//! | what | who |
//! |---|---|
//! | a circuit with its witness | [`Circuit`], of a [`Statement`] |
//! | its files for circom's tools and for [`snarkjs`](crate::snarkjs) | [`Circuit::write_insecure_key`], [`Circuit::write_witness`] |
//! | a powers-of-tau file for keys that snarkjs makes | [`InsecurePowersOfTau`] |
//! | circuits of one's own | [`r1cs::Builder`] |
//!
//! What is written depends on the seed alone, and on no thread; the snarkjs of 2024 and 2025 (0.7) reads it.

mod chain;
mod circuit;
mod container;
mod groups;
mod lagrange;
mod points;
mod ptau;
pub mod r1cs;
mod secrets;
mod setup;
mod sha256;
mod wtns;
mod zkey;

pub use chain::chain;
pub use circuit::{Circuit, MOST_CONSTRAINTS, Statement};
pub use ptau::{InsecurePowersOfTau, MOST_POWER};
pub use sha256::sha256;

/// What the files say of themselves where they have room for words.
pub const WARNING: &str = "INSECURE: made by proofmill dev; its secrets follow from a seed, whoever knows it proves anything";
