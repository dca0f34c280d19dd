//! The operations of fields and prime fields.

use std::error::Error;
use std::fmt::{self, Debug};
use std::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use subtle::{Choice, ConditionallySelectable, ConstantTimeEq, CtOption};

/// The reason why bytes are not a field element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DecodeError {
    /// The number of bytes is not that of an element.
    Length {
        /// Bytes of an element.
        expected: usize,
        /// Bytes that came.
        found: usize,
    },
    /// A number that is not below the modulus.
    NotReduced,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { expected, found } => {
                write!(text, "{found} bytes where a field element has {expected}")
            }
            Self::NotReduced => text.write_str("a number that is not below the modulus"),
        }
    }
}

impl Error for DecodeError {}

/// A finite field. All operations take the same time for all values, unless their names end in `_vartime`.
///
/// Equality is computed in constant time too; the caller keeps the resulting `bool` from leaking.
pub trait Field:
    Copy
    + Eq
    + Debug
    + Default
    + Send
    + Sync
    + 'static
    + ConstantTimeEq
    + ConditionallySelectable
    + zeroize::DefaultIsZeroes
    + Neg<Output = Self>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + for<'a> Add<&'a Self, Output = Self>
    + for<'a> Sub<&'a Self, Output = Self>
    + for<'a> Mul<&'a Self, Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + for<'a> AddAssign<&'a Self>
    + for<'a> SubAssign<&'a Self>
    + for<'a> MulAssign<&'a Self>
{
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;

    /// 2 x.
    fn double(&self) -> Self {
        *self + self
    }

    /// x^2.
    fn square(&self) -> Self {
        *self * self
    }

    /// 1/x; none for 0.
    fn invert(&self) -> CtOption<Self>;

    /// [`Self::invert`] in a time that depends on x.
    fn invert_vartime(&self) -> Option<Self> {
        self.invert().into()
    }

    /// A square root, either of the two; none if there is none.
    fn sqrt(&self) -> CtOption<Self>;

    /// Returns whether it is 0.
    fn is_zero(&self) -> Choice {
        self.ct_eq(&Self::ZERO)
    }

    /// self (x - y).
    #[inline(always)]
    fn times_difference(&self, x: &Self, y: &Self) -> Self {
        *self * (*x - y)
    }

    /// -self if `negative`, otherwise self.
    #[inline(always)]
    fn signed(&self, negative: bool) -> Self {
        Self::conditional_select(self, &-*self, Choice::from(u8::from(negative)))
    }

    /// x^e of an exponent in limbs, lowest first. The time depends on the exponent, not on x.
    fn pow_vartime(&self, exponent: &[u64]) -> Self {
        super::power::pow_vartime(self, exponent)
    }

    /// Turns every element into its inverse, with one inversion and three multiplications an element
    /// (Montgomery's trick). Zeros stay zeros, and neither their number nor their places show in the time.
    fn batch_invert(elements: &mut [Self]) {
        super::batch::batch_invert(elements, |product| product.invert().unwrap_or(Self::ZERO));
    }

    /// [`Self::batch_invert`] in a time that depends on the elements.
    fn batch_invert_vartime(elements: &mut [Self]) {
        super::batch::batch_invert(elements, |product| {
            product.invert_vartime().unwrap_or(Self::ZERO)
        });
    }
}

/// The integers modulo a prime. Conversions use the canonical integer, from 0 to the modulus minus 1; the internal
/// representation is private.
pub trait PrimeField: Field + From<u64> {
    /// Its name in `spec/fields`.
    const NAME: &'static str;
    /// Bits of the modulus.
    const BITS: u32;
    /// Bytes that hold every element: those of the encodings.
    const BYTES: usize;
    /// The prime, in limbs of 64 bits, lowest first.
    const MODULUS: &'static [u64];
    /// A generator of the multiplicative group, where the specification names one.
    const GENERATOR: Option<Self>;
    /// The largest s for which 2^s divides the modulus less 1.
    const TWO_ADICITY: u32;
    /// The generator to the power of (modulus - 1) / 2^s: a root of unity of order 2^s.
    const ROOT_OF_UNITY: Option<Self>;

    /// A canonical integer: `[u64; N]`, lowest limb first.
    type Repr: AsRef<[u64]> + AsMut<[u64]> + Copy + Eq + Debug + Send + Sync + 'static;
    /// An encoding: `[u8; Self::BYTES]`.
    type Bytes: AsRef<[u8]> + AsMut<[u8]> + Copy + Eq + Debug + Send + Sync + 'static;

    /// The coefficients of (a0 + a1 u) (b0 + b1 u), where u^2 = -n: cheaper, in many fields, than the products one by one.
    fn quadratic_product(a: &[Self; 2], b: &[Self; 2], n: u32) -> [Self; 2];

    /// The coefficients of (x0 - y0 + (x1 - y1) u) (b0 + b1 u), likewise.
    fn quadratic_product_of_difference(
        x: &[Self; 2],
        y: &[Self; 2],
        b: &[Self; 2],
        n: u32,
    ) -> [Self; 2];

    /// The coefficients of (a0 + a1 u)^2, likewise.
    fn quadratic_square(a: &[Self; 2], n: u32) -> [Self; 2];

    /// The element that this integer is; none if it is not below the modulus.
    fn from_canonical(canonical: Self::Repr) -> CtOption<Self>;

    /// The integer that this element is.
    fn to_canonical(&self) -> Self::Repr;

    /// The element whose Montgomery form, x 2^(64 N) modulo p of N limbs, this is; none if it is not below the modulus.
    fn from_montgomery(form: Self::Repr) -> CtOption<Self>;

    /// Its Montgomery form.
    fn to_montgomery(&self) -> Self::Repr;

    /// Reads exactly [`Self::BYTES`] bytes, lowest first.
    fn from_le_bytes(bytes: &[u8]) -> Result<Self, DecodeError>;

    /// Writes bytes, lowest first.
    fn to_le_bytes(&self) -> Self::Bytes;

    /// Reads exactly [`Self::BYTES`] bytes, highest first.
    fn from_be_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut reversed = Self::ZERO.to_le_bytes();
        let expected = reversed.as_ref().len();
        if bytes.len() != expected {
            return Err(DecodeError::Length { expected, found: bytes.len() });
        }
        reversed.as_mut().iter_mut().zip(bytes.iter().rev()).for_each(|(to, from)| *to = *from);
        Self::from_le_bytes(reversed.as_ref())
    }

    /// Writes bytes, highest first.
    fn to_be_bytes(&self) -> Self::Bytes {
        let mut bytes = self.to_le_bytes();
        bytes.as_mut().reverse();
        bytes
    }

    /// 64 bytes, lowest first, modulo the prime: what makes a scalar of a hash. If the bytes are uniform, the
    /// result is uniform up to a bias of 2^(BITS - 512).
    fn reduce_wide_le(bytes: &[u8; 64]) -> Self {
        let limb = Self::from(1 << 32).square();
        bytes.rchunks_exact(8).fold(Self::ZERO, |high, low| {
            let low = low.try_into().expect("chunks of eight");
            high * limb + Self::from(u64::from_le_bytes(low))
        })
    }
}
