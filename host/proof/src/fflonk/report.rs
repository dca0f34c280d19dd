//! The steps of a proof.

use std::fmt;
use std::sync::Arc;

use super::Proof;

/// A commitment of a proof: one MSM over 9n + 18 powers of tau.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Commitment {
    /// The wires and T0.
    C1,
    /// z, T1 and T2.
    C2,
    /// The quotient of the openings.
    W1,
    /// The opening proof at y.
    W2,
}

/// A step of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Step {
    /// The wires of all constraints, from the witness.
    Wires,
    /// T0, the quotient of the gates.
    Gates,
    /// The permutation accumulator z.
    Accumulator,
    /// T1 and T2, the quotients of the permutation.
    Permutation,
    /// The values at zeta and zeta omega.
    Evaluations,
    /// W1, the quotient of the openings.
    Quotient,
    /// W2, the opening proof at y.
    Opening,
    /// An MSM over the powers of tau.
    Msm(Commitment),
    /// The verification of the proof.
    Check,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Wires => "wires",
            Self::Gates => "gates",
            Self::Accumulator => "accumulator",
            Self::Permutation => "permutation",
            Self::Evaluations => "evaluations",
            Self::Quotient => "quotient",
            Self::Opening => "opening",
            Self::Msm(Commitment::C1) => "MSM C1",
            Self::Msm(Commitment::C2) => "MSM C2",
            Self::Msm(Commitment::W1) => "MSM W1",
            Self::Msm(Commitment::W2) => "MSM W2",
            Self::Check => "check",
        })
    }
}

/// Progress and cancellation of a proof.
pub type Control = crate::groth16::Control<Step>;

/// A progress callback: called by any thread with a step and the fraction of it that is done, 0 to 1.
pub type StepProgress = Arc<dyn Fn(Step, f64) + Send + Sync>;

/// A proof, its public inputs and its report.
pub type Proved = crate::groth16::Proved<Proof, Step>;

/// The report of a proof.
pub type Report = crate::groth16::Report<Step>;

/// The plan of a proof.
pub type Plan = crate::groth16::Plan<Step>;
