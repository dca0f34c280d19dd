//! The variables of a circuit, and the wires of its constraints (round 1).

use proofmill_algebra::field::PrimeField;
use proofmill_op::{Cancel, Secret, SecretBytes};

use super::Scalar;
use super::polynomial::scalars;
use crate::snarkjs::PlonkishKey;
use crate::snarkjs::plonk::{Wire, Wires};
use crate::{Error, Result};

/// The values of all variables: those of the witness, then the sums. Variable 0 is 0: it is the wire of gates that do not use it.
pub struct Variables<F: PrimeField>(Secret<F>);

impl<F: PrimeField> Variables<F> {
    /// Decodes a witness and computes the sums. An error names a value that is not below r.
    pub fn new<H>(key: &PlonkishKey<H>, witness: &[Scalar]) -> Result<Self> {
        let mut values = Secret::filled(key.variables(), F::ZERO);
        for (i, (value, bytes)) in values.iter_mut().zip(witness).enumerate().skip(1) {
            *value = F::from_le_bytes(bytes)
                .map_err(|problem| Error::argument("witness", format!("value {i} is {problem}")))?;
        }
        for (i, addition) in key.additions().enumerate() {
            let addition = addition?;
            let [x, y] = addition.variables.map(|variable| values[variable]);
            let [p, q] = addition.factors::<F>();
            values[key.witness_values() + i] = p * x + q * y;
        }
        Ok(Self(values))
    }

    /// Returns the value of a wire at row i of the domain; 0 beyond the constraints. Returns an error if the key's file changed meanwhile.
    pub fn at(&self, wires: &Wires<'_>, i: usize) -> Result<F> {
        Ok(wires.get(i)?.map_or(F::ZERO, |variable| self.0[variable]))
    }

    /// Returns the values of a wire at all rows, canonical.
    pub fn of<H>(&self, key: &PlonkishKey<H>, wire: Wire, cancel: &Cancel) -> Result<SecretBytes> {
        let wires = key.wires(wire);
        scalars(1 << key.domain_log(), cancel, |i| self.at(&wires, i))
    }
}
