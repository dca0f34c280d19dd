//! Fields of up to 255 bits in five limbs of 52. Elements are plain integers, factors are in Montgomery form, so a
//! product is a plain integer again, and nothing is ever converted.
//!
//! A held element is below 2p and 2p more for each addition or subtraction: below 31 p after fourteen. Its limbs have
//! either sign. With R = 2^260 > 32 p, a product is x w / R + p at most: below 2p for any such x and a w below 1.04 p, which
//! is what a product of two factors below p is.

use std::marker::PhantomData;

#[cfg(feature = "bls12_377")]
use crate::field::Bls12377Fr;
use crate::field::{Bls12381Fr, Bn254Fr, PrimeField};
#[cfg(feature = "pasta")]
use crate::field::{PastaFp, PastaFq};
use crate::isa::Isa;
#[cfg(target_arch = "x86_64")]
use crate::lanes::Fma;
use crate::lanes::{
    AnyMachine, Backend, Choice, LIMB_BITS, Limbs, Mask, Prime, WIDTH, choose, each, limbs,
};
use crate::ntt::passes::{Columns, Rows};
use crate::ntt::pointwise::{ABLessC, Below};
use crate::ntt::tile::{PIECE, TileVector};

use super::{Arithmetic, FactorDigits, Form, Pass, Run, choices, kernels, radix_four};

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
fn halves<B: Backend>(b: B, words: [B::V; WIDTH]) -> [Limbs<B, L>; 2] {
    let zero = b.splat(0);
    let first = each!(j < WORDS, zero => words[j]);
    let second = each!(j < WORDS, zero => words[WORDS + j]);
    [Limbs::of_words(b, &first), Limbs::of_words(b, &second)]
}

macro_rules! forms {
    ($($field:ty),*) => {$(
        const _: () = assert!(<$field>::BITS <= 255);

        impl Form<L> for $field {
            kernels!(5);

            fn lanes(isa: Isa) -> Option<AnyMachine> {
                isa.machine()
            }

            const MAX_LOG_RADIX: u32 = 2;

            fn butterfly_root(given: Self) -> Self {
                given
            }

            fn butterfly_factors(t: Self, root: Self, log_radix: u32) -> Vec<Self> {
                radix_four::factors(t, root, log_radix)
            }
        }

        choices!($field, 5, doubles);

        impl<B: Backend> Arithmetic<$field, L> for B {
            type X = Limbs<B, L>;

            fn to_factor() -> $field {
                const { <$field>::constant(words(&<$field>::CONSTANTS.one)) }
            }

            fn digits(element: &$field) -> [u64; L] {
                let factor = *element * <B as Arithmetic<$field, L>>::to_factor();
                limbs(factor.to_canonical().as_ref())
            }

            fn factor_digits(element: &$field) -> [u64; L] {
                <B as Arithmetic<$field, L>>::digits(element)
            }

            /// Two neighbours go to the same lane of the two vectors.
            fn place(element: usize) -> (usize, usize) {
                (element % 2, element / 2)
            }

            #[inline(always)]
            fn get(self, at_rest: &TileVector<L>) -> Limbs<B, L> {
                Limbs::load(self, &at_rest.0)
            }

            #[inline(always)]
            fn set(self, at_rest: &mut TileVector<L>, x: &Limbs<B, L>) {
                x.store(&mut at_rest.0);
            }

            #[inline(always)]
            fn splat(self, digits: &[u64; L]) -> Limbs<B, L> {
                Limbs::constant(self, digits)
            }

            #[inline(always)]
            fn read(self, piece: &[u8]) -> ([Limbs<B, L>; 2], Mask) {
                let (chunks, _) = piece.as_chunks::<64>();
                let words = each!(j < WIDTH, Backend::splat(self, 0) => self.load_bytes(&chunks[j]));
                let x = halves(self, self.transpose(words));
                (x, below::<$field, B>(&x[0]) & below::<$field, B>(&x[1]))
            }

            #[inline(always)]
            fn read_columns(self, pieces: &[&mut [u8]; PIECE], columns: &mut [TileVector<L>]) {
                for group in 0..2 {
                    for pair in 0..PIECE / 2 {
                        let rows = each!(j < WIDTH, Backend::splat(self, 0) =>
                            self.load_bytes(&pieces[2 * j + group].as_chunks().0[pair]));
                        let both = halves(self, self.transpose(rows));
                        both[0].store(&mut columns[4 * pair + group].0);
                        both[1].store(&mut columns[4 * pair + 2 + group].0);
                    }
                }
            }

            #[inline(always)]
            fn write(self, normal: &[Limbs<B, L>; 2], piece: &mut [u8]) {
                write(self, normal, piece);
            }

            #[inline(always)]
            fn write_canonical(self, [x0, x1]: &[Limbs<B, L>; 2], piece: &mut [u8]) {
                let x = [canonical::<$field, B>(x0), canonical::<$field, B>(x1)];
                write(self, &x, piece);
            }

            #[inline(always)]
            fn settled(self, held: Limbs<B, L>) -> Limbs<B, L> {
                held.carried()
            }

            #[inline(always)]
            fn multiply<const N: usize>(
                self,
                normal: [&Limbs<B, L>; N],
                factor: [&Limbs<B, L>; N],
            ) -> [Limbs<B, L>; N] {
                let x = each!(n < N, &normal[0].vectors => &normal[n].vectors);
                let y = each!(n < N, &factor[0].vectors => &factor[n].vectors);
                let products = Backend::multiply(self, &<$field>::CONSTANTS, x, y);
                each!(n < N, *normal[0] => Limbs::of(self, products[n]))
            }

            #[inline(always)]
            fn plus(self, held: &Limbs<B, L>, product: &Limbs<B, L>) -> Limbs<B, L> {
                held.plus(product)
            }

            /// held - product + 2p.
            #[inline(always)]
            fn minus(self, held: &Limbs<B, L>, product: &Limbs<B, L>) -> Limbs<B, L> {
                let p2 = Limbs::constant(self, &<$field>::CONSTANTS.multiples[2]);
                held.plus(&p2).less(product)
            }

            #[inline(always)]
            fn raised(self, held: &Limbs<B, L>) -> Limbs<B, L> {
                held.plus(&Limbs::constant(self, &<$field>::CONSTANTS.multiples[2]))
            }

            #[inline(always)]
            fn held(self, product: Limbs<B, L>) -> Limbs<B, L> {
                product
            }

            #[inline(always)]
            fn normal(self, product: Limbs<B, L>) -> Limbs<B, L> {
                product
            }

            #[inline(always)]
            fn factor(self, normal: Limbs<B, L>) -> Limbs<B, L> {
                normal
            }

            #[inline(always)]
            fn butterflies(
                self,
                rows: &mut [TileVector<L>],
                factors: &[[u64; L]],
                log_radix: u32,
                plain: bool,
            ) {
                radix_four::butterflies::<$field, B, L>(self, rows, factors, log_radix, plain);
            }
        }
    )*};
}

