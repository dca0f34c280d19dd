//! The computation that the leaves of a header share, written once for every instruction set: a vector lane is a header.
//!
//! It is the chaining value h after the first block, and the second block's state v in its first round, as far
//! as that goes without the index: the columns without the second half of the first, where message word 1 comes
//! in. Of the other words only word 0 is not zero.
//!
//! An instruction-set file has in scope a vector type `V` of `LANES` lanes and `ROWS` rows, its word operations
//! (see [`super::strips`]), and
//!
//! * `load_words(words, first)`: one word of each header from `first` on, a lane a header;
//! * `store_words(a, words, first)`: the same, back.

use super::{HEADER_BYTES, Leaves, Shape};

/// Words of a header, the last one filled up with zeros.
const HEADER_WORDS: usize = HEADER_BYTES.div_ceil(8);
/// Words of a BLAKE2b block.
pub(super) const BLOCK_WORDS: usize = 16;
/// Bytes of a BLAKE2b block.
pub(super) const BLOCK_BYTES: u64 = 8 * BLOCK_WORDS as u64;
/// Bytes that a leaf's BLAKE2b hashes: the header and the block number.
pub(super) const MESSAGE_BYTES: u64 = HEADER_BYTES as u64 + 4;

/// Headers side by side and what comes out of them: word w of header i is `[w][i]`.
pub(super) struct Begun<const HEADERS: usize> {
    pub(super) message: [[u64; HEADERS]; HEADER_WORDS],
    /// Becomes [`Leaves::h`].
    pub(super) h: [[u64; HEADERS]; 8],
    /// Becomes [`Leaves::v`].
    pub(super) v: [[u64; HEADERS]; 16],
}

impl<const HEADERS: usize> Begun<HEADERS> {
    /// At least one header, and at most `HEADERS`. Lanes that are left over hash zeros.
    pub(super) fn new<'h>(headers: impl IntoIterator<Item = &'h [u8; HEADER_BYTES]>) -> Self {
        let mut message = [[0; HEADERS]; HEADER_WORDS];
        for (i, header) in headers.into_iter().enumerate() {
            let (words, rest) = header.as_chunks::<8>();
            let rest: &[u8; 4] = rest.first_chunk().expect("a header is 17 words and a half");
            for (to, word) in message.iter_mut().zip(words) {
                to[i] = u64::from_le_bytes(*word);
            }
            message[HEADER_WORDS - 1][i] = u32::from_le_bytes(*rest).into();
        }
        Self { message, h: [[0; HEADERS]; 8], v: [[0; HEADERS]; 16] }
    }

    /// The leaves of header `i`.
    pub(super) fn leaves<'a>(&self, shape: &'a Shape, i: usize) -> Leaves<'a> {
        Leaves {
            shape,
            h: std::array::from_fn(|w| self.h[w][i]),
            v: std::array::from_fn(|w| self.v[w][i]),
            m0: self.message[BLOCK_WORDS][i],
            m1_low: self.message[BLOCK_WORDS + 1][i],
        }
    }
}

/// Defines `begin_any`.
macro_rules! begin_lanes {
    ($(#[$feature:meta])*) => {
        /// Fills in `h` and `v` of the first `count` headers, from their messages.
        $(#[$feature])*
        fn begin_any<const HEADERS: usize>(
            start: &[u64; 8],
            begun: &mut $crate::equihash::begin::Begun<HEADERS>,
            count: usize,
        ) {
            use $crate::blake2b::{before_rounds, looped_rounds};
            use $crate::equihash::begin::{BLOCK_BYTES, BLOCK_WORDS, MESSAGE_BYTES};
            for first in (0..count).step_by(LANES * ROWS) {
                let m: [V; BLOCK_WORDS] =
                    std::array::from_fn(|i| load_words(&begun.message[i], first));
                let mut v = before_rounds(start, BLOCK_BYTES, false).map(|word| splat(word));
                looped_rounds!(v, m);
                let h: [V; 8] =
                    std::array::from_fn(|i| xor(splat(start[i]), xor(v[i], v[i + 8])));
                let (zero, m0) = (splat(0), load_words(&begun.message[BLOCK_WORDS], first));
                let mut v = before_rounds(&[0; 8], MESSAGE_BYTES, true).map(|word| splat(word));
                v[..8].copy_from_slice(&h);
                g_first_half!(
                    v, 0 4 8 12: m0, 1 5 9 13: zero, 2 6 10 14: zero, 3 7 11 15: zero
                );
                g_second_half!(v, 1 5 9 13: zero, 2 6 10 14: zero, 3 7 11 15: zero);
                for i in 0..8 {
                    store_words(h[i], &mut begun.h[i], first);
                }
                for i in 0..16 {
                    store_words(v[i], &mut begun.v[i], first);
                }
            }
        }
    };
}

pub(super) use begin_lanes;
