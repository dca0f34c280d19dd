//! Eight elements modulo p = 2^256 - C, C = 2^32 + 977, in the registers of a backend.
//!
//! The upper half of a product is folded onto the lower one, because 2^256 = C, so there is no Montgomery form, and
//! an element has 62 multiplications of limbs where Montgomery's product has 100.
//!
//! An [`Element`] is five limbs in [0, 2^52) and may be a good deal above p: it carries, as a number that the compiler
//! knows, the multiple of p that it is below. Sums of elements are [`Sum`](super::sum::Sum)s, whose limbs are carried once,
//! where a sum becomes a factor. Bounds are in units of p / 16; a product's factors may be up to 16 p.

use std::ops::Mul;

use crate::field::spec::secp256k1_fp::MODULUS;
use crate::lanes::{
    Backend, LIMB_BITS, LIMB_MASK, Mask, WIDTH, each, limbs_of_words, words_of_limbs,
};

/// Limbs of an element.
pub(super) const LIMBS: usize = 5;
/// 2^256 modulo p.
pub(super) const C: u64 = MODULUS[0].wrapping_neg();
/// 2^260 modulo p.
const FOLD: u64 = C << 4;
/// Bits of the highest limb of a number below 2^256.
pub(super) const TOP_BITS: u32 = 256 - 4 * LIMB_BITS;
/// p, in the unit of bounds.
pub(super) const P: u32 = 16;
/// What a factor must be below.
pub(super) const LARGEST: u32 = 16 * P;
/// What a product is below: 2^256 + 2^216.
const PRODUCT: u32 = P + 1;

/// Eight elements in normal limbs.
#[derive(Clone, Copy)]
pub struct Element<B: Backend> {
    pub(super) b: B,
    pub(super) limbs: [B::V; LIMBS],
    /// Each is less than this many sixteenths of p, at most [`LARGEST`].
    pub(super) below: u32,
}

impl<B: Backend> Element<B> {
    /// Of limbs below 2^52, of a number below 2^256 + 2^216.
    #[inline(always)]
    pub(super) fn of_limbs(b: B, limbs: [B::V; LIMBS]) -> Self {
        Self { b, limbs, below: PRODUCT }
    }

    /// The same small number in every lane.
    #[inline(always)]
    pub fn small(b: B, number: u32) -> Self {
        let mut limbs = [b.splat(0); LIMBS];
        limbs[0] = b.splat(number.into());
        Self::of_limbs(b, limbs)
    }

    /// The same number below 2^256 in every lane.
    #[inline(always)]
    pub fn words(b: B, words: &[u64; 4]) -> Self {
        let limbs: [u64; LIMBS] = crate::lanes::limbs(words);
        Self::of_limbs(b, each!(j < LIMBS, b.splat(0) => b.splat(limbs[j])))
    }

    /// A number below 2^256 a lane.
    #[inline(always)]
    pub fn load(b: B, numbers: &[[u64; 4]; WIDTH]) -> Self {
        let mut words = [[0; WIDTH]; 4];
        for (lane, number) in numbers.iter().enumerate() {
            for (row, word) in words.iter_mut().zip(number) {
                row[lane] = *word;
            }
        }
        let words = each!(i < 4, b.splat(0) => b.load(&words[i]));
        Self::of_limbs(b, limbs_of_words(b, &words))
    }

    /// The same, of either of a residue's two forms.
    #[inline(always)]
    pub fn store(self) -> [[u64; 4]; WIDTH] {
        let b = self.b;
        let words: [B::V; 4] = words_of_limbs(b, &self.words_fit());
        let mut rows = [[0; WIDTH]; 4];
        for (row, word) in rows.iter_mut().zip(words) {
            b.store(word, row);
        }
        std::array::from_fn(|lane| rows.map(|row| row[lane]))
    }

    /// x^2.
    #[inline(always)]
    pub fn square(self) -> Self {
        Self::folded(self.b, square_columns(self.b, &self.limbs))
    }

    /// x y + z w, in less time than two products.
    #[inline(always)]
    pub fn sum_of_products(x: Self, y: Self, z: Self, w: Self) -> Self {
        assert!(x.below * y.below + z.below * w.below <= LARGEST * LARGEST);
        let mut columns = [x.b.splat(0); 2 * LIMBS];
        add_product(x.b, &mut columns, &x.limbs, &y.limbs);
        add_product(x.b, &mut columns, &z.limbs, &w.limbs);
        Self::folded(x.b, columns)
    }

    /// x y + 8 z^2, likewise.
    #[inline(always)]
    pub fn product_and_eight_squares(x: Self, y: Self, z: Self) -> Self {
        assert!(x.below * y.below + 8 * z.below * z.below <= LARGEST * LARGEST);
        let (b, squares) = (x.b, square_columns(z.b, &z.limbs));
        let mut columns = each!(k < 2 * LIMBS, squares[0] => b.shift_left(squares[k], 3));
        add_product(b, &mut columns, &x.limbs, &y.limbs);
        Self::folded(b, columns)
    }

