//! 2^64 - 2^32 + 1 in two digits to the base f = 2^32, for which f^2 = f - 1 modulo p.
//!
//! ```text
//! (x0 + x1 f) (w0 + w1 f) = (x0 w0 - x1 w1) + (x0 w1 + x1 w0 + x1 w1) f
//! ```
//!
//! The multiplier takes 52 bits and gives the lower or the upper 52 of a product. A factor's digits are shifted by 20, so
//! that the upper half is the product divided by f, and the lower half the rest, shifted by 20: eight instructions for four products,
//! their sums included. x's digits may have up to 52 bits, so that no sum needs a carry before it is multiplied.
//!
//! A held element's digits are what they say, f more in the lowest, and [`BIAS`], which is 0 modulo p and keeps both from
//! being negative. A product's digits are below 2^36 in magnitude, so fourteen of them do not reach [`BIAS`].

use crate::field::{Field, Goldilocks, PrimeField};
use crate::lanes::{Backend, Mask, WIDTH, each};
use crate::ntt::tile::{Eight, PIECE};

use super::Form;

/// Bits of a digit.
const BITS: u32 = 32;
/// f.
const F: u64 = 1 << BITS;
/// All bits of a digit.
const DIGIT: u64 = F - 1;
/// A multiple of f f - f + 1 = p: 2^9 (1 + (f - 1) f) + 2^9 (f - f).
const BIAS: [u64; 2] = [(1 << 41) + (1 << 9), (1 << 41) - (1 << 10)];
/// What is added to digits to make them held: [`BIAS`] without the f that is implied.
const HELD: [u64; 2] = [BIAS[0] - F, BIAS[1]];

/// Normal digits as those of a number below 2^64: both below f.
///
/// What is above the digits goes up, f^2 of it as f - 1, and a borrow comes down. The upper digit is below f + 2^12, so if
/// there is an f^2, what is left of that digit is small, and takes the rest.
#[inline(always)]
fn exact<B: Backend>(b: B, normal: [B::V; 2]) -> [B::V; 2] {
    let (digit, f, one) = (b.splat(DIGIT), b.splat(F), b.splat(1));
    let high = b.add(normal[1], b.shift_right(normal[0], BITS));
    let squares = b.shift_right(high, BITS);
    let below = b.sub(b.add(b.and(normal[0], digit), f), squares);
    let unborrowed = b.sub(b.shift_right(below, BITS), one);
    [b.and(below, digit), b.add(b.add(b.and(high, digit), squares), unborrowed)]
}

/// Held digits of words.
#[inline(always)]
fn of_words<B: Backend>(b: B, words: B::V) -> [B::V; 2] {
    Goldilocks::held(b, [b.and(words, b.splat(DIGIT)), b.shift_right(words, BITS)])
}

impl Form<2> for Goldilocks {
    const FACTOR: Self = Self::ONE;
    const FACTOR_SHIFT: u32 = 20;

    fn digits(&self) -> [u64; 2] {
        let [word] = self.to_canonical();
        [word & DIGIT, word >> BITS]
    }

    /// Eight neighbours are a vector.
    fn place(element: usize) -> (usize, usize) {
        (element / WIDTH, element % WIDTH)
    }

    #[inline(always)]
    fn read<B: Backend>(b: B, piece: &[u8]) -> [[B::V; 2]; 2] {
        let (chunks, _) = piece.as_chunks::<64>();
        [of_words(b, b.load_bytes(&chunks[0])), of_words(b, b.load_bytes(&chunks[1]))]
    }

    #[inline(always)]
    fn read_columns<B: Backend>(b: B, pieces: &[u8], columns: &mut [Eight<2>; 2 * PIECE]) {
        let (chunks, _) = pieces.as_chunks::<64>();
        for group in 0..2 {
            for half in 0..2 {
                let rows = each!(j < WIDTH, b.splat(0) =>
                    b.load_bytes(&chunks[2 * (WIDTH * group + j) + half]));
                let words = b.transpose(rows);
                let mut i = 0;
                while i < WIDTH {
                    columns[2 * (WIDTH * half + i) + group].set(b, &of_words(b, words[i]));
                    i += 1;
                }
            }
        }
    }

