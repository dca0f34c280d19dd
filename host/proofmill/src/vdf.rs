//! Verifiable delay functions: repeated squaring modulo an RSA modulus, with proofs of Wesolowski; proofs of Pietrzak and of Chia's
//! VDF verified.
//!
//! ```
//! use proofmill::vdf::{self, Claim, Group, moduli::RSA_2048, wesolowski};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let modulus = vdf::parse_number(RSA_2048).ok_or("a number")?;
//! let claim = Claim::new(&Group::new(&modulus)?, &[5], 1000)?;
//! let device = proofmill::open("cpu:")?;
//! // x^(2^1000) and its proof.
//! let found = wesolowski::prove(&device, &claim, &wesolowski::Settings::default())?;
//! assert!(wesolowski::verify(&claim, &found.output, &found.proof)?);
//! // Without a proof.
//! assert_eq!(vdf::evaluate(&device, &claim)?, found.output);
//! # Ok(())
//! # }
//! ```
//!
//! For progress and for states in between, submit a [`Request`].

pub use proofmill_op::vdf::{MAX_BYTES, MAX_STATE_BYTES, Request, Response};
pub use proofmill_proof::vdf::{
    Claim, Group, MIN_BITS, chia, class_group, format_number, moduli, number, parse_number,
    pietrzak, prime, record, states, wesolowski,
};
pub use proofmill_proof::{Error, Result};

use crate::{Device, Submit};

/// Evaluates a claim and waits for the output: the smaller of y and N - y for y = x^(2^t), in little-endian bytes, as many as the modulus has.
pub fn evaluate(device: &dyn Device, claim: &Claim) -> Result<Vec<u8>> {
    let ticket = device.submit(claim.request(claim.squarings())).map_err(Error::Device)?;
    claim.canonical(ticket.wait().map_err(Error::Device)?.output())
}
