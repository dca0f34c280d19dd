//! Groth16 proofs over BN254 and BLS12-381, with the files of circom and snarkjs.
//!
//! ```
//! use proofmill::groth16::snarkjs::{self, Witness, Zkey};
//! use proofmill::groth16::{self, Prover, Settings};
//! # use proofmill::groth16::dev::{Circuit, Statement};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let circuit = Circuit::new(groth16::Curve::Bn254, &Statement::Chain { constraints: 9 })?;
//! # let (mut key, mut witness) = (Vec::new(), Vec::new());
//! # circuit.write_insecure_key(b"example", &mut key)?;
//! # circuit.write_witness(&mut witness)?;
//! # let folder = std::env::temp_dir().join(format!("proofmill-groth16-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! # std::fs::write(folder.join("circuit.zkey"), key)?;
//! # std::fs::write(folder.join("witness.wtns"), witness)?;
//! # std::env::set_current_dir(&folder)?;
//! // One prover for a key makes any number of proofs. Files are memory-mapped.
//! let key = Zkey::open("circuit.zkey")?;
//! let prover = Prover::new(&key, groth16::devices("cpu:")?, Settings::default())?;
//! println!("{} bytes at most", prover.plan()?.memory());
//!
//! let proved = prover.prove(&Witness::open("witness.wtns")?, None)?;
//! std::fs::write("proof.json", snarkjs::proof::text(&proved.proof)?)?;
//! std::fs::write("public.json", snarkjs::public::text(&proved.public))?;
//!
//! // Whoever has the verifying key is convinced.
//! let key = key.verifying_key()?;
//! let proof = snarkjs::proof::open("proof.json")?;
//! let public = snarkjs::public::open("public.json", key.curve)?;
//! assert!(groth16::verify(&key, &public, &proof)?);
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok(())
//! # }
//! ```
//!
//! [`Prover::prove`] verifies each proof before it returns it, unless [`Settings`] say otherwise. If a device was wrong, the
//! proof is made again on `cpu:`, the report says so and [`Prover::counts`] counts it. A [`PreparedVerifyingKey`] verifies many
//! proofs faster, and finds the invalid ones among them by one product of pairings.

use std::sync::Arc;

#[cfg(feature = "dev")]
pub use proofmill_proof::dev;
pub use proofmill_proof::groth16::{
    Control, Counts, Curve, Devices, Plan, Planned, PreparedVerifyingKey, Proof, Proved, Prover,
    Redone, Report, Scalar, Settings, Step, Timed, VerifyingKey, Watch, return_freed_memory,
    verify,
};
pub use proofmill_proof::{Error, FileError, Result, snarkjs};

/// The device that a URI names, with `cpu:` as helper for what the device does not offer or gets wrong.
pub fn devices(uri: &str) -> crate::Result<Devices> {
    devices_beside(&uri.parse()?, &"cpu:".parse()?)
}

/// The same with another helper, such as `cpu:?threads=1`. A `cpu:` device needs no helper.
pub fn devices_beside(uri: &crate::Uri, processor: &crate::Uri) -> crate::Result<Devices> {
    let open = |uri| crate::open_uri(uri).map(Arc::from);
    let helper = (uri.scheme() != processor.scheme()).then(|| open(processor)).transpose()?;
    Ok(Devices { device: open(uri)?, helper })
}
