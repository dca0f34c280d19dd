//! FFLONK proofs over BN254, with the files of circom and snarkjs.
//!
//! ```
//! use proofmill::groth16;
//! use proofmill::fflonk::snarkjs::{self, Witness, fflonk};
//! use proofmill::fflonk::{self as protocol, Prover, Settings};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../proof/tests/snarkjs/fflonk_bn254"))?;
//! // One prover for a key of `snarkjs fflonk setup` makes any number of proofs. Files are memory-mapped.
//! let key = fflonk::Zkey::open("circuit.zkey")?;
//! let prover = Prover::new(&key, groth16::devices("cpu:")?, Settings::default())?;
//! let proved = prover.prove(&Witness::open("witness.wtns")?)?;
//! let (proof, public) = (fflonk::proof::text(&proved.proof)?, snarkjs::public::text(&proved.public_inputs));
//!
//! // A verifier has only the verifying key.
//! let key = fflonk::verifying_key::open("verification_key.json")?;
//! let proof = fflonk::proof::parse("proof.json", proof.as_bytes())?;
//! let public = snarkjs::public::parse("public.json", public.as_bytes(), key.curve())?;
//! assert!(protocol::verify(&key, &public, &proof)?);
//!
//! // Many proofs: one product of two pairings.
//! assert!(protocol::verify_batch(&key, &[(&public, &proof), (&public, &proof)])?.is_empty());
//! # Ok(())
//! # }
//! ```
//!
//! [`Prover::prove`] verifies each proof before it returns it, unless [`Settings`] disable the check. If a device returned a wrong result, the
//! proof is repeated on `cpu:`, the report contains the reason and [`Prover::counts`] counts it. [`Control`] has progress and cancellation.

pub use proofmill_proof::fflonk::{
    Commitment, Control, Counts, Curve, Devices, Evaluations, Plan, PreparedVerifyingKey, Proof,
    Proved, Prover, Report, Scalar, Settings, Step, StepProgress, VerifyingKey, verify,
    verify_batch,
};
pub use proofmill_proof::{Error, FileError, Result, snarkjs};
