//! Points as bytes, in the forms that others use. Every form has one encoding for a point, and reading refuses all that
//! is not the encoding of a point of the subgroup: [`EncodingError`] names the reason. No input makes it panic.
//!
//! | module | form | curves |
//! |---|---|---|
//! | [`sec1`] | SEC 1, compressed and uncompressed | secp256k1 |
//! | [`zcash`] | Zcash and IETF, compressed and uncompressed | BLS12-381 G1, G2 |
//! | [`jubjub`] | Zcash Sapling: y and a bit of x; points of any order | Jubjub |
//! | [`pasta`] | Zcash Orchard: x and a bit of y | Pallas, Vesta; with the feature `pasta` |
//! | [`pair`] | x and y, canonical little-endian | all |
//! | [`montgomery`] | x and y in Montgomery form, for reading in bulk, without a check of the subgroup | those with lanes |
//!
//! Decoded points are public: reading and writing are not constant time.

pub mod jubjub;
pub mod montgomery;
pub mod pair;
#[cfg(feature = "pasta")]
pub mod pasta;
pub mod sec1;
pub mod zcash;

use std::error::Error;
use std::fmt;

use crate::batch::{Batched, are_in_subgroup_vartime};
use crate::curve::{Affine, Curve};
use crate::field::{DecodeError, Field, PrimeField};
use crate::isa::Isa;
use crate::tower::{Fp2, Tower};

/// The reason why bytes are not the encoding of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EncodingError {
    /// The form has another length.
    Length {
        /// The length of the form.
        expected: usize,
        /// The length of the input.
        found: usize,
    },
    /// Flag bits or a first byte that this form does not have.
    Flags(u8),
    /// A coordinate that is not below the field's modulus.
    NotReduced,
    /// No point of the curve has these coordinates, or this x.
    NotOnCurve,
    /// A point of the curve, but not of the subgroup of prime order.
    NotInSubgroup,
    /// The identity's flag, and bits besides that should be zeros.
    InfinityWithData,
    /// The identity, which is no public key.
    Identity,
}

impl fmt::Display for EncodingError {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        text.write_str(match self {
            Self::Length { expected, found } => {
                return write!(text, "{found} bytes where the form has {expected}");
            }
            Self::Flags(flags) => {
                return write!(text, "flags {flags:#04x} that the form does not have");
            }
            Self::NotReduced => "a coordinate that is not below the modulus",
            Self::NotOnCurve => "not on the curve",
            Self::NotInSubgroup => "on the curve but not in the subgroup",
            Self::InfinityWithData => "the identity with other bits set",
            Self::Identity => "the identity, which is no public key",
        })
    }
}

impl Error for EncodingError {}

impl From<DecodeError> for EncodingError {
    fn from(error: DecodeError) -> Self {
        match error {
            DecodeError::Length { expected, found } => Self::Length { expected, found },
            DecodeError::NotReduced => Self::NotReduced,
        }
    }
}

/// A field whose elements can be encoded as coordinates: Fp, and Fp2 over it.
pub trait Coordinate: Field {
    /// Bytes of one coordinate.
    const BYTES: usize;

    /// Writes [`Self::BYTES`] bytes, lowest first; in Fp2 the coefficient of 1 first. Panics if `bytes` has another
    /// length.
    fn write_le(&self, bytes: &mut [u8]);

    /// Writes [`Self::BYTES`] bytes, highest first; in Fp2 the coefficient of u first.
    fn write_be(&self, bytes: &mut [u8]) {
        self.write_le(bytes);
        bytes.reverse();
    }

    /// Reads the bytes of [`Self::write_le`]. Returns [`EncodingError::Length`] or [`EncodingError::NotReduced`] for others.
    fn read_le(bytes: &[u8]) -> Result<Self, EncodingError>;

    /// Reads what [`Self::write_be`] wrote.
    fn read_be(bytes: &[u8]) -> Result<Self, EncodingError> {
        let reversed: Vec<u8> = bytes.iter().rev().copied().collect();
        Self::read_le(&reversed)
    }

    /// Is it the larger one of itself and its negative? In Fp2 the coefficient of u decides, and only if that is 0 the
    /// other.
    fn is_larger_than_negative(&self) -> bool;
}

impl<F: PrimeField> Coordinate for F {
    const BYTES: usize = <F as PrimeField>::BYTES;

    fn write_le(&self, bytes: &mut [u8]) {
        bytes.copy_from_slice(self.to_le_bytes().as_ref());
    }

    fn read_le(bytes: &[u8]) -> Result<Self, EncodingError> {
        Ok(F::from_le_bytes(bytes)?)
    }

