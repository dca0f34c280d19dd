//! Numbers from a public rule: the Grain LFSR, as the authors of Poseidon use it.

use crate::field::PrimeField;

/// 80 bits, the oldest highest.
pub struct Grain(u128);

impl Grain {
    /// Bits of the state.
    const BITS: u32 = 80;
    /// The bits whose sum is the next one, by their age.
    const TAPS: [u32; 6] = [0, 13, 23, 38, 51, 62];

    /// Initialises the LFSR for a prime field, the number of an S-box, elements of a state and rounds.
    pub fn new<F: PrimeField>(sbox: usize, width: usize, full: usize, partial: usize) -> Self {
        let mut state: u128 = 0;
        let size = F::BITS as usize;
        let parts = [(1, 2), (sbox, 4), (size, 12), (width, 12), (full, 10), (partial, 10)];
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
    pub fn element<F: PrimeField>(&mut self) -> F {
        loop {
            let mut bytes = F::ZERO.to_le_bytes();
            for place in (0..F::BITS as usize).rev() {
                bytes.as_mut()[place / 8] |= (self.bit() as u8) << (place % 8);
            }
            if let Ok(element) = F::from_le_bytes(bytes.as_ref()) {
                return element;
            }
        }
    }

    /// The next number of as many bits as the modulus has, modulo it.
    pub fn reduced<F: PrimeField>(&mut self) -> F {
        (0..F::BITS).fold(F::ZERO, |number, _| number.double() + F::from(self.bit()))
    }
}
