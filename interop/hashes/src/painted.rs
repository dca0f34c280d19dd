//! Elements for tests: of all bits, and edges of the field among them.

use blstrs::Scalar;
use ff::{Field as _, PrimeField as _};

/// Numbers that follow from a seed (SplitMix64).
pub struct Source(pub u64);

impl Source {
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// 0, 1 and r - 1 are one in sixteen together.
    pub fn element(&mut self) -> Scalar {
        match self.word() % 48 {
            0 => Scalar::ZERO,
            1 => Scalar::ONE,
            2 => -Scalar::ONE,
            _ => loop {
                let mut bytes = [0; 32];
                bytes
                    .as_chunks_mut()
                    .0
                    .iter_mut()
                    .for_each(|word| *word = self.word().to_le_bytes());
                bytes[31] >>= 1;
                if let Some(element) = Scalar::from_repr(bytes).into() {
                    return element;
                }
            },
        }
    }

    pub fn elements(&mut self, count: usize) -> Vec<Scalar> {
        (0..count).map(|_| self.element()).collect()
    }
}
