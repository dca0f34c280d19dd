//! Eight elements in AVX2 registers, with signed floating-point limbs that are kept from one operation to the next.

use std::arch::x86_64::*;
use std::marker::PhantomData;
use std::mem::MaybeUninit;

use super::Fma;
use super::constants::{Splat, Table, width};
use super::product::{self, Digits};
use crate::field::limbs;
use crate::field::select::select;
use crate::lanes::affine::Residue;
use crate::lanes::backend::{Mask, WIDTH, both, each};
use crate::lanes::primes::Prime;

/// Eight elements of P in L digits of 51 bits (L = 5) or 48 bits (L = 6 and 8), in Montgomery form with R = 2^255, 2^288 or 2^384.
///
/// A product, and what was reduced or read from memory, is *normal*: its digits are at most a few above 2^(W - 1) in
/// absolute value, and it is less than 0.52 p (L = 5) or 1.6 p (L = 6 and 8). [`Self::less`] and [`Self::plus`] make sums of
/// two of those.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct Doubles<P, const L: usize> {
    digits: Digits<L>,
    prime: PhantomData<P>,
}

/// A sum or a difference of two normal elements. In eight digits it is without carries.
#[derive(Clone, Copy)]
pub struct DoublesSum<P, const L: usize>(Doubles<P, L>);

impl<P, const L: usize> DoublesSum<P, L> {
    /// The same, as a factor.
    #[inline(always)]
    pub(super) fn digits(&self) -> &Doubles<P, L> {
        &self.0
    }
}

/// The largest multiple of p that the test for zero accepts.
const MULTIPLES: f64 = 4.0;

/// The array of a body's values for each half of the lanes of each digit.
macro_rules! digits {
    ($j:ident, $half:ident < $count:expr => $body:expr) => {{
        // SAFETY: whoever has a `Fma`, or doubles made with one, is on a processor with these instructions.
        let mut digits = [[const { MaybeUninit::<__m256d>::uninit() }; 2]; $count];
        let mut $j = 0;
        while $j < $count {
            let mut $half = 0;
            while $half < 2 {
                digits[$j][$half].write($body);
                $half += 1;
            }
            $j += 1;
        }
        // SAFETY: all of them were written, and the types have the same bits.
        unsafe { std::mem::transmute_copy::<_, Digits<{ $count }>>(&digits) }
    }};
}

impl<P: Prime<L>, const L: usize> Doubles<P, L> {
    const TABLE: &'static Table<L> = &Table::of(P::MODULUS);
    /// So small a modulus has no top digit to reduce by.
    const IS_TOY: bool = P::BITS <= width(L) * (L as u32 - 1);

    #[inline(always)]
    pub(super) fn of(digits: Digits<L>) -> Self {
        Self { digits, prime: PhantomData }
    }

    #[inline(always)]
    pub(super) fn digits(&self) -> &Digits<L> {
        &self.digits
    }

