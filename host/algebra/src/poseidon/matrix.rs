//! Square matrices.

use super::Scalar;
use crate::field::Field;

/// Row by row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matrix<F = Scalar>(Vec<Vec<F>>);

impl<F: Field> Matrix<F> {
    /// With this entry in row i and column j.
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

    fn product(&self, other: &Self) -> Self {
        let columns = other.transposed();
        Self(columns.0.iter().map(|column| self.times(column)).collect()).transposed()
    }

    /// To this power, by squares.
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

    /// By Gauss and Jordan, without a search for pivots: all leading minors of a Cauchy matrix are different from 0.
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
