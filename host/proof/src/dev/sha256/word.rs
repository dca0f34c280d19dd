//! Words of 32 bits in a circuit, with the operations of SHA-256.
//!
//! A bit is a sum of variables that is 0 or 1. A known bit is constant and needs no constraint.

use proofmill_algebra::field::PrimeField;

use crate::dev::r1cs::{Builder, Linear};

const BITS: usize = 32;

/// 32 bits, lowest first.
#[derive(Clone, Debug)]
pub(super) struct Word<F>(Vec<Linear<F>>);

impl<F: PrimeField> Word<F> {
    pub(super) fn constant(word: u32) -> Self {
        Self((0..BITS).map(|bit| Linear::constant(F::from(u64::from(word >> bit & 1)))).collect())
    }

    /// Returns the word of four big-endian bytes. The first ones are private and belong to the message, the others are padding.
    pub(super) fn message(circuit: &mut Builder<F>, known: &[u8], padding: &[u8]) -> Self {
        let mut bits = Vec::with_capacity(BITS);
        for byte in (0..BITS / 8).rev() {
            for shift in 0..8 {
                bits.push(match known.get(byte) {
                    Some(known) => bit(circuit, u64::from(known >> shift & 1)),
                    None => Linear::constant(F::from(u64::from(padding[byte] >> shift & 1))),
                });
            }
        }
        Self(bits)
    }

    /// Returns the integer.
    pub(super) fn number(&self) -> Linear<F> {
        weighted(&self.0)
    }

    /// ROTR.
    pub(super) fn rotated(&self, by: usize) -> Self {
        Self((0..BITS).map(|i| self.0[(i + by) % BITS].clone()).collect())
    }

    /// SHR.
    pub(super) fn shifted(&self, by: usize) -> Self {
        let from = |i: usize| self.0.get(i + by).cloned().unwrap_or(Linear::ZERO);
        Self((0..BITS).map(from).collect())
    }

    /// x XOR y XOR z, with t = y z: x (1 - 2 y - 2 z + 4 t) + y + z - 2 t.
    pub(super) fn xor(circuit: &mut Builder<F>, words: [&Self; 3]) -> Self {
        let two = F::from(2);
        Self::each(words, |x, y, z| {
            let t = circuit.product(y, z);
            let either = y.clone().plus_times(F::ONE, z).plus_times(-two, &t);
            let sign = Linear::constant(F::ONE).plus_times(-two, &either);
            let flipped = circuit.product(x, &sign);
            either.plus_times(F::ONE, &flipped)
        })
    }

    /// Ch: x (y - z) + z.
    pub(super) fn choose(circuit: &mut Builder<F>, x: &Self, y: &Self, z: &Self) -> Self {
        Self::each([x, y, z], |x, y, z| {
            let chosen = circuit.product(x, &y.clone().plus_times(-F::ONE, z));
            z.clone().plus_times(F::ONE, &chosen)
        })
    }

    /// Maj, with t = y z: x (y + z - 2 t) + t.
    pub(super) fn majority(circuit: &mut Builder<F>, x: &Self, y: &Self, z: &Self) -> Self {
        let two = F::from(2);
        Self::each([x, y, z], |x, y, z| {
            let t = circuit.product(y, z);
            let either = y.clone().plus_times(F::ONE, z).plus_times(-two, &t);
            let decided = circuit.product(x, &either);
            t.plus_times(F::ONE, &decided)
        })
    }

    fn each(
        [x, y, z]: [&Self; 3],
        mut f: impl FnMut(&Linear<F>, &Linear<F>, &Linear<F>) -> Linear<F>,
    ) -> Self {
        Self((0..BITS).map(|i| f(&x.0[i], &y.0[i], &z.0[i])).collect())
    }

    /// Adds numbers below 2^32 modulo 2^32.
    pub(super) fn sum(circuit: &mut Builder<F>, numbers: &[Linear<F>]) -> Self {
        let sum = numbers.iter().fold(Linear::ZERO, |sum, more| sum.plus_times(F::ONE, more));
        let value = circuit.value(&sum).to_canonical().as_ref()[0];
        if sum.as_constant().is_some() {
            return Self::constant(value as u32);
        }
        let carries = numbers.len().next_power_of_two().ilog2() as usize;
        let mut bits: Vec<_> = (0..BITS + carries).map(|i| bit(circuit, value >> i & 1)).collect();
        // sum = bits, as a constraint without a product.
        let difference = sum.plus_times(-F::ONE, &weighted(&bits));
        circuit.constrain(&Linear::ZERO, &Linear::ZERO, &difference);
        bits.truncate(BITS);
        Self(bits)
    }
}

/// Returns the number with these bits, lowest first.
fn weighted<F: PrimeField>(bits: &[Linear<F>]) -> Linear<F> {
    let weights = std::iter::successors(Some(F::ONE), |weight| Some(weight.double()));
    bits.iter().zip(weights).fold(Linear::ZERO, |sum, (bit, weight)| sum.plus_times(weight, bit))
}

/// Creates a variable b with b (1 - b) = 0.
fn bit<F: PrimeField>(circuit: &mut Builder<F>, value: u64) -> Linear<F> {
    let bit = Linear::variable(circuit.private(F::from(value)));
    let other = Linear::constant(F::ONE).plus_times(-F::ONE, &bit);
    circuit.constrain(&bit, &other, &Linear::ZERO);
    bit
}
