//! The walk over the strips, written once for every instruction set.
//!
//! An instruction-set file has in scope a vector type `V`, which holds `LANES` strips of `ROWS` rows in 64-bit
//! lanes, and its operations: those of [`crate::blake2b`], and
//!
//! * `splat and or sub shl shr`: lane by lane; `mul32` is the product of the lower halves;
//! * `load(rows, first)`: these rows' indices of the strips from `first` on;
//! * `xor_rows(a)`: the exclusive or over the rows, in the first row; zeros in the others;
//! * `store_words(a, words, first)`: rows and lanes one after the other, from word `first` on, as far as there
//!   are words: to a word a strip, that is the first row;
//! * `xor_where(a, slot, t, w)`: a ^ w where `slot` is t, a otherwise.
//!
//! It gets the functions by naming the processor features that they need.

/// Defines `walk_strips`. Its parameter N is n where that is known when this is compiled, so that a leaf is cut
/// from its digest without a loop, and 0 where it is not.
macro_rules! walk_strips {
    ($(#[$feature:meta])*) => {
        $(#[$feature])*
        fn walk_strips<const N: usize>(leaves: &Leaves<'_>, rows: &[[u32; STRIPS]]) -> StripSums {
            let shape = leaves.shape;
            let n = if N == 0 { shape.n } else { N };
            let mut sums = StripSums { xor: [[0; STRIPS]; 8], fault: false };
            for first in (0..STRIPS).step_by(LANES) {
                let mut x = [splat(0); 8];
                let mut fault = splat(0);
                for (i, rows) in rows.chunks_exact(ROWS).enumerate() {
                    let s = i * ROWS;
                    if s > 0 && s % 2 == 0 {
                        let mask = &shape.zero_masks[s.trailing_zeros() as usize];
                        for j in 0..n.div_ceil(64) {
                            fault = or(fault, and(xor_rows(x[j]), splat(mask[j])));
                        }
                    }
                    xor_leaves::<N>(leaves, load(rows, first), &mut x);
                }
                for (xor, x) in sums.xor.iter_mut().zip(x) {
                    store_words(xor_rows(x), xor, first);
                }
                let mut faults = [0; STRIPS];
                store_words(fault, &mut faults, first);
                sums.fault |= faults != [0; STRIPS];
            }
            sums
        }

        /// `x` ^= the leaves of these indices, one a lane.
        $(#[$feature])*
        #[inline]
        fn xor_leaves<const N: usize>(leaves: &Leaves<'_>, index: V, x: &mut [V; 8]) {
            let shape = leaves.shape;
            let n = if N == 0 { shape.n } else { N };
            let per_hash = 512 / n;
            let block = shr(mul32(index, splat(shape.reciprocal)), shape.reciprocal_shift);
            let slot = sub(index, mul32(block, splat(per_hash as u64)));
            let h = digest(leaves, block);
            for t in 0..per_hash {
                for j in 0..n.div_ceil(64) {
                    let bits = 64.min(n - 64 * j);
                    let w = and(cut(&h, t * n + 64 * j), splat(u64::MAX >> (64 - bits)));
                    x[j] = xor_where(x[j], slot, t as u64, w);
                }
            }
        }

        /// 64 bits of a digest from byte position `bit` / 8 on; zeros after its end.
        $(#[$feature])*
        #[inline]
        fn cut(h: &[V; 8], bit: usize) -> V {
            let (word, low) = (bit / 64, (bit % 64) as u32);
            if low == 0 {
                h[word]
            } else if word == 7 {
                shr(h[word], low)
            } else {
                or(shr(h[word], low), shl(h[word + 1], 64 - low))
            }
        }

        /// BLAKE2b of the header and these block numbers, one a lane. Loops, because `map` and `from_fn` have not these
        /// processor features, and stay calls.
        $(#[$feature])*
        #[inline]
        fn digest(leaves: &Leaves<'_>, block: V) -> [V; 8] {
            let mut m = [splat(0); 16];
            m[0] = splat(leaves.m0);
            m[1] = or(splat(leaves.m1_low), shl(block, 32));
            let mut v = [splat(0); 16];
            for i in 0..16 {
                v[i] = splat(leaves.v[i]);
            }
            g_second_half!(v, 0 4 8 12: m[1]);
            diagonals!(v, m, SIGMA[0]);
            rounds!(v, m, 1 2 3 4 5 6 7 8 9 10 11);
            let mut h = [splat(0); 8];
            for i in 0..8 {
                h[i] = xor(splat(leaves.h[i]), xor(v[i], v[i + 8]));
            }
            h
        }

        /// The walk, with copies of its own for Zcash's parameters and (144,5).
        $(#[$feature])*
        fn walk_any(leaves: &Leaves<'_>, rows: &[[u32; STRIPS]]) -> StripSums {
            match leaves.shape.n {
                200 => walk_strips::<200>(leaves, rows),
                144 => walk_strips::<144>(leaves, rows),
                _ => walk_strips::<0>(leaves, rows),
            }
        }
    };
}

pub(super) use walk_strips;
