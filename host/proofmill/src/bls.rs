//! BLS signatures on BLS12-381, verified: the three schemes of draft-irtf-cfrg-bls-signature-05 with short keys (Ethereum, Filecoin) or short
//! signatures, aggregates, and many signatures at once.
//!
//! ```
//! use proofmill::bls::{self, PublicKey, Scheme, Signature, Variant};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // A signature from Ethereum's consensus tests.
//! let key = hex::decode("a491d1b0ecd9bb917989f0e74f0dea0422eac4a873e5e2644f368dffb9a6e20fd6e10c1b77654d067c0618f6e5a7f79a")?;
//! let message = [0; 32];
//! let signature = hex::decode(concat!(
//!     "b6ed936746e01f8ecf281f020953fbf1f01debd5657c4a383940b020b26507f6076334f91e2366c96e9ab279fb515809",
//!     "0352ea1c5b0c9274504f4f0e7053af24802e51e4568d164fe986834f41e55c8e850ce1f98458c0cfc9ab380b55285a55",
//! ))?;
//!
//! let key = PublicKey::from_bytes(Variant::MinPk, &key)?;
//! let signature = Signature::from_bytes(Variant::MinPk, &signature)?;
//! assert!(bls::verify(Scheme::ProofOfPossession, &key, &message, &signature)?);
//! // One equation for any number of them; none is invalid.
//! let invalid = bls::find_invalid(Scheme::ProofOfPossession, &[(&key, &message[..], &signature); 3])?;
//! assert!(invalid.is_empty());
//! # Ok(())
//! # }
//! ```
//!
//! [`Verifier`] has pairings computed on a card.

pub use proofmill_proof::bls::{
    PublicKey, Scheme, Signature, Variant, Verifier, aggregate_verify, expand_message_xmd,
    fast_aggregate_verify, find_invalid, hash_to_curve, pop_verify, verify,
};
pub use proofmill_proof::{Error, Result};
