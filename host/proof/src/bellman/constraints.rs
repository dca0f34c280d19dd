//! The constraints of a circuit.

use std::sync::Arc;

use proofmill_algebra::bls12_381::Fr;
use proofmill_algebra::field::PrimeField;

use crate::groth16::Scalar;
use crate::groth16::rows::{Rows, RowsBuilder};
use crate::{Error, Result};

/// A variable of a circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variable {
    /// 0 is the constant 1, then come the public inputs.
    Public(u32),
    /// The private variables, from 0.
    Private(u32),
}

/// The top bit of a column marks a private variable until the number of public ones is known.
const PRIVATE: u32 = 1 << 31;

/// Collects constraints in the order in which a circuit enforces them.
#[derive(Debug)]
pub struct ConstraintsBuilder {
    rows: RowsBuilder,
    /// Whether a variable occurs in A, in B: of the public ones, of the private ones.
    public: Vec<[bool; 2]>,
    private: Vec<[bool; 2]>,
}

impl Default for ConstraintsBuilder {
    fn default() -> Self {
        Self { rows: RowsBuilder::new::<Fr>(), public: vec![[false; 2]], private: Vec::new() }
    }
}

impl ConstraintsBuilder {
    /// Adds a public input and returns it.
    pub fn public(&mut self) -> Variable {
        self.public.push([false; 2]);
        Variable::Public(self.public.len() as u32 - 1)
    }

    /// Adds a private variable and returns it.
    pub fn private(&mut self) -> Variable {
        self.private.push([false; 2]);
        Variable::Private(self.private.len() as u32 - 1)
    }

    /// Adds the constraint a * b = c of three linear combinations with canonical coefficients, little-endian. Returns an error for a variable
    /// that was not added, and for a coefficient that is not below r.
    pub fn constrain<I>(&mut self, combinations: [I; 3]) -> Result<()>
    where
        I: IntoIterator<Item = (Variable, Scalar)>,
    {
        for (matrix, combination) in combinations.into_iter().enumerate() {
            let mut terms = Vec::new();
            for (variable, value) in combination {
                if value == Scalar::default() {
                    continue;
                }
                let (column, occurs) = match variable {
                    Variable::Public(i) => (i, self.public.get_mut(i as usize)),
                    Variable::Private(i) => (i | PRIVATE, self.private.get_mut(i as usize)),
                };
                let unknown = || Error::argument("circuit", format!("has no {variable:?}"));
                let occurs = occurs.ok_or_else(unknown)?;
                if let Some(occurs) = occurs.get_mut(matrix) {
                    *occurs = true;
                }
                terms.push((column, value));
            }
            self.rows.push::<Fr>(matrix, terms.into_iter())?;
        }
        Ok(())
    }

    /// Returns the constraints, after those of the public variables: x_i * 0 = 0. Returns an error if they exceed the largest domain.
    pub fn finish(mut self) -> Result<Constraints> {
        let circuit = self.rows.count();
        for i in 0..self.public.len() as u32 {
            let one = (Variable::Public(i), one());
            self.constrain([vec![one], Vec::new(), Vec::new()])?;
        }
        let domain_log = self.rows.count().next_power_of_two().ilog2();
        let variables = self.public.len() + self.private.len();
        if domain_log >= Fr::TWO_ADICITY || variables >= PRIVATE as usize {
            return Err(Error::argument("circuit", format!("{circuit} constraints are too many")));
        }
        let public = self.public.len() as u32;
        let column = |column: u32| match column & PRIVATE {
            0 => column,
            _ => public + (column ^ PRIVATE),
        };
        let rows = self.rows.finish(1 << domain_log, column);
        let occurs: Vec<_> = self.public.iter().chain(&self.private).copied().collect();
        let public_inputs = self.public.len() - 1;
        Ok(Constraints { rows: Arc::new(rows), circuit, domain_log, public_inputs, occurs })
    }
}

/// The constraints of a circuit, for [`Key::new`](super::Key::new).
#[derive(Debug)]
pub struct Constraints {
    pub(super) rows: Arc<Rows>,
    circuit: usize,
    pub(super) domain_log: u32,
    public_inputs: usize,
    /// Whether a variable occurs in A, in B.
    pub(super) occurs: Vec<[bool; 2]>,
}

impl Constraints {
    /// Returns the number of constraints that the circuit enforces.
    pub fn count(&self) -> usize {
        self.circuit
    }

    /// Returns the number of variables, including the constant 1.
    pub fn variables(&self) -> usize {
        self.occurs.len()
    }

    /// Returns the number of public inputs.
    pub fn public_inputs(&self) -> usize {
        self.public_inputs
    }
}

fn one() -> Scalar {
    let mut one = Scalar::default();
    one[0] = 1;
    one
}
