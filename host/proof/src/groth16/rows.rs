//! The matrices of a circuit, and their products with a witness.
//!
//! Row i of A and of B, each times the witness w, are the factors of constraint i, whose product is row i of C times w (R1CS).
//! circom's keys lack C: on a witness that satisfies the circuit it is that product. Where C is known, every constraint is checked.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use proofmill_algebra::field::PrimeField;
use proofmill_op::process::parallel;
use proofmill_op::{Cancel, Secret, SecretBytes};
use rayon::prelude::*;

use super::Scalar;
use crate::snarkjs::Coefficient;
use crate::{Error, Result};

/// Rows that a thread computes at a time.
const CHUNK: usize = 1 << 10;

/// Index of 1 among the values, and of -1.
const ONE: u32 = 0;
const MINUS_ONE: u32 = 1;

/// The matrices by rows. A circuit has few different coefficients; each is stored once.
#[derive(Debug)]
pub struct Rows {
    matrices: [Matrix; 2],
    /// C, if it is known.
    c: Option<Matrix>,
    /// Canonical; the first two are 1 and -1.
    values: Vec<Scalar>,
}

#[derive(Debug)]
struct Matrix {
    /// Where each row's coefficients begin, and the end.
    starts: Vec<u32>,
    /// Column, and index of the value.
    coefficients: Vec<(u32, u32)>,
}

impl Rows {
    /// Builds the matrices from the coefficients of `rows` rows, in any order; they are read twice. Returns an error if they changed meanwhile.
    pub fn new<F: PrimeField>(
        rows: usize,
        coefficients: impl Iterator<Item = Result<Coefficient>> + Clone,
    ) -> Result<Self> {
        // A value is in the file times R^2.
        let r = (0..256).fold(F::ONE, |power, _| power.double());
        let correction = r.square().invert_vartime().expect("R is not 0");
        let element = |value: &Scalar| scalar::<F>(value) * correction;
        let mut starts = [vec![0u32; rows + 1], vec![0u32; rows + 1]];
        for it in coefficients.clone() {
            let it = it?;
            starts[it.matrix as usize][it.constraint + 1] += 1;
        }
        for starts in &mut starts {
            let mut sum = 0; // A file has fewer than 2^32 coefficients.
            for start in starts.iter_mut() {
                sum += *start;
                *start = sum;
            }
        }
        let mut values = vec![bytes(F::ONE), bytes(-F::ONE)];
        let mut numbers: HashMap<Scalar, u32> = HashMap::new();
        let mut next = starts.clone();
        let mut placed = [0, 1].map(|matrix: usize| vec![(0, 0); starts[matrix][rows] as usize]);
        for coefficient in coefficients {
            let Coefficient { matrix, constraint, signal, value } = coefficient?;
            let number = *numbers.entry(value).or_insert_with(|| {
                let value = bytes(element(&value));
                let known = values[..2].iter().position(|one| *one == value);
                known.unwrap_or_else(|| {
                    values.push(value);
                    values.len() - 1
                }) as u32
            });
            let place = &mut next[matrix as usize][constraint];
            if *place == starts[matrix as usize][constraint + 1] {
                return Err(Error::argument("key", "changed while it was read"));
            }
            placed[matrix as usize][*place as usize] = (signal as u32, number);
            *place += 1;
        }
        let matrix = |(starts, coefficients)| Matrix { starts, coefficients };
        let [a, b] = starts;
        let [in_a, in_b] = placed;
        Ok(Self { matrices: [(a, in_a), (b, in_b)].map(matrix), c: None, values })
    }

    /// Returns the number of rows.
    pub fn count(&self) -> usize {
        self.matrices[0].starts.len() - 1
    }

    /// Returns the bytes in memory.
    pub fn bytes(&self) -> usize {
        let of = |matrix: &Matrix| 4 * matrix.starts.len() + 8 * matrix.coefficients.len();
        self.matrices.iter().chain(&self.c).map(of).sum::<usize>() + self.elements()
    }

    /// Bytes of the different coefficients; [`Self::times`] makes elements of them, which take as many again.
    pub fn elements(&self) -> usize {
        size_of_val(&*self.values)
    }

