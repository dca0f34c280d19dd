//! Proofs of any protocol, with the files of circom and snarkjs: the key chooses the protocol.
//!
//! ```
//! use std::sync::Arc;
//!
//! use proofmill::groth16;
//! use proofmill::snark::{
//!     AnyVerifyingKey, AnyZkey, Control, Inputs, PreparedVerifyingKey, Proof, Prover, Settings, WitnessCalculator,
//! };
//! # use proofmill::groth16::dev::{Circuit, Statement};
//! # use proofmill::groth16::snarkjs::Witness;
//! # use proofmill_testkit::generator;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let circuit = Circuit::new(groth16::Curve::Bn254, &Statement::Chain { constraints: 2 })?;
//! # let (mut key, mut witness) = (Vec::new(), Vec::new());
//! # circuit.write_insecure_plonk_key(b"example", &mut key)?;
//! # circuit.write_witness(&mut witness)?;
//! # let temporary = tempfile::tempdir()?;
//! # let folder = temporary.path();
//! # std::env::set_current_dir(&folder)?;
//! # std::fs::write("circuit.zkey", key)?;
//! # std::fs::write("verification_key.json", AnyZkey::open("circuit.zkey")?.verifying_key()?.text()?)?;
//! # std::fs::write("circuit.wasm", wat::parse_str(generator::WAT)?)?;
//! # std::fs::write("input.json", generator::inputs(Witness::from_bytes("witness", witness)?.values()))?;
//! // A key for Groth16, PLONK or FFLONK, and the generator of its circuit, from `circom --wasm`.
//! let prover = Arc::new(Prover::new(&AnyZkey::open("circuit.zkey")?, groth16::devices("cpu:")?, Settings::default())?);
//! let calculator = Arc::new(WitnessCalculator::open("circuit.wasm")?);
//!
//! // Inputs in, a proof out. `full_prove_with` has progress and cancellation; `submit` returns a future.
//! let proved = calculator.full_prove(&prover, &Inputs::open("input.json")?)?;
//! let ticket = calculator.submit(&prover, Inputs::open("input.json")?, Control::none())?;
//! let also_proved = ticket.wait()?;
//!
//! // A verifier has only the verifying key.
//! let key = PreparedVerifyingKey::new(&AnyVerifyingKey::open("verification_key.json")?)?;
//! let proof = Proof::parse(key.protocol(), "proof.json", proved.proof.text()?.as_bytes())?;
//! assert!(key.verify(&proved.public_inputs, &proof)?);
//! assert!(key.verify(&also_proved.public_inputs, &also_proved.proof)?);
//! # Ok(())
//! # }
//! ```
//!
//! [`Prover`] has the methods of [`groth16::Prover`](crate::groth16::Prover), with the same retry on `cpu:` and the same report. With the
//! feature `witness`, `WitnessCalculator` calculates witnesses from inputs; `Limits` bound its memory and time.

pub use proofmill_proof::groth16::{Counts, Devices, Planned, Retry, Scalar, Settings, Timed};
pub use proofmill_proof::snark::{
    Control, Plan, PreparedVerifyingKey, Proof, Protocol, Proved, Prover, Report, Step,
    StepProgress, verify,
};
pub use proofmill_proof::snarkjs::{AnyVerifyingKey, AnyZkey, Witness};
pub use proofmill_proof::{Error, FileError, Result};
#[cfg(feature = "witness")]
pub use proofmill_witness::{Inputs, Limits, WitnessCalculator};
