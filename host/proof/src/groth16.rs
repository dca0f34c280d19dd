//! Groth16: proofs of three points (Groth, *On the Size of Pairing-based Non-interactive Arguments*, EUROCRYPT 2016, ePrint
//! 2016/260, section 3.2).
//!
//! Points are in the form of [`proofmill_op::msm`]. Those of a [`Proof`] and a [`VerifyingKey`] that were read from a file are points of their groups.

mod allocator;
mod assemble;
mod attempt;
mod batch;
mod control;
mod plan;
mod points;
mod prove;
pub(crate) mod quotient;
mod report;
mod route;
pub(crate) mod rows;
pub(crate) mod suite;
mod verify;

pub use allocator::return_freed_memory;
pub use control::Control;
pub(crate) use plan::OVERHEAD;
pub use plan::{Plan, Planned};
pub use proofmill_op::msm::Curve;
pub use prove::{Prover, Settings};
pub use report::{Counts, Proved, Report, Retry, Step, StepProgress, Timed};
pub use route::Devices;
pub use verify::{COMPRESSED_BYTES, Invalid, PreparedVerifyingKey, check_points, verify};

/// A scalar: canonical, little-endian.
pub type Scalar = [u8; 32];

/// A proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The curve.
    pub curve: Curve,
    /// A point of G1.
    pub a: Vec<u8>,
    /// A point of G2.
    pub b: Vec<u8>,
    /// A point of G1.
    pub c: Vec<u8>,
}

/// The verification key of a circuit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyingKey {
    /// The curve.
    pub curve: Curve,
    /// alpha in G1.
    pub alpha_g1: Vec<u8>,
    /// beta in G2.
    pub beta_g2: Vec<u8>,
    /// gamma in G2.
    pub gamma_g2: Vec<u8>,
    /// delta in G2.
    pub delta_g2: Vec<u8>,
    /// A point of G1 for the constant 1 and for each public input.
    pub ic: Vec<Vec<u8>>,
}

impl VerifyingKey {
    /// Returns the number of public inputs.
    pub fn public_inputs(&self) -> usize {
        self.ic.len().saturating_sub(1)
    }
}
