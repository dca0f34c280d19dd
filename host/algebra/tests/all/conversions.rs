//! Conversions from and to other libraries' types, each beside what the other library computes.

use std::fmt::Debug;

use ark_ec::{AffineRepr as _, CurveGroup as _};
use halo2curves::group::Curve as _;
use proofmill_algebra::curve::{Affine, Curve, Projective};
use proofmill_algebra::encoding::EncodingError;
use proofmill_algebra::field::{DecodeError, Field, PrimeField};
use proofmill_algebra::{bls12_377, bls12_381, bn254, pallas, vesta};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

/// 0, 1, 2, -1 and random ones.
fn elements<F: PrimeField>() -> Vec<F> {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let edges = [F::ZERO, F::ONE, F::ONE.double(), -F::ONE];
    let drawn = (0..50).map(|_| F::reduce_wide_le(&random.random()));
    edges.into_iter().chain(drawn).collect()
}

/// The identity, the generator and its multiples.
fn points<C: Curve<Scalar: PrimeField>>() -> Vec<Affine<C>> {
    let multiples = elements::<C::Scalar>().into_iter().take(20);
    let times = |k: C::Scalar| Projective::<C>::generator().times_public(k.to_canonical().as_ref());
    multiples.map(|k| times(k).into()).collect()
}

/// A point of the curve that is not in the subgroup, if there is one.
fn outside<C: Curve>() -> Affine<C> {
    let mut x = C::Base::ONE;
    loop {
        if let Some(point) = Affine::<C>::from_x(x).into_option()
            && !bool::from(point.is_in_subgroup())
        {
            return point;
        }
        x += C::Base::ONE;
    }
}

/// Each element comes back, and theirs multiply and add as ours.
macro_rules! field {
    ($ours:ty, $theirs:ty) => {
        for pair in elements::<$ours>().windows(2) {
            let [a, b] = [pair[0], pair[1]];
            let (x, y): ($theirs, $theirs) = (a.into(), b.into());
            assert_eq!([<$ours>::from(x), <$ours>::from(y)], [a, b]);
            assert_eq!(<$ours>::from(x * y + x), a * b + a);
        }
    };
}

macro_rules! quadratic {
    ($ours:ty, $theirs:ty) => {
        for pair in elements().windows(3) {
            let (a, b) = (<$ours>::new(pair[0], pair[1]), <$ours>::new(pair[1], pair[2]));
            let (x, y): ($theirs, $theirs) = (a.into(), b.into());
            assert_eq!(<$ours>::from(x * y + x), a * b + a);
        }
    };
}

fn not_in_subgroup<C: Curve, T>()
where
    T: TryFrom<Affine<C>, Error = EncodingError> + Debug,
{
    let refused = T::try_from(outside::<C>()).unwrap_err();
    assert_eq!(refused, EncodingError::NotInSubgroup);
}

fn not_on_curve<C: Curve, T>()
where
    T: TryFrom<Affine<C>, Error = EncodingError> + Debug,
{
    let point = Affine::<C>::new_unchecked(C::Base::ONE, C::Base::ZERO);
    assert_eq!(T::try_from(point).unwrap_err(), EncodingError::NotOnCurve);
}

/// Each point comes back, theirs add as ours, and bad ones are refused.
macro_rules! arkworks_points {
    ($ours:ty, $theirs:ty) => {
        for pair in points::<$ours>().windows(2) {
            let [p, q] = [pair[0], pair[1]];
            let (a, b) = (<$theirs>::try_from(p).unwrap(), <$theirs>::try_from(q).unwrap());
            assert_eq!([a.try_into(), b.try_into()], [Ok(p), Ok(q)]);
            let sum = Projective::<$ours>::from(p) + q;
            assert_eq!((a + b).into_affine().try_into(), Ok(Affine::from(sum)));
        }
        assert!(<$theirs>::try_from(Affine::<$ours>::IDENTITY).unwrap().is_zero());
        not_on_curve::<$ours, $theirs>();
        // On some curves it is their identity, on others they have a flag for that.
        let origin = <$theirs>::new_unchecked(Default::default(), Default::default());
        assert_eq!(Affine::<$ours>::try_from(origin).is_ok(), origin.is_zero());
        let one = <$ours as Curve>::Base::ONE;
        let bad = <$theirs>::new_unchecked(one.into(), Default::default());
        let refused = Affine::<$ours>::try_from(bad).unwrap_err();
        assert_eq!(refused, EncodingError::NotOnCurve);
    };
}

