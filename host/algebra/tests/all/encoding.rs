//! Compares encodings with the libraries blst and libsecp256k1: both accept the same ones, as the same
//! point, and reject the same ones. The inputs are random, and valid ones with modifications.

use proofmill_algebra::bls12_381::{self, G1, G2};
use proofmill_algebra::curve::{Affine, Curve, Projective};
use proofmill_algebra::encoding::sec1::{self, Hybrid};
use proofmill_algebra::encoding::zcash::{self, Zcash};
use proofmill_algebra::encoding::{Components, Coordinate, EncodingError, pair};
use proofmill_algebra::field::{Field, PrimeField};
use proofmill_algebra::{bls12_377, bn254, pallas, secp256k1, toy, vesta};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;

const ROUNDS: usize = 800;

fn rng(name: &str) -> ChaCha20Rng {
    let seed = rand::rng().random();
    println!("{name}: seed {seed}");
    ChaCha20Rng::seed_from_u64(seed)
}

fn scalar<S: PrimeField>(rng: &mut impl Rng) -> S {
    let mut wide = [0; 64];
    rng.fill_bytes(&mut wide);
    S::reduce_wide_le(&wide)
}

fn random_point<C: Curve>(rng: &mut impl Rng) -> Affine<C> {
    Projective::<C>::generator().times_vartime(&scalar(rng)).into()
}

/// Changes an encoding in one of the ways in which encodings go wrong.
fn mutate(rng: &mut impl Rng, encoding: &mut Vec<u8>) {
    match rng.random_range(0..7) {
        0 => encoding[0] ^= 1 << rng.random_range(0..8),
        1 => encoding[0] = rng.random(),
        2 => {
            let at = rng.random_range(0..encoding.len());
            encoding[at] ^= 1 << rng.random_range(0..8);
        }
        3 => encoding.truncate(rng.random_range(0..encoding.len())),
        4 => encoding.push(rng.random()),
        5 => {
            let from = rng.random_range(0..encoding.len());
            encoding[from..].fill(*[0, 0xff].get(rng.random_range(0..2)).unwrap());
        }
        _ => rng.fill_bytes(&mut encoding[1..]),
    }
}

type Theirs = Result<Vec<u8>, blst::BLST_ERROR>;

/// Both libraries agree on valid and changed encodings; points are compared by their uncompressed encoding.
fn as_blst_has_it<C: Zcash>(
    compressed: impl Fn(&[u8]) -> Theirs,
    uncompressed: impl Fn(&[u8]) -> Theirs,
) {
    let mut rng = rng(C::NAME);
    let (mut accepted, mut refused) = (0, 0);
    for round in 0..ROUNDS {
        let point = if round % 16 == 0 { Affine::IDENTITY } else { random_point::<C>(&mut rng) };
        for form in [true, false] {
            let mut bytes = if form {
                zcash::encode_compressed(&point).as_ref().to_vec()
            } else {
                zcash::encode_uncompressed(&point).as_ref().to_vec()
            };
            if round % 4 != 0 {
                mutate(&mut rng, &mut bytes);
            }
            let (ours, theirs) = if form {
                (zcash::decode_compressed::<C>(&bytes), compressed(&bytes))
            } else {
                (zcash::decode_uncompressed::<C>(&bytes), uncompressed(&bytes))
            };
            match (ours, theirs) {
                (Ok(ours), Ok(theirs)) => {
                    let written = zcash::encode_uncompressed(&ours);
                    assert_eq!(written.as_ref(), theirs, "{bytes:02x?}");
                    accepted += 1;
                }
                (Err(_), Err(_)) => refused += 1,
                (ours, theirs) => panic!("{ours:?} but blst {theirs:?}: {bytes:02x?}"),
            }
        }
    }
    assert!(accepted > ROUNDS / 4 && refused > ROUNDS / 4, "{accepted} and {refused}");
}

