//! Zcash on any proofmill device: blocks verified, Sapling transactions proved.
//!
//! | item | content |
//! |---|---|
//! | [`BlockVerifier`], [`Block`], [`BlockReader`] | blocks of a node: headers, transactions, proofs and signatures, with a report |
//! | [`SaplingParameters`] | the parameters of the Spend and the Output circuit, read once, checked by their hashes and shared |
//! | [`SaplingProver`] | proofs; implements [`SpendProver`](sapling_crypto::prover::SpendProver) and [`OutputProver`](sapling_crypto::prover::OutputProver), so that the builder of `zcash_primitives` uses it unchanged |
//! | [`reddsa`] | batch verification of RedJubjub and RedPallas signatures |
//! | [`OrchardVerifier`] | verification of the Halo 2 proofs of Orchard bundles, in batches whose MSM a device computes |
//!
//! The circuits, the notes and the transactions are those of the Zcash crates. This crate runs the circuit's code to get the values of its
//! variables; the quotient and the MSMs run on the device, and every proof is verified before it is returned.
//!
//! # Secrets
//!
//! The witness and all that follows from it is in memory that is overwritten ([`Secret`](proofmill_op::Secret)), and so is the stack of the
//! functions that computed it. What the circuits of `sapling-crypto` and the gadgets of `bellman` allocate while they run (bits and
//! coordinates of keys, randomness and notes) is freed by those crates, which do not overwrite it; the circuit that a caller passes is dropped
//! in the same way.

mod block;
mod circuit;
mod error;
mod halo2;
mod orchard;
mod parameters;
mod prover;
mod recorder;
pub mod reddsa;
#[cfg(test)]
mod small;
pub mod transparent;
pub mod verify;

pub use block::{Block, BlockGroup, BlockReader, MAX_BLOCK_BYTES};
pub use error::{Error, Result};
pub use halo2::Malformed;
pub use orchard::{
    InvalidOrchardProof, OrchardAction, OrchardCircuitVersion, OrchardFlags, OrchardProof,
    OrchardVerifier,
};
pub use parameters::{SaplingParameters, SaplingPaths};
pub use prover::{Circuit, Proof, SaplingProver};
pub use transparent::{out_point, output};
pub use verify::{BlockReport, BlockVerifier, VerifierDevices, network};
pub use zcash_protocol::consensus::Network;
pub use zcash_transparent::bundle::{OutPoint, TxOut};
