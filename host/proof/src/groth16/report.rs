//! Reports of a prover.

use std::sync::Arc;

use super::{Proof, Scalar};
use crate::snarkjs::Section;

/// A step of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Step {
    /// The MSM over a section of the key.
    Msm(Section),
    /// The products of the matrices with the witness.
    Rows,
    /// The scalars of section H.
    Quotient,
    /// The points of the proof.
    Assembly,
    /// The verification of the proof.
    Check,
}

impl std::fmt::Display for Step {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Msm(section) => write!(f, "MSM {section:?}"),
            Self::Rows => f.write_str("rows"),
            Self::Quotient => f.write_str("quotient"),
            Self::Assembly => f.write_str("assembly"),
            Self::Check => f.write_str("check"),
        }
    }
}

/// A progress callback: called by any thread with a step and the fraction of it that is done, 0 to 1. Steps may overlap.
pub type StepProgress = Arc<dyn Fn(Step, f64) + Send + Sync>;

/// A proof, its public inputs and its report.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Proved<P = Proof, S = Step> {
    /// The proof.
    pub proof: P,
    /// The public inputs.
    pub public_inputs: Vec<Scalar>,
    /// The report.
    pub report: Report<S>,
}

/// The report of a proof.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report<S = Step> {
    /// The steps in the order in which they ended, of both attempts if there were two.
    pub steps: Vec<Timed<S>>,
    /// The reason for a second attempt on the fallback.
    pub retried: Option<Retry>,
    /// The total time in seconds.
    pub seconds: f64,
}

impl<S> Default for Report<S> {
    fn default() -> Self {
        Self { steps: Vec::new(), retried: None, seconds: 0.0 }
    }
}

/// A completed step.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Timed<S = Step> {
    /// The step.
    pub step: S,
    /// The device; `None` for work of the prover itself.
    pub device: Option<String>,
    /// The time in seconds from submission to completion.
    pub seconds: f64,
}

/// A failed first attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Retry {
    /// The devices that may be the cause.
    pub devices: Vec<String>,
    /// The fault.
    pub problem: String,
}

/// Counters of a prover.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// Proofs returned.
    pub proofs: u64,
    /// Those of them that needed a second attempt on the fallback.
    pub retried: u64,
    /// Attempts in which a device failed, or whose proof does not verify where no second attempt is allowed: then the device or the witness is
    /// wrong.
    pub failures: u64,
    /// Attempts in which a device returned a wrong result: its proof did not verify, and that of the fallback from the same witness did.
    pub wrong: u64,
}
