//! Reproducible random numbers for tests: SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number
//! generators", 2014). Not for secrets.

/// A generator. The same seed always results in the same numbers.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Creates a generator with this seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// Returns a number below `end`, which is not 0. The bias of the remainder does not matter to tests.
    pub fn below(&mut self, end: u64) -> u64 {
        self.bits() % end
    }

    /// Returns random bytes.
    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.bits() as u8).collect()
    }

    /// Returns one of these items, of which there is at least one.
    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len() as u64) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_numbers_are_the_published_ones() {
        let mut random = Random::new(1_234_567);
        assert_eq!(random.bits(), 6_457_827_717_110_365_317);
        assert_eq!(random.bits(), 3_203_168_211_198_807_973);
    }
}