/// Compressed and not, each only in its own form, the subgroup included.
macro_rules! blst_reads {
    ($group:ty, $scheme:ident) => {
        as_blst_has_it::<$group>(
            |bytes| {
                let point = blst::$scheme::Signature::uncompress(bytes)?;
                point.validate(false)?;
                Ok(point.serialize().to_vec())
            },
            |bytes| {
                if bytes.first().is_none_or(|first| first & 0x80 != 0) {
                    return Err(blst::BLST_ERROR::BLST_BAD_ENCODING);
                }
                let point = blst::$scheme::Signature::deserialize(bytes)?;
                point.validate(false)?;
                Ok(point.serialize().to_vec())
            },
        )
    };
}

#[test]
fn bls12_381_g1_as_blst_reads_it() {
    blst_reads!(G1, min_sig);
}

#[test]
fn bls12_381_g2_as_blst_reads_it() {
    blst_reads!(G2, min_pk);
}

#[test]
fn bls12_381_multiples_as_blst_has_them() {
    let mut rng = rng("multiples");
    for _ in 0..40 {
        let k: bls12_381::Fr = scalar(&mut rng);
        let key = k.to_be_bytes();
        let theirs = blst::min_pk::SecretKey::from_bytes(key.as_ref()).unwrap().sk_to_pk();
        let ours = Projective::<G1>::generator().times(&k);
        assert_eq!(zcash::encode_compressed(&Affine::from(ours)), theirs.compress());
        let theirs = blst::min_sig::SecretKey::from_bytes(key.as_ref()).unwrap().sk_to_pk();
        let ours = Projective::<G2>::generator().times_vartime(&k);
        assert_eq!(zcash::encode_compressed(&Affine::from(ours)), theirs.compress());
    }
}

#[test]
fn secp256k1_as_its_library_reads_it() {
    let mut rng = rng("secp256k1");
    let (mut accepted, mut refused) = (0, 0);
    for round in 0..6 * ROUNDS {
        let point = random_point::<secp256k1::Secp256k1>(&mut rng);
        let mut bytes = match round % 3 {
            0 => sec1::encode_compressed(&point).unwrap().to_vec(),
            _ => sec1::encode_uncompressed(&point).unwrap().to_vec(),
        };
        match round % 4 {
            0 => {}
            1 => bytes[0] = rng.random_range(0..9),
            _ => mutate(&mut rng, &mut bytes),
        }
        let ours = sec1::decode(&bytes, Hybrid::Accepted);
        let theirs = secp256k1_library::PublicKey::from_slice(&bytes);
        match (ours, theirs) {
            (Ok(ours), Ok(theirs)) => {
                assert_eq!(sec1::encode_compressed(&ours), Ok(theirs.serialize()));
                assert_eq!(sec1::encode_uncompressed(&ours), Ok(theirs.serialize_uncompressed()));
                let hybrid = matches!(bytes[0], 6 | 7);
                let strict = sec1::decode(&bytes, Hybrid::Refused);
                let wanted = if hybrid { Err(EncodingError::Flags(bytes[0])) } else { Ok(ours) };
                assert_eq!(strict, wanted);
                accepted += 1;
            }
            (Err(_), Err(_)) => refused += 1,
            (ours, theirs) => panic!("{ours:?} but the library {theirs:?}: {bytes:02x?}"),
        }
    }
    assert!(accepted > ROUNDS && refused > ROUNDS, "{accepted} and {refused}");
}

/// A batch agrees with single keys, on every instruction set and for every length around those of lanes.
#[test]
fn compressed_keys_in_batches() {
    let mut rng = rng("compressed batches");
    for count in [0, 1, 15, 16, 17, 100] {
        let encodings: Vec<[u8; 33]> = (0..count)
            .map(|i| {
                let point = random_point::<secp256k1::Secp256k1>(&mut rng);
                let mut bytes = sec1::encode_compressed(&point).unwrap();
                match i % 5 {
                    0 => bytes[1..9].fill(0xff),
                    1 => bytes[1..].fill(0xff),
                    2 => bytes[0] = 4,
                    3 => bytes[rng.random_range(1..33)] ^= 1,
                    _ => {}
                }
                bytes
            })
            .collect();
        let expected: Vec<_> = encodings
            .iter()
            .map(|bytes| match bytes[0] {
                2 | 3 => sec1::decode(bytes, Hybrid::Refused),
                other => Err(EncodingError::Flags(other)),
            })
            .collect();
        let says = |wanted| expected.contains(&Err(wanted));
        let all = says(EncodingError::Flags(4))
            && says(EncodingError::NotReduced)
            && says(EncodingError::NotOnCurve)
            && expected.iter().any(Result::is_ok);
        assert!(all || count < 100);
        for isa in proofmill_algebra::Isa::available() {
            assert_eq!(sec1::decode_compressed_batch(isa, &encodings), expected, "{isa}");
        }
    }
}

