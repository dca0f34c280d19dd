//! Many points at once beside one by one, on every path of this processor.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;

use proofmill_algebra::batch::{
    Batched, ClearedEach, FACTOR_BYTES, Factors, Roots, are_in_subgroup_vartime,
};
use proofmill_algebra::bls12_381::{Fp, Fp2, G1, G2};
use proofmill_algebra::curve::{Affine, Curve, Projective};
use proofmill_algebra::encoding::zcash::{
    decode_compressed, decode_each_compressed, encode_compressed,
};
use proofmill_algebra::encoding::{Coordinate, EncodingError, pair};
use proofmill_algebra::field::{Field, PrimeField};
use proofmill_algebra::hash_to_curve::FromBytes;
use proofmill_algebra::{Isa, bn254, msm, pallas, vesta};

fn rng() -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(19)
}

/// An element of as many random bytes as it wants.
fn random<F: FromBytes>(rng: &mut ChaCha20Rng) -> F {
    let bytes: Vec<u8> = (0..F::HASHED).map(|_| rng.random()).collect();
    F::from_hash(&bytes)
}

/// Points of the curve, of the subgroup and not, and the identity.
fn points<C: ClearedEach<Base: FromBytes>>(rng: &mut ChaCha20Rng) -> Vec<Affine<C>> {
    let mut points = vec![Affine::IDENTITY, C::GENERATOR, -C::GENERATOR];
    while points.len() < 40 {
        let Some(point) = Option::<Affine<C>>::from(Affine::from_x(random(rng))) else { continue };
        let cleared = C::clear_cofactor(&Projective::from(point)).into();
        // Of a small order, where there are such points: where formulas fail on the way.
        let order = Projective::<C>::from(point).times_public(<C::Scalar as PrimeField>::MODULUS);
        let small = order.times_public(&[C::COFACTOR[0] | 1]);
        points.extend([point, cleared, -point, order.into(), small.into()]);
    }
    points.extend(small_orders::<C>(&points));
    points
}

/// Points of order 3 and 11 or 13 and 23, if these divide the cofactor.
fn small_orders<C: Curve>(points: &[Affine<C>]) -> Vec<Affine<C>> {
    let mut found = vec![];
    for prime in [3_u64, 11, 13, 23] {
        let Some(mut quotient) = divided(C::COFACTOR, prime) else { continue };
        while let Some(next) = divided(&quotient, prime) {
            quotient = next;
        }
        for point in points {
            let killed = Projective::from(*point).times_public(<C::Scalar as PrimeField>::MODULUS);
            let mut small = killed.times_public(&quotient);
            // Of the order of a power of the prime, or the identity.
            while !bool::from(small.times_public(&[prime]).is_identity()) {
                small = small.times_public(&[prime]);
            }
            if !bool::from(small.is_identity()) {
                found.push(small.into());
                break;
            }
        }
    }
    assert!(!found.is_empty(), "{} has points of a small order", C::NAME);
    found
}

fn divided(n: &[u64], by: u64) -> Option<Vec<u64>> {
    let (mut quotient, mut rest) = (n.to_vec(), 0u128);
    for limb in quotient.iter_mut().rev() {
        let number = rest << 64 | u128::from(*limb);
        (*limb, rest) = ((number / u128::from(by)) as u64, number % u128::from(by));
    }
    (rest == 0).then_some(quotient)
}

fn as_one_by_one<C>()
where
    C: ClearedEach<Base: FromBytes + Coordinate>,
{
    let points = points::<C>(&mut rng());
    for isa in Isa::available() {
        for count in [0, 1, 15, 17, points.len()] {
            let points = &points[points.len() - count..];
            let are: Vec<_> = points.iter().map(|p| bool::from(p.is_in_subgroup())).collect();
            assert_eq!(are_in_subgroup_vartime(isa, points), are, "{}", C::NAME);
            let cleared: Vec<_> = points
                .iter()
                .map(|p| Affine::from(C::clear_cofactor(&Projective::from(*p))))
                .collect();
            assert_eq!(C::clear_each_vartime(isa, points.to_vec()), cleared, "{}", C::NAME);
            let bytes: Vec<_> = points.iter().map(pair::encode).collect();
            let decoded: Vec<_> = bytes.iter().map(|bytes| pair::decode::<C>(bytes)).collect();
            let bytes: Vec<_> = bytes.iter().map(|bytes| &bytes[..]).collect();
            assert_eq!(pair::decode_each::<C>(isa, &bytes), decoded);
        }
    }
}

#[test]
fn points_are_as_one_by_one() {
    as_one_by_one::<G1>();
    as_one_by_one::<G2>();
}

