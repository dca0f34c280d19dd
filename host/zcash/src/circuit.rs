//! The two circuits as `sapling-crypto` has them.

use bls12_381::Scalar;
use proofmill_proof::bellman::Constraints;
use sapling_crypto::NOTE_COMMITMENT_TREE_DEPTH;
use sapling_crypto::circuit::{Output, Spend};

use crate::recorder::{Locator, Recorder};
use crate::{Circuit, Error, Result};

/// A circuit that can be synthesized without inputs.
pub trait Blank: bellman::Circuit<Scalar> + Sized {
    /// Its number.
    const CIRCUIT: Circuit;

    /// Returns the circuit without inputs.
    fn blank() -> Self;

    /// Checks that the shape is that of [`Self::blank`].
    fn check_shape(&self) -> Result<()>;

    /// Records its constraints.
    fn constraints() -> Result<Constraints> {
        let mut recorder = Recorder::default();
        let synthesized = Self::blank().synthesize(&mut recorder);
        synthesized.map_err(|error| synthesis(Self::CIRCUIT, &error))?;
        Ok(recorder.finish()?)
    }

    /// Returns the name of the constraint with this number.
    fn name_of(constraint: usize) -> String {
        let mut locator = Locator::new(constraint);
        // An error ends it early, and the name is unknown.
        let _ = Self::blank().synthesize(&mut locator);
        locator.found()
    }
}

impl Blank for Spend {
    const CIRCUIT: Circuit = Circuit::Spend;

    fn blank() -> Self {
        Self {
            value_commitment_opening: None,
            proof_generation_key: None,
            payment_address: None,
            commitment_randomness: None,
            ar: None,
            auth_path: vec![None; NOTE_COMMITMENT_TREE_DEPTH.into()],
            anchor: None,
        }
    }

    fn check_shape(&self) -> Result<()> {
        let (found, expected) = (self.auth_path.len(), usize::from(NOTE_COMMITMENT_TREE_DEPTH));
        if found == expected {
            return Ok(());
        }
        let problem =
            format!("auth_path has {found} elements, the note commitment tree {expected}");
        Err(Error::Synthesis { circuit: Self::CIRCUIT, problem })
    }
}

impl Blank for Output {
    const CIRCUIT: Circuit = Circuit::Output;

    fn blank() -> Self {
        Self {
            value_commitment_opening: None,
            payment_address: None,
            commitment_randomness: None,
            esk: None,
        }
    }

    fn check_shape(&self) -> Result<()> {
        Ok(())
    }
}

/// Returns the error for a failed synthesis.
pub fn synthesis(circuit: Circuit, error: &bellman::SynthesisError) -> Error {
    Error::Synthesis { circuit, problem: error.to_string() }
}
