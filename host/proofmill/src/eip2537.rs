//! The precompiled contracts of EIP-2537 on BLS12-381, by their names and with their encodings; gas is not counted.
//!
//! ```
//! use proofmill::eip2537::{Failure, Operation};
//!
//! // A point for a number, and twice it.
//! let point = Operation::MapFpToG1.run(&[0; 64])?;
//! let twice = Operation::G1Add.run(&[&point[..], &point].concat())?;
//! let mut two = [0; 32];
//! two[31] = 2;
//! assert_eq!(Operation::G1Msm.run(&[&point[..], &two].concat())?, twice);
//!
//! assert_eq!(Operation::PairingCheck.run(&[]), Err(Failure::Length));
//! # Ok::<(), Failure>(())
//! ```
//!
//! [`Operation::run_with`] has pairings computed on a card.

pub use proofmill_proof::eip2537::{Failure, Operation};