/// Factors have the value of their digits, and multiples are those of single computations.
fn multiples<C: Batched>() {
    let mut rng = rng();
    let mut random: Vec<[u8; FACTOR_BYTES]> = (0..20).map(|_| rng.random()).collect();
    random.extend([[0; FACTOR_BYTES], [0xff; FACTOR_BYTES]]);
    let factors = Factors::new::<C>(&random);
    let mut sum = C::Scalar::ZERO;
    for _ in 0..16 {
        sum = sum * C::Scalar::from(16) - C::Scalar::from(15);
    }
    assert_eq!(factors.values()[20], sum + sum * C::SPLIT.lambda);
    let mut points = msm::multiples::<C>(1, random.len());
    points[3] = Affine::IDENTITY;
    points[4] = -points[5];
    let wanted = points.iter().zip(factors.values());
    let wanted: Vec<_> = wanted.map(|(p, k)| Affine::from(Projective::from(*p).times(k))).collect();
    let sum = wanted.iter().fold(Projective::IDENTITY, |sum, multiple| sum + *multiple);
    for isa in Isa::available() {
        assert_eq!(factors.times_each_vartime::<C>(isa, &points), wanted, "{}", C::NAME);
        assert_eq!(factors.sum_vartime::<C>(isa, &points), sum, "{}", C::NAME);
    }
    assert!(Factors::new::<C>(&[]).times_each_vartime::<C>(Isa::best(), &[]).is_empty());
}

#[test]
fn random_multiples() {
    multiples::<G1>();
    multiples::<G2>();
    multiples::<bn254::G1>();
    multiples::<bn254::G2>();
}

fn roots<F: Roots + FromBytes>(mut edges: Vec<F>) {
    let mut rng = rng();
    edges.extend((0..40).map(|_| random::<F>(&mut rng)));
    edges.extend((0..20).map(|_| random::<F>(&mut rng).square()));
    for isa in Isa::available() {
        let found = F::sqrt_each_vartime(isa, &edges);
        for (x, root) in edges.iter().zip(found) {
            assert_eq!(root.is_some(), bool::from(x.sqrt().is_some()), "{x:?}");
            assert!(root.is_none_or(|root| root.square() == *x), "{x:?}");
        }
    }
}

#[test]
fn roots_are_roots_and_there_are_no_others() {
    let small = || (0..10).flat_map(|i| [Fp::from(i), -Fp::from(i)]);
    roots::<Fp>(small().collect());
    let zero = Fp::ZERO;
    let pairs = small().flat_map(|x| [Fp2::new(x, zero), Fp2::new(zero, x), Fp2::new(x, x)]);
    roots::<Fp2>(pairs.collect());
}

#[test]
fn compressed_points_are_read_as_one_by_one() {
    let mut rng = rng();
    let mut encodings: Vec<Vec<u8>> =
        points::<G2>(&mut rng).iter().map(|point| encode_compressed(point).to_vec()).collect();
    encodings.push(vec![0; 96]);
    encodings.push(vec![0xff; 96]);
    encodings.push(vec![1, 2, 3]);
    for _ in 0..20 {
        let mut bytes: Vec<u8> = (0..96).map(|_| rng.random()).collect();
        (bytes[0], bytes[48]) = (0x80 | bytes[0] & 0x2f, bytes[48] & 0x0f);
        encodings.push(bytes);
    }
    let wanted: Vec<_> = encodings.iter().map(|bytes| decode_compressed::<G2>(bytes)).collect();
    let has = |error: EncodingError| wanted.contains(&Err(error));
    assert!(has(EncodingError::NotOnCurve) && has(EncodingError::NotInSubgroup));
    let bytes: Vec<_> = encodings.iter().map(|bytes| &bytes[..]).collect();
    for isa in Isa::available() {
        assert_eq!(decode_each_compressed::<G2>(isa, &bytes), wanted);
    }
}

/// Squares and others, 0 and 1, in numbers below and above those of lanes.
fn roots_of_two_adic_fields<F: Roots + PrimeField>() {
    let mut rng = rng();
    let mut wide = || F::reduce_wide_le(&std::array::from_fn(|_| rng.random()));
    let c = F::ROOT_OF_UNITY.unwrap();
    let mut elements = vec![F::ZERO, F::ONE, -F::ONE, c, c.square(), F::from(4)];
    elements.extend((0..20).map(|_| wide()));
    elements.extend((0..20).map(|_| wide().square()));
    for isa in Isa::available() {
        for elements in [&elements[..0], &elements[..3], &elements[..]] {
            let roots = F::sqrt_each_vartime(isa, elements);
            assert_eq!(roots.len(), elements.len());
            for (x, root) in elements.iter().zip(roots) {
                assert_eq!(root.is_some(), bool::from(x.sqrt().is_some()), "{x:?}");
                assert!(root.is_none_or(|root| root.square() == *x), "{x:?}");
            }
        }
    }
}

#[test]
fn roots_of_the_pasta_fields() {
    roots_of_two_adic_fields::<pallas::Fp>();
    roots_of_two_adic_fields::<vesta::Fp>();
}
