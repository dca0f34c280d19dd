//! The permutation with partial rounds of 2 t - 1 products, for t elements, in coordinates that move along.
//!
//! The matrix is m, v (the rest of the first row), w (of the first column) and A. After the power, a partial round takes the first
//! element x and the others y to m x + v y and w x + A y. With y = A^k z after k of them it is
//!
//! ```text
//! x' = m x + v A^k z
//! z' = z + A^-(k + 1) w x
//! ```
//!
//! Two vectors a round are known beforehand, and so is the power of A that multiplies z in the end. Elements are what they are between
//! rounds; the [factors](Arithmetic::product_factor) of a power go into the constants that it is multiplied by.

use super::arithmetic::{Arithmetic, State};
use super::numbers::{HALF, Numbers};
use super::{MAX_WIDTH, Scalar};
use crate::field::Field;

/// The constants.
pub struct Moving<C> {
    width: usize,
    /// The constants that each round adds: partial rounds to the first element.
    constants: Vec<Vec<C>>,
    /// The matrix, for powers.
    matrix: Vec<Vec<C>>,
    /// Of each partial round v A^k, for z, and A^-(k + 1) w, for a power.
    rows: Vec<Vec<C>>,
    columns: Vec<Vec<C>>,
    /// A to the power of the number of partial rounds, for z.
    end: Vec<Vec<C>>,
    /// What a product with leaves an element as it is.
    one: C,
}

impl<C: Copy> Moving<C> {
    pub fn new<A: Arithmetic<Constant = C>>(numbers: &Numbers) -> Self {
        let factor = A::product_factor().invert_vartime().expect("not 0");
        let of_power = factor.square().square() * factor;
        let times = |by: Scalar| move |x: &Scalar| A::constant(&(by * x));
        let list = |by: Scalar, numbers: &[Scalar]| numbers.iter().map(times(by)).collect();
        let lists = |by: Scalar, numbers: &[Vec<Scalar>]| {
            numbers.iter().map(|numbers| list(by, numbers)).collect()
        };

        let along = numbers.matrix.along(numbers.partial);
        Self {
            width: numbers.width,
            constants: lists(Scalar::ONE, &numbers.moved_constants()),
            matrix: lists(of_power, numbers.matrix.rows()),
            rows: lists(factor, &along.rows),
            columns: lists(of_power, &along.columns),
            end: lists(factor, along.end.rows()),
            one: A::constant(&factor),
        }
    }

    #[inline(always)]
    pub fn digest<A: Arithmetic<Constant = C>>(&self, a: A, state: &mut State<A>) -> A::X {
        let (first, others) = self.constants.split_at(HALF);
        let (partial, last) = others.split_at(self.rows.len());
        for constants in first {
            self.raise(a, state, constants);
            multiply(a, &self.matrix, &mut state[..self.width]);
        }
        self.partial_rounds(a, state, partial);
        let (last, others) = last.split_last().expect("there are full rounds");
        for constants in others {
            self.raise(a, state, constants);
            multiply(a, &self.matrix, &mut state[..self.width]);
        }
        self.raise(a, state, last);
        // A product is what is written.
        a.product(&dot(a, &state[..self.width], &self.matrix[1]), &a.splat(&self.one))
    }

    #[inline(always)]
    fn raise<A: Arithmetic<Constant = C>>(&self, a: A, state: &mut State<A>, constants: &[C]) {
        for (x, constant) in state[..self.width].iter_mut().zip(constants) {
            *x = a.fifth_power(&a.sum(x, &a.splat(constant)));
        }
    }

    #[inline(always)]
    fn partial_rounds<A: Arithmetic<Constant = C>>(
        &self,
        a: A,
        state: &mut State<A>,
        constants: &[Vec<C>],
    ) {
        let (x, others) = state.split_first_mut().expect("there are elements");
        let z = &mut others[..self.width - 1];
        for (k, constants) in constants.iter().enumerate() {
            let power = a.fifth_power(&a.sum(x, &a.splat(&constants[0])));
            *x = a.sum(&a.product(&power, &a.splat(&self.matrix[0][0])), &dot(a, z, &self.rows[k]));
            for (z, constant) in z.iter_mut().zip(&self.columns[k]) {
                *z = a.sum(z, &a.product(&power, &a.splat(constant)));
            }
        }
        multiply(a, &self.end, z);
    }
}

/// The state times a matrix.
#[inline(always)]
fn multiply<A: Arithmetic>(a: A, matrix: &[Vec<A::Constant>], state: &mut [A::X]) {
    let mut next = [state[0]; MAX_WIDTH];
    for (x, row) in next.iter_mut().zip(matrix) {
        *x = dot(a, state, row);
    }
    let count = state.len();
    state.copy_from_slice(&next[..count]);
}

/// The sum of products.
#[inline(always)]
fn dot<A: Arithmetic>(a: A, state: &[A::X], row: &[A::Constant]) -> A::X {
    let mut sum = a.product(&state[0], &a.splat(&row[0]));
    for (x, constant) in state.iter().zip(row).skip(1) {
        sum = a.sum(&sum, &a.product(x, &a.splat(constant)));
    }
    sum
}