    /// Computes A w, B w and their products row by row, canonical. An error names a value of the witness that is not below r, or
    /// the first constraint that it does not satisfy, if C is known.
    pub fn times<F: PrimeField>(
        &self,
        witness: &[Scalar],
        cancel: &Cancel,
    ) -> Result<[SecretBytes; 3]> {
        let mut elements = Secret::filled(witness.len(), F::ZERO);
        let wrong = AtomicUsize::new(usize::MAX);
        let decode = |(i, (element, bytes)): (usize, (&mut F, &Scalar))| {
            *element = F::from_le_bytes(bytes).unwrap_or_else(|_| {
                wrong.fetch_min(i, Ordering::Relaxed);
                F::ZERO
            });
        };
        parallel(|| elements.par_iter_mut().zip(witness).enumerate().for_each(decode));
        let wrong = wrong.into_inner();
        if let Some(Err(problem)) = witness.get(wrong).map(|bytes| F::from_le_bytes(bytes)) {
            return Err(Error::argument("witness", format!("value {wrong} is {problem}")));
        }
        let values: Vec<_> = self.values.iter().map(scalar::<F>).collect();
        let [mut a, mut b, mut c] = [(); 3].map(|()| SecretBytes::zeroed(self.count() * F::BYTES));
        let chunk = CHUNK * F::BYTES;
        let chunks =
            a.par_chunks_mut(chunk).zip(b.par_chunks_mut(chunk)).zip(c.par_chunks_mut(chunk));
        let unsatisfied = AtomicUsize::new(usize::MAX);
        let rows = |number: usize, a: &mut [u8], b: &mut [u8], c: &mut [u8]| {
            cancel.check()?;
            let each =
                a.chunks_mut(F::BYTES).zip(b.chunks_mut(F::BYTES)).zip(c.chunks_mut(F::BYTES));
            for (i, ((a, b), c)) in each.enumerate() {
                let row = number * CHUNK + i;
                let [x, y] = self.matrices.each_ref().map(|it| it.times(row, &elements, &values));
                a.copy_from_slice(x.to_le_bytes().as_ref());
                b.copy_from_slice(y.to_le_bytes().as_ref());
                let product = x * y;
                if self.c.as_ref().is_some_and(|c| c.times(row, &elements, &values) != product) {
                    unsatisfied.fetch_min(row, Ordering::Relaxed);
                }
                c.copy_from_slice(product.to_le_bytes().as_ref());
            }
            Ok::<_, Error>(())
        };
        parallel(|| {
            chunks.enumerate().try_for_each(|(number, ((a, b), c))| rows(number, a, b, c))
        })?;
        match unsatisfied.into_inner() {
            usize::MAX => Ok([a, b, c]),
            constraint => Err(Error::Unsatisfied { constraint }),
        }
    }
}

impl Matrix {
    /// A row times the witness.
    fn times<F: PrimeField>(&self, row: usize, witness: &[F], values: &[F]) -> F {
        let range = self.starts[row] as usize..self.starts[row + 1] as usize;
        self.coefficients[range].iter().fold(F::ZERO, |sum, &(column, value)| {
            let w = witness[column as usize];
            match value {
                ONE => sum + w,
                MINUS_ONE => sum - w,
                other => sum + values[other as usize] * w,
            }
        })
    }
}

/// Builds all three matrices row by row.
#[derive(Debug)]
pub struct RowsBuilder {
    matrices: [Matrix; 3],
    values: Vec<Scalar>,
    numbers: HashMap<Scalar, u32>,
}

impl RowsBuilder {
    /// Returns matrices without rows.
    pub fn new<F: PrimeField>() -> Self {
        let values = vec![bytes(F::ONE), bytes(-F::ONE)];
        let numbers = values.iter().copied().zip(0..).collect();
        let matrices = [(); 3].map(|()| Matrix { starts: vec![0], coefficients: Vec::new() });
        Self { matrices, values, numbers }
    }

    /// Returns the number of rows.
    pub fn count(&self) -> usize {
        self.matrices[0].starts.len() - 1
    }

