//! BLAKE2b digests of consecutive block numbers, written once for every instruction set: a vector lane is a number.
//!
//! An instruction-set file has in scope what [`super::strips`] and [`super::begin`] name, and `digest` of the former.

/// Digests that are computed together.
pub(super) const DIGESTS: usize = 16;

/// Word w of digest i at `[w][i]`.
pub(super) type Digests = [[u64; DIGESTS]; 8];

/// Defines `digests_any`.
macro_rules! digest_lanes {
    ($(#[$feature:meta])*) => {
        /// Computes the digests of the block numbers from `first` on.
        $(#[$feature])*
        fn digests_any(
            leaves: &Leaves<'_>,
            first: u32,
            digests: &mut $crate::equihash::digests::Digests,
        ) {
            use $crate::equihash::digests::DIGESTS;
            let mut blocks = [0; DIGESTS];
            for (block, number) in blocks.iter_mut().zip(first..) {
                *block = u64::from(number);
            }
            for lane in (0..DIGESTS).step_by(LANES * ROWS) {
                let digest = digest(leaves, load_words(&blocks, lane));
                for (word, words) in digest.into_iter().zip(&mut *digests) {
                    store_words(word, words, lane);
                }
            }
        }
    };
}

pub(super) use digest_lanes;