#[test]
fn secp256k1_multiples_as_its_library_has_them() {
    let mut rng = rng("multiples");
    for _ in 0..200 {
        let point = random_point::<secp256k1::Secp256k1>(&mut rng);
        let k: secp256k1::Fn = scalar(&mut rng);
        let encoding = sec1::encode_compressed(&point).unwrap();
        let theirs = secp256k1_library::PublicKey::from_slice(&encoding).unwrap();
        let tweak = secp256k1_library::Scalar::from_be_bytes(k.to_be_bytes()).unwrap();
        let theirs = theirs.mul_tweak(&tweak).unwrap().serialize();
        let point = Projective::from(point);
        for ours in [point.times(&k), point.times_vartime(&k)] {
            assert_eq!(sec1::encode_compressed(&ours.into()), Ok(theirs));
        }
    }
}

/// Every reason, with an input that has nothing else wrong.
#[test]
fn each_reason_is_named() {
    let compressed = |bytes: &[u8]| zcash::decode_compressed::<G1>(bytes);
    let good = zcash::encode_compressed(&G1::GENERATOR);
    assert_eq!(compressed(&good), Ok(G1::GENERATOR));
    let length = EncodingError::Length { expected: 48, found: 47 };
    assert_eq!(compressed(&good[1..]), Err(length));
    assert_eq!(compressed(&[]), Err(EncodingError::Length { expected: 48, found: 0 }));
    assert_eq!(compressed(&[0x1f; 48]), Err(EncodingError::Flags(0)));
    assert_eq!(compressed(&[0x9f; 48]), Err(EncodingError::NotReduced));
    let mut bytes = [0; 48];
    bytes[0] = 0xc0;
    assert_eq!(compressed(&bytes), Ok(Affine::IDENTITY));
    bytes[47] = 1;
    assert_eq!(compressed(&bytes), Err(EncodingError::InfinityWithData));
    bytes[0] = 0x80;
    let on_curve = |x: u64| Affine::<G1>::from_x(bls12_381::Fp::from(x)).is_some().into();
    for x in 0..=255 {
        bytes[47] = x;
        let reason = if on_curve(x.into()) {
            EncodingError::NotInSubgroup
        } else {
            EncodingError::NotOnCurve
        };
        assert_eq!(compressed(&bytes), Err(reason), "{x}");
    }
    assert_eq!(sec1::decode(&[0], Hybrid::Refused), Err(EncodingError::Identity));
    assert_eq!(sec1::encode_compressed(&Affine::IDENTITY), Err(EncodingError::Identity));
    assert_eq!(sec1::encode_uncompressed(&Affine::IDENTITY), Err(EncodingError::Identity));
}

