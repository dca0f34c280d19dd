//! Fields of up to 255 bits in five limbs of 52. Elements are plain integers, factors are in Montgomery form, so a
//! product is a plain integer again, and nothing is ever converted.
//!
//! A held element is below 2p and 2p more for each addition or subtraction: below 31 p after fourteen. Its limbs have
//! either sign. With R = 2^260 > 32 p, a product is x w / R + p at most: below 2p for any such x and a w below 1.04 p, which
//! is what a product of two factors below p is.

use std::marker::PhantomData;

use crate::field::{Bls12381Fr, Bn254Fr, PrimeField};
use crate::lanes::{
    Backend, LIMB_BITS, Mask, Prime, Vectors, WIDTH, carried, each, limbs, limbs_of_words, run,
    words_of_limbs,
};
use crate::ntt::passes::{Columns, Rows};
use crate::ntt::pointwise::{ABLessC, Below};
use crate::ntt::tile::{Eight, PIECE};

use super::{Form, kernels, radix_four};

/// Limbs.
const L: usize = 5;
/// Words of 64 bits of an element.
const WORDS: usize = 4;
/// Low bits of the highest limb that the estimate of a quotient does without.
const UNSEEN: u32 = 40;

/// floor(2^(52 + UNSEEN) / (highest limb of p, and 1)).
const fn reciprocal(p: &[u64; L]) -> u64 {
    ((1u128 << (LIMB_BITS + UNSEEN)) / (p[L - 1] as u128 + 1)) as u64
}

/// R modulo p, from its limbs.
const fn words(limbs: &[u64; L]) -> [u64; WORDS] {
    let [a, b, c, d, e] = *limbs;
    [a | b << 52, b >> 12 | c << 40, c >> 24 | d << 28, d >> 36 | e << 16]
}

/// The two times four words of two vectors of elements as eight limbs' worth: first all words of one.
#[inline(always)]
fn halves<B: Backend>(b: B, words: [B::V; WIDTH]) -> [[B::V; L]; 2] {
    let zero = b.splat(0);
    let first = each!(j < WORDS, zero => words[j]);
    let second = each!(j < WORDS, zero => words[WORDS + j]);
    [limbs_of_words(b, &first), limbs_of_words(b, &second)]
}

