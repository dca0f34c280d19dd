//! What a prover tells besides the proof.

use std::sync::Arc;

use super::{Proof, Scalar};
use crate::snarkjs::Section;

/// A part of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Step {
    /// The sum over a section of the key.
    Sum(Section),
    /// The products of the matrices with the witness.
    Rows,
    /// The scalars of section H.
    Quotient,
    /// The points of the proof.
    Assembly,
    /// Does it verify?
    Check,
}

impl std::fmt::Display for Step {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Sum(section) => write!(f, "sum {section:?}"),
            Self::Rows => f.write_str("rows"),
            Self::Quotient => f.write_str("quotient"),
            Self::Assembly => f.write_str("assembly"),
            Self::Check => f.write_str("check"),
        }
    }
}

/// Is told, by any thread, which part of a step is done, from 0 to 1. Steps may overlap.
pub type Watch = Arc<dyn Fn(Step, f64) + Send + Sync>;

/// A proof, what it is about, and how it came about.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Proved {
    /// The proof.
    pub proof: Proof,
    /// The public values.
    pub public: Vec<Scalar>,
    /// The rest.
    pub report: Report,
}

/// How a proof came about.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// The steps in the order in which they ended; of a proof that was redone, those of both attempts.
    pub steps: Vec<Timed>,
    /// Why it was made again, on the helper.
    pub redone: Option<Redone>,
    /// All in all.
    pub seconds: f64,
}

/// A step that was done.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Timed {
    /// Which.
    pub step: Step,
    /// The device that did it; none for what the prover does itself.
    pub device: Option<String>,
    /// From when it was asked for until it was there.
    pub seconds: f64,
}

/// A first attempt that was none.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Redone {
    /// The devices that it could have been.
    pub devices: Vec<String>,
    /// What was wrong.
    pub problem: String,
}

/// What happened since a prover was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// Proofs that were given out.
    pub proofs: u64,
    /// Those of them that the helper had to make again.
    pub redone: u64,
    /// Attempts in which a device gave no answer, or one that does not verify where nothing may be done again: then it is wrong, or
    /// the witness is.
    pub failures: u64,
    /// Attempts in which a device gave a wrong answer: what it gave did not verify, what the helper made of the same witness did.
    pub wrong: u64,
}
