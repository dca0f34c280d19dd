//! Types of arkworks.

use ark_ec::AffineRepr as _;
use ark_ff::PrimeField as _;

use super::checked;
use crate::curve::Affine;
use crate::encoding::{self, EncodingError};
use crate::field::PrimeField;
use crate::{bls12_381, bn254};

/// The element with this number. It is below the modulus, unless it was made by `new_unchecked`; then it is reduced.
fn element<F: PrimeField>(mut number: F::Repr) -> F {
    loop {
        if let Some(element) = F::from_canonical(number).into_option() {
            return element;
        }
        let mut borrow = false;
        for (limb, &less) in number.as_mut().iter_mut().zip(F::MODULUS) {
            let (difference, first) = limb.overflowing_sub(less);
            let (difference, second) = difference.overflowing_sub(u64::from(borrow));
            (*limb, borrow) = (difference, first | second);
        }
    }
}

macro_rules! fields {
    ($($ours:ty = $theirs:ty;)*) => {$(
        impl From<$theirs> for $ours {
            fn from(theirs: $theirs) -> Self {
                element(theirs.into_bigint().0)
            }
        }

        impl From<$ours> for $theirs {
            fn from(ours: $ours) -> Self {
                let number = ark_ff::BigInt::new(ours.to_canonical());
                Self::from_bigint(number).expect("canonical numbers are below the modulus")
            }
        }
    )*};
}

/// Theirs has a flag for the identity, or makes (0, 0) of it.
macro_rules! ark_points {
    ($($list:tt)*) => {
        points! {
            |theirs| match theirs.xy() {
                Some((x, y)) => encoding::point(x.into(), y.into()),
                None => Ok(Affine::IDENTITY),
            },
            |ours| if ours.is_identity().into() {
                Self::identity()
            } else {
                Self::new_unchecked(ours.x().into(), ours.y().into())
            };
            $($list)*
        }
    };
}

fields! {
    bn254::Fr = ark_bn254::Fr;
    bn254::Fp = ark_bn254::Fq;
    bls12_381::Fr = ark_bls12_381::Fr;
    bls12_381::Fp = ark_bls12_381::Fq;
}
quadratic! {
    |theirs| [theirs.c0, theirs.c1];
    bn254::Fp2 = ark_bn254::Fq2;
    bls12_381::Fp2 = ark_bls12_381::Fq2;
}
ark_points! {
    bn254::G1 = ark_bn254::G1Affine;
    bn254::G2 = ark_bn254::G2Affine;
    bls12_381::G1 = ark_bls12_381::G1Affine;
    bls12_381::G2 = ark_bls12_381::G2Affine;
}

#[cfg(feature = "bls12_377")]
mod bls12_377 {
    use super::*;
    use crate::bls12_377;

    fields! {
        bls12_377::Fr = ark_bls12_377::Fr;
        bls12_377::Fp = ark_bls12_377::Fq;
    }
    quadratic! {
        |theirs| [theirs.c0, theirs.c1];
        bls12_377::Fp2 = ark_bls12_377::Fq2;
    }
    ark_points! {
        bls12_377::G1 = ark_bls12_377::G1Affine;
        bls12_377::G2 = ark_bls12_377::G2Affine;
    }
}

/// The scalars of one are the coordinates of the other.
#[cfg(feature = "pasta")]
mod pasta {
    use super::*;
    use crate::{pallas, vesta};

    fields! {
        pallas::Fr = ark_pallas::Fr;
        pallas::Fp = ark_pallas::Fq;
    }
    ark_points! {
        pallas::G1 = ark_pallas::Affine;
        vesta::G1 = ark_vesta::Affine;
    }
}
