//! The matrices of a circuit: their terms in a key, and random linear combinations of their columns.

use proofmill_algebra::field::PrimeField;

use super::Finding;
use super::equations::encoded;
use crate::groth16::Scalar;
use crate::snarkjs::{Combination, Matrix, R1cs, Zkey};

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
    pub fn new<F: PrimeField>(circuit: &R1cs, domain: usize, factors: &[F]) -> Self {
        let [mut a, mut b, mut c] = [(); 3].map(|()| vec![F::ZERO; domain]);
        for constraint in circuit.constraints() {
            let row = constraint.number;
            a[row] = combined(&constraint.a, factors);
            b[row] = combined(&constraint.b, factors);
            c[row] = combined(&constraint.c, factors);
        }
        let public = public_inputs(circuit) + 1;
        a[circuit.count()..][..public].copy_from_slice(&factors[..public]);
        Self { a: encoded(&a), b: encoded(&b), c: encoded(&c) }
    }
}

fn combined<F: PrimeField>(combination: &Combination<'_>, factors: &[F]) -> F {
    combination.terms().fold(F::ZERO, |sum, term| {
        sum + scalar::<F>(term.coefficient) * factors[term.variable as usize]
    })
}

/// Returns a coefficient, which was checked when the file was opened.
pub fn scalar<F: PrimeField>(bytes: &Scalar) -> F {
    F::from_le_bytes(bytes).expect("below r")
}

/// Compares the terms of A and B in a key with those of the circuit, in the order of the setup: row by row, A before B, then the rows of the
/// public inputs.
pub fn check_coefficients<F: PrimeField>(key: &Zkey, circuit: &R1cs) -> Finding {
    let radix = (0..256).fold(F::ONE, |power, _| power.double());
    let r_squared = radix.square();
    let terms = circuit.constraints().flat_map(|constraint| {
        let terms_of_b = terms_of(Matrix::B, constraint.number, constraint.b);
        terms_of(Matrix::A, constraint.number, constraint.a).chain(terms_of_b)
    });
    let public = (0..public_inputs(circuit) + 1).map(|i| (Matrix::A, circuit.count() + i, i, &ONE));
    let [terms_of_a, terms_of_b, _] = circuit.terms();
    let expected = terms_of_a + terms_of_b + public.len() as u64;
    let found = key.coefficients();
    if found.len() as u64 != expected {
        return Some(format!("{} terms, the circuit has {expected}", found.len()));
    }
    let differs = |((number, found), (matrix, row, variable, coefficient))| {
        let found: crate::snarkjs::Coefficient<'_> = found;
        let same = (found.matrix, found.constraint, found.signal) == (matrix, row, variable)
            && *found.value == *(scalar::<F>(coefficient) * r_squared).to_le_bytes().as_ref();
        (!same)
            .then(|| format!("term {number} is not {matrix:?}[{row}][{variable}] of the circuit"))
    };
    found.iter().enumerate().zip(terms.chain(public)).find_map(differs)
}

/// Returns the terms of a row: matrix, row, variable, coefficient.
fn terms_of<'a>(
    matrix: Matrix,
    row: usize,
    combination: Combination<'a>,
) -> impl Iterator<Item = (Matrix, usize, usize, &'a Scalar)> {
    combination.terms().map(move |term| (matrix, row, term.variable as usize, term.coefficient))
}

/// The coefficient 1.
pub const ONE: Scalar = {
    let mut one = [0; 32];
    one[0] = 1;
    one
};