    /// The number below 2^256 + 2^216 that columns of less than 2^60 are modulo p; their sum is below 2^520.
    #[inline(always)]
    fn folded(b: B, mut columns: [B::V; 2 * LIMBS]) -> Self {
        for k in LIMBS..2 * LIMBS - 1 {
            // What is left above 52 bits, the multiplications do not see.
            columns[k + 1] = b.add(columns[k + 1], b.shift_right(columns[k], LIMB_BITS));
        }
        let zero = b.splat(0);
        let fold = b.splat(FOLD);
        let mut t = each!(j < LIMBS, zero => b.add_low(columns[j], columns[j + LIMBS], fold));
        for j in 1..LIMBS {
            t[j] = b.add_high(t[j], columns[j + LIMBS - 1], fold);
        }
        let above = b.add_high(zero, columns[2 * LIMBS - 1], fold);
        // All that is at or above 2^256: less than 2^42.
        let top =
            b.add(b.shift_right(t[LIMBS - 1], TOP_BITS), b.shift_left(above, LIMB_BITS - TOP_BITS));
        t[LIMBS - 1] = b.and(t[LIMBS - 1], b.splat((1 << TOP_BITS) - 1));
        let c = b.splat(C);
        t[0] = b.add_low(t[0], top, c);
        t[1] = b.add_high(t[1], top, c);
        Self { b, limbs: carried(b, t), below: PRODUCT }
    }

    /// Where x = 0 modulo p.
    #[inline(always)]
    pub fn is_zero(self) -> Mask {
        let b = self.b;
        let x = self.reduced();
        let is = |number: &[u64; LIMBS]| {
            let mut same = Mask::MAX;
            for (limb, &word) in x.iter().zip(number) {
                same &= b.equal(*limb, b.splat(word));
            }
            same
        };
        is(&[0; LIMBS]) | is(&const { crate::lanes::limbs(&MODULUS) })
    }

    /// The limbs of a number below 2^256 + 2^38, so of at most two forms.
    #[inline(always)]
    fn reduced(self) -> [B::V; LIMBS] {
        let (b, mut t) = (self.b, self.limbs);
        let top = b.shift_right(t[LIMBS - 1], TOP_BITS);
        t[LIMBS - 1] = b.and(t[LIMBS - 1], b.splat((1 << TOP_BITS) - 1));
        t[0] = b.add_low(t[0], top, b.splat(C));
        carried(b, t)
    }

    /// The limbs of a number below 2^256.
    #[inline(always)]
    pub(super) fn words_fit(self) -> [B::V; LIMBS] {
        // What is at or above 2^256 is 2^256 and less than 2^38, and then below 2^256.
        Self::of_limbs(self.b, self.reduced()).reduced()
    }
}

/// columns += x y.
#[inline(always)]
fn add_product<B: Backend>(
    b: B,
    columns: &mut [B::V; 2 * LIMBS],
    x: &[B::V; LIMBS],
    y: &[B::V; LIMBS],
) {
    for i in 0..LIMBS {
        for j in 0..LIMBS {
            columns[i + j] = b.add_low(columns[i + j], x[i], y[j]);
            columns[i + j + 1] = b.add_high(columns[i + j + 1], x[i], y[j]);
        }
    }
}

/// The columns of x^2.
#[inline(always)]
fn square_columns<B: Backend>(b: B, x: &[B::V; LIMBS]) -> [B::V; 2 * LIMBS] {
    let mut columns = [b.splat(0); 2 * LIMBS];
    for i in 0..LIMBS {
        for j in i + 1..LIMBS {
            columns[i + j] = b.add_low(columns[i + j], x[i], x[j]);
            columns[i + j + 1] = b.add_high(columns[i + j + 1], x[i], x[j]);
        }
    }
    for i in 0..LIMBS {
        let (low, high) = (2 * i, 2 * i + 1);
        columns[low] = b.add_low(b.add(columns[low], columns[low]), x[i], x[i]);
        columns[high] = b.add_high(b.add(columns[high], columns[high]), x[i], x[i]);
    }
    columns
}

/// Normal limbs of a number in [0, 2^260); the limbs may be negative.
#[inline(always)]
pub(super) fn carried<B: Backend>(b: B, mut t: [B::V; LIMBS]) -> [B::V; LIMBS] {
    for j in 1..LIMBS {
        t[j] = b.add(t[j], b.carry(t[j - 1]));
        t[j - 1] = b.and(t[j - 1], b.splat(LIMB_MASK));
    }
    t
}

impl<B: Backend> Mul for Element<B> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, y: Self) -> Self {
        let b = self.b;
        let mut columns = [b.splat(0); 2 * LIMBS];
        add_product(b, &mut columns, &self.limbs, &y.limbs);
        Self::folded(b, columns)
    }
}
