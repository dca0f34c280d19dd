//! Fields in Montgomery form: x is kept as x R modulo p, R = 2^(64 N), always below p. A modulus that has a better
//! product brings it, and may have R = 1.

use std::fmt;
use std::marker::PhantomData;

use subtle::{Choice, ConditionallySelectable, ConstantTimeEq, CtOption};

use super::constants::{self, bit_length, power_of_two};
use super::limbs::{add_mod, below, sub_mod};
use super::multiply::{self, Reduction};
use super::operators;
use super::root::{RootConstants, sqrt};
use super::safegcd::Inversion;
use super::select::select;
use super::{DecodeError, Field, PrimeField};

/// An odd prime of N limbs. Its numbers and the shape of its encoding are given; the rest follows, unless the prime has
/// a better product.
pub trait Modulus<const N: usize>: Send + Sync + 'static {
    /// The name of the field in the specification.
    const NAME: &'static str;
    /// The prime p, lowest limb first.
    const MODULUS: [u64; N];
    /// A generator of the multiplicative group, where the specification names one.
    const GENERATOR: Option<u64>;
    /// An encoding.
    type Bytes: AsRef<[u8]> + AsMut<[u8]> + Copy + Eq + fmt::Debug + Send + Sync + 'static;
    /// The encoding of 0.
    const ZERO_BYTES: Self::Bytes;

    /// R modulo p: 1 as it is kept.
    const R: [u64; N] = power_of_two(64 * N, &Self::MODULUS);
    /// R^2 modulo p: a product with it is a number as it is kept.
    const R2: [u64; N] = power_of_two(128 * N, &Self::MODULUS);

    /// a b / R modulo p, for any a, and b below p.
    #[inline(always)]
    fn product(a: &[u64; N], b: &[u64; N]) -> [u64; N] {
        multiply::product(a, b, const { &Reduction::new(Self::MODULUS) })
    }

    /// R^2/x modulo p, and 0 for 0, for x below p, in constant time; none if division steps are
    /// faster.
    fn inverse(_: &[u64; N]) -> Option<[u64; N]> {
        None
    }
}

/// An element of the field of a modulus.
#[repr(transparent)]
pub struct Montgomery<P: Modulus<N>, const N: usize>([u64; N], PhantomData<P>);

impl<P: Modulus<N>, const N: usize> Montgomery<P, N> {
    /// 2^(128 N) / R modulo p, for an R that is 1 or 2^(64 N).
    const CORRECTION: [u64; N] =
        if bit_length(&P::R) == 1 { power_of_two(128 * N, &P::MODULUS) } else { P::R };
    /// True if R is 2^(64 N), and not 1.
    const IS_MONTGOMERY: bool = bit_length(&P::R) != 1 || bit_length(&Self::RADIX) == 1;
    /// Bits of R, which is a power of 2: 0 where elements are kept as they are.
    pub(crate) const R_BITS: usize = if Self::IS_MONTGOMERY { 64 * N } else { 0 };
    /// 2^(64 N) modulo p.
    const RADIX: [u64; N] = power_of_two(64 * N, &P::MODULUS);
    /// 1 / 2^(64 N) where R is 1.
    const RADIX_INVERSE: Self = {
        let mut exponent = P::MODULUS;
        exponent[0] -= 2;
        Self::raw(Self::RADIX).const_pow(&exponent)
    };
    const INVERSION: Inversion<N> = Inversion::new(&P::MODULUS, &P::R2);
    const ROOT: RootConstants<N> = RootConstants::new(&P::MODULUS);
    /// An element of order 2^s: a generator, or else a non-residue, to the power of t.
    const TWO_ADIC_ROOT: Self = match P::GENERATOR {
        Some(generator) => Self::of_word(generator).const_pow(&Self::ROOT.odd_part),
        None => Self::least_non_residue_power(),
    };

    /// The element that a canonical integer is, for constants: not below the modulus is an error of the compiler.
    pub const fn constant(canonical: [u64; N]) -> Self {
        assert!(below(&canonical, &P::MODULUS) == 1, "a constant that is not below the modulus");
        Self::from_limbs(canonical)
    }

    /// [`Self::reduced`] while the program is compiled.
    const fn from_limbs(integer: [u64; N]) -> Self {
        Self::raw(integer).const_product(&Self::raw(P::R2))
    }

    /// The element that any integer of N limbs is.
    #[inline(always)]
    pub(crate) fn reduced(integer: [u64; N]) -> Self {
        Self::raw(integer).product(&Self::raw(P::R2))
    }

    const fn of_word(word: u64) -> Self {
        let mut limbs = [0; N];
        limbs[0] = word;
        Self::from_limbs(limbs)
    }

    const fn raw(limbs: [u64; N]) -> Self {
        Self(limbs, PhantomData)
    }

    /// The limbs that it is kept in.
    #[inline(always)]
    pub(crate) fn limbs(&self) -> &[u64] {
        &self.0
    }

