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
use crate::lanes::{Backend, LIMB_BITS, Limbs, Mask, WIDTH, each};

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
/// The bound of a factor.
pub(super) const LARGEST: u32 = 16 * P;
/// The bound of a product: 2^256 + 2^216.
const PRODUCT: u32 = P + 1;

/// Eight elements in normal limbs.
#[derive(Clone, Copy)]
pub struct Element<B: Backend> {
    pub(super) limbs: Limbs<B, LIMBS>,
    /// Each is less than this many sixteenths of p, at most [`LARGEST`].
    pub(super) below: u32,
}

impl<B: Backend> Element<B> {
    /// Of limbs below 2^52, of a number below 2^256 + 2^216.
    #[inline(always)]
    pub(super) fn of_limbs(limbs: Limbs<B, LIMBS>) -> Self {
        Self { limbs, below: PRODUCT }
    }

    /// Returns a small number in every lane.
    #[inline(always)]
    pub fn small(b: B, number: u32) -> Self {
        Self::of_limbs(Limbs::constant(b, &[number.into(), 0, 0, 0, 0]))
    }

    /// Returns a number below 2^256 in every lane.
    #[inline(always)]
    pub fn words(b: B, words: &[u64; 4]) -> Self {
        Self::of_limbs(Limbs::constant(b, &crate::lanes::limbs(words)))
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
        Self::of_limbs(Limbs::of_words(b, &words))
    }

    /// Returns the words of the residue, in either of its two forms.
    #[inline(always)]
    pub fn store(self) -> [[u64; 4]; WIDTH] {
        let b = self.limbs.b;
        let words: [B::V; 4] = self.words_fit().words();
        let mut rows = [[0; WIDTH]; 4];
        for (row, word) in rows.iter_mut().zip(words) {
            b.store(word, row);
        }
        std::array::from_fn(|lane| rows.map(|row| row[lane]))
    }

    /// x^2.
    #[inline(always)]
    pub fn square(self) -> Self {
        Self::folded(self.limbs.b, square_columns(&self.limbs))
    }

    /// x y + z w, in less time than two products.
    #[inline(always)]
    pub fn sum_of_products(x: Self, y: Self, z: Self, w: Self) -> Self {
        assert!(x.below * y.below + z.below * w.below <= LARGEST * LARGEST);
        let b = x.limbs.b;
        let mut columns = [b.splat(0); 2 * LIMBS];
        add_product(&mut columns, &x.limbs, &y.limbs);
        add_product(&mut columns, &z.limbs, &w.limbs);
        Self::folded(b, columns)
    }

    /// x y + 8 z^2, likewise.
    #[inline(always)]
    pub fn product_and_eight_squares(x: Self, y: Self, z: Self) -> Self {
        assert!(x.below * y.below + 8 * z.below * z.below <= LARGEST * LARGEST);
        let (b, squares) = (x.limbs.b, square_columns(&z.limbs));
        let mut columns = each!(k < 2 * LIMBS, squares[0] => b.shift_left(squares[k], 3));
        add_product(&mut columns, &x.limbs, &y.limbs);
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
        Self::of_limbs(Limbs::of(b, t).carried())
    }

    /// Returns the mask of the lanes where x = 0 modulo p.
    #[inline(always)]
    pub fn is_zero(self) -> Mask {
        let x = self.reduced();
        x.are(&[0; LIMBS]) | x.are(&const { crate::lanes::limbs(&MODULUS) })
    }

    /// The limbs of a number below 2^256 + 2^38, so of at most two forms.
    #[inline(always)]
    fn reduced(self) -> Limbs<B, LIMBS> {
        let Limbs { b, vectors: mut t } = self.limbs;
        let top = b.shift_right(t[LIMBS - 1], TOP_BITS);
        t[LIMBS - 1] = b.and(t[LIMBS - 1], b.splat((1 << TOP_BITS) - 1));
        t[0] = b.add_low(t[0], top, b.splat(C));
        Limbs::of(b, t).carried()
    }

    /// The limbs of a number below 2^256.
    #[inline(always)]
    pub(super) fn words_fit(self) -> Limbs<B, LIMBS> {
        // What is at or above 2^256 is 2^256 and less than 2^38, and then below 2^256.
        Self::of_limbs(self.reduced()).reduced()
    }
}

/// columns += x y.
#[inline(always)]
fn add_product<B: Backend>(
    columns: &mut [B::V; 2 * LIMBS],
    x: &Limbs<B, LIMBS>,
    y: &Limbs<B, LIMBS>,
) {
    let (b, x, y) = (x.b, &x.vectors, &y.vectors);
    for i in 0..LIMBS {
        for j in 0..LIMBS {
            columns[i + j] = b.add_low(columns[i + j], x[i], y[j]);
            columns[i + j + 1] = b.add_high(columns[i + j + 1], x[i], y[j]);
        }
    }
}

/// The columns of x^2.
#[inline(always)]
fn square_columns<B: Backend>(x: &Limbs<B, LIMBS>) -> [B::V; 2 * LIMBS] {
    let (b, x) = (x.b, &x.vectors);
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

impl<B: Backend> Mul for Element<B> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, y: Self) -> Self {
        let b = self.limbs.b;
        let mut columns = [b.splat(0); 2 * LIMBS];
        add_product(&mut columns, &self.limbs, &y.limbs);
        Self::folded(b, columns)
    }
}