    pub(super) const fn table() -> &'static Table<L> {
        Self::TABLE
    }

    /// Returns the digits of p.
    #[inline(always)]
    pub(super) fn modulus_digits() -> [f64; L] {
        let row = &Self::TABLE.folds[L - 1];
        each!(j < L, 0.0 => row[j][0])
    }

    /// Returns the element in every lane.
    #[inline(always)]
    pub(super) fn constant(digits: &[f64; L]) -> Self {
        // SAFETY: see `digits`.
        Self::of(digits!(j, half < L => unsafe { _mm256_set1_pd(digits[j]) }))
    }

    /// x y.
    #[inline(always)]
    pub fn product(&self, y: &Self) -> Self {
        debug_assert!(self.is_factor() && y.is_factor(), "digits that are too large");
        // SAFETY: see `digits`.
        Self::of(unsafe { product::multiply(Self::TABLE, &self.digits, &y.digits) })
    }

    /// x y in the first four lanes, and zeros.
    #[inline(always)]
    pub(super) fn product_in_first_half(&self, y: &Self) -> Self {
        debug_assert!(self.is_factor() && y.is_factor(), "digits that are too large");
        // SAFETY: see `digits`.
        Self::of(unsafe { product::multiply_first_half(Self::TABLE, &self.digits, &y.digits) })
    }

    /// x^2.
    #[inline(always)]
    pub fn squared(&self) -> Self {
        debug_assert!(self.is_factor(), "digits that are too large");
        // SAFETY: see `digits`.
        Self::of(unsafe { product::square(Self::TABLE, &self.digits) })
    }

    /// n x, reduced, for n up to 16.
    #[inline(always)]
    pub fn multiple(&self, n: u32) -> Self {
        match n {
            0 => Self::constant(&[0.0; L]),
            1 => *self,
            2..=4 => self.scaled_digits(n.into()).reduced_digits(),
            _ => {
                let four = self.multiple_to_four(n / 4).scaled_digits(4.0);
                four.plus_digits(&self.scaled_digits((n % 4).into())).reduced_digits()
            }
        }
    }

    #[inline(always)]
    fn multiple_to_four(&self, n: u32) -> Self {
        if n == 1 { *self } else { self.scaled_digits(n.into()).reduced_digits() }
    }

    #[inline(always)]
    fn scaled_digits(&self, by: f64) -> Self {
        // SAFETY: see `digits`.
        Self::of(digits!(j, half < L => unsafe {
            _mm256_mul_pd(self.digits[j][half], _mm256_set1_pd(by))
        }))
    }

    /// Returns the element with carries.
    #[inline(always)]
    fn carried(&self) -> Self {
        // SAFETY: see `digits`.
        Self::of(unsafe { product::carried_eight(Self::TABLE, &self.digits) })
    }

    /// Less the multiple of p that is nearest.
    #[inline(always)]
    pub fn reduced_digits(&self) -> Self {
        if Self::IS_TOY {
            return self.carried().product(&Self::constant(&Self::TABLE.one));
        }
        // SAFETY: see `digits`.
        Self::of(unsafe { product::reduced_eight(Self::TABLE, &self.digits) })
    }

    /// x + y, without carries.
    #[inline(always)]
    pub fn plus_digits(&self, y: &Self) -> Self {
        // SAFETY: see `digits`.
        Self::of(digits!(j, half < L => unsafe {
            _mm256_add_pd(self.digits[j][half], y.digits[j][half])
        }))
    }

    /// x - y, without carries.
    #[inline(always)]
    pub fn less_digits(&self, y: &Self) -> Self {
        // SAFETY: see `digits`.
        Self::of(digits!(j, half < L => unsafe {
            _mm256_sub_pd(self.digits[j][half], y.digits[j][half])
        }))
    }

    /// With the sign changed where these bits are that of a double.
    #[inline(always)]
    fn with_signs(&self, signs: [__m256d; 2]) -> Self {
        // SAFETY: see `digits`.
        Self::of(digits!(j, half < L => unsafe {
            _mm256_xor_pd(self.digits[j][half], signs[half])
        }))
    }

    /// x + y with carries, of normal elements or sums.
    #[inline(always)]
    pub(super) fn carried_sum(&self, y: &Self) -> Self {
        self.plus_digits(y).carried()
    }

    /// x + y, less the multiple of p that is nearest.
    #[inline(always)]
    pub fn reduced_sum(&self, y: &Self) -> Self {
        self.plus_digits(y).reduced_digits()
    }

    /// x - n y, reduced, for small n.
    #[inline(always)]
    pub fn less_multiple(&self, y: &Self, n: u32) -> Self {
        let mut difference = *self;
        for _ in 0..n {
            difference = difference.less_digits(y);
        }
        difference.reduced_digits()
    }

    #[inline(always)]
    fn as_sum(self) -> DoublesSum<P, L> {
        DoublesSum(if L != 5 { self } else { self.carried() })
    }

    #[inline(always)]
    fn select_digits(&self, mask: Mask, y: &Self) -> Self {
        let chosen = lanes(mask);
        // SAFETY: see `digits`.
        Self::of(digits!(j, half < L => unsafe {
            _mm256_blendv_pd(self.digits[j][half], y.digits[j][half], chosen[half])
        }))
    }

    /// Where x may be a multiple of p: its lowest digit over p's, modulo 2^W, is the multiple.
    #[inline(always)]
    fn lowest_may_be_of_zero(&self) -> Mask {
        let table = Self::TABLE;
        let mut mask = 0;
        let mut half = 0;
        while half < 2 {
            // SAFETY: see `digits`.
            let found = unsafe {
                let splat = |splat: &Splat| _mm256_loadu_pd(splat.as_ptr());
                let (by, round) = (splat(&table.negative_inverse), splat(&table.round));
                let x = self.digits[0][half];
                let x = _mm256_sub_pd(x, _mm256_sub_pd(_mm256_add_pd(x, round), round));
                let above = _mm256_fmadd_pd(x, by, round);
                let multiple = _mm256_fmadd_pd(x, by, _mm256_sub_pd(round, above));
                let magnitude = _mm256_andnot_pd(_mm256_set1_pd(-0.0), multiple);
                _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_LE_OQ>(
                    magnitude,
                    _mm256_set1_pd(MULTIPLES),
                ))
            };
            mask |= (found as Mask) << (4 * half);
            half += 1;
        }
        mask
    }

    #[inline(always)]
    fn all_digits_are_zero(&self) -> Mask {
        let mut mask = 0;
        let mut half = 0;
        while half < 2 {
            // SAFETY: see `digits`.
            let found = unsafe {
                let zero = _mm256_setzero_si256();
                let mut bits = zero;
                let mut j = 0;
                while j < L {
                    bits = _mm256_or_si256(bits, _mm256_castpd_si256(self.digits[j][half]));
                    j += 1;
                }
                // All bits but the sign.
                let are_zero = _mm256_cmpeq_epi64(_mm256_slli_epi64::<1>(bits), zero);
                _mm256_movemask_pd(_mm256_castsi256_pd(are_zero))
            };
            mask |= (found as Mask) << (4 * half);
            half += 1;
        }
        mask
    }

    /// Are all digits but the highest, whose bound is the number's, as small as those of a factor?
    fn is_factor(&self) -> bool {
        let most: i64 = if L == 5 { (1 << 50) + 4 } else { (1 << 48) + 32 };
        let integers = self.integers();
        integers.iter().all(|digits| digits[..L - 1].iter().all(|digit| digit.abs() <= most))
    }

    /// Each lane's number as an integer of either sign.
    fn integers(&self) -> [[i64; L]; WIDTH] {
        let mut doubles = [[0.0; WIDTH]; L];
        for (j, row) in doubles.iter_mut().enumerate() {
            for half in 0..2 {
                // SAFETY: four doubles are written; see `digits` for the rest.
                unsafe { _mm256_storeu_pd(row[4 * half..].as_mut_ptr(), self.digits[j][half]) };
            }
        }
        std::array::from_fn(|lane| doubles.map(|row| row[lane] as i64))
    }
}