macro_rules! forms {
    ($($field:ty),*) => {$(
        const _: () = assert!(<$field>::BITS <= 255);

        impl Form<L> for $field {
            kernels!(5);

            const FACTOR: Self = <$field>::constant(words(&<$field>::CONSTANTS.one));
            const FACTOR_SHIFT: u32 = 0;

            fn digits(&self) -> [u64; L] {
                limbs((*self * Self::FACTOR).to_canonical().as_ref())
            }

            /// Two neighbours go to the same lane of the two vectors.
            fn place(element: usize) -> (usize, usize) {
                (element % 2, element / 2)
            }

            #[inline(always)]
            fn read<B: Backend>(b: B, piece: &[u8]) -> [[B::V; L]; 2] {
                let (chunks, _) = piece.as_chunks::<64>();
                halves(b, b.transpose(each!(j < WIDTH, b.splat(0) => b.load_bytes(&chunks[j]))))
            }

            #[inline(always)]
            fn read_columns<B: Backend>(
                b: B,
                pieces: &[&mut [u8]; PIECE],
                columns: &mut [Eight<L>; 2 * PIECE],
            ) {
                for group in 0..2 {
                    for pair in 0..PIECE / 2 {
                        let rows = each!(j < WIDTH, b.splat(0) =>
                            b.load_bytes(&pieces[2 * j + group].as_chunks().0[pair]));
                        let both = halves(b, b.transpose(rows));
                        columns[4 * pair + group].set(b, &both[0]);
                        columns[4 * pair + 2 + group].set(b, &both[1]);
                    }
                }
            }

            #[inline(always)]
            fn below<B: Backend>(b: B, read: [B::V; L]) -> Mask {
                let p = &Self::CONSTANTS.multiples[1];
                b.negative(carried(b, each!(j < L, read[0] => b.sub(read[j], b.splat(p[j]))))[L - 1])
            }

            #[inline(always)]
            fn write<B: Backend>(b: B, normal: [[B::V; L]; 2], piece: &mut [u8]) {
                let first = words_of_limbs::<B, L, WORDS>(b, &normal[0]);
                let second = words_of_limbs::<B, L, WORDS>(b, &normal[1]);
                let words = each!(j < WIDTH, b.splat(0) =>
                    if j < WORDS { first[j] } else { second[j - WORDS] });
                let rows = b.transpose(words);
                let (chunks, _) = piece.as_chunks_mut::<64>();
                let mut j = 0;
                while j < WIDTH {
                    b.store_bytes(rows[j], &mut chunks[j]);
                    j += 1;
                }
            }

            #[inline(always)]
            fn write_canonical<B: Backend>(b: B, normal: [[B::V; L]; 2], piece: &mut [u8]) {
                let [x0, x1] = &normal;
                let canonical = [canonical::<Self, B>(b, x0), canonical::<Self, B>(b, x1)];
                Self::write(b, canonical, piece);
            }

            #[inline(always)]
            fn settled<B: Backend>(b: B, held: [B::V; L]) -> [B::V; L] {
                carried(b, held)
            }

            #[inline(always)]
            fn multiply<B: Backend, const N: usize>(
                b: B,
                normal: [&[B::V; L]; N],
                factor: [&[B::V; L]; N],
            ) -> [[B::V; L]; N] {
                b.multiply(&Self::CONSTANTS, normal, factor)
            }

            /// held - product + 2p.
            #[inline(always)]
            fn minus<B: Backend>(b: B, held: &[B::V; L], product: &[B::V; L]) -> [B::V; L] {
                let p2 = &Self::CONSTANTS.multiples[2];
                each!(j < L, held[0] => b.sub(b.add(held[j], b.splat(p2[j])), product[j]))
            }

            #[inline(always)]
            fn held<B: Backend>(_: B, product: [B::V; L]) -> [B::V; L] {
                product
            }

            #[inline(always)]
            fn normal<B: Backend>(_: B, product: [B::V; L]) -> [B::V; L] {
                product
            }

            #[inline(always)]
            fn factor<B: Backend>(_: B, normal: [B::V; L]) -> [B::V; L] {
                normal
            }

            const MOST_LOG_RADIX: u32 = 2;

            fn butterfly_root(given: Self) -> Self {
                given
            }

            fn butterfly_factors(t: Self, root: Self, log_radix: u32) -> Vec<Self> {
                radix_four::factors(t, root, log_radix)
            }

            #[inline(always)]
            fn butterflies<B: Backend>(
                b: B,
                rows: &mut [Eight<L>],
                factors: &[[u64; L]],
                log_radix: u32,
                plain: bool,
            ) {
                radix_four::butterflies::<Self, B, L>(b, rows, factors, log_radix, plain);
            }
        }
    )*};
}

forms! { Bn254Fr, Bls12381Fr }

/// The number below p that a normal element is: less q p, where q is the quotient by p, estimated from the highest limb,
/// or one less; and less p, if that is not negative.
#[inline(always)]
fn canonical<F: Prime<L>, B: Backend>(b: B, x: &[B::V; L]) -> [B::V; L] {
    let (zero, p) = (b.splat(0), &F::CONSTANTS.multiples[1]);
    let estimate = b.splat(const { reciprocal(&F::CONSTANTS.multiples[1]) });
    let q = b.add_high(zero, b.shift_right(x[L - 1], UNSEEN), estimate);
    let mut multiple = [zero; L];
    let mut j = 0;
    while j < L {
        multiple[j] = b.add_low(zero, q, b.splat(p[j]));
        if j > 0 {
            multiple[j] = b.add_high(multiple[j], q, b.splat(p[j - 1]));
        }
        j += 1;
    }
    let rest = carried(b, each!(j < L, zero => b.sub(x[j], multiple[j])));
    let less = carried(b, each!(j < L, zero => b.sub(rest[j], b.splat(p[j]))));
    let negative = b.negative(less[L - 1]);
    each!(j < L, zero => b.select(negative, less[j], rest[j]))
}