#[test]
fn pairs_are_read_as_they_were_written() {
    fn examine<C: Curve<Base: Coordinate>>() {
        let mut rng = rng(C::NAME);
        assert_eq!(pair::decode::<C>(&pair::encode::<C>(&Affine::IDENTITY)), Ok(Affine::IDENTITY));
        for _ in 0..50 {
            let point = random_point::<C>(&mut rng);
            let good = pair::encode(&point);
            assert_eq!(good.len(), pair::bytes::<C>());
            assert_eq!(pair::decode::<C>(&good), Ok(point));
            let mut bad = good.clone();
            mutate(&mut rng, &mut bad);
            match pair::decode::<C>(&bad) {
                Ok(point) => assert_eq!(pair::encode(&point), bad),
                Err(EncodingError::Length { expected, found }) => {
                    assert_eq!((expected, found), (good.len(), bad.len()));
                }
                Err(_) => assert_eq!(bad.len(), good.len()),
            }
        }
        let mut all_bits = vec![0xff; pair::bytes::<C>()];
        assert_eq!(pair::decode::<C>(&all_bits), Err(EncodingError::NotReduced));
        all_bits.fill(1);
        let outcome = pair::decode::<C>(&all_bits);
        assert!(matches!(outcome, Err(EncodingError::NotOnCurve | EncodingError::NotReduced)));
    }
    examine::<toy::Toy>();
    examine::<toy::ToyEdwards>();
    examine::<secp256k1::Secp256k1>();
    examine::<bn254::G1>();
    examine::<bn254::G2>();
    examine::<G1>();
    examine::<G2>();
    examine::<bls12_377::G1>();
    examine::<bls12_377::G2>();
    examine::<pallas::G1>();
    examine::<vesta::G1>();
}

/// arkworks writes the same bytes, but for the flags that it keeps in the highest bits of the last byte.
#[test]
fn pairs_are_those_of_arkworks_without_its_flags() {
    use ark_ec::CurveGroup;
    use ark_serialize::CanonicalSerialize;
    use ark_std::UniformRand;
    macro_rules! examine {
        ($($group:ty, $ark:ty;)*) => {$({
            let mut rng = ark_std::test_rng();
            for _ in 0..20 {
                let point = <$ark>::rand(&mut rng).into_affine();
                let mut bytes = Vec::new();
                point.serialize_uncompressed(&mut bytes).unwrap();
                *bytes.last_mut().unwrap() &= 0x3f;
                let ours = pair::decode::<$group>(&bytes).expect("a point of arkworks");
                assert_eq!(pair::encode(&ours), bytes);
            }
        })*};
    }
    examine! {
        bn254::G1, ark_bn254::G1Projective;
        bn254::G2, ark_bn254::G2Projective;
        bls12_377::G1, ark_bls12_377::G1Projective;
        bls12_377::G2, ark_bls12_377::G2Projective;
    }
}

/// Once the length was split between the two coefficients, and the error spoke of one of them.
#[test]
fn a_coordinate_in_fp2_of_a_wrong_length_is_an_error_with_the_whole_length() {
    for found in [0, 47, 48, 95, 97, 192] {
        let wrong = Err(EncodingError::Length { expected: 96, found });
        assert_eq!(bls12_381::Fp2::read_le(&vec![0; found]), wrong);
        assert_eq!(bls12_381::Fp2::read_be(&vec![0; found]), wrong);
    }
}

/// Which of y and -y is larger: the definition, on a coordinate of each kind.
#[test]
fn one_of_a_coordinate_and_its_negative_is_larger() {
    let y = bls12_381::Fp2::new(Field::ONE, Field::ZERO);
    assert!(!y.is_larger_than_negative() && (-y).is_larger_than_negative());
    let y = bls12_381::Fp2::new(-bls12_381::Fp::ONE, Field::ONE);
    assert!(!y.is_larger_than_negative() && (-y).is_larger_than_negative());
    assert!(!bls12_381::Fp::ZERO.is_larger_than_negative());
}

#[test]
fn elements_have_their_components_in_the_order_of_their_bytes() {
    fn examine<C: Curve<Base: Components>>(count: usize) {
        let x = C::GENERATOR.x();
        let components = x.components();
        assert_eq!((components.len(), C::Base::COUNT), (count, count));
        let bytes = components.iter().flat_map(|it| it.to_le_bytes().as_ref().to_vec());
        let mut wanted = vec![0; C::Base::BYTES];
        x.write_le(&mut wanted);
        assert_eq!(bytes.collect::<Vec<_>>(), wanted);
        assert_eq!(C::Base::from_components(components), Some(x));
        assert_eq!(C::Base::from_components(&components[1..]), None);
    }
    examine::<G1>(1);
    examine::<G2>(2);
    examine::<bn254::G2>(2);
}