/// All bits of the lanes of a mask.
#[inline(always)]
fn lanes(mask: Mask) -> [__m256d; 2] {
    // SAFETY: see `digits`.
    unsafe {
        let all = _mm256_set1_epi64x(mask.into());
        let bits = [_mm256_setr_epi64x(1, 2, 4, 8), _mm256_setr_epi64x(16, 32, 64, 128)];
        let of = |bits| _mm256_castsi256_pd(_mm256_cmpeq_epi64(_mm256_and_si256(all, bits), bits));
        [of(bits[0]), of(bits[1])]
    }
}

/// The sign bits of the lanes of a mask.
#[inline(always)]
pub(super) fn signs(mask: Mask) -> [__m256d; 2] {
    let [first, second] = lanes(mask);
    // SAFETY: see `digits`.
    unsafe {
        let sign = _mm256_set1_pd(-0.0);
        [_mm256_and_pd(first, sign), _mm256_and_pd(second, sign)]
    }
}

/// Returns the canonical words of a number between -2 p and 2 p. The time does not depend on its value.
fn canonical<P: Prime<L>, const L: usize>(digits: &[i64; L]) -> P::Repr {
    let width = width(L);
    // Two's complement: the highest digit's sign goes through all words above it.
    let mut words = [0u64; 8];
    let mut carry = 0i128;
    for (j, &digit) in digits.iter().enumerate() {
        let sum = i128::from(digit) + carry;
        let low = if j + 1 < L { sum & ((1 << width) - 1) } else { sum };
        carry = (sum - low) >> width;
        let at = width as usize * j;
        let low = low << (at % 64);
        for (i, word) in words[at / 64..].iter_mut().enumerate() {
            *word |= (low >> (64 * i).min(127)) as u64;
        }
    }
    let mut p = [0; 8];
    p[..P::MODULUS.len()].copy_from_slice(P::MODULUS);
    let (twice, _) = limbs::add(&p, &p);
    let (mut words, _) = limbs::add(&words, &twice);
    for multiple in [twice, p] {
        let (rest, borrow) = limbs::sub(&words, &multiple);
        words = select(borrow, &words, &rest);
    }
    let mut integer = P::ZERO.to_canonical();
    let count = integer.as_ref().len();
    integer.as_mut().copy_from_slice(&words[..count]);
    integer
}

