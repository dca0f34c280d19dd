//! Evaluates constraints on a witness.

use proofmill_algebra::field::PrimeField;
use proofmill_algebra::{bls12_381, bn254};
use proofmill_op::msm::Curve;
use proofmill_op::process::parallel;
use rayon::prelude::*;

use super::{Constraint, Constraints, R1cs, Term};
use crate::groth16::Scalar;
use crate::snarkjs::Witness;
use crate::snarkjs::curve::SCALAR_BYTES;
use crate::{Error, Result};

/// The constraints that a witness violates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violations {
    /// The number of violated constraints.
    pub count: usize,
    /// The numbers of the first ones, ascending.
    pub first: Vec<usize>,
}

const ONE: Scalar = {
    let mut one = [0; SCALAR_BYTES];
    one[0] = 1;
    one
};

impl R1cs {
    /// Finds the constraints that a witness violates, and the numbers of the first `max` of them. Custom gates are not
    /// evaluated. Returns an error if the file changed to an invalid constraint. Runs in the caller's rayon pool.
    pub fn check(&self, witness: &Witness, max: usize) -> Result<Violations> {
        self.require(witness)?;
        let pieces = parallel(|| match self.curve() {
            Curve::Bn254 => self.violated::<bn254::Fr>(witness.values(), max),
            _ => self.violated::<bls12_381::Fr>(witness.values(), max),
        });
        let pieces = pieces.map_err(Error::after_opening)?;
        let count = pieces.iter().map(|it| it.count).sum();
        Ok(Violations {
            count,
            first: pieces.into_iter().flat_map(|it| it.first).take(max).collect(),
        })
    }

    /// Returns an error unless the witness is over the same curve and has a value for each variable.
    pub fn require(&self, witness: &Witness) -> Result<()> {
        let (found, expected) = (witness.curve(), self.curve());
        if found != expected {
            let problem = format!("is over {}, the circuit over {}", found.name(), expected.name());
            return Err(Error::argument("witness", problem));
        }
        let (found, expected) = (witness.count(), self.variables());
        if found != expected {
            let problem = format!("has {found} values, the circuit has {expected} variables");
            return Err(Error::argument("witness", problem));
        }
        Ok(())
    }

    /// Returns A·w, B·w and C·w of a constraint. They are as secret as the witness.
    pub fn values(&self, constraint: &Constraint, witness: &Witness) -> Result<[Scalar; 3]> {
        self.require(witness)?;
        Ok([constraint.a(), constraint.b(), constraint.c()].map(|it| match self.curve() {
            Curve::Bn254 => bytes(value::<bn254::Fr>(it, witness.values())),
            _ => bytes(value::<bls12_381::Fr>(it, witness.values())),
        }))
    }

    /// Returns the violated constraints of each piece.
    fn violated<F: PrimeField>(&self, values: &[Scalar], max: usize) -> Result<Vec<Violations>> {
        let check = |piece: Constraints<'_>| {
            let mut found = Violations { count: 0, first: Vec::new() };
            for constraint in piece {
                let constraint = constraint?;
                let [a, b, c] = [constraint.a(), constraint.b(), constraint.c()]
                    .map(|it| value::<F>(it, values));
                if a * b != c {
                    found.count += 1;
                    if found.first.len() < max {
                        found.first.push(constraint.number);
                    }
                }
            }
            Ok(found)
        };
        self.pieces().map(check).collect()
    }
}

/// Evaluates a combination.
fn value<F: PrimeField>(terms: &[Term], values: &[Scalar]) -> F {
    terms.iter().fold(F::ZERO, |sum, term| {
        let value = scalar::<F>(&values[term.variable as usize]);
        sum + if term.coefficient == ONE { value } else { value * scalar::<F>(&term.coefficient) }
    })
}

/// Decodes a value of a witness, or a coefficient of a term.
fn scalar<F: PrimeField>(bytes: &Scalar) -> F {
    F::from_le_bytes(bytes).expect("it is below r")
}

fn bytes<F: PrimeField>(value: F) -> Scalar {
    value.to_le_bytes().as_ref().try_into().expect("a scalar's bytes")
}