    /// p is 1 + (f - 1) f.
    #[inline(always)]
    fn below<B: Backend>(b: B, read: [B::V; 2]) -> Mask {
        let low = b.sub(read[0], b.splat(HELD[0]));
        let high = b.sub(read[1], b.splat(HELD[1]));
        let over = b.shift_right(b.add(low, b.splat(DIGIT)), BITS);
        b.negative(b.sub(b.add(high, over), b.splat(F)))
    }

    #[inline(always)]
    fn write<B: Backend>(b: B, exact: [[B::V; 2]; 2], piece: &mut [u8]) {
        let (chunks, _) = piece.as_chunks_mut::<64>();
        let mut group = 0;
        while group < 2 {
            let [low, high] = exact[group];
            b.store_bytes(b.or(low, b.shift_left(high, BITS)), &mut chunks[group]);
            group += 1;
        }
    }

    /// Both digits carry, and f^2 is f - 1.
    #[inline(always)]
    fn settled<B: Backend>(b: B, held: [B::V; 2]) -> [B::V; 2] {
        let digit = b.splat(DIGIT);
        let high = b.add(held[1], b.shift_right(held[0], BITS));
        let squares = b.shift_right(high, BITS);
        // The f that a held element has besides.
        let low = b.or(b.and(held[0], digit), b.splat(F));
        [b.sub(low, squares), b.add(b.and(high, digit), squares)]
    }

    #[inline(always)]
    fn multiply<B: Backend, const N: usize>(
        b: B,
        normal: [&[B::V; 2]; N],
        factor: [&[B::V; 2]; N],
    ) -> [[B::V; 2]; N] {
        let zero = b.splat(0);
        each!(n < N, [zero; 2] => {
            let ([x0, x1], [w0, w1]) = (*normal[n], *factor[n]);
            // The two constants make p together, and keep the difference from being negative.
            let crossed = b.add_high(b.add_high(b.splat(DIGIT), x0, w1), x1, w0);
            let first = b.add_low(b.splat(1 << 52), x0, w0);
            let last = b.add_low(zero, x1, w1);
            let middle = b.add_low(b.add_low(last, x0, w1), x1, w0);
            let low = b.shift_right(b.sub(first, last), Self::FACTOR_SHIFT);
            let high = b.shift_right(middle, Self::FACTOR_SHIFT);
            [
                b.sub(low, b.add_high(crossed, x1, w1)),
                b.add(high, b.add_high(crossed, x0, w0)),
            ]
        })
    }

    #[inline(always)]
    fn minus<B: Backend>(b: B, held: &[B::V; 2], product: &[B::V; 2]) -> [B::V; 2] {
        [b.sub(held[0], product[0]), b.sub(held[1], product[1])]
    }

    #[inline(always)]
    fn held<B: Backend>(b: B, product: [B::V; 2]) -> [B::V; 2] {
        each!(j < 2, product[0] => b.add(product[j], b.splat(HELD[j])))
    }

    #[inline(always)]
    fn normal<B: Backend>(b: B, product: [B::V; 2]) -> [B::V; 2] {
        Self::settled(b, Self::held(b, product))
    }

    #[inline(always)]
    fn factor<B: Backend>(b: B, normal: [B::V; 2]) -> [B::V; 2] {
        let exact = exact(b, normal);
        each!(j < 2, exact[0] => b.shift_left(exact[j], Self::FACTOR_SHIFT))
    }

    #[inline(always)]
    fn exact<B: Backend>(b: B, normal: [B::V; 2]) -> [B::V; 2] {
        exact(b, normal)
    }

    #[inline(always)]
    fn canonical<B: Backend>(b: B, normal: [B::V; 2]) -> [B::V; 2] {
        let [low, high] = exact(b, normal);
        let less_low = b.add(low, b.splat(DIGIT)); // f more, which `less_high` lacks
        let less_high = b.sub(b.add(high, b.shift_right(less_low, BITS)), b.splat(F));
        let negative = b.negative(less_high);
        [
            b.select(negative, b.and(less_low, b.splat(DIGIT)), low),
            b.select(negative, less_high, high),
        ]
    }
}
