//! p = 2^64 - 2^32 + 1: with AVX2 as in `goldilocks/words.rs`, and with AVX-512 IFMA in two digits to the base i = 2^48, for which
//! i^2 = -1 modulo p, Gaussian integers.
//!
//! ```text
//! (x0 + x1 i) w = x0 w + x1 (i w)
//! ```
//!
//! Two digits are 0 modulo p where they are a sum of multiples of 2^32 - 1 - 2^16 i and of that times i, 2^16 + (2^32 - 1) i: these
//! two make a lattice of squares. So every number has digits of about 32 bits, and factors have such. x's digits may have 52
//! bits, what the multiplier takes. A product of digits is split at bit 48: the lower part is a digit of the result, and the upper
//! one belongs to the other, with a minus if it comes from i. A factor's digits are shifted left by four, so that 48 bits
//! and four are the multiplier's lower half.
//!
//! So a product's digits are between -2^38 and 2^49 + 2^38 without a carry, and eight of them add up, with i for free, to no more
//! than 52 bits. Digits become positive by what is 0 modulo p: [`zero`].

use std::marker::PhantomData;

use crate::field::{Field, Goldilocks, PrimeField};
use crate::isa::Isa;
#[cfg(target_arch = "x86_64")]
use crate::lanes::Fma;
use crate::lanes::{AnyMachine, Backend, Choice, Mask, WIDTH, choose, each};
use crate::ntt::passes::{Columns, Rows};
use crate::ntt::pointwise::{ABLessC, Below};
use crate::ntt::tile::{PIECE, TileVector};

use super::{Arithmetic, FactorDigits, Form, Pass, Run, choices, kernels};

mod butterflies;
#[cfg(target_arch = "x86_64")]
mod words;

/// Bits of a digit.
const BITS: u32 = 48;
/// All bits of a digit.
const DIGIT: u64 = (1 << BITS) - 1;
/// Bits by which factors are shifted.
const SHIFT: u32 = 4;
/// 2^64 modulo p.
const EPSILON: u64 = (1 << 32) - 1;

/// Digits of m (2^32 - 1 - 2^16 i)(1 + i): 0 modulo p, each a bit more or less than 2^32 m.
const fn zero(m: u64) -> [u64; 2] {
    [m * (EPSILON + (1 << 16)), m * (EPSILON - (1 << 16))]
}

/// What makes a product's digits positive.
const OF_PRODUCT: [u64; 2] = zero(1 << 8);
/// What makes those of a product less a product positive.
const OF_DIFFERENCE: [u64; 2] = zero(1 << 18);

#[inline(always)]
fn plus<B: Backend>(b: B, x: &[B::V; 2], y: &[B::V; 2]) -> [B::V; 2] {
    [b.add(x[0], y[0]), b.add(x[1], y[1])]
}

#[inline(always)]
fn less<B: Backend>(b: B, x: &[B::V; 2], y: &[B::V; 2]) -> [B::V; 2] {
    [b.sub(x[0], y[0]), b.sub(x[1], y[1])]
}

#[inline(always)]
fn plus_constant<B: Backend>(b: B, x: &[B::V; 2], constant: [u64; 2]) -> [B::V; 2] {
    plus(b, x, &[b.splat(constant[0]), b.splat(constant[1])])
}

/// The product of digits below 2^52 and a factor.
#[inline(always)]
fn product<B: Backend>(b: B, [x0, x1]: &[B::V; 2], [w0, w1]: &[B::V; 2]) -> [B::V; 2] {
    const ABOVE: [u64; 2] = zero(1 << SHIFT);
    let none = b.splat(0);
    // i w
    let (v0, v1) = (b.sub(b.splat(ABOVE[0]), *w1), b.add(b.splat(ABOVE[1]), *w0));
    let low0 = b.shift_right(b.add_low(b.add_low(none, *x0, *w0), *x1, v0), SHIFT);
    let low1 = b.shift_right(b.add_low(b.add_low(none, *x0, *w1), *x1, v1), SHIFT);
    let high1 = b.add_high(b.add_high(none, *x0, *w1), *x1, v1);
    [b.sub(low0, high1), b.add_high(b.add_high(low1, *x0, *w0), *x1, v0)]
}

