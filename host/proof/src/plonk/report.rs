//! The steps of a proof.

use std::fmt;
use std::sync::Arc;

use super::Proof;

/// The commitments that one MSM request computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Commitments {
    /// a, b and c.
    Wires,
    /// z.
    Accumulator,
    /// t_lo, t_mid and t_hi.
    Quotient,
    /// W_zeta and W_zeta_omega.
    Openings,
}

impl Commitments {
    /// Every request, in the order of the rounds.
    pub const ALL: [Self; 4] = [Self::Wires, Self::Accumulator, Self::Quotient, Self::Openings];

    /// Returns the number of MSMs.
    pub fn count(self) -> usize {
        match self {
            Self::Wires | Self::Quotient => 3,
            Self::Accumulator => 1,
            Self::Openings => 2,
        }
    }
}

/// A step of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Step {
    /// The wires of all constraints, from the witness.
    Wires,
    /// The permutation accumulator z.
    Accumulator,
    /// The quotient t.
    Quotient,
    /// The values at zeta and zeta omega.
    Evaluations,
    /// The opening proofs.
    Openings,
    /// MSMs over the powers of tau.
    Msm(Commitments),
    /// The verification of the proof.
    Check,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Wires => "wires",
            Self::Accumulator => "accumulator",
            Self::Quotient => "quotient",
            Self::Evaluations => "evaluations",
            Self::Openings => "openings",
            Self::Msm(Commitments::Wires) => "MSM wires",
            Self::Msm(Commitments::Accumulator) => "MSM accumulator",
            Self::Msm(Commitments::Quotient) => "MSM quotient",
            Self::Msm(Commitments::Openings) => "MSM openings",
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
