//! (beta A_i + alpha B_i + C_i)(tau) for each variable i, from the Lagrange polynomials of the powers of tau.

use std::collections::HashMap;
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
pub struct Composer {
    isa: Isa,
    /// Values at tau of the Lagrange polynomials, times beta, alpha and 1: the factors of A, B and C.
    bases: [PointSection; 3],
    /// The first term of each variable, and the number of terms.
    starts: Vec<usize>,
    terms: Vec<Term>,
    /// The different coefficients, which are few.
    coefficients: Vec<Scalar>,
}

/// A coefficient of a variable in row `row` of matrix number `matrix`.
#[derive(Clone, Copy)]
struct Term {
    variable: u32,
    row: u32,
    matrix: u32,
    /// The number of the coefficient.
    coefficient: u32,
}

impl Composer {
    /// Sorts the terms of a circuit. `bases` are the Lagrange polynomials times beta, alpha and 1. A, B and C are multiplied by the base of
    /// their number; the rows of the public inputs are in A.
    pub fn new(isa: Isa, circuit: &R1cs, bases: [PointSection; 3]) -> Result<Self> {
        let (mut terms, mut coefficients) = (Vec::new(), vec![ONE]);
        let mut numbers = HashMap::from([(ONE, 0)]);
        for constraint in circuit.constraints() {
            let constraint = constraint?;
            let row = constraint.number as u32;
            for (matrix, of_matrix) in (0..).zip([constraint.a(), constraint.b(), constraint.c()]) {
                for term in of_matrix {
                    let coefficient = *numbers.entry(term.coefficient).or_insert_with(|| {
                        coefficients.push(term.coefficient);
                        coefficients.len() as u32 - 1
                    });
                    terms.push(Term { variable: term.variable, row, matrix, coefficient });
                }
            }
        }
        let public = (0..=public_inputs(circuit)).map(|i| {
            let row = (circuit.count() + i) as u32;
            Term { variable: i as u32, row, matrix: 0, coefficient: 0 }
        });
        terms.extend(public);
        terms.sort_by_key(|term| term.variable);
        let start = |variable| terms.partition_point(|term| (term.variable as usize) < variable);
        let starts = (0..=circuit.variables()).map(start).collect();
        Ok(Self { isa, bases, starts, terms, coefficients })
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
    fn read<E: Curves>(&self, terms: &[Term]) -> Result<Vec<Affine<E::G1>>> {
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
    fn sum<E: Curves>(&self, terms: &[Term], points: &[Affine<E::G1>]) -> Projective<E::G1> {
        let mut sum = Projective::IDENTITY;
        let (mut bases, mut scalars) = (Vec::new(), Vec::new());
        for (term, point) in terms.iter().zip(points) {
            let stored = &self.coefficients[term.coefficient as usize];
            let coefficient = scalar::<ScalarOf<E>>(stored);
            if coefficient == ScalarOf::<E>::ONE {
                sum += *point;
            } else if coefficient == -ScalarOf::<E>::ONE {
                sum += -*point;
            } else {
                bases.push(*point);
                scalars.push(*stored);
            }
        }
        if bases.is_empty() {
            return sum;
        }
        sum + affine_sum_vartime(self.isa, &bases, &scalars).expect("checked before")
    }
}
