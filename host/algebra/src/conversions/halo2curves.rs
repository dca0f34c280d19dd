//! Types of `halo2curves`.

use halo2curves::ff::PrimeField as _;
use halo2curves::{bls12381, bn256};

use super::{checked, point};
use crate::curve::Affine;
use crate::encoding::EncodingError;
use crate::field::PrimeField as _;
use crate::{bls12_381, bn254};

macro_rules! fields {
    ($($ours:ty = $theirs:ty;)*) => {$(
        impl From<$theirs> for $ours {
            fn from(theirs: $theirs) -> Self {
                let bytes = theirs.to_repr();
                Self::from_le_bytes(bytes.as_ref()).expect("their numbers are below the modulus")
            }
        }

        impl From<$ours> for $theirs {
            fn from(ours: $ours) -> Self {
                let bytes = ours.to_le_bytes().into();
                Self::from_repr_vartime(bytes).expect("canonical numbers are below the modulus")
            }
        }
    )*};
}

fields! {
    bn254::Fr = bn256::Fr;
    bn254::Fp = bn256::Fq;
    bls12_381::Fr = bls12381::Fr;
    bls12_381::Fp = bls12381::Fq;
}
quadratic! {
    |theirs| [*theirs.c0(), *theirs.c1()];
    bn254::Fp2 = bn256::Fq2;
    bls12_381::Fp2 = bls12381::Fq2;
}
points! {
    |theirs| point(theirs.x.into(), theirs.y.into()),
    |ours| Self { x: ours.x().into(), y: ours.y().into() };
    bn254::G1 = bn256::G1Affine;
    bn254::G2 = bn256::G2Affine;
    bls12_381::G1 = bls12381::G1Affine;
    bls12_381::G2 = bls12381::G2Affine;
}
