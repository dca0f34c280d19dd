//! Round constants and the matrix.

use super::grain::Grain;
use super::{Scalar, Strength, spec};
use crate::poseidon::matrix::Matrix;

/// The numbers that define an instance.
pub struct Numbers {
    /// Elements of the state.
    pub width: usize,
    /// Rounds in which only the first element is raised.
    pub partial: usize,
    /// The constants that each round adds.
    pub constants: Vec<Vec<Scalar>>,
    /// 1 / (width + i + j).
    pub matrix: Matrix,
}

/// neptune's number for the S-box x^5 in the generation of constants.
const FIFTH_POWER: usize = 1;

/// Full rounds before and after the partial ones.
pub const HALF: usize = spec::FULL_ROUNDS / 2;

impl Numbers {
    pub fn of(arity: usize, strength: Strength) -> Self {
        let width = arity + 1;
        let standard = spec::PARTIAL_ROUNDS[arity - spec::MIN_ARITY];
        let (times, over) = spec::STRENGTHENED;
        let partial = match strength {
            Strength::Standard => standard,
            Strength::Strengthened => (standard * times).div_ceil(over),
        };
        let mut grain = Grain::new::<Scalar>(FIFTH_POWER, width, spec::FULL_ROUNDS, partial);
        let constants = (0..spec::FULL_ROUNDS + partial)
            .map(|_| (0..width).map(|_| grain.element()).collect())
            .collect();
        let mut inverses: Vec<_> = (width..3 * width - 1).map(|n| Scalar::from(n as u64)).collect();
        crate::field::Field::batch_invert_vartime(&mut inverses);
        let matrix = Matrix::new(width, |i, j| inverses[i + j]);
        Self { width, partial, constants, matrix }
    }

    /// Returns the number of rounds.
    pub fn rounds(&self) -> usize {
        self.constants.len()
    }

    /// Returns whether this round raises all elements.
    pub fn is_full(&self, round: usize) -> bool {
        !(HALF..HALF + self.partial).contains(&round)
    }

    /// The constants, with [those that partial rounds add](Matrix::move_constants) to all but the first element moved.
    pub fn moved_constants(&self) -> Vec<Vec<Scalar>> {
        let mut moved = self.constants.clone();
        self.matrix.move_constants(&mut moved[HALF..=HALF + self.partial]);
        moved
    }
}