macro_rules! arkworks_cofactor {
    ($ours:ty, $theirs:ty) => {
        not_in_subgroup::<$ours, $theirs>();
        let bad = outside::<$ours>();
        let bad = <$theirs>::new_unchecked(bad.x().into(), bad.y().into());
        let refused = Affine::<$ours>::try_from(bad).unwrap_err();
        assert_eq!(refused, EncodingError::NotInSubgroup);
    };
}

#[test]
fn elements_of_arkworks_are_ours() {
    field!(bn254::Fr, ark_bn254::Fr);
    field!(bn254::Fp, ark_bn254::Fq);
    field!(bls12_381::Fr, ark_bls12_381::Fr);
    field!(bls12_381::Fp, ark_bls12_381::Fq);
    field!(bls12_377::Fr, ark_bls12_377::Fr);
    field!(bls12_377::Fp, ark_bls12_377::Fq);
    field!(pallas::Fr, ark_pallas::Fr);
    field!(pallas::Fp, ark_pallas::Fq);
    quadratic!(bn254::Fp2, ark_bn254::Fq2);
    quadratic!(bls12_381::Fp2, ark_bls12_381::Fq2);
    quadratic!(bls12_377::Fp2, ark_bls12_377::Fq2);
}

/// Whoever calls `new_unchecked` may give any words.
#[test]
fn an_element_of_arkworks_that_is_not_reduced_is() {
    let unreduced = ark_bn254::Fr::new_unchecked(ark_ff::BigInt::new([u64::MAX; 4]));
    let reduced = bn254::Fr::from(unreduced);
    // The words are 2^256 - 1, in Montgomery form.
    let word = bn254::Fr::from(1 << 32).square();
    let radix = word.square().square();
    assert_eq!(reduced * radix, radix - bn254::Fr::ONE);
}

#[test]
fn points_of_arkworks_are_ours() {
    arkworks_points!(bn254::G1, ark_bn254::G1Affine);
    arkworks_points!(bn254::G2, ark_bn254::G2Affine);
    arkworks_points!(bls12_381::G1, ark_bls12_381::G1Affine);
    arkworks_points!(bls12_381::G2, ark_bls12_381::G2Affine);
    arkworks_points!(bls12_377::G1, ark_bls12_377::G1Affine);
    arkworks_points!(bls12_377::G2, ark_bls12_377::G2Affine);
    arkworks_points!(pallas::G1, ark_pallas::Affine);
    arkworks_points!(vesta::G1, ark_vesta::Affine);
    arkworks_cofactor!(bn254::G2, ark_bn254::G2Affine);
    arkworks_cofactor!(bls12_381::G1, ark_bls12_381::G1Affine);
    arkworks_cofactor!(bls12_381::G2, ark_bls12_381::G2Affine);
    arkworks_cofactor!(bls12_377::G1, ark_bls12_377::G1Affine);
    arkworks_cofactor!(bls12_377::G2, ark_bls12_377::G2Affine);
}

#[test]
fn elements_of_halo2curves_are_ours() {
    use halo2curves::{bls12381, bn256};
    field!(bn254::Fr, bn256::Fr);
    field!(bn254::Fp, bn256::Fq);
    field!(bls12_381::Fr, bls12381::Fr);
    field!(bls12_381::Fp, bls12381::Fq);
    quadratic!(bn254::Fp2, bn256::Fq2);
    quadratic!(bls12_381::Fp2, bls12381::Fq2);
}

macro_rules! halo2curves_points {
    ($ours:ty, $theirs:ty) => {
        for pair in points::<$ours>().windows(2) {
            let [p, q] = [pair[0], pair[1]];
            let (a, b) = (<$theirs>::try_from(p).unwrap(), <$theirs>::try_from(q).unwrap());
            assert_eq!([a.try_into(), b.try_into()], [Ok(p), Ok(q)]);
            let sum = Projective::<$ours>::from(p) + q;
            assert_eq!((a + b).to_affine().try_into(), Ok(Affine::from(sum)));
        }
        not_on_curve::<$ours, $theirs>();
        let bad = <$theirs>::try_from(<$ours as Curve>::GENERATOR).unwrap();
        let refused = Affine::<$ours>::try_from(bad.double_coordinate());
        assert_eq!(refused.unwrap_err(), EncodingError::NotOnCurve);
    };
}

/// A point that is not on the curve.
trait Spoilt {
    fn double_coordinate(self) -> Self;
}

