//! A solution's indices: cut from its bytes, in order, no two alike.

use super::STRIPS;
use crate::isa::Isa;
#[cfg(target_arch = "x86_64")]
use crate::isa::Level;

#[cfg(target_arch = "x86_64")]
use super::avx2;

/// Bytes that an index is read from: its own, and strangers in front of them.
const WINDOW: usize = 8;

/// A solution's indices, with working memory for the search for duplicates.
#[derive(Clone, Debug)]
pub struct Indices {
    /// Index number l * rows + s at `rows[s][l]`, as [`walk`](super::walk) wants them.
    rows: Vec<[u32; STRIPS]>,
    bits: usize,
    /// One bit for each value of the lowest bits of an index: has an index with these been seen? Empty until the first
    /// search by sieve, like the suspects.
    seen: Vec<u64>,
    suspects: Vec<u32>,
}

impl Indices {
    /// Allocates memory for `count` (at least eight, a power of two) indices of `bits` (at most 32).
    pub fn new(count: usize, bits: u32) -> Self {
        assert!(count >= STRIPS && count.is_power_of_two() && (1..=32).contains(&bits));
        Self {
            rows: vec![[0; STRIPS]; count / STRIPS],
            bits: bits as usize,
            seen: Vec::new(),
            suspects: Vec::new(),
        }
    }

    /// The indices as they were read: index number l * rows + s at `[s][l]`.
    pub fn rows(&self) -> &[[u32; STRIPS]] {
        &self.rows
    }

    /// Splits the solution at the end of a header into its indices: big-endian, one after the other. At least
    /// eight bytes, of any content, precede the solution.
    pub fn read(&mut self, header: &[u8]) {
        let bytes = WINDOW + self.rows.len() * self.bits;
        let (_, bytes) = header.split_at(header.len().checked_sub(bytes).expect("a whole header"));
        // Copies of their own for Zcash's parameters and (144,5): all places in a window are constants there.
        match self.bits {
            21 => self.cut::<21>(bytes),
            25 => self.cut::<25>(bytes),
            _ => self.cut::<0>(bytes),
        }
    }

    /// Eight indices of BITS bits, or `self.bits` if that is 0, are as many bytes; a window is these and the
    /// eight before them. An index is in the eight bytes that end where it ends.
    #[inline]
    fn cut<const BITS: usize>(&mut self, bytes: &[u8]) {
        let bits = if BITS == 0 { self.bits } else { BITS };
        let mask = u32::MAX >> (32 - bits);
        let (rows, log_rows) = (self.rows.len(), self.rows.len().ilog2());
        let places = self.rows.as_flattened_mut();
        for (eight, window) in bytes.windows(WINDOW + bits).step_by(bits).enumerate() {
            for i in 0..8 {
                let end = 8 * WINDOW + (i + 1) * bits;
                let last = end.div_ceil(8);
                let word = window[last - WINDOW..last].first_chunk().expect("eight bytes");
                let index = (u64::from_be_bytes(*word) >> (8 * last - end)) as u32 & mask;
                let number = 8 * eight + i;
                places[(number & (rows - 1)) * STRIPS + (number >> log_rows)] = index;
            }
        }
    }

    /// True when some right subtree's first index is not greater than its left sibling's.
    pub fn are_out_of_order(&self, isa: Isa) -> bool {
        match isa.0 {
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 | Level::Avx512 | Level::Avx512Ifma => avx2::are_out_of_order(&self.rows),
            _ => are_out_of_order(&self.rows),
        }
    }

    /// True when some index occurs twice.
    pub fn have_duplicate(&mut self, isa: Isa) -> bool {
        match (isa.0, <&[_; 4]>::try_from(&self.rows[..])) {
            #[cfg(target_arch = "x86_64")]
            (Level::Avx2 | Level::Avx512 | Level::Avx512Ifma, Ok(four_rows)) => {
                avx2::have_equal_pair(four_rows)
            }
            _ => self.have_duplicate_among_many(),
        }
    }