forms! { Bn254Fr, Bls12381Fr }
#[cfg(feature = "bls12_377")]
forms! { Bls12377Fr }
#[cfg(feature = "pasta")]
forms! { PastaFp, PastaFq }

/// The number below p that a normal element is: less q p, where q is the quotient by p, estimated from the highest limb,
/// or one less; and less p, if that is not negative.
#[inline(always)]
fn canonical<F: Prime<L>, B: Backend>(x: &Limbs<B, L>) -> Limbs<B, L> {
    let (b, p) = (x.b, &F::CONSTANTS.multiples[1]);
    let zero = b.splat(0);
    let estimate = b.splat(const { reciprocal(&F::CONSTANTS.multiples[1]) });
    let q = b.add_high(zero, b.shift_right(x.vectors[L - 1], UNSEEN), estimate);
    let mut multiple = [zero; L];
    let mut j = 0;
    while j < L {
        multiple[j] = b.add_low(zero, q, b.splat(p[j]));
        if j > 0 {
            multiple[j] = b.add_high(multiple[j], q, b.splat(p[j - 1]));
        }
        j += 1;
    }
    let rest = x.less(&Limbs::of(b, multiple)).carried();
    let less = rest.less(&Limbs::constant(b, p)).carried();
    less.select(less.negative(), &rest)
}

/// Returns the mask of the elements just read that are below the modulus.
#[inline(always)]
fn below<F: Prime<L>, B: Backend>(read: &Limbs<B, L>) -> Mask {
    read.less(&Limbs::constant(read.b, &F::CONSTANTS.multiples[1])).carried().negative()
}

/// Numbers below 2^256.
#[inline(always)]
fn write<B: Backend>(b: B, normal: &[Limbs<B, L>; 2], piece: &mut [u8]) {
    let (first, second) = (normal[0].words::<WORDS>(), normal[1].words::<WORDS>());
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