macro_rules! spoilt {
    ($($theirs:ty),*) => {$(
        impl Spoilt for $theirs {
            fn double_coordinate(self) -> Self {
                Self { y: self.y + self.y, ..self }
            }
        }
    )*};
}

spoilt!(
    halo2curves::bn256::G1Affine,
    halo2curves::bn256::G2Affine,
    halo2curves::bls12381::G1Affine,
    halo2curves::bls12381::G2Affine
);

#[test]
fn points_of_halo2curves_are_ours() {
    use halo2curves::{bls12381, bn256};
    halo2curves_points!(bn254::G1, bn256::G1Affine);
    halo2curves_points!(bn254::G2, bn256::G2Affine);
    halo2curves_points!(bls12_381::G1, bls12381::G1Affine);
    halo2curves_points!(bls12_381::G2, bls12381::G2Affine);
    not_in_subgroup::<bn254::G2, bn256::G2Affine>();
    not_in_subgroup::<bls12_381::G1, bls12381::G1Affine>();
    let bad = outside::<bls12_381::G2>();
    let bad = bls12381::G2Affine { x: bad.x().into(), y: bad.y().into() };
    let refused = Affine::<bls12_381::G2>::try_from(bad).unwrap_err();
    assert_eq!(refused, EncodingError::NotInSubgroup);
}

#[test]
fn elements_of_blst_are_ours() {
    for a in elements::<bls12_381::Fr>() {
        let b = blst::blst_fr::from(a);
        let mut square = blst::blst_fr::default();
        // SAFETY: both are valid for the time of the call.
        unsafe { blst::blst_fr_sqr(&mut square, &b) };
        assert_eq!([b.try_into(), square.try_into()], [Ok(a), Ok(a.square())]);
    }
    for a in elements::<bls12_381::Fp>() {
        let b = blst::blst_fp::from(a);
        let mut square = blst::blst_fp::default();
        // SAFETY: both are valid for the time of the call.
        unsafe { blst::blst_fp_sqr(&mut square, &b) };
        assert_eq!([b.try_into(), square.try_into()], [Ok(a), Ok(a.square())]);
        let pair = bls12_381::Fp2::new(a, a.double());
        assert_eq!(blst::blst_fp2::from(pair).try_into(), Ok(pair));
    }
    let unreduced = blst::blst_fp { l: [u64::MAX; 6] };
    assert_eq!(bls12_381::Fp::try_from(unreduced), Err(DecodeError::NotReduced));
    assert_eq!(
        bls12_381::Fp2::try_from(blst::blst_fp2 { fp: [Default::default(), unreduced] }),
        Err(DecodeError::NotReduced)
    );
    let unreduced = blst::blst_fr { l: [u64::MAX; 4] };
    assert_eq!(bls12_381::Fr::try_from(unreduced), Err(DecodeError::NotReduced));
}

#[test]
fn points_of_blst_are_ours() {
    use blst::{blst_fp, blst_p1_affine, blst_p2_affine};
    for p in points::<bls12_381::G1>() {
        let theirs = blst_p1_affine::try_from(p).unwrap();
        // SAFETY: valid for the time of the call.
        assert!(unsafe { blst::blst_p1_affine_in_g1(&theirs) });
        assert_eq!(theirs.try_into(), Ok(p));
    }
    for p in points::<bls12_381::G2>() {
        let theirs = blst_p2_affine::try_from(p).unwrap();
        // SAFETY: valid for the time of the call.
        assert!(unsafe { blst::blst_p2_affine_in_g2(&theirs) });
        assert_eq!(theirs.try_into(), Ok(p));
    }
    not_on_curve::<bls12_381::G1, blst_p1_affine>();
    not_in_subgroup::<bls12_381::G2, blst_p2_affine>();
    let mut bad = blst_p1_affine { x: blst_fp { l: [u64::MAX; 6] }, y: blst_fp::default() };
    let try_from = Affine::<bls12_381::G1>::try_from;
    assert_eq!(try_from(bad), Err(EncodingError::NotReduced));
    bad.x = blst_fp::default();
    assert_eq!(try_from(bad), Ok(Affine::IDENTITY));
    bad.y = bls12_381::Fp::ONE.into();
    assert_eq!(try_from(bad), Err(EncodingError::NotOnCurve));
    let outside = outside::<bls12_381::G1>();
    (bad.x, bad.y) = (outside.x().into(), outside.y().into());
    assert_eq!(try_from(bad), Err(EncodingError::NotInSubgroup));
}
