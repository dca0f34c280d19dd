//! Types of `blst`, which hold the Montgomery form that our words have too.

use blst::{blst_fp, blst_fp2, blst_fr, blst_p1_affine, blst_p2_affine};

use super::{checked, point};
use crate::bls12_381::{Fp, Fp2, Fr, G1, G2};
use crate::curve::Affine;
use crate::encoding::EncodingError;
use crate::field::{DecodeError, PrimeField as _};

macro_rules! fields {
    ($($ours:ty = $theirs:ident;)*) => {$(
        impl TryFrom<$theirs> for $ours {
            type Error = DecodeError;

            fn try_from(theirs: $theirs) -> Result<Self, DecodeError> {
                Self::from_montgomery(theirs.l).into_option().ok_or(DecodeError::NotReduced)
            }
        }

        impl From<$ours> for $theirs {
            fn from(ours: $ours) -> Self {
                Self { l: ours.to_montgomery() }
            }
        }
    )*};
}

fields! {
    Fr = blst_fr;
    Fp = blst_fp;
}
points! {
    |theirs| point(theirs.x.try_into()?, theirs.y.try_into()?),
    |ours| Self { x: ours.x().into(), y: ours.y().into() };
    G1 = blst_p1_affine;
    G2 = blst_p2_affine;
}

impl TryFrom<blst_fp2> for Fp2 {
    type Error = DecodeError;

    fn try_from(theirs: blst_fp2) -> Result<Self, DecodeError> {
        let [c0, c1] = theirs.fp;
        Ok(Self::new(c0.try_into()?, c1.try_into()?))
    }
}

impl From<Fp2> for blst_fp2 {
    fn from(ours: Fp2) -> Self {
        Self { fp: [ours.c0.into(), ours.c1.into()] }
    }
}
