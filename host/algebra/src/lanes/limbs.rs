//! Residues in limbs of 52 bits, on CPUs with AVX-512 IFMA.
//!
//! [`Limbs`] are eight numbers in the registers of a [`Backend`], the only form of residues there. A kernel
//! uses one of these types around them, which adds a bound:
//!
//! | | bound | reduction | used by |
//! |---|---|---|---|
//! | [`Held`] | K p, in its type | explicit, in the formula | MSM, fixed bases, points of files |
//! | [`Lazy`] | a bound that it carries | when the bound exceeds the range | towers, pairings |
//! | secp256k1's `Element` and `Sum` | likewise, in sixteenths of p | in products, by folding and not by Montgomery | ECDSA |
//! | [`Row`] | a bound that debug builds carry | in products | one pairing alone: an element lies across a vector |
//!
//! Transforms and Poseidon's rounds, whose bounds follow from the step they are at, compute with the vectors of limbs themselves.

use super::backend::{Backend, LIMB_BITS, LIMB_MASK, Mask, WIDTH, each};

mod columns;
pub(super) mod constants;
pub(super) mod held;
#[cfg(kernels_of_limbs)]
pub(super) mod ifma;
mod lazy;
#[cfg(any(test, feature = "emulation"))]
pub(super) mod portable;
#[expect(clippy::needless_range_loop, reason = "the number of a limb is the place of a product")]
pub(super) mod product;
mod row;
pub(super) mod slices;
mod word_form;

pub(crate) use constants::limbs;
pub use held::{Held, Sum};
pub(crate) use lazy::Lazy;
pub(crate) use row::{PairProducts, Row};

/// Eight numbers: limb j of all of them is vector j. Normal limbs are all in [0, 2^52); others are signed.
#[derive(Clone, Copy)]
pub struct Limbs<B: Backend, const L: usize> {
    pub b: B,
    pub vectors: [B::V; L],
}

impl<B: Backend, const L: usize> Limbs<B, L> {
    /// Creates numbers with these limbs.
    #[inline(always)]
    pub fn of(b: B, vectors: [B::V; L]) -> Self {
        Self { b, vectors }
    }

    /// Returns a number in every lane.
    #[inline(always)]
    pub fn constant(b: B, limbs: &[u64; L]) -> Self {
        Self::of(b, each!(j < L, b.splat(0) => b.splat(limbs[j])))
    }

    /// Returns the normal limbs of integers of at most 52 L bits, given as 64-bit words, lowest first.
    #[inline(always)]
    pub fn of_words<const W: usize>(b: B, words: &[B::V; W]) -> Self {
        Self::of(b, limbs_of_words(b, words))
    }

    /// The words of normal limbs, of integers of at most 64 W bits.
    #[inline(always)]
    pub fn words<const W: usize>(&self) -> [B::V; W] {
        words_of_limbs(self.b, &self.vectors)
    }

    /// Reads from memory.
    #[inline(always)]
    pub fn load(b: B, rows: &[[u64; WIDTH]; L]) -> Self {
        Self::of(b, each!(j < L, b.splat(0) => b.load(&rows[j])))
    }

    /// Writes the limbs to memory.
    #[inline(always)]
    pub fn store(&self, rows: &mut [[u64; WIDTH]; L]) {
        for (j, row) in rows.iter_mut().enumerate() {
            self.b.store(self.vectors[j], row);
        }
    }

    /// x + y, limb by limb.
    #[inline(always)]
    pub fn plus(&self, y: &Self) -> Self {
        let (b, x, y) = (self.b, &self.vectors, &y.vectors);
        Self::of(b, each!(j < L, x[0] => b.add(x[j], y[j])))
    }

    /// x - y, limb by limb.
    #[inline(always)]
    pub fn less(&self, y: &Self) -> Self {
        let (b, x, y) = (self.b, &self.vectors, &y.vectors);
        Self::of(b, each!(j < L, x[0] => b.sub(x[j], y[j])))
    }

    /// n x, limb by limb, for a small n.
    #[inline(always)]
    pub fn times(&self, n: u32) -> Self {
        let (b, x) = (self.b, &self.vectors);
        Self::of(b, each!(j < L, x[0] => multiple(b, n, x[j])))
    }

