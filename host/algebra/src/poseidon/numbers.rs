//! Round constants and the matrix.

use super::{Scalar, Strength, spec};
use crate::field::PrimeField;
use crate::poseidon::matrix::Matrix;

/// What defines an instance.
pub struct Numbers {
    /// Elements of the state.
    pub width: usize,
    /// Rounds in which only the first element is raised.
    pub partial: usize,
    /// What each round adds.
    pub constants: Vec<Vec<Scalar>>,
    /// 1 / (width + i + j).
    pub matrix: Matrix,
}

/// Full rounds before and after the partial ones.
pub const HALF: usize = spec::FULL_ROUNDS / 2;

impl Numbers {
    pub fn of(arity: usize, strength: Strength) -> Self {
        let width = arity + 1;
        let standard = spec::PARTIAL_ROUNDS[arity - spec::LEAST_ARITY];
        let (times, over) = spec::STRENGTHENED;
        let partial = match strength {
            Strength::Standard => standard,
            Strength::Strengthened => (standard * times).div_ceil(over),
        };
        let mut grain = Grain::new(width, partial);
        let constants = (0..spec::FULL_ROUNDS + partial)
            .map(|_| (0..width).map(|_| grain.element()).collect())
            .collect();
        let mut inverses: Vec<_> = (width..3 * width - 1).map(|n| Scalar::from(n as u64)).collect();
        crate::field::Field::batch_invert_vartime(&mut inverses);
        let matrix = Matrix::new(width, |i, j| inverses[i + j]);
        Self { width, partial, constants, matrix }
    }

    /// All rounds.
    pub fn rounds(&self) -> usize {
        self.constants.len()
    }

    /// Does this round raise all elements?
    pub fn is_full(&self, round: usize) -> bool {
        !(HALF..HALF + self.partial).contains(&round)
    }

    /// The constants, with those that partial rounds add to all but the first element moved to the rounds after them: through
    /// the matrix, until a full round adds them. A partial round keeps one.
    pub fn moved_constants(&self) -> Vec<Vec<Scalar>> {
        let mut moved = self.constants.clone();
        let mut carried = vec![Scalar::default(); self.width];
        for (round, constants) in moved.iter_mut().enumerate().skip(HALF).take(self.partial + 1) {
            constants.iter_mut().zip(&carried).for_each(|(constant, more)| *constant += more);
            if !self.is_full(round) {
                carried = std::mem::take(constants);
                constants.push(std::mem::take(&mut carried[0]));
                carried = self.matrix.times(&carried);
            }
        }
        moved
    }
}

/// The Grain LFSR: 80 bits, the oldest highest.
struct Grain(u128);

impl Grain {
    /// Bits of the state.
    const BITS: u32 = 80;
    /// The bits whose sum is the next one, by their age.
    const TAPS: [u32; 6] = [0, 13, 23, 38, 51, 62];

    /// Of prime fields, the S-box x^5 and these numbers.
    fn new(width: usize, partial: usize) -> Self {
        let mut state: u128 = 0;
        let (size, full) = (Scalar::BITS as usize, spec::FULL_ROUNDS);
        let parts = [(1, 2), (1, 4), (size, 12), (width, 12), (full, 10), (partial, 10)];
        for (value, bits) in parts.into_iter().chain([((1 << 30) - 1, 30)]) {
            state = state << bits | value as u128;
        }
        let mut grain = Self(state);
        for _ in 0..160 {
            grain.shift();
        }
        grain
    }

    fn shift(&mut self) -> u64 {
        let age = |age: &u32| (self.0 >> (Self::BITS - 1 - age)) as u64 & 1;
        let bit = Self::TAPS.iter().map(age).fold(0, |sum, bit| sum ^ bit);
        self.0 = (self.0 << 1 | u128::from(bit)) & ((1 << Self::BITS) - 1);
        bit
    }

    /// Of a pair the second bit counts, if the first is 1.
    fn bit(&mut self) -> u64 {
        loop {
            let (counts, bit) = (self.shift(), self.shift());
            if counts == 1 {
                return bit;
            }
        }
    }

    /// The next number below the modulus of as many bits, highest bit first.
    fn element(&mut self) -> Scalar {
        loop {
            let mut words = [0; 4];
            for place in (0..Scalar::BITS as usize).rev() {
                words[place / 64] |= self.bit() << (place % 64);
            }
            if let Some(element) = Scalar::from_canonical(words).into() {
                return element;
            }
        }
    }
}
