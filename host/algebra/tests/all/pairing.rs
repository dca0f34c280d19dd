//! The pairings: values of arkworks, the laws of a pairing, and lanes against one element at a time.

use ark_ec::pairing::Pairing as _;
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::UniformRand;
use proofmill_algebra::Isa;
use proofmill_algebra::curve::{Affine, Curve, Projective};
use proofmill_algebra::field::{Field, PrimeField};
use proofmill_algebra::pairing::*;
use proofmill_algebra::tower::{Fp2, Fp6, Fp12, Tower};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;

type Scalar<E> = <<E as Pairing>::G1 as Curve>::Scalar;

/// A random scalar, small or full.
fn scalar<S: PrimeField>(rng: &mut ChaCha20Rng) -> S {
    match rng.random_range(0..4) {
        0 => S::from(rng.random_range(0..5)),
        1 => -S::from(rng.random_range(1..5)),
        _ => S::reduce_wide_le(&std::array::from_fn(|_| rng.random())),
    }
}

fn rng(name: &str) -> ChaCha20Rng {
    let seed = rand::rng().random();
    println!("{name}: seed {seed}");
    ChaCha20Rng::seed_from_u64(seed)
}

/// a times one generator and b times the other.
fn pair<E: Pairing>(a: &Scalar<E>, b: &Scalar<E>) -> Pair<E> {
    let p = Projective::<E::G1>::generator().times_vartime(a);
    (p.into(), Projective::<E::G2>::generator().times_vartime(b).into())
}

/// e(P, Q) = e(G1, G2)^(a b), which has order r.
fn laws<E: Pairing>() {
    let (mut rng, isa) = (rng(E::NAME), Isa::best());
    let g = pairing::<E>(isa, &E::G1::GENERATOR, &E::G2::GENERATOR);
    let to_the = |k: &Scalar<E>| g.pow_vartime(k.to_canonical().as_ref());
    assert_ne!(g, Fp12::ONE);
    assert_eq!(g.pow_vartime(Scalar::<E>::MODULUS), Fp12::ONE);
    for _ in 0..6 {
        let (a, b) = (scalar(&mut rng), scalar(&mut rng));
        let (p, q) = pair::<E>(&a, &b);
        let value = pairing::<E>(isa, &p, &q);
        assert_eq!(value, to_the(&(a * b)), "{a:?} {b:?}");
        assert_eq!(pairing::<E>(isa, &-p, &q), value.conjugate());
        assert_eq!(pairing::<E>(isa, &p, &-q), value.conjugate());
    }
    let (p, q) = (E::G1::GENERATOR, E::G2::GENERATOR);
    assert_eq!(pairing::<E>(isa, &Affine::IDENTITY, &q), Fp12::ONE);
    assert_eq!(pairing::<E>(isa, &p, &Affine::IDENTITY), Fp12::ONE);
    assert_eq!(pairing::<E>(isa, &Affine::IDENTITY, &Affine::IDENTITY), Fp12::ONE);
}

/// Products of any number of pairs on every instruction set, with identities among them.
fn products<E: Pairing>() {
    let (mut rng, isa) = (rng(E::NAME), Isa::best());
    let g = pairing::<E>(isa, &E::G1::GENERATOR, &E::G2::GENERATOR);
    for count in [0, 1, 2, 3, 6, 7, 8, 9, 13, 17, 64] {
        let mut sum = Scalar::<E>::ZERO;
        let mut pairs: Vec<Pair<E>> = Vec::new();
        for _ in 0..count {
            let (a, b) = (scalar(&mut rng), scalar(&mut rng));
            sum += a * b;
            pairs.push(pair::<E>(&a, &b));
        }
        let wanted = g.pow_vartime(sum.to_canonical().as_ref());
        for isa in Isa::available() {
            assert_eq!(product::<E>(isa, &pairs), wanted, "{count} pairs, {isa}");
        }
        pairs.push(pair::<E>(&-sum, &Scalar::<E>::ONE));
        assert_eq!(product::<E>(isa, &pairs), Fp12::ONE, "{count} pairs and the last");
    }
}

