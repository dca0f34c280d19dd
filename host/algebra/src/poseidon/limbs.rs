//! Sixteen hashes at a time, eight in the lanes of each of two vectors, in limbs of 52 bits: two products side by side keep the
//! multipliers busier than one.
//!
//! Elements are below 4r: products are below 2r, combinations below 3r, and a sum is reduced.

use super::Scalar;
use super::arithmetic::{Arithmetic, Bytes, MAX_LANES};
use super::table::{Table, Tables};
use crate::field::{Field, PrimeField};
use crate::lanes::{
    Backend, Mask, Prime, WIDTH, both, carried, each, limbs, limbs_of_words, words_of_limbs,
};
use crate::once::Once;

/// Limbs, and words of an integer.
const L: usize = 5;
const WORDS: usize = 4;

/// k r.
const MULTIPLES: &[[u64; L]] = &<Scalar as Prime<L>>::CONSTANTS.multiples;

impl<B: Backend> Arithmetic for B {
    type X = [[B::V; L]; 2];
    type Constant = [u64; L];

    const LANES: usize = 2 * WIDTH;

    /// 1 / 2^260.
    fn product_factor() -> Scalar {
        let limb = Scalar::from(1 << 52);
        let r = limb.square().square() * limb;
        r.invert_vartime().expect("2^260")
    }

    /// 1 / 2^52.
    fn combination_factor() -> Scalar {
        Scalar::from(1 << 52).invert_vartime().expect("2^52")
    }

    fn constant(number: &Scalar) -> [u64; L] {
        limbs(&number.to_canonical())
    }

    fn table(tables: &Tables) -> &Once<Table<[u64; L]>> {
        &tables.limbs
    }

    #[inline(always)]
    fn splat(self, constant: &[u64; L]) -> Self::X {
        [splat(self, constant); 2]
    }

    #[inline(always)]
    fn read(self, lanes: &[&Bytes; MAX_LANES]) -> (Self::X, bool) {
        let x = both!(n => read(self, lanes, WIDTH * n));
        let below = both!(n => self.negative(less(self, &x[n], 1)[L - 1]));
        (x, below[0] & below[1] == Mask::MAX)
    }

    #[inline(always)]
    fn write(self, product: &Self::X, lanes: &mut [Bytes; MAX_LANES]) {
        let mut rows = [[[0; WIDTH]; WORDS]; 2];
        for (rows, x) in rows.iter_mut().zip(product) {
            let words = words_of_limbs::<B, L, WORDS>(self, &reduced(self, x, 1));
            for (row, word) in rows.iter_mut().zip(words) {
                self.store(word, row);
            }
        }
        for (lane, bytes) in lanes.iter_mut().enumerate() {
            let (words, _) = bytes.as_chunks_mut();
            for (i, word) in words.iter_mut().enumerate() {
                *word = rows[lane / WIDTH][i][lane % WIDTH].to_le_bytes();
            }
        }
    }

    /// Of two elements below 4r one below 4r.
    #[inline(always)]
    fn sum(self, x: &Self::X, y: &Self::X) -> Self::X {
        both!(n => {
            let sum = carried(self, each!(j < L, x[n][0] => self.add(x[n][j], y[n][j])));
            reduced(self, &sum, 4)
        })
    }

    #[inline(always)]
    fn product(self, x: &Self::X, y: &Self::X) -> Self::X {
        let constants = const { &<Scalar as Prime<L>>::CONSTANTS };
        Backend::multiply(self, constants, [&x[0], &x[1]], [&y[0], &y[1]])
    }

    #[inline(always)]
    fn square(self, x: &Self::X) -> Self::X {
        let constants = const { &<Scalar as Prime<L>>::CONSTANTS };
        Backend::square(self, constants, [&x[0], &x[1]])
    }

    #[inline(always)]
    fn combination(self, terms: &[Self::X], factors: &[u64], plus: Option<&[u64; L]>) -> Self::X {
        both!(n => combination(self, terms, n, factors, plus))
    }
}

#[inline(always)]
fn splat<B: Backend>(b: B, constant: &[u64; L]) -> [B::V; L] {
    each!(j < L, b.splat(0) => b.splat(constant[j]))
}

/// Eight lanes' integers, from the first on.
#[inline(always)]
fn read<B: Backend>(b: B, lanes: &[&Bytes; MAX_LANES], first: usize) -> [B::V; L] {
    let mut rows = [[0; WIDTH]; WORDS];
    for lane in 0..WIDTH {
        let (words, _) = lanes[first + lane].as_chunks();
        for (row, word) in rows.iter_mut().zip(words) {
            row[lane] = u64::from_le_bytes(*word);
        }
    }
    limbs_of_words::<B, WORDS, L>(b, &each!(i < WORDS, b.splat(0) => b.load(&rows[i])))
}

/// x - k r: its highest limb is negative where it is.
#[inline(always)]
fn less<B: Backend>(b: B, x: &[B::V; L], k: usize) -> [B::V; L] {
    carried(b, each!(j < L, x[0] => b.sub(x[j], b.splat(MULTIPLES[k][j]))))
}

/// Returns x - k r where that is not negative, and x otherwise.
#[inline(always)]
fn reduced<B: Backend>(b: B, x: &[B::V; L], k: usize) -> [B::V; L] {
    let less = less(b, x, k);
    let negative = b.negative(less[L - 1]);
    each!(j < L, x[0] => b.select(negative, less[j], x[j]))
}

/// Of eight lanes: the sum, with the multiple of r that makes the lowest limb 0, over 2^52, and the constant. Of terms below 3r and
/// factors of at most 2^47 together, the sum and the multiple are below (2^49 + 2^52) r.
#[inline(always)]
fn combination<B: Backend>(
    b: B,
    terms: &[[[B::V; L]; 2]],
    n: usize,
    factors: &[u64],
    plus: Option<&[u64; L]>,
) -> [B::V; L] {
    let zero = b.splat(0);
    // Columns 0 to L: a limb of a product and the upper part of the one below, at most twelve times and once more.
    let (mut low, mut high) = ([zero; L], [zero; L]);
    for (term, &factor) in terms.iter().zip(factors) {
        let factor = b.splat(factor);
        let mut j = 0;
        while j < L {
            low[j] = b.add_low(low[j], term[n][j], factor);
            high[j] = b.add_high(high[j], term[n][j], factor);
            j += 1;
        }
    }
    let constants = const { &<Scalar as Prime<L>>::CONSTANTS };
    let quotient = b.add_low(zero, low[0], b.splat(constants.negative_inverse));
    let mut j = 0;
    while j < L {
        let p = b.splat(MULTIPLES[1][j]);
        low[j] = b.add_low(low[j], quotient, p);
        high[j] = b.add_high(high[j], quotient, p);
        j += 1;
    }
    // The lowest column is a multiple of 2^52.
    high[0] = b.add(high[0], b.carry(low[0]));
    let sum = each!(j < L, zero => if j + 1 < L { b.add(low[j + 1], high[j]) } else { high[j] });
    carried(
        b,
        match plus {
            Some(constant) => each!(j < L, zero => b.add(sum[j], b.splat(constant[j]))),
            None => sum,
        },
    )
}
