//! Contracts that verify Groth16, PLONK and FFLONK proofs over BN254 on a chain, and the call data for them.
//!
//! ```
//! use proofmill::groth16::snarkjs::public;
//! use proofmill::snark::{AnyVerifyingKey, Proof};
//! use proofmill::solidity::{self, Call};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../proof/tests/snarkjs/bn254");
//! # std::env::set_current_dir(folder)?;
//! let key = AnyVerifyingKey::open("verification_key.json")?;
//! let source = solidity::contract(&key, Some(&"Membership".parse()?))?;
//! assert!(source.contains("contract Membership {"));
//!
//! let proof = Proof::open_any("proof.json")?;
//! let call = Call::new(&proof, &public::open("public.json", proof.curve())?)?;
//! assert_eq!(call.bytes().len() % 32, 4);
//! # Ok(())
//! # }
//! ```

pub use proofmill_proof::solidity::{Call, ContractName, InvalidContractName, contract};
