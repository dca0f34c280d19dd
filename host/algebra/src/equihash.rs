//! Equihash leaves and their exclusive ors: the part of a verification that costs something.
//!
//! Zcash protocol specification, 7.7.1. With iph = floor(512/n), leaf i is the n-bit string number i mod iph of
//! BLAKE2b(digest of iph n bits, personalisation || LE32(n) || LE32(k); header || LE32(i / iph)), where a bit
//! string reads each byte from its highest bit.
//!
//! The header has 140 bytes. Its first 128 are one BLAKE2b block, the same for all leaves, compressed once
//! ([`Leaves::new`]), for several headers side by side ([`Leaves::batch`]). The second block is 12 bytes of
//! header, the block number and 112 zero bytes: message words 2 to 15 are zero and cost nothing, and in the first
//! round only the second half of the first column's G and the diagonals depend on the leaf at all.
//!
//! A solution's 2^k leaves are walked as eight strips of 2^(k-3), one a vector lane ([`walk`]): a strip is a
//! whole subtree, so that each lane can test its own subtrees without a look at the others.

use crate::blake2b;
use crate::isa::Isa;
#[cfg(target_arch = "x86_64")]
use crate::isa::Level;
use begin::Begun;
pub use indices::Indices;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod begin;
mod digests;
mod indices;
mod portable;
pub mod solver;
mod strips;

/// Strips of a solution.
pub const STRIPS: usize = 8;
/// Bytes of a header in front of its solution.
pub const HEADER_BYTES: usize = 140;
/// Most headers that [`Leaves::batch`] takes.
pub const BATCH: usize = 16;
/// From this number of headers on, a vector of them is faster than one after the other.
const WORTH_A_VECTOR: usize = 4;

/// A bit string of up to 512 bits as it lies in memory, in little-endian words: its first bit is bit 7.
type BitString = [u64; 8];

/// The constants that follow from (n, k) and the personalisation.
#[derive(Clone, Debug)]
pub struct Shape {
    n: usize,
    k: usize,
    /// The chaining value before the header.
    start: [u64; 8],
    /// Index to BLAKE2b number by multiplication: (i * reciprocal) >> reciprocal_shift = i / iph.
    reciprocal: u64,
    reciprocal_shift: u32,
    /// `zero_masks[t]` covers the first t collision groups.
    zero_masks: Vec<BitString>,
}

impl Shape {
    /// Computes the constants. n is a multiple of 8 up to 512, k is from 3 to 16, k + 1 is a divisor of n, and indices
    /// have n/(k+1) + 1 bits, at most 32. Anything else is a bug of the caller.
    pub fn new(n: u32, k: u32, personalisation: &[u8; 8]) -> Self {
        assert!(n.is_multiple_of(8) && (8..=512).contains(&n));
        assert!((3..=16).contains(&k) && n.is_multiple_of(k + 1));
        assert!(n / (k + 1) < 32);
        let per_hash = u64::from(512 / n);
        let mut person = [0; 16];
        person[..8].copy_from_slice(personalisation);
        person[8..12].copy_from_slice(&n.to_le_bytes());
        person[12..].copy_from_slice(&k.to_le_bytes());
        let reciprocal_shift = 31 + per_hash.next_power_of_two().ilog2();
        Self {
            n: n as usize,
            k: k as usize,
            start: blake2b::start((per_hash * u64::from(n) / 8) as usize, &person),
            reciprocal: (1u64 << reciprocal_shift).div_ceil(per_hash),
            reciprocal_shift,
            zero_masks: (0..=k).map(|t| first_bits((t * (n / (k + 1))) as usize)).collect(),
        }
    }
}

/// The mask of the first `bits` bits of a bit string.
fn first_bits(bits: usize) -> BitString {
    std::array::from_fn(|j| {
        let here = bits.saturating_sub(64 * j).min(64) as u32;
        u64::MAX.checked_shl(64 - here).unwrap_or(0).swap_bytes()
    })
}

/// The leaves of one header: everything about them that does not depend on the index, computed.
#[derive(Clone, Debug)]
pub struct Leaves<'a> {
    shape: &'a Shape,
    /// The chaining value after the first block.
    h: [u64; 8],
    /// The state in the first round of the second block, where the index comes in: all columns done but the
    /// second half of the first, whose next step is v0 += v4 + m1.
    v: [u64; 16],
    /// Message word 0, and word 1 without the index in its upper half.
    m0: u64,
    m1_low: u64,
}

