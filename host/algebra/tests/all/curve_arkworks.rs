//! Every group against arkworks: additions, multiples in all our ways, membership of the subgroup.

use ark_ec::{AffineRepr, CurveGroup, PrimeGroup, short_weierstrass::SWCurveConfig};
use ark_ff::{BigInteger, PrimeField as _};
use ark_std::UniformRand;
use proofmill_algebra::curve::{Affine, Curve, Edwards, EdwardsAffine, EdwardsForm, Projective};
use proofmill_algebra::encoding::{Coordinate, EncodingError, pair};
use proofmill_algebra::field::{Field, PrimeField};
use proofmill_algebra::{bls12_377, bls12_381, bn254, pallas, secp256k1, vesta};

const ROUNDS: usize = 12;

type ArkAffine<A> = ark_ec::short_weierstrass::Affine<A>;

/// A coordinate from the coefficients that arkworks has.
fn coordinate<A: ark_ff::Field, B: Coordinate>(a: &A) -> B
where
    A::BasePrimeField: ark_ff::PrimeField,
{
    let parts: Vec<_> =
        a.to_base_prime_field_elements().map(|c| c.into_bigint().to_bytes_le()).collect();
    let each = B::BYTES / parts.len();
    let bytes: Vec<u8> = parts.iter().flat_map(|part| part[..each].to_vec()).collect();
    B::read_le(&bytes).expect("arkworks reduces")
}

fn ours<A: SWCurveConfig, C: Curve<Base: Coordinate>>(point: ArkAffine<A>) -> Affine<C> {
    point.xy().map_or(Affine::IDENTITY, |(x, y)| {
        Affine::new(coordinate(&x), coordinate(&y)).expect("on the curve")
    })
}

fn scalar<A: ark_ff::PrimeField, S: PrimeField>(k: &A) -> S {
    S::from_le_bytes(&k.into_bigint().to_bytes_le()[..S::BYTES]).expect("arkworks reduces")
}

/// Scalars at the ends and around the endomorphism's lambda.
fn edges<C: Curve>() -> Vec<C::Scalar> {
    let (zero, one, lambda) = (C::Scalar::ZERO, C::Scalar::ONE, C::SPLIT.lambda);
    let half = one.double().invert().unwrap();
    let all = [zero, one, one.double(), half, lambda, lambda + one, lambda - one, lambda.square()];
    all.into_iter().flat_map(|k| [k, -k]).collect()
}

fn examine<A: SWCurveConfig, C: Curve<Base: Coordinate>>() {
    let mut rng = ark_std::test_rng();
    assert_eq!(ours::<A, C>(A::GENERATOR), C::GENERATOR);
    let generator = Projective::<C>::generator();
    for k in edges::<C>() {
        let wanted = generator.times(&k);
        assert_eq!(generator.times_vartime(&k), wanted, "{k:?}");
        assert_eq!(generator.times_public(k.to_canonical().as_ref()), wanted, "{k:?}");
        assert!(bool::from(Affine::from(wanted).is_on_curve()), "{k:?}");
    }
    assert_eq!(generator.endomorphism(), generator.times(&C::SPLIT.lambda), "{}", C::NAME);
    integers::<C>(&generator);
    for _ in 0..ROUNDS {
        let [p, q] = [(); 2].map(|()| ark_ec::short_weierstrass::Projective::<A>::rand(&mut rng));
        let k = A::ScalarField::rand(&mut rng);
        let [ours_p, ours_q] =
            [p, q].map(|point| Projective::<C>::from(ours::<A, C>(point.into_affine())));
        let same = |point: Projective<C>, wanted: ark_ec::short_weierstrass::Projective<A>| {
            assert_eq!(Affine::from(point), ours::<A, C>(wanted.into_affine()));
        };
        same(ours_p + ours_q, p + q);
        same(ours_p + Affine::from(ours_q), p + q);
        same(ours_p - ours_q, p - q);
        same(ours_p.double(), p.double_());
        let (multiple, k) = (p * k, scalar::<_, C::Scalar>(&k));
        same(ours_p.times(&k), multiple);
        same(ours_p.times_vartime(&k), multiple);
        same(ours_p.times_integer(k.to_canonical().as_ref()), multiple);
        let point = Affine::from(ours_p);
        assert_eq!(pair::decode::<C>(&pair::encode(&point)), Ok(point));
    }
    membership::<A, C>(&mut rng);
}