    /// y in the lanes of the mask, x in the others.
    #[inline(always)]
    pub fn select(&self, mask: Mask, y: &Self) -> Self {
        let (b, x, y) = (self.b, &self.vectors, &y.vectors);
        Self::of(b, each!(j < L, x[0] => b.select(mask, x[j], y[j])))
    }

    /// Lane i of the result is lane `from[i]`.
    #[inline(always)]
    pub fn permute(&self, from: [u8; WIDTH]) -> Self {
        let (b, x) = (self.b, &self.vectors);
        Self::of(b, each!(j < L, x[0] => b.permute(x[j], from)))
    }

    /// Lane i of the result is lane (i + `lanes`) mod 8; `lanes` is 1, 2 or 4.
    #[inline(always)]
    pub fn rotate(&self, lanes: usize) -> Self {
        let (b, x) = (self.b, &self.vectors);
        Self::of(b, each!(j < L, x[0] => b.rotate(x[j], lanes)))
    }

    /// Returns the mask of the lanes that hold these limbs.
    #[inline(always)]
    pub fn are(&self, number: &[u64; L]) -> Mask {
        let mut same = Mask::MAX;
        for (vector, &limb) in self.vectors.iter().zip(number) {
            same &= self.b.equal(*vector, self.b.splat(limb));
        }
        same
    }

    /// Returns the mask of the lanes whose highest limb is negative: with carried limbs, those of negative numbers.
    #[inline(always)]
    pub fn negative(&self) -> Mask {
        self.b.negative(self.vectors[L - 1])
    }

    /// Returns the same numbers with all limbs but the last in [0, 2^52).
    #[inline(always)]
    pub fn carried(&self) -> Self {
        Self::of(self.b, carried(self.b, self.vectors))
    }
}

/// Normal limbs of a number >= 0: all but the last in [0, 2^52), the last as large as it must be. The limbs may
/// be negative.
#[inline(always)]
pub(crate) fn carried<B: Backend, const L: usize>(b: B, mut t: [B::V; L]) -> [B::V; L] {
    let mut j = 1;
    while j < L {
        t[j] = b.add(t[j], b.carry(t[j - 1]));
        t[j - 1] = b.and(t[j - 1], b.splat(LIMB_MASK));
        j += 1;
    }
    t
}

/// n x of a limb.
#[inline(always)]
fn multiple<B: Backend>(b: B, n: u32, x: B::V) -> B::V {
    let mut sum = b.splat(0);
    let mut bit = 0;
    while n >> bit != 0 {
        if n >> bit & 1 == 1 {
            sum = b.add(sum, b.shift_left(x, bit));
        }
        bit += 1;
    }
    sum
}

/// 52-bit limbs of an integer, lowest word first, of at most 52 L bits.
#[inline(always)]
pub(crate) fn limbs_of_words<B: Backend, const W: usize, const L: usize>(
    b: B,
    words: &[B::V; W],
) -> [B::V; L] {
    let mut limbs = [b.splat(0); L];
    for (j, limb) in limbs.iter_mut().enumerate() {
        let (word, low) = (LIMB_BITS as usize * j / 64, LIMB_BITS * j as u32 % 64);
        if word < W {
            *limb = b.shift_right(words[word], low);
            if low > 64 - LIMB_BITS && word + 1 < W {
                *limb = b.or(*limb, b.shift_left(words[word + 1], 64 - low));
            }
            *limb = b.and(*limb, b.splat(LIMB_MASK));
        }
    }
    limbs
}

/// The words of normal limbs, of an integer of at most 64 W bits.
#[inline(always)]
pub(crate) fn words_of_limbs<B: Backend, const L: usize, const W: usize>(
    b: B,
    limbs: &[B::V; L],
) -> [B::V; W] {
    let mut words = [b.splat(0); W];
    for (j, &limb) in limbs.iter().enumerate() {
        let (word, low) = (LIMB_BITS as usize * j / 64, LIMB_BITS * j as u32 % 64);
        if word < W {
            words[word] = b.or(words[word], b.shift_left(limb, low));
        }
        if low > 64 - LIMB_BITS && word + 1 < W {
            words[word + 1] = b.or(words[word + 1], b.shift_right(limb, 64 - low));
        }
    }
    words
}
