//! The permutation with a matrix of small integers.
//!
//! The matrix is 1 / (t + i + j), for t elements. With L = lcm(t, ..., 3 t - 2), the entries of L times the matrix are integers
//! L / (t + i + j), below 2^44 for t up to twelve. Instead of the state s, w is kept, where s = scale w for a number that
//! changes from round to round and is known beforehand:
//!
//! - a full round makes it its fifth power;
//! - a partial round multiplies the first element by a constant besides, so that it keeps the scale of the others;
//! - the matrix divides it by L;
//! - each product and each combination brings its [factor](Arithmetic::product_factor).
//!
//! So a hash takes three products for each power in full rounds, four in partial ones, one for the digest, and combinations.

use super::Scalar;
use super::arithmetic::{Arithmetic, State};
use super::numbers::Numbers;
use crate::field::Field;

/// The number of elements of the largest state in this form.
pub const MAX_SCALED_WIDTH: usize = 12;

/// The constants of the permutation with a matrix of small integers, for an arithmetic whose products and combinations are divided by something.
#[derive(Clone, Debug)]
pub struct ScaledConstants {
    /// L / (t + k), below 2^44, for k from 0 to 2 t - 2: row i of the matrix begins with number i.
    pub entries: Vec<u64>,
    /// Added to the state before the first round.
    pub first: Vec<Scalar>,
    /// The rounds in order.
    pub rounds: Vec<ScaledRound>,
    /// The digest is the second element of the last combination times this.
    pub last: Scalar,
}

/// The constants of a round.
#[derive(Clone, Debug)]
pub struct ScaledRound {
    /// The factor of the first element's fifth power, in a partial round.
    pub by: Option<Scalar>,
    /// Added to the first elements after the matrix.
    pub after: Vec<Scalar>,
}

impl ScaledConstants {
    /// For products that are x y `product` and combinations that are sums of multiples times `combination`; neither is 0.
    pub(super) fn new(numbers: &Numbers, product: Scalar, combination: Scalar) -> Self {
        let width = numbers.width as u64;
        assert!(numbers.width <= MAX_SCALED_WIDTH, "a larger state has larger entries");
        let multiple = (width..3 * width - 1).fold(1, least_common_multiple);
        let entries = (width..3 * width - 1).map(|n| multiple / n).collect();
        let inverse = |x: Scalar| x.invert_vartime().expect("no scale is 0");
        let of_power = inverse(product.square().square());
        let of_matrix = inverse(combination * Scalar::from(multiple));

        let constants = numbers.moved_constants();
        let first = constants[0].clone();
        let (mut rounds, mut scale) = (Vec::with_capacity(numbers.rounds()), Scalar::ONE);
        for round in 0..numbers.rounds() {
            let fourth = scale.square().square();
            let by = if numbers.is_full(round) {
                scale = fourth * scale * of_power;
                None
            } else {
                Some(fourth * of_power * inverse(product))
            };
            scale *= of_matrix;
            let scaled = inverse(scale);
            let next = constants.get(round + 1).map_or(&[][..], Vec::as_slice);
            let after = next.iter().map(|constant| scaled * constant).collect();
            rounds.push(ScaledRound { by, after });
        }
        Self { entries, first, rounds, last: scale * inverse(product) }
    }
}

/// The constants, as an arithmetic keeps them.
pub struct Scaled<C> {
    /// L / (t + k).
    entries: Vec<u64>,
    /// The constants that are added before the first round.
    first: Vec<C>,
    rounds: Vec<Round<C>>,
    /// What leads from the last w to the digest.
    last: C,
}

struct Round<C> {
    /// Of a partial round, what the first element is multiplied by.
    by: Option<C>,
    /// What is added to the first elements after it, for the round that follows.
    after: Vec<C>,
}

impl<C: Copy> Scaled<C> {
    pub fn new<A: Arithmetic<Constant = C>>(numbers: &Numbers) -> Self {
        let constants = ScaledConstants::new(numbers, A::product_factor(), A::combination_factor());
        let constant = |numbers: &[Scalar]| numbers.iter().map(A::constant).collect();
        let round = |round: &ScaledRound| Round {
            by: round.by.as_ref().map(A::constant),
            after: constant(&round.after),
        };
        Self {
            entries: constants.entries,
            first: constant(&constants.first),
            rounds: constants.rounds.iter().map(round).collect(),
            last: A::constant(&constants.last),
        }
    }

    #[inline(always)]
    pub fn digest<A: Arithmetic<Constant = C>>(&self, a: A, state: &mut State<A>) -> A::X {
        let width = self.first.len();
        for (x, constant) in state.iter_mut().zip(&self.first) {
            *x = a.sum(x, &a.splat(constant));
        }
        let mut next = *state;
        let (last, rounds) = self.rounds.split_last().expect("there are rounds");
        for round in rounds {
            self.raise(a, state, round);
            for (i, x) in next.iter_mut().enumerate().take(width) {
                let row = &self.entries[i..i + width];
                *x = a.combination(&state[..width], row, round.after.get(i));
            }
            state[..width].copy_from_slice(&next[..width]);
        }
        self.raise(a, state, last);
        let second = a.combination(&state[..width], &self.entries[1..=width], None);
        a.product(&second, &a.splat(&self.last))
    }

    #[inline(always)]
    fn raise<A: Arithmetic<Constant = C>>(&self, a: A, state: &mut State<A>, round: &Round<C>) {
        if let Some(by) = &round.by {
            state[0] = a.fifth_power_by(&state[0], &a.splat(by));
            return;
        }
        for x in &mut state[..self.first.len()] {
            *x = a.fifth_power(x);
        }
    }
}

fn least_common_multiple(a: u64, b: u64) -> u64 {
    let (mut divisor, mut rest) = (a, b);
    while rest != 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    a / divisor * b
}