    fn is_larger_than_negative(&self) -> bool {
        let (plus, minus) = (self.to_canonical(), (-*self).to_canonical());
        plus.as_ref().iter().rev().gt(minus.as_ref().iter().rev())
    }
}

impl<T: Tower> Coordinate for Fp2<T> {
    const BYTES: usize = 2 * <T::Base as PrimeField>::BYTES;

    fn write_le(&self, bytes: &mut [u8]) {
        let (c0, c1) = bytes.split_at_mut(<T::Base as PrimeField>::BYTES);
        self.c0.write_le(c0);
        self.c1.write_le(c1);
    }

    fn read_le(bytes: &[u8]) -> Result<Self, EncodingError> {
        let (c0, c1) = of_length(bytes, Self::BYTES)?.split_at(<T::Base as PrimeField>::BYTES);
        Ok(Self::new(T::Base::read_le(c0)?, T::Base::read_le(c1)?))
    }

    fn is_larger_than_negative(&self) -> bool {
        let decides = if bool::from(self.c1.is_zero()) { self.c0 } else { self.c1 };
        decides.is_larger_than_negative()
    }
}

/// A field by its components in a prime field Fp: Fp, and Fp2 over it.
pub trait Components: Coordinate {
    /// Fp.
    type Prime: PrimeField;
    /// The number of components: 1 in Fp, 2 in Fp2.
    const COUNT: usize;

    /// Returns the [`Self::COUNT`] components: in Fp2 the coefficient of 1 first.
    fn components(&self) -> &[Self::Prime];

    /// Returns the element with these components; `None` for another number of them.
    fn from_components(components: &[Self::Prime]) -> Option<Self>;
}

impl<F: PrimeField> Components for F {
    type Prime = F;
    const COUNT: usize = 1;

    fn components(&self) -> &[F] {
        std::slice::from_ref(self)
    }

    fn from_components(components: &[F]) -> Option<Self> {
        let &[element] = components else { return None };
        Some(element)
    }
}

impl<T: Tower> Components for Fp2<T> {
    type Prime = T::Base;
    const COUNT: usize = 2;

    fn components(&self) -> &[T::Base] {
        self.coefficients()
    }

    fn from_components(components: &[T::Base]) -> Option<Self> {
        let &[c0, c1] = components else { return None };
        Some(Self::new(c0, c1))
    }
}

/// Returns the point (x, y), which must be on the curve and in the subgroup. The internal form (0, 0) of the identity
/// is rejected like any other pair off the curve.
pub(crate) fn point<C: Curve>(x: C::Base, y: C::Base) -> Result<Affine<C>, EncodingError> {
    in_subgroup(on_curve(x, y)?)
}

/// Returns the point (x, y) without checking the subgroup.
fn on_curve<C: Curve>(x: C::Base, y: C::Base) -> Result<Affine<C>, EncodingError> {
    let point = Affine::new_unchecked(x, y);
    if bool::from(point.is_on_curve() & !point.is_identity()) {
        Ok(point)
    } else {
        Err(EncodingError::NotOnCurve)
    }
}

/// The points that are in the subgroup.
fn in_subgroup_each<C: Batched>(
    isa: Isa,
    points: Vec<Result<Affine<C>, EncodingError>>,
) -> Vec<Result<Affine<C>, EncodingError>> {
    // The identity is the subgroup's.
    let each: Vec<_> =
        points.iter().map(|point| point.as_ref().copied().unwrap_or_default()).collect();
    let are = are_in_subgroup_vartime(isa, &each);
    let point = |(point, is): (Result<Affine<C>, _>, bool)| match point {
        Ok(_) if !is => Err(EncodingError::NotInSubgroup),
        other => other,
    };
    points.into_iter().zip(are).map(point).collect()
}

/// Returns the point with this x and with the y that satisfies `wanted`.
fn point_at<C: Curve>(
    x: C::Base,
    wanted: impl Fn(&C::Base) -> bool,
) -> Result<Affine<C>, EncodingError> {
    let found = Option::<Affine<C>>::from(Affine::from_x(x)).ok_or(EncodingError::NotOnCurve)?;
    in_subgroup(if wanted(&found.y()) { found } else { -found })
}

fn in_subgroup<C: Curve>(point: Affine<C>) -> Result<Affine<C>, EncodingError> {
    if bool::from(point.is_in_subgroup()) { Ok(point) } else { Err(EncodingError::NotInSubgroup) }
}

fn of_length(bytes: &[u8], expected: usize) -> Result<&[u8], EncodingError> {
    let found = bytes.len();
    if found == expected { Ok(bytes) } else { Err(EncodingError::Length { expected, found }) }
}