    /// Appends a row of a matrix: A, B and C are 0, 1 and 2. The matrices get their rows in step. Values are canonical; an error names the
    /// problem of another one.
    pub fn push<F: PrimeField>(
        &mut self,
        matrix: usize,
        row: impl Iterator<Item = (u32, Scalar)>,
    ) -> Result<()> {
        let Matrix { starts, coefficients } = &mut self.matrices[matrix];
        for (column, value) in row {
            let number = match self.numbers.get(&value) {
                Some(&number) => number,
                None => {
                    F::from_le_bytes(&value).map_err(|problem| {
                        Error::argument("circuit", format!("a coefficient is {problem}"))
                    })?;
                    let number = self.values.len() as u32;
                    self.values.push(value);
                    self.numbers.insert(value, number);
                    number
                }
            };
            coefficients.push((column, number));
        }
        let end = u32::try_from(coefficients.len())
            .map_err(|_| Error::argument("circuit", "has 2^32 or more coefficients"))?;
        starts.push(end);
        Ok(())
    }

    /// Returns the matrices with empty rows up to this number, and with other numbers of the columns.
    pub fn finish(mut self, rows: usize, column: impl Fn(u32) -> u32) -> Rows {
        for Matrix { starts, coefficients } in &mut self.matrices {
            starts.resize(rows + 1, coefficients.len() as u32);
            coefficients.iter_mut().for_each(|(it, _)| *it = column(*it));
            coefficients.shrink_to_fit();
        }
        let [a, b, c] = self.matrices;
        Rows { matrices: [a, b], c: Some(c), values: self.values }
    }
}

fn bytes<F: PrimeField>(element: F) -> Scalar {
    let mut bytes = Scalar::default();
    bytes.copy_from_slice(element.to_le_bytes().as_ref());
    bytes
}

fn scalar<F: PrimeField>(bytes: &Scalar) -> F {
    F::from_le_bytes(bytes).expect("an element was written")
}

#[cfg(test)]
mod tests {
    use proofmill_algebra::field::{Bn254Fr, Field};

    use super::*;
    use crate::snarkjs::Matrix;

    type F = Bn254Fr;

    #[test]
    fn products_are_those_of_dense_matrices() {
        let r = (0..256).fold(F::ONE, |power, _| power.double());
        let (rows, columns) = (CHUNK + 9, 13);
        // Some entries come twice, some are 1, -1 or 0, and rows are not in order.
        let mut x = F::from(3);
        let mut entries = Vec::new();
        for i in 0..3 * rows {
            x = x.square() + F::from(i as u64);
            let value = [x, F::ONE, -F::ONE, F::from(5), F::ZERO][i % 5];
            let row = (i * 7919) % rows;
            entries.push((i % 2, row, (i / 3) % columns, value, bytes(value * r * r)));
        }
        let coefficients =
            entries.iter().map(|&(matrix, constraint, signal, _, value)| Coefficient {
                matrix: if matrix == 0 { Matrix::A } else { Matrix::B },
                constraint,
                signal,
                value,
            });
        let found = Rows::new::<F>(rows, coefficients.map(Ok)).unwrap();
        assert_eq!(found.count(), rows);
        let witness: Vec<F> =
            (0..columns as u64).map(|i| F::from(i).square() - F::from(2)).collect();
        let mut dense = vec![[F::ZERO; 2]; rows];
        for (matrix, row, column, value, _) in &entries {
            dense[*row][*matrix] += *value * witness[*column];
        }
        let witness: Vec<_> = witness.into_iter().map(bytes).collect();
        let [a, b, c] = found.times::<F>(&witness, &Cancel::new()).unwrap();
        for (row, [x, y]) in dense.into_iter().enumerate() {
            let range = 32 * row..32 * (row + 1);
            assert_eq!([&a[range.clone()], &b[range.clone()]], [&bytes(x)[..], &bytes(y)], "{row}");
            assert_eq!(c[range], bytes(x * y)[..], "{row}");
        }
        let mut wrong = witness;
        wrong[4] = [0xff; 32];
        let error = found.times::<F>(&wrong, &Cancel::new()).unwrap_err().to_string();
        assert_eq!(error, "witness: value 4 is a number that is not below the modulus");
    }

    /// Another program may write into the file of the key between the two times that the coefficients are read.
    #[test]
    fn coefficients_that_change_meanwhile_are_refused() {
        let read = std::cell::Cell::new(0);
        let entry = |i: usize| {
            read.set(read.get() + 1);
            // The second time, all are in row 0.
            let constraint = if read.get() > 4 { 0 } else { i };
            Ok(Coefficient { matrix: Matrix::A, constraint, signal: i, value: bytes(F::ONE) })
        };
        let error = Rows::new::<F>(4, (0..4).map(entry)).unwrap_err();
        assert_eq!(error.to_string(), "key: changed while it was read");
    }
}
