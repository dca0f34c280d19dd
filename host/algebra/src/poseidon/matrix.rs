//! Square matrices.

use super::Scalar;
use crate::field::Field;

/// Row by row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matrix<F = Scalar>(Vec<Vec<F>>);

/// The matrices of partial rounds in coordinates that move along: `moving.rs` derives them.
pub struct Along<F> {
    /// v A^k of each round.
    pub rows: Vec<Vec<F>>,
    /// A^-(k + 1) w of each round.
    pub columns: Vec<Vec<F>>,
    /// A to the power of the number of rounds.
    pub end: Matrix<F>,
}

impl<F: Field> Matrix<F> {
    /// Creates a matrix from a function of row i and column j.
    pub fn new(size: usize, entry: impl Fn(usize, usize) -> F) -> Self {
        Self((0..size).map(|i| (0..size).map(|j| entry(i, j)).collect()).collect())
    }

    /// 1.
    fn unit(size: usize) -> Self {
        Self::new(size, |i, j| if i == j { F::ONE } else { F::ZERO })
    }

    /// The rows.
    pub fn rows(&self) -> &[Vec<F>] {
        &self.0
    }

    fn size(&self) -> usize {
        self.0.len()
    }

    /// Without the first row and the first column.
    pub fn rest(&self) -> Self {
        Self::new(self.size() - 1, |i, j| self.0[i + 1][j + 1])
    }

    pub fn transposed(&self) -> Self {
        Self::new(self.size(), |i, j| self.0[j][i])
    }

    /// The product with a vector.
    pub fn times(&self, vector: &[F]) -> Vec<F> {
        let add = |sum, (a, b): (&F, &F)| sum + *a * b;
        self.0.iter().map(|row| row.iter().zip(vector).fold(F::ZERO, add)).collect()
    }

    /// Moves what partial rounds add to all but the first element to the rounds after them, through the matrix, until a full round adds
    /// it. `constants` are those of the partial rounds and of the full round behind them; a partial round keeps one.
    pub fn move_constants(&self, constants: &mut [Vec<F>]) {
        let Some((full, partial)) = constants.split_last_mut() else { return };
        let mut carried = vec![F::ZERO; self.size()];
        let add = |constants: &mut Vec<F>, carried: &[F]| {
            constants.iter_mut().zip(carried).for_each(|(constant, more)| *constant += more);
        };
        for constants in partial {
            add(constants, &carried);
            carried = std::mem::take(constants);
            constants.push(std::mem::replace(&mut carried[0], F::ZERO));
            carried = self.times(&carried);
        }
        add(full, &carried);
    }

    /// Returns the matrices of `partial` partial rounds in coordinates that move along.
    pub fn along(&self, partial: usize) -> Along<F> {
        let rest = self.rest();
        let (inverse, transposed) = (rest.inverse(), rest.transposed());
        let mut row = self.0[0][1..].to_vec();
        let mut column: Vec<F> = self.0[1..].iter().map(|row| row[0]).collect();
        let (mut rows, mut columns) = (Vec::new(), Vec::new());
        for _ in 0..partial {
            column = inverse.times(&column);
            let next = transposed.times(&row);
            rows.push(std::mem::replace(&mut row, next));
            columns.push(column.clone());
        }
        Along { rows, columns, end: rest.power(partial) }
    }

    fn product(&self, other: &Self) -> Self {
        let columns = other.transposed();
        Self(columns.0.iter().map(|column| self.times(column)).collect()).transposed()
    }

    /// Raises the matrix to a power, by squaring.
    pub fn power(&self, exponent: usize) -> Self {
        let mut power = Self::unit(self.size());
        for bit in (0..usize::BITS - exponent.leading_zeros()).rev() {
            power = power.product(&power);
            if exponent >> bit & 1 == 1 {
                power = power.product(self);
            }
        }
        power
    }

    /// Inverts the matrix by Gauss-Jordan elimination, without pivoting: all leading minors of a Cauchy matrix are different from 0.
    pub fn inverse(&self) -> Self {
        let size = self.size();
        let (mut rows, mut inverse) = (self.0.clone(), Self::unit(size).0);
        for i in 0..size {
            let by = rows[i][i].invert_vartime().expect("a pivot of a Cauchy matrix");
            rows[i].iter_mut().chain(&mut inverse[i]).for_each(|x| *x *= by);
            let (pivot, pivot_inverse) = (rows[i].clone(), inverse[i].clone());
            for j in (0..size).filter(|&j| j != i) {
                let factor = rows[j][i];
                rows[j].iter_mut().zip(&pivot).for_each(|(x, y)| *x -= factor * y);
                inverse[j].iter_mut().zip(&pivot_inverse).for_each(|(x, y)| *x -= factor * y);
            }
        }
        Self(inverse)
    }
}