    /// A sieve on the lowest bits, with 128 places for each index, lets pass a suspect or two of an honest
    /// solution; each of them is then counted. Whoever makes many suspects on purpose gets a sort instead,
    /// which costs about as much as the leaves do.
    fn have_duplicate_among_many(&mut self) -> bool {
        const FEW: usize = 16;
        let indices = self.rows.as_flattened();
        self.seen.clear();
        self.seen.resize(2 * indices.len(), 0);
        self.suspects.resize(indices.len(), 0);
        let (seen, found) = (&mut self.seen[..], &mut self.suspects[..]);
        let words = seen.len() - 1; // a mask: their number is a power of two
        let mut suspects = 0;
        for &index in indices {
            let (word, bit) = (&mut seen[(index as usize / 64) & words], index % 64);
            found[suspects] = index;
            suspects += (*word >> bit & 1) as usize;
            *word |= 1 << bit;
        }
        if suspects <= FEW {
            let occurrences = |suspect: u32| {
                indices.iter().fold(0u32, |n, &index| n + u32::from(index == suspect))
            };
            return found[..suspects].iter().any(|&suspect| occurrences(suspect) > 1);
        }
        self.suspects.copy_from_slice(indices);
        self.suspects.sort_unstable();
        self.suspects.windows(2).any(|pair| pair[0] == pair[1])
    }
}

/// The subtree that starts at position c is a right one at exactly one level, and its sibling starts where c
/// has its lowest set bit cleared.
#[inline(always)]
pub(super) fn are_out_of_order(rows: &[[u32; STRIPS]]) -> bool {
    let not_greater = |right: &[u32; STRIPS], left: &[u32; STRIPS]| {
        right.iter().zip(left).fold(false, |wrong, (right, left)| wrong | (right <= left))
    };
    let within =
        (1..rows.len()).fold(false, |wrong, s| wrong | not_greater(&rows[s], &rows[s & (s - 1)]));
    let first = &rows[0];
    (1..STRIPS).fold(within, |wrong, l| wrong | (first[l] <= first[l & (l - 1)]))
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha20Rng;

    use super::*;

    /// With these at their places, as if they had been read.
    fn indices(values: &[u32]) -> Indices {
        let mut indices = Indices::new(values.len(), 32);
        let rows = values.len() / STRIPS;
        for (number, value) in values.iter().enumerate() {
            indices.rows[number % rows][number / rows] = *value;
        }
        indices
    }

    /// The binary digits of a header, cut as one would with scissors.
    #[test]
    fn indices_of_all_widths_are_cut_from_the_end_of_a_header() {
        let mut rng = ChaCha20Rng::seed_from_u64(4);
        for bits in 1..=32 {
            for count in [8, 16, 32, 512] {
                let header: Vec<u8> =
                    (0..WINDOW + count * bits / 8).map(|_| rng.random()).collect();
                let digits: String =
                    header[WINDOW..].iter().map(|byte| format!("{byte:08b}")).collect();
                let expected: Vec<u32> = (0..count)
                    .map(|i| u32::from_str_radix(&digits[i * bits..][..bits], 2).unwrap())
                    .collect();
                let mut found = Indices::new(count, bits as u32);
                found.read(&header);
                assert_eq!(found.rows(), indices(&expected).rows(), "{count} of {bits} bits");
            }
        }
    }

    #[test]
    fn any_two_alike_are_found_and_different_ones_are_none() {
        // Alike in the lowest bits, in the highest, and all over.
        for spread in [1, 1 << 16, 0x9e37_79b1_u32] {
            for count in [8, 16, 32, 64] {
                let values: Vec<u32> = (1..=count).map(|i| spread.wrapping_mul(i)).collect();
                for isa in Isa::available() {
                    assert!(!indices(&values).have_duplicate(isa), "{count} {isa}");
                    for right in 0..values.len() {
                        for left in 0..right {
                            let mut values = values.clone();
                            values[right] = values[left];
                            let found = indices(&values).have_duplicate(isa);
                            assert!(found, "{count}: {left} and {right} {isa}");
                        }
                    }
                }
            }
        }
    }

    /// Ascending ones are in order; then one is made as small as the first of its subtree's sibling, or smaller
    /// by one, or greater by one.
    #[test]
    fn the_order_is_that_of_all_siblings() {
        for count in [8, 16, 32, 64] {
            let values: Vec<u32> = (0..count as u32).map(|i| 0x7fff_ff00 + 8 * i).collect();
            for isa in Isa::available() {
                assert!(!indices(&values).are_out_of_order(isa), "{count} {isa}");
                for right in 1..count {
                    let left = right & (right - 1);
                    for (value, wrong) in
                        [(values[left] - 1, true), (values[left], true), (values[left] + 1, false)]
                    {
                        // Whatever is compared with the changed one is far above it.
                        let mut values = values.clone();
                        values[right] = value;
                        let found = indices(&values).are_out_of_order(isa);
                        assert_eq!(found, wrong, "{count}: {right} {isa}");
                    }
                }
            }
        }
    }
}
