//! Conversions from and to elements and points of other libraries, by their numeric values: no memory is reinterpreted.
//!
//! Field elements are converted by [`From`], except those of `blst`, whose words are public fields: [`TryFrom`] rejects a number that is
//! not below the modulus. Points are converted by [`TryFrom`] in both directions, and are checked in both: one that is not on
//! its curve, or not in the subgroup of prime order, is an [`EncodingError`]. The identity is converted to the identity.
//!
//! ```
//! # #[cfg(feature = "arkworks")]
//! # fn main() -> Result<(), proofmill_algebra::encoding::EncodingError> {
//! use proofmill_algebra::{bn254, curve::Affine};
//!
//! let theirs = ark_bn254::G1Affine::new_unchecked(1.into(), 2.into());
//! let point = Affine::<bn254::G1>::try_from(theirs)?;
//! assert_eq!(ark_bn254::G1Affine::try_from(point)?, theirs);
//! assert_eq!(ark_bn254::Fr::from(-bn254::Fr::from(1)), (-1).into());
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "arkworks"))]
//! # fn main() {}
//! ```
//!
//! | feature | library | what |
//! |---|---|---|
//! | `arkworks` | `ark-bn254`, `ark-bls12-381`, `ark-bls12-377`, `ark-pallas`, `ark-vesta` | `Fr`, `Fq`, `Fq2`, affine points |
//! | `blst` | `blst` | `blst_fr`, `blst_fp`, `blst_fp2`, `blst_p1_affine`, `blst_p2_affine` |
//! | `halo2curves` | `halo2curves`: `bn256`, `bls12381` | `Fr`, `Fq`, `Fq2`, affine points |

/// Elements of Fp2, of which theirs are given as two coefficients.
#[cfg(any(feature = "arkworks", feature = "halo2curves"))]
macro_rules! quadratic {
    (|$theirs_is:ident| $coefficients:expr; $($ours:ty = $theirs:ty;)*) => {$(
        impl From<$theirs> for $ours {
            fn from($theirs_is: $theirs) -> Self {
                let [c0, c1] = $coefficients;
                Self::new(c0.into(), c1.into())
            }
        }

        impl From<$ours> for $theirs {
            fn from(ours: $ours) -> Self {
                Self::new(ours.c0.into(), ours.c1.into())
            }
        }
    )*};
}

/// Affine points: how theirs is read and checked, and how it is made of one of ours that was checked.
macro_rules! points {
    (|$theirs_is:ident| $read:expr, |$ours_is:ident| $made:expr; $($ours:ty = $theirs:ty;)*) => {$(
        impl TryFrom<$theirs> for Affine<$ours> {
            type Error = EncodingError;

            fn try_from($theirs_is: $theirs) -> Result<Self, EncodingError> {
                $read
            }
        }

        impl TryFrom<Affine<$ours>> for $theirs {
            type Error = EncodingError;

            fn try_from(ours: Affine<$ours>) -> Result<Self, EncodingError> {
                let $ours_is = checked(ours)?;
                Ok($made)
            }
        }
    )*};
}

#[cfg(feature = "arkworks")]
mod arkworks;
#[cfg(feature = "blst")]
mod blst;
#[cfg(feature = "halo2curves")]
mod halo2curves;

use crate::curve::{Affine, Curve};
use crate::encoding::{self, Coordinate, EncodingError};

/// The point of the subgroup with these coordinates; (0, 0) is the identity.
#[cfg(any(feature = "blst", feature = "halo2curves"))]
fn point<C: Curve<Base: Coordinate>>(x: C::Base, y: C::Base) -> Result<Affine<C>, EncodingError> {
    checked(Affine::new_unchecked(x, y))
}

/// The point, if it is one of the subgroup.
fn checked<C: Curve<Base: Coordinate>>(point: Affine<C>) -> Result<Affine<C>, EncodingError> {
    let is_identity = bool::from(point.is_identity());
    if is_identity { Ok(point) } else { encoding::point(point.x(), point.y()) }
}