/// Integers at the ends and around r, which no scalar is.
fn integers<C: Curve>(generator: &Projective<C>) {
    let order = C::Scalar::MODULUS.to_vec();
    let (mut above, mut below) = (order.clone(), order.clone());
    above[0] += 1;
    below[0] -= 1;
    for nothing in [&[][..], &[0, 0], &order] {
        assert_eq!(generator.times_integer(nothing), Projective::IDENTITY, "{nothing:x?}");
        assert_eq!(generator.times_public(nothing), Projective::IDENTITY, "{nothing:x?}");
    }
    assert_eq!(generator.times_integer(&above), *generator);
    assert_eq!(generator.times_integer(&below), -*generator);
    let all_ones = vec![u64::MAX; order.len() + 1];
    assert_eq!(generator.times_integer(&all_ones), generator.times_public(&all_ones));
    assert_eq!(Projective::<C>::IDENTITY.times_integer(&all_ones), Projective::IDENTITY);
}

/// Points of the whole curve: the fast test, the multiplication by r and arkworks agree.
fn membership<A: SWCurveConfig, C: Curve<Base: Coordinate>>(rng: &mut impl ark_std::rand::Rng) {
    let mut outside = 0;
    for _ in 0..ROUNDS {
        let Some(p) = ArkAffine::<A>::get_point_from_x_unchecked(A::BaseField::rand(rng), false)
        else {
            continue;
        };
        let point = Projective::<C>::from(ours::<A, C>(p));
        let inside = bool::from(C::is_in_subgroup(&point));
        assert_eq!(inside, bool::from(point.is_killed_by_order()));
        assert_eq!(inside, p.is_in_correct_subgroup_assuming_on_curve());
        let cleared = C::clear_cofactor(&point);
        assert!(bool::from(C::is_in_subgroup(&cleared) & cleared.is_killed_by_order()));
        assert!(bool::from(!cleared.is_identity()));
        // A point of the subgroup plus one whose order divides the cofactor is not in the subgroup.
        let small = point.times_public(C::Scalar::MODULUS);
        let mixed = small + cleared;
        assert_eq!(C::is_in_subgroup(&mixed).unwrap_u8(), small.is_identity().unwrap_u8());
        outside += u32::from(!inside);
    }
    assert_eq!(outside > 0, C::COFACTOR != [1], "{}: points off the subgroup", C::NAME);
    assert!(bool::from(C::is_in_subgroup(&Projective::IDENTITY)));
}

/// Points at random have large orders: these are the ones that an attacker would send.
#[test]
fn points_of_small_order_are_not_in_the_subgroup() {
    fn examine<C: Curve<Base: Coordinate>>(x: C::Base, y: C::Base, order: u64) {
        let small = Affine::<C>::new(x, y).expect("on the curve");
        let point = Projective::from(small);
        assert!(bool::from(point.times_public(&[order]).is_identity()));
        let around = [small, (point + C::GENERATOR).into(), (point - C::GENERATOR.into()).into()];
        for outside in around {
            assert!(!bool::from(outside.is_in_subgroup()), "{}: {outside:?}", C::NAME);
            let read = pair::decode::<C>(&pair::encode(&outside));
            assert_eq!(read, Err(EncodingError::NotInSubgroup));
        }
    }
    let fp = bls12_377::Fp::from;
    examine::<bls12_377::G1>(-fp(1), fp(0), 2);
    examine::<bls12_377::G1>(fp(0), fp(1), 3);
    examine::<bls12_377::G1>(fp(2), fp(3), 6);
    let fp = bls12_381::Fp::from;
    examine::<bls12_381::G1>(fp(0), fp(2), 3);
    examine::<bls12_381::G1>(fp(0), -fp(2), 3);
}

/// `double` under a name that is not one of ours.
trait Doubled: PrimeGroup {
    fn double_(&self) -> Self {
        self.double()
    }
}

impl<G: PrimeGroup> Doubled for G {}

#[test]
fn secp256k1_as_arkworks_has_it() {
    examine::<ark_secp256k1::Config, secp256k1::Secp256k1>();
}