    /// The element that is kept in these limbs, which are those of one: the first N.
    #[inline(always)]
    pub(crate) fn of_limbs(limbs: &[u64]) -> Self {
        let mut kept = [0; N];
        kept.copy_from_slice(&limbs[..N]);
        debug_assert!(below(&kept, &P::MODULUS) == 1);
        Self::raw(kept)
    }

    /// What reduces sums of so many products; none where they do not fit, or the modulus has a product of its own.
    #[inline(always)]
    fn reduction(count: u32) -> Option<&'static Reduction<N>> {
        let reduction = const { &Reduction::new(P::MODULUS) };
        (Self::IS_MONTGOMERY && reduction.fits(count as usize)).then_some(reduction)
    }

    /// As their limbs.
    #[inline(always)]
    fn pair(elements: &[Self; 2]) -> &[[u64; N]; 2] {
        // SAFETY: an element is its limbs, and nothing else ([`Montgomery`] is transparent).
        unsafe { &*std::ptr::from_ref(elements).cast() }
    }

    fn canonical(&self) -> [u64; N] {
        let mut one = [0; N];
        one[0] = 1;
        P::product(&self.0, &one)
    }

    #[inline(always)]
    fn sum(&self, other: &Self) -> Self {
        Self::raw(add_mod(&self.0, &other.0, &P::MODULUS))
    }

    #[inline(always)]
    fn difference(&self, other: &Self) -> Self {
        Self::raw(sub_mod(&self.0, &other.0, &P::MODULUS))
    }

    #[inline(always)]
    fn negative(&self) -> Self {
        Self::ZERO.difference(self)
    }

    #[inline(always)]
    fn product(&self, other: &Self) -> Self {
        Self::raw(P::product(&self.0, &other.0))
    }

    /// A product while the program is compiled, where it cannot be the modulus's own: two Montgomery
    /// multiplications, the second of which replaces 2^(128 N) by R.
    const fn const_product(&self, other: &Self) -> Self {
        let reduction = Reduction::new(P::MODULUS);
        let product = constants::product(&self.0, &other.0, &reduction);
        Self::raw(constants::product(&product, &Self::CORRECTION, &reduction))
    }

    /// x^e while the program is compiled.
    const fn const_pow(&self, exponent: &[u64; N]) -> Self {
        let mut power = Self::raw(P::R);
        let mut i = 64 * N;
        while i > 0 {
            i -= 1;
            power = power.const_product(&power);
            if exponent[i / 64] >> (i % 64) & 1 == 1 {
                power = power.const_product(self);
            }
        }
        power
    }

    /// The first of 2^t, 3^t, … that has order 2^s: the first whose 2^(s-1)st power is not 1.
    const fn least_non_residue_power() -> Self {
        let mut candidate = 2;
        loop {
            let power = Self::of_word(candidate).const_pow(&Self::ROOT.odd_part);
            let (mut last, mut i) = (power, 1);
            while i < Self::ROOT.two_adicity {
                last = last.const_product(&last);
                i += 1;
            }
            // Neither is 0, and a square root of 1 is 1 or -1.
            if last.0[0] != P::R[0] {
                return power;
            }
            candidate += 1;
        }
    }
}

operators!([P: Modulus<N>, const N: usize] Montgomery<P, N>);

impl<P: Modulus<N>, const N: usize> Field for Montgomery<P, N> {
    const ZERO: Self = Self::raw([0; N]);
    const ONE: Self = Self::raw(P::R);

    #[inline(always)]
    fn double(&self) -> Self {
        self.sum(self)
    }

    #[inline(always)]
    fn square(&self) -> Self {
        self.product(self)
    }

    fn invert(&self) -> CtOption<Self> {
        let inverse = P::inverse(&self.0).unwrap_or_else(|| Self::INVERSION.invert(&self.0));
        CtOption::new(Self::raw(inverse), !self.is_zero())
    }

    fn invert_vartime(&self) -> Option<Self> {
        let inverse =
            || P::inverse(&self.0).unwrap_or_else(|| Self::INVERSION.invert_vartime(&self.0));
        (*self != Self::ZERO).then(|| Self::raw(inverse()))
    }

    #[inline(always)]
    fn times_difference(&self, x: &Self, y: &Self) -> Self {
        if let Some(reduction) = Self::reduction(1) {
            Self::raw(multiply::product_of_difference(&x.0, &y.0, &self.0, reduction))
        } else {
            *self * (*x - y)
        }
    }

    #[inline(always)]
    fn signed(&self, negative: bool) -> Self {
        Self::raw(select(negative.into(), &(-self).0, &self.0))
    }

    fn sqrt(&self) -> CtOption<Self> {
        sqrt(self, &Self::ROOT, Self::TWO_ADIC_ROOT)
    }
}

impl<P: Modulus<N>, const N: usize> PrimeField for Montgomery<P, N> {
    const NAME: &'static str = P::NAME;
    const BITS: u32 = bit_length(&P::MODULUS);
    const BYTES: usize = Self::BITS.div_ceil(8) as usize;
    const MODULUS: &'static [u64] = &P::MODULUS;
    const GENERATOR: Option<Self> = match P::GENERATOR {
        Some(generator) => Some(Self::of_word(generator)),
        None => None,
    };
    const TWO_ADICITY: u32 = Self::ROOT.two_adicity;
    const ROOT_OF_UNITY: Option<Self> = match P::GENERATOR {
        Some(_) => Some(Self::TWO_ADIC_ROOT),
        None => None,
    };

