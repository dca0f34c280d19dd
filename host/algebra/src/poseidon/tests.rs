//! The forms against each other, and what they are made of.

use super::arithmetic::{Arithmetic, State};
use super::matrix::Matrix;
use super::moving::Moving;
use super::scaled::{MAX_SCALED_WIDTH, Scaled};
use super::words::Words;
use super::*;
use crate::field::Field;

/// States of elements that are large, small and neither.
fn states(width: usize) -> Vec<State<Words>> {
    let mut x = Scalar::from(width as u64);
    let mut state = |special: Scalar| {
        let mut state = [special; MAX_WIDTH];
        for element in state.iter_mut().step_by(2) {
            x = x.square() + Scalar::ONE;
            *element = x;
        }
        state
    };
    let mut states = vec![[Scalar::ZERO; MAX_WIDTH], [-Scalar::ONE; MAX_WIDTH]];
    states.extend([Scalar::ZERO, Scalar::ONE, -Scalar::ONE].map(&mut state));
    states
}

#[test]
fn both_forms_are_the_same_function() {
    for strength in [Strength::Standard, Strength::Strengthened] {
        for arity in MIN_ARITY..MAX_SCALED_WIDTH {
            let numbers = Numbers::of(arity, strength);
            let scaled = Scaled::new::<Words>(&numbers);
            let moving = Moving::new::<Words>(&numbers);
            for state in states(numbers.width) {
                let digest = scaled.digest(Words, &mut state.clone());
                assert_eq!(digest, moving.digest(Words, &mut state.clone()), "arity {arity}");
            }
        }
    }
}

#[test]
fn powers_and_inverses() {
    let matrix = Numbers::of(3, Strength::Standard).matrix;
    let vector: Vec<_> = (5..9).map(Scalar::from).collect();
    let three_times = matrix.times(&matrix.times(&matrix.times(&vector)));
    assert_eq!(matrix.power(3).times(&vector), three_times);
    assert_eq!(matrix.inverse().times(&matrix.times(&vector)), vector);
    assert_eq!(matrix.power(0), Matrix::new(4, |i, j| Scalar::from(u64::from(i == j))));
}

#[test]
fn combinations_of_the_largest() {
    let factor = Words::combination_factor();
    for (element, each) in [(-Scalar::ONE, (1 << 59) - 1), (Scalar::ONE, 1), (-Scalar::ONE, 0)] {
        let found = Scalar::combination(&[element; 12], &[each; 12]);
        assert_eq!(found, factor * element * Scalar::from(12) * Scalar::from(each));
    }
}
