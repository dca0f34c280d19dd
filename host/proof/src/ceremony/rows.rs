//! The matrices of a circuit: their terms in a key, and random linear combinations of their columns.

use proofmill_algebra::field::PrimeField;

use super::Finding;
use super::equations::encoded;
use crate::groth16::Scalar;
use crate::snarkjs::{Matrix, R1cs, Term, Zkey};
use crate::{Error, Result};

/// Values of the polynomials sum f_i A_i, sum f_i B_i and sum f_i C_i on the domain, for factors f_i of the variables.
pub struct Rows {
    pub a: Vec<u8>,
    pub b: Vec<u8>,
    pub c: Vec<u8>,
}

/// Returns the number of public inputs, including the outputs.
pub fn public_inputs(circuit: &R1cs) -> usize {
    circuit.public_outputs() + circuit.public_inputs()
}

impl Rows {
    /// Combines the columns. Besides the constraints there is a row in A for the 1 and for each public input, which has that variable alone.
    pub fn new<F: PrimeField>(circuit: &R1cs, domain: usize, factors: &[F]) -> Result<Self> {
        let [mut a, mut b, mut c] = [(); 3].map(|()| vec![F::ZERO; domain]);
        for constraint in circuit.constraints() {
            let constraint = constraint?;
            let row = constraint.number;
            a[row] = combined(constraint.a(), factors);
            b[row] = combined(constraint.b(), factors);
            c[row] = combined(constraint.c(), factors);
        }
        let public = public_inputs(circuit) + 1;
        a[circuit.count()..][..public].copy_from_slice(&factors[..public]);
        Ok(Self { a: encoded(&a), b: encoded(&b), c: encoded(&c) })
    }
}

fn combined<F: PrimeField>(terms: &[Term], factors: &[F]) -> F {
    terms.iter().fold(F::ZERO, |sum, term| {
        sum + scalar::<F>(&term.coefficient) * factors[term.variable as usize]
    })
}

/// Returns the coefficient of a term.
pub fn scalar<F: PrimeField>(bytes: &Scalar) -> F {
    F::from_le_bytes(bytes).expect("below r")
}

/// Compares the terms of A and B in a key with those of the circuit, in the order of the setup: row by row, A before B, then the rows of the
/// public inputs. Returns an error if a file changed meanwhile.
pub fn check_coefficients<F: PrimeField>(key: &Zkey, circuit: &R1cs) -> Result<Finding> {
    let radix = (0..256).fold(F::ONE, |power, _| power.double());
    let r_squared = radix.square();
    let public = public_inputs(circuit) + 1;
    let [terms_of_a, terms_of_b, _] = circuit.terms();
    let expected = terms_of_a + terms_of_b + public as u64;
    let found = key.coefficients();
    if found.len() as u64 != expected {
        return Ok(Some(format!("{} terms, the circuit has {expected}", found.len())));
    }
    let mut entries = found.iter().enumerate();
    let mut differs = |matrix, row, variable, coefficient: &Scalar| -> Result<Finding> {
        let changed = || Error::argument("circuit", "changed while it was read");
        let (number, found) = entries.next().ok_or_else(changed)?;
        let found = found?;
        let same = (found.matrix, found.constraint, found.signal) == (matrix, row, variable)
            && found.value == *(scalar::<F>(coefficient) * r_squared).to_le_bytes().as_ref();
        Ok((!same)
            .then(|| format!("term {number} is not {matrix:?}[{row}][{variable}] of the circuit")))
    };
    for constraint in circuit.constraints() {
        let constraint = constraint?;
        for (matrix, terms) in [(Matrix::A, constraint.a()), (Matrix::B, constraint.b())] {
            for term in terms {
                let variable = term.variable as usize;
                let problem = differs(matrix, constraint.number, variable, &term.coefficient)?;
                if problem.is_some() {
                    return Ok(problem);
                }
            }
        }
    }
    for i in 0..public {
        let problem = differs(Matrix::A, circuit.count() + i, i, &ONE)?;
        if problem.is_some() {
            return Ok(problem);
        }
    }
    Ok(None)
}

/// The coefficient 1.
pub const ONE: Scalar = {
    let mut one = [0; 32];
    one[0] = 1;
    one
};