    type Repr = [u64; N];
    type Bytes = P::Bytes;

    #[inline(always)]
    fn quadratic_product(a: &[Self; 2], b: &[Self; 2], n: u32) -> [Self; 2] {
        if let Some(reduction) = Self::reduction(n.max(2)) {
            let [c0, c1] = multiply::quadratic_product(Self::pair(a), Self::pair(b), n, reduction);
            [Self::raw(c0), Self::raw(c1)]
        } else {
            let n = Self::from(u64::from(n));
            [a[0] * b[0] - n * a[1] * b[1], a[0] * b[1] + a[1] * b[0]]
        }
    }

    #[inline(always)]
    fn quadratic_product_of_difference(
        x: &[Self; 2],
        y: &[Self; 2],
        b: &[Self; 2],
        n: u32,
    ) -> [Self; 2] {
        if let Some(reduction) = Self::reduction(2 * n + 1) {
            let (x, y, b) = (Self::pair(x), Self::pair(y), Self::pair(b));
            let [c0, c1] = multiply::quadratic_product_of_difference(x, y, b, n, reduction);
            [Self::raw(c0), Self::raw(c1)]
        } else {
            Self::quadratic_product(&[x[0] - y[0], x[1] - y[1]], b, n)
        }
    }

    #[inline(always)]
    fn quadratic_square(a: &[Self; 2], n: u32) -> [Self; 2] {
        if n % 2 == 1
            && let Some(reduction) = Self::reduction(2 * n + 1)
        {
            let [c0, c1] = multiply::quadratic_square(Self::pair(a), n, reduction);
            [Self::raw(c0), Self::raw(c1)]
        } else {
            Self::quadratic_product(a, a, n)
        }
    }

    fn from_canonical(canonical: [u64; N]) -> CtOption<Self> {
        let reduced = Choice::from(below(&canonical, &P::MODULUS) as u8);
        CtOption::new(Self::raw(canonical).product(&Self::raw(P::R2)), reduced)
    }

    fn to_canonical(&self) -> [u64; N] {
        self.canonical()
    }

    #[inline]
    fn from_montgomery(form: [u64; N]) -> CtOption<Self> {
        let reduced = Choice::from(below(&form, &P::MODULUS) as u8);
        let element = Self::raw(form);
        CtOption::new(
            if Self::IS_MONTGOMERY { element } else { element * Self::RADIX_INVERSE },
            reduced,
        )
    }

    #[inline]
    fn to_montgomery(&self) -> [u64; N] {
        if Self::IS_MONTGOMERY { self.0 } else { (*self * Self::raw(Self::RADIX)).0 }
    }

    fn from_le_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
        if bytes.len() != Self::BYTES {
            return Err(DecodeError::Length { expected: Self::BYTES, found: bytes.len() });
        }
        let canonical = super::bytes::limbs_of_le_bytes(bytes);
        Option::from(Self::from_canonical(canonical)).ok_or(DecodeError::NotReduced)
    }

    fn to_le_bytes(&self) -> P::Bytes {
        let mut bytes = P::ZERO_BYTES;
        super::bytes::le_bytes_of_limbs(&self.canonical(), bytes.as_mut());
        bytes
    }
}

impl<P: Modulus<N>, const N: usize> From<u64> for Montgomery<P, N> {
    fn from(word: u64) -> Self {
        let mut limbs = [0; N];
        limbs[0] = word;
        Self::raw(limbs).product(&Self::raw(P::R2))
    }
}

impl<P: Modulus<N>, const N: usize> ConstantTimeEq for Montgomery<P, N> {
    fn ct_eq(&self, other: &Self) -> Choice {
        self.0.ct_eq(&other.0)
    }
}

impl<P: Modulus<N>, const N: usize> ConditionallySelectable for Montgomery<P, N> {
    #[inline]
    fn conditional_select(a: &Self, b: &Self, choice: Choice) -> Self {
        Self::raw(select(u64::from(choice.unwrap_u8()), &b.0, &a.0))
    }
}

impl<P: Modulus<N>, const N: usize> Clone for Montgomery<P, N> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: Modulus<N>, const N: usize> Copy for Montgomery<P, N> {}

impl<P: Modulus<N>, const N: usize> Default for Montgomery<P, N> {
    fn default() -> Self {
        Self::ZERO
    }
}

impl<P: Modulus<N>, const N: usize> zeroize::DefaultIsZeroes for Montgomery<P, N> {}

impl<P: Modulus<N>, const N: usize> PartialEq for Montgomery<P, N> {
    fn eq(&self, other: &Self) -> bool {
        self.ct_eq(other).into()
    }
}

impl<P: Modulus<N>, const N: usize> Eq for Montgomery<P, N> {}

impl<P: Modulus<N>, const N: usize> fmt::Debug for Montgomery<P, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        super::bytes::write_hex(f, &self.canonical())
    }
}
