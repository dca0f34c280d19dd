//! Poseidon hashes as Filecoin uses them.

use serde::{Deserialize, Serialize};

/// Hashes of preimages in the domain of Merkle trees, of standard strength.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// Elements of a preimage.
    pub arity: usize,
    /// Preimages.
    pub count: usize,
    /// Threads.
    pub threads: usize,
    /// One after the other, by one thread; else all at once.
    pub alone: bool,
    /// The [`checksum`] of the digests, as ours has it: other digests are an error.
    pub checksum: u64,
}

/// Preimages one after the other: elements of 32 bytes, lowest first, of nearly all bits, below the modulus.
pub fn preimages(arity: usize, count: usize) -> Vec<u8> {
    let words = (1..).map(|i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 2);
    words.take(4 * arity * count).flat_map(u64::to_le_bytes).collect()
}

/// A sum of digests that depends on their order.
pub fn checksum(digests: &[u8]) -> u64 {
    let words = digests.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word));
    words.fold(0, |sum: u64, word| sum.rotate_left(7).wrapping_mul(31).wrapping_add(word))
}