impl<P: Prime<L>, const L: usize> Residue<Fma> for Doubles<P, L> {
    type Element = P;
    type Sum = DoublesSum<P, L>;
    type Norm = Self;
    type KeptNorm = ();
    const BLANK_NORM: () = ();
    type AtRest = [[f64; WIDTH]; L];
    const BLANK: [[f64; WIDTH]; L] = [[0.0; WIDTH]; L];

    #[inline(always)]
    fn zero(_: Fma) -> Self {
        Self::constant(&[0.0; L])
    }
    #[inline(always)]
    fn one(_: Fma) -> Self {
        Self::constant(&Self::TABLE.one)
    }
    #[inline(always)]
    fn load(_: Fma, at_rest: &[[f64; WIDTH]; L]) -> Self {
        // SAFETY: four doubles are read; see `digits` for the rest.
        Self::of(digits!(j, half < L => unsafe {
            _mm256_loadu_pd(at_rest[j].as_ptr().add(4 * half))
        }))
    }
    #[inline(always)]
    fn store(&self, at_rest: &mut [[f64; WIDTH]; L]) {
        let mut j = 0;
        while j < L {
            let [first, second] = self.digits[j];
            let row = at_rest[j].as_mut_ptr();
            // SAFETY: eight doubles are written; see `digits` for the rest.
            unsafe {
                _mm256_storeu_pd(row, first);
                _mm256_storeu_pd(row.add(4), second);
            }
            j += 1;
        }
    }
    #[inline(always)]
    fn from_elements(_: Fma, elements: &[P; WIDTH]) -> Self {
        let mut at_rest = [[0.0; WIDTH]; L];
        let mask = (1 << width(L)) - 1;
        for (lane, element) in elements.iter().enumerate() {
            let form = element.to_montgomery();
            let form = form.as_ref();
            for (j, row) in at_rest.iter_mut().enumerate() {
                let (word, low) = (width(L) as usize * j / 64, width(L) * j as u32 % 64);
                let bits = form.get(word).map_or(0, |bits| bits >> low);
                let above = form.get(word + 1).map_or(0, |bits| bits << 1 << (63 - low));
                row[lane] = ((bits | above) & mask) as f64;
            }
        }
        Self::load(Fma(()), &at_rest).carried().product(&Self::constant(&Self::TABLE.from_words))
    }
    #[inline(always)]
    fn to_elements(&self) -> [P; WIDTH] {
        let integers = self.product(&Self::constant(&Self::TABLE.to_words)).integers();
        integers.map(|digits| {
            P::from_montgomery(canonical::<P, L>(&digits)).expect("a number below the modulus")
        })
    }
    #[inline(always)]
    fn less(&self, y: &Self) -> DoublesSum<P, L> {
        self.less_digits(y).as_sum()
    }
    #[inline(always)]
    fn plus(&self, y: &Self) -> DoublesSum<P, L> {
        self.plus_digits(y).as_sum()
    }
    #[inline(always)]
    fn negative(&self) -> Self {
        self.with_signs(signs(Mask::MAX))
    }
    #[inline(always)]
    fn widened(&self) -> DoublesSum<P, L> {
        DoublesSum(*self)
    }
    #[inline(always)]
    fn reduced(sum: &DoublesSum<P, L>) -> Self {
        sum.0.reduced_digits()
    }
    #[inline(always)]
    fn signed_less(&self, negated: Mask, x: &Self) -> DoublesSum<P, L> {
        self.with_signs(signs(negated)).less_digits(x).as_sum()
    }
    #[inline(always)]
    fn less_both(&self, y: &Self, z: &Self) -> Self {
        self.less_digits(y).less_digits(z).reduced_digits()
    }
    #[inline(always)]
    fn products(x: [&Self; 2], y: [&Self; 2]) -> [Self; 2] {
        [x[0].product(y[0]), x[1].product(y[1])]
    }
    #[inline(always)]
    fn products_with(x: [&Self; 2], y: [&DoublesSum<P, L>; 2]) -> [Self; 2] {
        [x[0].product(&y[0].0), x[1].product(&y[1].0)]
    }
    #[inline(always)]
    fn squares(x: [&Self; 2]) -> [Self; 2] {
        [x[0].squared(), x[1].squared()]
    }
    /// One scalar inversion, of the product of all lanes.
    #[inline(always)]
    fn inverse_vartime(&self) -> Self {
        let mut elements = self.to_elements();
        P::batch_invert_vartime(&mut elements);
        Self::from_elements(Fma(()), &elements)
    }
    #[inline(always)]
    fn norms(x: [&Self::Sum; 2], _: &mut [(); 2]) -> [Self::Sum; 2] {
        both!(n => *x[n])
    }
    #[inline(always)]
    fn kept_norms(_: Fma, x: [&Self::Sum; 2], _: &[(); 2]) -> [Self::Sum; 2] {
        both!(n => *x[n])
    }
    #[inline(always)]
    fn inverses_by_norms(_: [&Self::Sum; 2], inverses: [&Self; 2]) -> [Self; 2] {
        both!(n => *inverses[n])
    }
    #[inline(always)]
    fn select(&self, mask: Mask, y: &Self) -> Self {
        self.select_digits(mask, y)
    }
    #[inline(always)]
    fn select_sum(x: &DoublesSum<P, L>, mask: Mask, y: &DoublesSum<P, L>) -> DoublesSum<P, L> {
        DoublesSum(x.0.select_digits(mask, &y.0))
    }
    /// Within p/2 or so of 0 there is one multiple of p, and one form of it in normal digits.
    #[inline(always)]
    fn is_zero(&self) -> Mask {
        if Self::IS_TOY {
            let elements = self.to_elements();
            let bit = |lane: usize| Mask::from(elements[lane] == P::ZERO) << lane;
            return (0..WIDTH).map(bit).sum();
        }
        let nearest = if L == 5 { *self } else { self.reduced_digits() };
        nearest.all_digits_are_zero()
    }
    #[inline(always)]
    fn may_be_zero(&self) -> Mask {
        self.lowest_may_be_of_zero()
    }
    #[inline(always)]
    fn sum_may_be_zero(sum: &DoublesSum<P, L>) -> Mask {
        sum.0.lowest_may_be_of_zero()
    }
}
