//! Protocols on top of devices: a prover submits transforms and MSMs to any device.
//!
//! | module | content |
//! |---|---|
//! | [`bellman`] | keys of bellman's `groth16`, such as Zcash's parameters |
//! | [`bisection`] | the search for the false ones of many claims |
//! | [`bls`] | BLS signatures on BLS12-381 (draft-irtf-cfrg-bls-signature) |
//! | [`ceremony`] | checks of a Groth16 key against its circuit, powers of tau and contributions |
//! | [`eip2537`] | the operations of Ethereum's contracts on BLS12-381 |
//! | [`fflonk`] | proofs of Gabizon, Williamson (ePrint 2021/1167), as snarkjs makes them, over BN254 |
//! | [`groth16`] | proofs of Groth (EUROCRYPT 2016, ePrint 2016/260), over BN254 and BLS12-381 |
//! | [`halves`] | random factors, parallel slices and bisection, for the verification of many proofs or signatures |
//! | [`plonk`] | proofs of Gabizon, Williamson, Ciobotaru (ePrint 2019/953), as snarkjs makes them, over the same curves |
//! | [`snark`] | provers and verifiers of every protocol: the key chooses it |
//! | [`snarkjs`] | the files of circom and snarkjs: keys, witnesses, proofs |
//! | [`solidity`] | contracts that verify proofs on a chain, and their call data |
//! | [`vdf`] | verifiable delay functions: proofs of repeated squaring (Wesolowski, Pietrzak, Chia) |
//! | [`dev`] | circuits and INSECURE keys for tests and figures; with the feature `dev` only |
//!
//! Points and scalars in this crate's interface have the form of `proofmill_op::msm`: canonical little-endian bytes.

mod attempts;
pub mod bellman;
pub mod bisection;
pub mod bls;
pub mod ceremony;
mod deep;
#[cfg(feature = "dev")]
pub mod dev;
pub mod eip2537;
mod error;
pub mod fflonk;
pub mod groth16;
pub mod halves;
#[doc(hidden)]
pub mod json_error;
mod pairings;
pub mod plonk;
mod random;
pub mod snark;
pub mod snarkjs;
pub mod solidity;
pub mod vdf;

pub use error::{Error, FileError, Result};
pub use pairings::{Pairings, Programmed};
