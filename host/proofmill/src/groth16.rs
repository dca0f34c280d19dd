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
//! # let temporary = tempfile::tempdir()?;
//! # let folder = temporary.path();
//! # std::fs::write(folder.join("circuit.zkey"), key)?;
//! # std::fs::write(folder.join("witness.wtns"), witness)?;
//! # std::env::set_current_dir(&folder)?;
//! // One prover for a key makes any number of proofs. Files are memory-mapped.
//! let key = Zkey::open("circuit.zkey")?;
//! let prover = Prover::new(&key, groth16::devices("cpu:")?, Settings::default())?;
//! println!("{} bytes at most", prover.plan()?.memory());
//!
//! let proved = prover.prove(&Witness::open("witness.wtns")?)?;
//! std::fs::write("proof.json", snarkjs::proof::text(&proved.proof)?)?;
//! std::fs::write("public.json", snarkjs::public::text(&proved.public_inputs))?;
//!
//! // A verifier has only the verifying key.
//! let key = key.verifying_key()?;
//! let proof = snarkjs::proof::open("proof.json")?;
//! let public = snarkjs::public::open("public.json", key.curve)?;
//! assert!(groth16::verify(&key, &public, &proof)?);
//! # Ok(())
//! # }
//! ```
//!
//! # Many proofs, progress and cancellation
//!
//! ```
//! use std::sync::Arc;
//!
//! use proofmill::Cancel;
//! use proofmill::groth16::snarkjs::{Witness, Zkey};
//! use proofmill::groth16::{self, Control, Prover, Settings, Step};
//! # use proofmill::groth16::dev::{Circuit, Statement};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let circuit = Circuit::new(groth16::Curve::Bn254, &Statement::Chain { constraints: 9 })?;
//! # let (mut key, mut witness) = (Vec::new(), Vec::new());
//! # circuit.write_insecure_key(b"example", &mut key)?;
//! # circuit.write_witness(&mut witness)?;
//! # let (key, witness) = (Zkey::from_bytes("key", key.into())?, Witness::from_bytes("witness", witness)?);
//! let settings = Settings { resident: true, ..Settings::default() }; // the points of the key are loaded into the device
//! let prover = Arc::new(Prover::new(&key, groth16::devices("cpu:")?, settings)?);
//!
//! // As many at a time as the processor has threads. `prove_each` takes an iterator, of which it asks for no more than that.
//! let proofs = prover.prove_batch(&[witness.clone(), witness.clone()], &Cancel::new())?;
//! assert!(proofs.iter().all(Result::is_ok));
//!
//! // A proof with progress, cancelled in the middle.
//! let cancel = Cancel::new();
//! let signal = cancel.clone();
//! let progress = Arc::new(move |step: Step, part: f64| {
//!     if step == Step::Quotient && part > 0.5 {
//!         signal.cancel();
//!     }
//! });
//! let control = Control::none().with_progress(progress).with_cancel(cancel);
//! let error = prover.prove_with(&witness, &control).unwrap_err();
//! assert_eq!(error.to_string(), "cancelled");
//!
//! // A proof that is awaited, on any executor. Dropping the ticket cancels it.
//! async fn proof(prover: &Arc<Prover>, witness: Witness) -> groth16::Result<groth16::Proved> {
//!     prover.submit(witness, Control::none())?.await
//! }
//! # use std::{pin::pin, task::{Context, Poll, Wake}, thread::{self, Thread}};
//! # struct Unpark(Thread);
//! # impl Wake for Unpark {
//! #     fn wake(self: Arc<Self>) { self.0.unpark(); }
//! # }
//! # fn block_on<F: Future>(future: F) -> F::Output {
//! #     let (mut future, waker) = (pin!(future), Arc::new(Unpark(thread::current())).into());
//! #     loop {
//! #         match future.as_mut().poll(&mut Context::from_waker(&waker)) {
//! #             Poll::Ready(done) => return done,
//! #             Poll::Pending => thread::park(),
//! #         }
//! #     }
//! # }
//! assert!(block_on(proof(&prover, witness)).is_ok());
//! # Ok(())
//! # }
//! ```
//!
//! [`Prover::prove`] verifies each proof before it returns it, unless [`Settings`] disable the check. If a device returned a wrong result, the
//! proof is repeated on `cpu:`, the report contains the reason and [`Prover::counts`] counts it. A [`PreparedVerifyingKey`] verifies many
//! proofs faster, and finds the invalid ones among them by one product of pairings; a card with the coprocessor can compute it ([`Pairings`](crate::pairing::Pairings)).

use std::sync::Arc;

#[cfg(feature = "dev")]
pub use proofmill_proof::dev;
pub use proofmill_proof::groth16::{
    Control, Counts, Curve, Devices, Plan, Planned, PreparedVerifyingKey, Proof, Proved, Prover,
    Report, Retry, Scalar, Settings, Step, StepProgress, Timed, VerifyingKey, return_freed_memory,
    verify,
};
pub use proofmill_proof::{Error, FileError, Result, ceremony};

/// Files of circom and snarkjs, and with the feature `witness` the witness generators of circom.
pub mod snarkjs {
    pub use proofmill_proof::snarkjs::*;
    #[cfg(feature = "witness")]
    pub use proofmill_witness::{Inputs, Limits, WitnessCalculator};
}

/// Opens the device that a URI names, with `cpu:` as the fallback for steps that the device does not offer or gets wrong.
pub fn devices(uri: &str) -> crate::Result<Devices> {
    devices_with_fallback(&uri.parse()?, &"cpu:".parse()?)
}

/// Opens a device with another fallback, such as `cpu:?threads=1`. A `cpu:` device needs no fallback.
pub fn devices_with_fallback(uri: &crate::Uri, fallback: &crate::Uri) -> crate::Result<Devices> {
    let open = |uri| crate::open_uri(uri).map(Arc::from);
    let fallback = (uri.scheme() != fallback.scheme()).then(|| open(fallback)).transpose()?;
    Ok(Devices { device: open(uri)?, fallback })
}
