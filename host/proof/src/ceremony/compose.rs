//! (beta A_i + alpha B_i + C_i)(tau) for each variable i, from the Lagrange polynomials of the powers of tau.

use std::ops::Range;

use proofmill_algebra::Isa;
use proofmill_algebra::curve::{Affine, Projective};
use proofmill_algebra::encoding::pair;
use proofmill_algebra::field::Field;
use proofmill_algebra::msm::affine_sum_vartime;
use proofmill_op::msm::{Check, read};
use proofmill_op::process::parallel_map;

use super::equations::Curves;
use super::rows::{ONE, public_inputs, scalar};
use crate::Result;
use crate::groth16::Scalar;
use crate::groth16::suite::ScalarOf;
use crate::snarkjs::{PointSection, R1cs, group};

/// Variables that a thread processes at a time.
const PIECE: usize = 256;

/// The terms of a circuit by variable, and the points that they multiply.
pub struct Composer<'a> {
    isa: Isa,
    /// Values at tau of the Lagrange polynomials, times beta, alpha and 1: the factors of A, B and C.
    bases: [PointSection; 3],
    /// The first term of each variable, and the number of terms.
    starts: Vec<usize>,
    terms: Vec<Term<'a>>,
}

/// A coefficient of a variable in row `row` of matrix number `matrix`.
#[derive(Clone, Copy)]
struct Term<'a> {
    row: u32,
    matrix: u32,
    coefficient: &'a Scalar,
}

impl<'a> Composer<'a> {
    /// Sorts the terms of a circuit. `bases` are the Lagrange polynomials times beta, alpha and 1.
    pub fn new(isa: Isa, circuit: &'a R1cs, bases: [PointSection; 3]) -> Self {
        let mut starts = vec![0; circuit.variables() + 1];
        each_term(circuit, |variable, _| starts[variable + 1] += 1);
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let none = Term { row: 0, matrix: 0, coefficient: &ONE };
        let mut terms = vec![none; *starts.last().expect("one at least")];
        let mut next = starts.clone();
        each_term(circuit, |variable, term| {
            terms[next[variable]] = term;
            next[variable] += 1;
        });
        Self { isa, bases, starts, terms }
    }

    /// Computes the points of variables. Runs in the caller's rayon pool.
    pub fn points<E: Curves>(&self, variables: Range<usize>) -> Result<Vec<Affine<E::G1>>> {
        let piece = |i: usize| {
            let start = variables.start + i * PIECE;
            self.piece::<E>(start..variables.end.min(start + PIECE))
        };
        let pieces = parallel_map(variables.len().div_ceil(PIECE), &piece);
        Ok(pieces.into_iter().collect::<Result<Vec<_>>>()?.concat())
    }

    fn piece<E: Curves>(&self, variables: Range<usize>) -> Result<Vec<Affine<E::G1>>> {
        let starts = &self.starts[variables.start..=variables.end];
        let terms = &self.terms[starts[0]..starts[variables.len()]];
        let points = self.read::<E>(terms)?;
        let sums: Vec<_> = starts
            .windows(2)
            .map(|ends| {
                let range = ends[0] - starts[0]..ends[1] - starts[0];
                self.sum::<E>(&terms[range.clone()], &points[range])
            })
            .collect();
        Ok(Affine::batch(&sums))
    }

    /// Reads the points of terms. An error names the first that is not on the curve.
    fn read<E: Curves>(&self, terms: &[Term<'_>]) -> Result<Vec<Affine<E::G1>>> {
        let each = pair::bytes::<E::G1>();
        let stored: Vec<_> = terms
            .iter()
            .flat_map(|term| {
                &self.bases[term.matrix as usize].stored()[term.row as usize * each..][..each]
            })
            .copied()
            .collect();
        let mut pairs = vec![0; stored.len()];
        let instance = self.bases[0].instance();
        group::to_pairs(self.isa, instance, &stored, &mut pairs).map_err(|(number, error)| {
            let Term { row, matrix, .. } = terms[number];
            self.bases[matrix as usize].wrong(row as usize, error)
        })?;
        let points = pairs.chunks_exact(each).map(|bytes| read::point(0, bytes, Check::None));
        Ok(points.collect::<std::result::Result<_, _>>()?)
    }

    /// Computes the sum of the terms of a variable. Most coefficients are 1 or -1.
    fn sum<E: Curves>(&self, terms: &[Term<'_>], points: &[Affine<E::G1>]) -> Projective<E::G1> {
        let mut sum = Projective::IDENTITY;
        let (mut bases, mut scalars) = (Vec::new(), Vec::new());
        for (term, point) in terms.iter().zip(points) {
            let coefficient = scalar::<ScalarOf<E>>(term.coefficient);
            if coefficient == ScalarOf::<E>::ONE {
                sum += *point;
            } else if coefficient == -ScalarOf::<E>::ONE {
                sum += -*point;
            } else {
                bases.push(*point);
                scalars.push(*term.coefficient);
            }
        }
        if bases.is_empty() {
            return sum;
        }
        sum + affine_sum_vartime(self.isa, &bases, &scalars).expect("checked before")
    }
}

/// Calls a function with the variable of each term, and the term. A, B and C are multiplied by the base of their number; the rows of the public
/// inputs are in A.
fn each_term<'a>(circuit: &'a R1cs, mut of: impl FnMut(usize, Term<'a>)) {
    for constraint in circuit.constraints() {
        for (matrix, combination) in (0..).zip([constraint.a, constraint.b, constraint.c]) {
            for term in combination.terms() {
                let row = constraint.number as u32;
                of(term.variable as usize, Term { row, matrix, coefficient: term.coefficient });
            }
        }
    }
    for i in 0..=public_inputs(circuit) {
        of(i, Term { row: (circuit.count() + i) as u32, matrix: 0, coefficient: &ONE });
    }
}
