//! The permutations of Poseidon and Poseidon2 over any prime field.

use super::Inner;
use crate::field::PrimeField;
use crate::poseidon::grain::Grain;
use crate::poseidon::matrix::{Along, Matrix};

/// The authors' number for a power S-box in the generation of constants.
const POWER: usize = 0;

/// The numbers of an instance.
pub struct Permutation<F> {
    width: usize,
    /// Full rounds before and after the partial ones.
    half: usize,
    /// True if the S-box is x^7; otherwise it is x^5.
    seventh: bool,
    /// The constants that each round adds: partial rounds to the first element.
    constants: Vec<Vec<F>>,
    linear: Linear<F>,
}

/// The linear layer.
enum Linear<F> {
    /// Poseidon's matrix, with partial rounds in coordinates that move along (`moving.rs` derives them).
    Poseidon { matrix: Matrix<F>, along: Along<F> },
    /// The diagonal of Poseidon2's inner matrix, less 1.
    Poseidon2 { diagonal: Vec<F> },
}

impl<F: PrimeField> Permutation<F> {
    /// Poseidon with all numbers from the LFSR: constants, then those of a Cauchy matrix, 1 / (x_i + y_j).
    pub fn poseidon(width: usize, full: usize, partial: usize, alpha: u32) -> Self {
        let mut grain = Grain::new::<F>(POWER, width, full, partial);
        let half = full / 2;
        let mut constants: Vec<Vec<F>> =
            (0..full + partial).map(|_| (0..width).map(|_| grain.element()).collect()).collect();
        let [x, y]: [Vec<F>; 2] =
            std::array::from_fn(|_| (0..width).map(|_| grain.reduced()).collect());
        let matrix = Matrix::new(width, |i, j| {
            (x[i] + y[j]).invert_vartime().expect("numbers of a Cauchy matrix")
        });
        matrix.move_constants(&mut constants[half..=half + partial]);
        let linear = Linear::Poseidon { along: matrix.along(partial), matrix };
        Self { width, half, seventh: is_seventh(alpha), constants, linear }
    }

    /// Poseidon2.
    pub fn poseidon2(width: usize, full: usize, partial: usize, alpha: u32, inner: &Inner) -> Self {
        let mut grain = Grain::new::<F>(POWER, width, full, partial);
        let half = full / 2;
        let count = |round| if (half..half + partial).contains(&round) { 1 } else { width };
        let constants = (0..full + partial)
            .map(|round| (0..count(round)).map(|_| grain.element()).collect())
            .collect();
        let diagonal: Vec<F> = match inner {
            Inner::Diagonal(numbers) => numbers.iter().map(|&number| F::from(number)).collect(),
            Inner::Candidate(place) => {
                for _ in 0..place * width {
                    grain.reduced::<F>();
                }
                (0..width).map(|_| grain.reduced()).collect()
            }
        };
        let diagonal = diagonal.into_iter().map(|number| number - F::ONE).collect();
        let linear = Linear::Poseidon2 { diagonal };
        Self { width, half, seventh: is_seventh(alpha), constants, linear }
    }

    /// Elements of a state.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Permutes a state.
    pub fn permute(&self, state: &mut [F]) {
        let (first, others) = self.constants.split_at(self.half);
        let (partial, last) = others.split_at(others.len() - self.half);
        match &self.linear {
            Linear::Poseidon { matrix, along: Along { rows, columns, end } } => {
                let full = |state: &mut [F], constants: &[F]| {
                    self.raise(state, constants);
                    let mixed = matrix.times(state);
                    state.copy_from_slice(&mixed);
                };
                first.iter().for_each(|constants| full(state, constants));
                let corner = matrix.rows()[0][0];
                let (x, z) = state.split_first_mut().expect("there are elements");
                for ((constants, row), column) in partial.iter().zip(rows).zip(columns) {
                    let power = self.power(*x + constants[0]);
                    let products = z.iter().zip(row).map(|(z, factor)| *z * factor);
                    *x = products.fold(corner * power, |sum, product| sum + product);
                    z.iter_mut().zip(column).for_each(|(z, factor)| *z += power * factor);
                }
                let moved = end.times(z);
                z.copy_from_slice(&moved);
                last.iter().for_each(|constants| full(state, constants));
            }
            Linear::Poseidon2 { diagonal } => {
                let full = |state: &mut [F], constants: &[F]| {
                    self.raise(state, constants);
                    outer(state);
                };
                outer(state);
                first.iter().for_each(|constants| full(state, constants));
                for constants in partial {
                    state[0] = self.power(state[0] + constants[0]);
                    let sum = sum(state);
                    state.iter_mut().zip(diagonal).for_each(|(x, d)| *x = *x * d + sum);
                }
                last.iter().for_each(|constants| full(state, constants));
            }
        }
    }

    fn raise(&self, state: &mut [F], constants: &[F]) {
        state.iter_mut().zip(constants).for_each(|(x, constant)| *x = self.power(*x + constant));
    }

    fn power(&self, x: F) -> F {
        let square = x.square();
        let fifth = square.square() * x;
        if self.seventh { fifth * square } else { fifth }
    }
}

/// x^5 and x^7 are the S-boxes that the code has.
fn is_seventh(alpha: u32) -> bool {
    assert!(alpha == 5 || alpha == 7, "x^{alpha}");
    alpha == 7
}

fn sum<F: PrimeField>(state: &[F]) -> F {
    state.iter().fold(F::ZERO, |sum, x| sum + x)
}

/// Poseidon2's outer matrix: for two and three elements ones and 1 more on the diagonal; for four [`block`]; for more a block each four,
/// and the sum of the blocks added to each.
fn outer<F: PrimeField>(state: &mut [F]) {
    if state.len() < 4 {
        let sum = sum(state);
        state.iter_mut().for_each(|x| *x += sum);
        return;
    }
    let (blocks, _) = state.as_chunks_mut::<4>();
    blocks.iter_mut().for_each(block);
    if blocks.len() > 1 {
        let mut sums = [F::ZERO; 4];
        for block in &*blocks {
            sums.iter_mut().zip(block).for_each(|(sum, x)| *sum += x);
        }
        for block in blocks {
            block.iter_mut().zip(&sums).for_each(|(x, sum)| *x += sum);
        }
    }
}

/// The rows 5 7 1 3, 4 6 1 1, 1 3 5 7 and 1 1 4 6: with s = a + b and t = c + d they are 4 s + (t + 2 b) + (s + 2 d), and so on.
fn block<F: PrimeField>([a, b, c, d]: &mut [F; 4]) {
    let (s, t) = (*a + *b, *c + *d);
    let (u, v) = (t + b.double(), s + d.double());
    let (p, q) = (s.double().double() + u, t.double().double() + v);
    (*a, *b, *c, *d) = (p + v, p, q + u, q);
}