impl<'a> Leaves<'a> {
    /// Hashes a header's first 140 bytes.
    pub fn new(shape: &'a Shape, header: &[u8; HEADER_BYTES]) -> Self {
        let mut begun = Begun::<1>::new([header]);
        portable::begin(&shape.start, &mut begun, 1);
        begun.leaves(shape, 0)
    }

    /// Hashes the first 140 bytes of up to [`BATCH`] headers, in order: in parallel in the lanes of vectors, if
    /// there are enough of them.
    pub fn batch(isa: Isa, shape: &'a Shape, headers: &[&[u8; HEADER_BYTES]]) -> Vec<Self> {
        assert!(headers.len() <= BATCH, "headers of a batch");
        if headers.len() < WORTH_A_VECTOR {
            return headers.iter().map(|header| Self::new(shape, header)).collect();
        }
        let mut begun = Begun::<BATCH>::new(headers.iter().copied());
        match isa.0 {
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => avx2::begin(&shape.start, &mut begun, headers.len()),
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 | Level::Avx512Ifma => {
                avx512::begin(&shape.start, &mut begun, headers.len())
            }
            _ => portable::begin(&shape.start, &mut begun, headers.len()),
        }
        (0..headers.len()).map(|i| begun.leaves(shape, i)).collect()
    }
}

/// The properties of the exclusive ors of a solution's leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Walk {
    /// The exclusive or of all leaves is not zero.
    pub xor_non_zero: bool,
    /// With X(c) the exclusive or of the first c leaves: for some c < 2^k and level i < k with c a multiple of
    /// 2^(i+1), collision group i of X(c) is not zero. As long as all is well X(c) is that of the subtree which
    /// ends at c, because the ones before it are zero there already.
    pub bad_zero_order: bool,
}

/// What the eight lanes found: the exclusive or of each strip, and whether any has a fault inside.
#[derive(Debug, PartialEq, Eq)]
struct StripSums {
    /// `xor[word][strip]`.
    xor: [[u64; STRIPS]; 8],
    fault: bool,
}

/// Walks a solution's leaves in order. `rows[s][l]` is index number l 2^(k-3) + s: strip l is column l.
///
/// Within a strip the lane knows only its own exclusive or L(c), not the X(c) = P ^ L(c) that counts, where P
/// is that of all strips before. Nothing is lost: the groups that are tested inside a strip are a part of those
/// tested at its start, so P is zero in them, or the fault is found there.
pub fn walk(isa: Isa, leaves: &Leaves<'_>, rows: &[[u32; STRIPS]]) -> Walk {
    let shape = leaves.shape;
    assert_eq!(rows.len(), 1 << (shape.k - 3), "rows of a solution");
    let sums = sums(isa, leaves, rows);
    let (mut xor, mut faults) = (0, 0);
    // Word by word, as far as a leaf has words: they do not meddle with each other.
    for (j, strips) in sums.xor.iter().take(shape.n.div_ceil(64)).enumerate() {
        let mut x = strips[0];
        for (strip, sum) in strips.iter().enumerate().skip(1) {
            let levels = shape.k - 3 + strip.trailing_zeros() as usize;
            faults |= x & shape.zero_masks[levels][j];
            x ^= sum;
        }
        xor |= x;
    }
    Walk { xor_non_zero: xor != 0, bad_zero_order: sums.fault || faults != 0 }
}

/// Returns whether the indices are a solution of the header of `leaves`, by every condition of the protocol: the exclusive ors, the order of subtrees,
/// and that no index occurs twice.
pub fn is_solution(isa: Isa, leaves: &Leaves<'_>, indices: &mut Indices) -> bool {
    let Walk { xor_non_zero, bad_zero_order } = walk(isa, leaves, indices.rows());
    let zeros = !xor_non_zero && !bad_zero_order;
    zeros && !indices.are_out_of_order(isa) && !indices.have_duplicate(isa)
}

/// The eight strips' sums. A solution of eight leaves (k = 3) has but one row, too little for two-row vectors.
fn sums(isa: Isa, leaves: &Leaves<'_>, rows: &[[u32; STRIPS]]) -> StripSums {
    match isa.0 {
        _ if rows.len() == 1 => portable::walk(leaves, rows),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => avx2::walk(leaves, rows),
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 | Level::Avx512Ifma => avx512::walk(leaves, rows),
        _ => portable::walk(leaves, rows),
    }
}

#[cfg(test)]
mod tests;