/// Normal digits as a word, of which there is more than one if it is below 2^32 - 1.
#[inline(always)]
fn word<B: Backend>(b: B, [x0, x1]: [B::V; 2]) -> B::V {
    let digit = b.splat(DIGIT);
    // i^2 = -1; the lower digit is not less than that.
    let low = b.sub(x0, b.shift_right(x1, BITS));
    let high = b.add(b.and(x1, digit), b.shift_right(low, BITS));
    // high is h0 + 2^16 h1, and i 2^16 h1 is 2^64 h1, or h1 (2^32 - 1), which is below p.
    let upper = b.shift_right(high, 16);
    let upper = b.sub(b.shift_left(upper, 32), upper);
    let lower = b.or(b.and(low, digit), b.shift_left(high, BITS));
    let sum = b.add(upper, lower);
    b.select(b.below(sum, upper), sum, b.add(sum, b.splat(EPSILON)))
}

/// The digits of a word.
#[inline(always)]
fn of_word<B: Backend>(b: B, word: B::V) -> [B::V; 2] {
    [b.and(word, b.splat(DIGIT)), b.shift_right(word, BITS)]
}

/// The two small digits of a word a + 2^32 (b0 + 2^16 b1): a + b0 + (b1 + 2^16 b0) i, because 2^32 is 1 + 2^16 i.
const fn small_digits(word: u64) -> [u64; 2] {
    let (a, b0, b1) = (word & EPSILON, word >> 32 & 0xffff, word >> 48);
    [a + b0, b1 | b0 << 16]
}

impl Form<2> for Goldilocks {
    kernels!(2);

    fn lanes(isa: Isa) -> Option<AnyMachine> {
        isa.machine()
    }

    const MAX_LOG_RADIX: u32 = 3;

    /// 2 to the power of 192 / r, whose order is r.
    fn butterfly_root(given: Self) -> Self {
        let order = (1..=Self::MAX_LOG_RADIX)
            .find(|log| (0..*log).fold(given, |x, _| x.square()) == Self::ONE);
        let log = order.expect("a root of unity of at most that order");
        Self::from(2).pow_vartime(&[192 >> log])
    }

    fn butterfly_factors(t: Self, _: Self, log_radix: u32) -> Vec<Self> {
        std::iter::successors(Some(t), |power| Some(*power * t))
            .take((1 << log_radix) - 1)
            .collect()
    }
}

choices!(Goldilocks, 2, doubles);

impl<B: Backend> Arithmetic<Goldilocks, 2> for B {
    type X = [B::V; 2];

    fn to_factor() -> Goldilocks {
        Goldilocks::ONE
    }

    fn digits(element: &Goldilocks) -> [u64; 2] {
        let [word] = element.to_canonical();
        small_digits(word)
    }

    fn factor_digits(element: &Goldilocks) -> [u64; 2] {
        let [word] = element.to_canonical();
        small_digits(word).map(|digit| digit << SHIFT)
    }

    /// Eight neighbours are a vector.
    fn place(element: usize) -> (usize, usize) {
        (element / WIDTH, element % WIDTH)
    }

    #[inline(always)]
    fn get(self, at_rest: &TileVector<2>) -> [B::V; 2] {
        at_rest.load(self)
    }

    #[inline(always)]
    fn set(self, at_rest: &mut TileVector<2>, x: &[B::V; 2]) {
        at_rest.store(self, x);
    }

    #[inline(always)]
    fn splat(self, digits: &[u64; 2]) -> [B::V; 2] {
        [Backend::splat(self, digits[0]), Backend::splat(self, digits[1])]
    }