/// The Miller values themselves: prepared points, and the bits of lanes on every instruction set.
fn miller_values<E: Pairing>() {
    let mut rng = rng(E::NAME);
    let mut pairs: Vec<Pair<E>> =
        (0..11).map(|_| pair::<E>(&scalar(&mut rng), &scalar(&mut rng))).collect();
    pairs[3].0 = Affine::IDENTITY;
    pairs[9].1 = Affine::IDENTITY;
    let prepared: Vec<_> = pairs.iter().map(|(_, q)| Prepared::<E>::new(q)).collect();
    let of_prepared = |pairs: &[_]| miller_product::<E>(Isa::words(), &[], pairs);
    let one_by_one = pairs.iter().zip(&prepared).map(|((p, _), q)| of_prepared(&[(*p, q)]));
    let wanted = one_by_one.reduce(|product, value| product * value).unwrap();
    let together: Vec<_> = pairs.iter().zip(&prepared).map(|((p, _), q)| (*p, q)).collect();
    assert_eq!(of_prepared(&together), wanted);
    for isa in Isa::available() {
        if let Some(lanes) = isa.machine() {
            assert_eq!(E::miller_loop_in_lanes(lanes, &pairs), wanted, "{isa}");
            assert_eq!(E::miller_loop_in_lanes(lanes, &[]), Fp12::ONE);
        }
        for fresh in 0..=pairs.len() {
            let (pairs, together) = (&pairs[..fresh], &together[fresh..]);
            assert_eq!(miller_product(isa, pairs, together), wanted, "{isa}, {fresh} not prepared");
            if let Some(lanes) = isa.machine()
                && fresh < 5
            {
                assert_eq!(E::miller_loop_of_few(lanes, pairs, together), wanted, "{isa}, {fresh}");
            }
        }
        assert_eq!(miller_product::<E>(isa, &[], &[]), Fp12::ONE);
        assert_eq!(final_exponentiation::<E>(isa, Fp12::ZERO), Fp12::ZERO);
        let values = [wanted, Fp12::ONE, wanted.square()];
        for value in values {
            let one_by_one = final_exponentiation::<E>(Isa::words(), value);
            assert_eq!(final_exponentiation::<E>(isa, value), one_by_one, "{isa}");
        }
    }
}

/// Points of the curves outside the subgroups are found, where there are such points.
fn membership<E: Pairing>() {
    let mut outside = [0, 0];
    for i in 1..12 {
        let p = Affine::<E::G1>::from_x(<E::Tower as Tower>::Base::from(i));
        let q = Affine::<E::G2>::from_x(Fp2::new(i.into(), 1.into()));
        if let Some(p) = Option::<Affine<_>>::from(p) {
            outside[0] += u32::from(!bool::from(p.is_in_subgroup()));
        }
        if let Some(q) = Option::<Affine<_>>::from(q) {
            outside[1] += u32::from(!bool::from(q.is_in_subgroup()));
        }
    }
    assert_eq!(outside[0] > 0, E::G1::COFACTOR != [1], "{outside:?}");
    assert!(outside[1] > 0, "{outside:?}");
    assert!(bool::from(E::G1::GENERATOR.is_in_subgroup() & E::G2::GENERATOR.is_in_subgroup()));
}

/// Our element with the same coefficients over the prime field as one of arkworks.
fn coefficients<T: Tower, A: ark_ff::Field>(a: &A) -> Vec<T::Base>
where
    A::BasePrimeField: ark_ff::PrimeField,
{
    use ark_ff::{BigInteger, PrimeField as _};
    let bytes = |c: A::BasePrimeField| c.into_bigint().to_bytes_le();
    let read = |bytes: Vec<u8>| T::Base::from_le_bytes(&bytes[..T::Base::BYTES]).expect("reduced");
    a.to_base_prime_field_elements().map(|c| read(bytes(c))).collect()
}

fn fp2<T: Tower>(c: &[T::Base]) -> Fp2<T> {
    Fp2::new(c[0], c[1])
}

fn fp6<T: Tower>(c: &[T::Base]) -> Fp6<T> {
    Fp6::new(fp2(&c[..2]), fp2(&c[2..4]), fp2(&c[4..]))
}

macro_rules! pairings {
    ($($curve:ident: $E:ident, $ark:ident::$Ark:ident;)*) => {$(
        mod $curve {
            use super::*;

            #[test]
            fn is_bilinear_and_not_degenerate() {
                laws::<$E>();
            }

            #[test]
            fn products_are_products_on_every_instruction_set() {
                products::<$E>();
            }

            #[test]
            fn miller_values_are_the_same_in_lanes() {
                miller_values::<$E>();
            }

            #[test]
            fn points_outside_the_subgroups_are_found() {
                membership::<$E>();
            }

            #[test]
            fn values_are_those_of_arkworks() {
                type T = <$E as Pairing>::Tower;
                let mut rng = ark_std::test_rng();
                for _ in 0..4 {
                    let p = $ark::G1Projective::rand(&mut rng).into_affine();
                    let q = $ark::G2Projective::rand(&mut rng).into_affine();
                    let value = coefficients::<T, _>(&$ark::$Ark::pairing(p, q).0);
                    let (px, py) = p.xy().unwrap();
                    let p = [px, py].map(|c| coefficients::<T, _>(&c)[0]);
                    let (qx, qy) = q.xy().unwrap();
                    let q = [qx, qy].map(|c| fp2::<T>(&coefficients::<T, _>(&c)));
                    let found = pairing::<$E>(
                        Isa::best(),
                        &Affine::new(p[0], p[1]).unwrap(),
                        &Affine::new(q[0], q[1]).unwrap(),
                    );
                    assert_eq!(found, Fp12::new(fp6(&value[..6]), fp6(&value[6..])));
                }
            }
        }
    )*};
}

pairings! {
    bn254: Bn254, ark_bn254::Bn254;
    bls12_381: Bls12381, ark_bls12_381::Bls12_381;
    bls12_377: Bls12377, ark_bls12_377::Bls12_377;
}
