//! Encodings of points: a decoded point is in the subgroup, and encoding it reproduces the input.

use proofmill_algebra::curve::{Affine, Curve, Projective};
use proofmill_algebra::encoding::sec1::{self, Hybrid};
use proofmill_algebra::encoding::zcash::{self, Zcash};
use proofmill_algebra::encoding::{Coordinate, EncodingError, pair};
use proofmill_algebra::field::Field;
use proofmill_algebra::{bls12_377, bls12_381, bn254, pallas, secp256k1::Secp256k1, toy, vesta};

use crate::choose;

/// Decodes a public key of secp256k1.
pub(crate) fn sec1(bytes: &[u8]) {
    let (strict, hybrid) =
        (sec1::decode(bytes, Hybrid::Refused), sec1::decode(bytes, Hybrid::Accepted));
    let Ok(point) = hybrid else {
        assert!(strict.is_err());
        return;
    };
    assert_sound(&point);
    let written = match bytes[0] {
        2 | 3 => sec1::encode_compressed(&point).expect("no identity").to_vec(),
        _ => sec1::encode_uncompressed(&point).expect("no identity").to_vec(),
    };
    assert_eq!(written[1..], bytes[1..]);
    let wanted = if written == bytes { Ok(point) } else { Err(EncodingError::Flags(bytes[0])) };
    assert_eq!(strict, wanted);
}

pub(crate) fn sec1_seeds() -> Vec<Vec<u8>> {
    let some = multiples::<Secp256k1>();
    some.flat_map(|p| {
        let long = sec1::encode_uncompressed(&p).expect("no identity").to_vec();
        let hybrid = [&[6 | long[64] & 1], &long[1..]].concat();
        [sec1::encode_compressed(&p).expect("no identity").to_vec(), long, hybrid]
    })
    .collect()
}

/// Decodes points of BLS12-381. The highest bit of the first byte selects the form, the length selects the group.
pub(crate) fn zcash(bytes: &[u8]) {
    zcash_group::<bls12_381::G1>(bytes);
    zcash_group::<bls12_381::G2>(bytes);
}

fn zcash_group<C: Zcash>(bytes: &[u8]) {
    if let Ok(point) = zcash::decode_compressed::<C>(bytes) {
        assert_sound(&point);
        assert_eq!(zcash::encode_compressed(&point).as_ref(), bytes);
    }
    if let Ok(point) = zcash::decode_uncompressed::<C>(bytes) {
        assert_sound(&point);
        assert_eq!(zcash::encode_uncompressed(&point).as_ref(), bytes);
    }
}

pub(crate) fn zcash_seeds() -> Vec<Vec<u8>> {
    fn both<C: Zcash>() -> impl Iterator<Item = Vec<u8>> {
        multiples::<C>().chain([Affine::IDENTITY]).flat_map(|point| {
            let short = zcash::encode_compressed(&point).as_ref().to_vec();
            [short, zcash::encode_uncompressed(&point).as_ref().to_vec()]
        })
    }
    both::<bls12_381::G1>().chain(both::<bls12_381::G2>()).collect()
}

const GROUPS: [fn(&[u8]); 11] = [
    pair_group::<toy::Toy>,
    pair_group::<toy::ToyEdwards>,
    pair_group::<Secp256k1>,
    pair_group::<bn254::G1>,
    pair_group::<bn254::G2>,
    pair_group::<bls12_381::G1>,
    pair_group::<bls12_381::G2>,
    pair_group::<bls12_377::G1>,
    pair_group::<bls12_377::G2>,
    pair_group::<pallas::G1>,
    pair_group::<vesta::G1>,
];

/// Decodes this library's pairs of coordinates. The first byte chooses the group.
pub(crate) fn pair(input: &[u8]) {
    if let Some((group, bytes)) = choose(&GROUPS, input) {
        group(bytes);
    }
}

fn pair_group<C: Curve<Base: Coordinate>>(bytes: &[u8]) {
    match pair::decode::<C>(bytes) {
        Ok(point) => {
            assert_sound(&point);
            assert_eq!(pair::encode(&point), bytes);
        }
        Err(EncodingError::Length { expected, found }) => {
            assert_eq!((expected, found), (pair::bytes::<C>(), bytes.len()));
        }
        Err(_) => assert_eq!(bytes.len(), pair::bytes::<C>()),
    }
}

pub(crate) fn pair_seeds() -> Vec<Vec<u8>> {
    fn group<C: Curve<Base: Coordinate>>(number: u8) -> impl Iterator<Item = Vec<u8>> {
        let encode = move |point| [vec![number], pair::encode::<C>(&point)].concat();
        multiples::<C>().chain([Affine::IDENTITY]).map(encode)
    }
    let toys = group::<toy::Toy>(0).chain(group::<toy::ToyEdwards>(1));
    let plain = toys.chain(group::<Secp256k1>(2));
    let bn254 = group::<bn254::G1>(3).chain(group::<bn254::G2>(4));
    let bls12_381 = group::<bls12_381::G1>(5).chain(group::<bls12_381::G2>(6));
    let bls12_377 = group::<bls12_377::G1>(7).chain(group::<bls12_377::G2>(8));
    let pasta = group::<pallas::G1>(9).chain(group::<vesta::G1>(10));
    plain.chain(bn254).chain(bls12_381).chain(bls12_377).chain(pasta).collect()
}

fn multiples<C: Curve>() -> impl Iterator<Item = Affine<C>> {
    (1..5).map(|k| Projective::<C>::generator().times_public(&[k]).into())
}

/// Asserts that the point satisfies the curve's equation and that the group's order annihilates it.
fn assert_sound<C: Curve<Base: Coordinate>>(point: &Affine<C>) {
    let (x, y) = (point.x(), point.y());
    assert!(point == &Affine::IDENTITY || y.square() == x * x * x + C::B);
    assert!(bool::from(Projective::from(*point).is_killed_by_order()));
}