    #[inline(always)]
    fn read(self, piece: &[u8]) -> ([[B::V; 2]; 2], Mask) {
        let (chunks, _) = piece.as_chunks::<64>();
        let words = [self.load_bytes(&chunks[0]), self.load_bytes(&chunks[1])];
        let p = Backend::splat(self, Goldilocks::MODULUS[0]);
        let below = self.below(words[0], p) & self.below(words[1], p);
        ([of_word(self, words[0]), of_word(self, words[1])], below)
    }

    #[inline(always)]
    fn read_columns(self, pieces: &[&mut [u8]; PIECE], columns: &mut [TileVector<2>]) {
        for group in 0..2 {
            for half in 0..2 {
                let rows = each!(j < WIDTH, Backend::splat(self, 0) =>
                    self.load_bytes(&pieces[WIDTH * group + j].as_chunks().0[half]));
                let words = self.transpose(rows);
                let mut i = 0;
                while i < WIDTH {
                    let digits = of_word(self, words[i]);
                    columns[2 * (WIDTH * half + i) + group].store(self, &digits);
                    i += 1;
                }
            }
        }
    }

    #[inline(always)]
    fn write(self, normal: &[[B::V; 2]; 2], piece: &mut [u8]) {
        let (chunks, _) = piece.as_chunks_mut::<64>();
        self.store_bytes(word(self, normal[0]), &mut chunks[0]);
        self.store_bytes(word(self, normal[1]), &mut chunks[1]);
    }

    #[inline(always)]
    fn write_canonical(self, normal: &[[B::V; 2]; 2], piece: &mut [u8]) {
        let (chunks, _) = piece.as_chunks_mut::<64>();
        let p = Backend::splat(self, Goldilocks::MODULUS[0]);
        let mut group = 0;
        while group < 2 {
            let word = word(self, normal[group]);
            let least = self.select(self.below(word, p), self.sub(word, p), word);
            self.store_bytes(least, &mut chunks[group]);
            group += 1;
        }
    }

    /// Elements read and the results of butterflies are normal.
    #[inline(always)]
    fn settled(self, held: [B::V; 2]) -> [B::V; 2] {
        held
    }

    #[inline(always)]
    fn multiply<const N: usize>(
        self,
        normal: [&[B::V; 2]; N],
        factor: [&[B::V; 2]; N],
    ) -> [[B::V; 2]; N] {
        each!(n < N, [Backend::splat(self, 0); 2] => product(self, normal[n], factor[n]))
    }

    #[inline(always)]
    fn plus(self, held: &[B::V; 2], product: &[B::V; 2]) -> [B::V; 2] {
        plus(self, held, product)
    }

    #[inline(always)]
    fn minus(self, held: &[B::V; 2], product: &[B::V; 2]) -> [B::V; 2] {
        less(self, held, product)
    }

    #[inline(always)]
    fn held(self, product: [B::V; 2]) -> [B::V; 2] {
        plus_constant(self, &product, OF_DIFFERENCE)
    }

    #[inline(always)]
    fn normal(self, product: [B::V; 2]) -> [B::V; 2] {
        plus_constant(self, &product, OF_PRODUCT)
    }

    /// `small_digits`, shifted.
    #[inline(always)]
    fn factor(self, normal: [B::V; 2]) -> [B::V; 2] {
        let word = word(self, normal);
        let b0 = self.and(self.shift_right(word, 32), Backend::splat(self, 0xffff));
        let low = self.add(self.and(word, Backend::splat(self, EPSILON)), b0);
        let high = self.or(self.shift_right(word, BITS), self.shift_left(b0, 16));
        [self.shift_left(low, SHIFT), self.shift_left(high, SHIFT)]
    }

    #[inline(always)]
    fn butterflies(
        self,
        rows: &mut [TileVector<2>],
        factors: &[[u64; 2]],
        log_radix: u32,
        plain: bool,
    ) {
        butterflies::butterflies(self, rows, factors, log_radix, plain);
    }
}