#[test]
fn bn254_as_arkworks_has_it() {
    examine::<ark_bn254::g1::Config, bn254::G1>();
    examine::<ark_bn254::g2::Config, bn254::G2>();
}

#[test]
fn bls12_381_as_arkworks_has_it() {
    examine::<ark_bls12_381::g1::Config, bls12_381::G1>();
    examine::<ark_bls12_381::g2::Config, bls12_381::G2>();
}

#[test]
fn bls12_377_as_arkworks_has_it() {
    examine::<ark_bls12_377::g1::Config, bls12_377::G1>();
    examine::<ark_bls12_377::g2::Config, bls12_377::G2>();
}

#[test]
fn pallas_and_vesta_as_arkworks_has_them() {
    examine::<ark_pallas::PallasConfig, pallas::G1>();
    examine::<ark_vesta::VestaConfig, vesta::G1>();
}

#[test]
fn cofactors_are_cleared_as_rfc_9380_specifies() {
    let mut rng = ark_std::test_rng();
    for _ in 0..ROUNDS {
        let point = ArkAffine::<ark_bls12_381::g2::Config>::rand(&mut rng);
        let cleared = bls12_381::G2::clear_cofactor(&ours::<_, bls12_381::G2>(point).into());
        assert_eq!(Affine::from(cleared), ours(point.clear_cofactor()));
        let point = ArkAffine::<ark_bls12_381::g1::Config>::rand(&mut rng);
        let cleared = bls12_381::G1::clear_cofactor(&ours::<_, bls12_381::G1>(point).into());
        assert_eq!(Affine::from(cleared), ours(point.clear_cofactor()));
    }
}

#[test]
fn psi_multiplies_by_p() {
    fn examine<C: proofmill_algebra::curve::Twist>(p: &[u64]) {
        let generator = Projective::<C>::generator();
        assert_eq!(generator.psi(), generator.times_public(p), "{}", C::NAME);
        assert_eq!(C::GENERATOR.psi(), generator.psi().into());
        let (p_psi, twice) = (generator.psi().psi(), generator.double());
        assert_eq!(twice.psi().psi(), p_psi.double());
    }
    examine::<bn254::G2>(bn254::Fp::MODULUS);
    examine::<bls12_381::G2>(bls12_381::Fp::MODULUS);
    examine::<bls12_377::G2>(bls12_377::Fp::MODULUS);
}

#[test]
fn bls12_377_in_edwards_form_as_arkworks_has_it() {
    use ark_bls12_377::g1::Config;
    use ark_ec::twisted_edwards::TECurveConfig;
    let mut rng = ark_std::test_rng();
    let d: bls12_377::Fp = coordinate(&<Config as TECurveConfig>::COEFF_D);
    assert_eq!(bls12_377::G1::K, d.double());
    let plain = |point: Edwards<bls12_377::G1>| point.to_affine().unwrap();
    for _ in 0..ROUNDS {
        let [p, q] =
            [(); 2].map(|()| ark_ec::twisted_edwards::Projective::<Config>::rand(&mut rng));
        let ark = |point: ark_ec::twisted_edwards::Projective<Config>| {
            let point = point.into_affine();
            EdwardsAffine::<bls12_377::G1>::new(coordinate(&point.x), coordinate(&point.y)).unwrap()
        };
        let [ours_p, ours_q] = [ark(p), ark(q)];
        let sum = Edwards::from(ours_p) + ours_q.into();
        assert_eq!(plain(sum), ark(p + q));
        let mixed = Edwards::from(ours_p).add_precomputed(&ours_q.precompute());
        assert_eq!(plain(mixed), ark(p + q));
        assert_eq!(plain(Edwards::from(ours_p).double()), ark(p.double_()));
        let k = ark_bls12_377::Fr::rand(&mut rng);
        let multiple = Edwards::from(ours_p).times(&scalar(&k));
        assert_eq!(plain(multiple), ark(p * k));
        // The same multiple, the other way around the map.
        let weierstrass = Projective::from(ours_p.weierstrass()).times(&scalar(&k));
        assert_eq!(EdwardsAffine::of(&weierstrass.into()).unwrap(), ark(p * k));
    }
}
