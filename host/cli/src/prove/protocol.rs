//! The protocols with provers: all have the same interface, with types of their own.

use std::fmt;

use proofmill::groth16::snarkjs::{
    self, Witness, Zkey, fflonk::Zkey as FflonkZkey, plonk::Zkey as PlonkZkey,
};
use proofmill::groth16::{self, Control, Counts, Devices, Plan, Proved, Result, Settings};
use proofmill::{fflonk, plonk};

/// A proving key and what it makes.
pub trait ProvingKey: Sync {
    /// A prover for the key.
    type Prover: Sync + Send;
    /// A proof.
    type Proof: Send;
    /// A step of a proof.
    type Step: fmt::Display + Copy + Send + Sync + 'static;
    /// The number of steps, for the progress.
    const STEPS: usize;

    /// Returns its name in errors.
    fn name(&self) -> &str;
    /// Returns its curve.
    #[cfg(feature = "witness")]
    fn curve(&self) -> groth16::Curve;
    /// Returns the number of values of a witness.
    fn witness_values(&self) -> usize;
    /// Returns a prover.
    fn prover(&self, devices: Devices, settings: Settings) -> Result<Self::Prover>;
    /// Plans a proof.
    fn plan(prover: &Self::Prover) -> Result<Plan<Self::Step>>;
    /// Proves.
    fn prove(
        prover: &Self::Prover,
        witness: &Witness,
        control: &Control<Self::Step>,
    ) -> Result<Proved<Self::Proof, Self::Step>>;
    /// Returns the counters of the prover.
    fn counts(prover: &Self::Prover) -> Counts;
    /// Formats the file of a proof.
    fn text(proof: &Self::Proof) -> Result<String>;
}

/// Implements the trait by the functions of a protocol's modules.
macro_rules! proving_key {
    ($key:ty, $protocol:ident, $text:path, $values:ident, $steps:expr) => {
        impl ProvingKey for $key {
            type Prover = $protocol::Prover;
            type Proof = $protocol::Proof;
            type Step = $protocol::Step;
            const STEPS: usize = $steps;

            fn name(&self) -> &str {
                self.name()
            }

            #[cfg(feature = "witness")]
            fn curve(&self) -> groth16::Curve {
                self.curve()
            }

            fn witness_values(&self) -> usize {
                self.$values()
            }

            fn prover(&self, devices: Devices, settings: Settings) -> Result<Self::Prover> {
                $protocol::Prover::new(self, devices, settings)
            }

            fn plan(prover: &Self::Prover) -> Result<Plan<Self::Step>> {
                prover.plan()
            }

            fn prove(
                prover: &Self::Prover,
                witness: &Witness,
                control: &Control<Self::Step>,
            ) -> Result<Proved<Self::Proof, Self::Step>> {
                prover.prove_with(witness, control)
            }

            fn counts(prover: &Self::Prover) -> Counts {
                prover.counts()
            }

            fn text(proof: &Self::Proof) -> Result<String> {
                $text(proof)
            }
        }
    };
}

// Five MSMs, rows, quotient, assembly, check.
proving_key!(Zkey, groth16, snarkjs::proof::text, variables, 9);
// Four requests of MSMs, wires, accumulator, quotient, evaluations, openings, check.
proving_key!(PlonkZkey, plonk, snarkjs::plonk::proof::text, witness_values, 10);
// Four MSMs, wires, gates, accumulator, permutation, evaluations, quotient, opening, check.
proving_key!(FflonkZkey, fflonk, snarkjs::fflonk::proof::text, witness_values, 12);
