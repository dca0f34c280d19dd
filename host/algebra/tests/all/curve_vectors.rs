//! Groups and encodings against `spec/vectors/curve` and `spec/vectors/encoding`.

use crate::json::{Read, cases, integer, point, residue, text};
use proofmill_algebra::curve::{Affine, Curve, Edwards, EdwardsAffine, EdwardsForm, Projective};
use proofmill_algebra::encoding::sec1::{self, Hybrid};
use proofmill_algebra::encoding::{EncodingError, zcash};
use proofmill_algebra::{bls12_377, bls12_381, bn254, pallas, secp256k1, toy, vesta};
use serde_json::Value;

/// k P in every way that is meant for P.
fn multiples<C: Curve>(p: Projective<C>, k: &str) -> Vec<Projective<C>> {
    let (limbs, negative) = integer(k);
    let turned = |point: Projective<C>| if negative { -point } else { point };
    let mut all = vec![turned(p.times_integer(&limbs)), turned(p.times_public(&limbs))];
    if C::is_in_subgroup(&p).into() {
        let k = residue::<C::Scalar>(k);
        all.extend([p.times(&k), p.times_vartime(&k)]);
    }
    all
}

/// Returns the result of a case of a group; none for another operation.
fn group<C: Curve<Base: Read>>(case: &Value) -> Option<Vec<Affine<C>>> {
    let p = Projective::from(point::<C>(&case["p"]));
    let results = match text(case, "operation") {
        "add" => {
            let q = point::<C>(&case["q"]);
            vec![p + q, p + Projective::from(q)]
        }
        "double" => vec![p.double(), p + p],
        "mul" => multiples(p, text(case, "k")),
        "endomorphism" => vec![p.endomorphism()],
        _ => return None,
    };
    Some(results.into_iter().map(Affine::from).collect())
}

fn check<C: Curve<Base: Read>>(case: &Value) -> bool {
    let Some(results) = group::<C>(case) else { return false };
    let wanted = point(&case["result"]);
    results.iter().for_each(|result| assert_eq!(*result, wanted, "{}: {}", C::NAME, case["id"]));
    true
}

/// A point in Edwards form; null is none.
fn image<C: EdwardsForm<Base: Read>>(value: &Value) -> Option<EdwardsAffine<C>> {
    let read = || EdwardsAffine::new(Read::read(&value[0]), Read::read(&value[1]));
    (!value.is_null()).then(|| read().expect("on the curve"))
}

fn check_edwards<C: EdwardsForm<Base: Read>>(case: &Value) -> bool {
    let wanted = image::<C>(&case["result"]);
    let operand = |key: &str| Edwards::from(image::<C>(&case[key]).expect("a point"));
    let found: Option<EdwardsAffine<C>> = match text(case, "operation") {
        "to_edwards" => {
            let p = point::<C>(&case["p"]);
            assert!(wanted.is_none_or(|image| image.weierstrass() == p), "{}", case["id"]);
            EdwardsAffine::of(&p).into()
        }
        "add" => (operand("p") + operand("q")).to_affine().into(),
        "double" => operand("p").double().to_affine().into(),
        _ => return false,
    };
    assert_eq!(found, wanted, "{}: {}", C::NAME, case["id"]);
    true
}

fn examine(name: &str, check: impl Fn(&str, &Value) -> bool) {
    let cases = cases(&format!("curve/{name}"));
    assert!(cases.len() >= 50, "{name}");
    for case in cases {
        assert!(check(text(&case, "group"), &case), "{name}: {} was not examined", case["id"]);
    }
}

#[test]
fn groups_agree_with_the_model() {
    examine("secp256k1", |_, case| check::<secp256k1::Secp256k1>(case));
    examine("pallas", |_, case| check::<pallas::G1>(case));
    examine("vesta", |_, case| check::<vesta::G1>(case));
    examine("toy", |_, case| check::<toy::Toy>(case));
    examine("toy_edwards", |group, case| match group {
        "g1" => check::<toy::ToyEdwards>(case) || check_edwards::<toy::ToyEdwards>(case),
        _ => check_edwards::<toy::ToyEdwards>(case),
    });
    examine("bn254", |group, case| match group {
        "g1" => check::<bn254::G1>(case),
        _ => check::<bn254::G2>(case),
    });
    examine("bls12_381", |group, case| match group {
        "g1" => check::<bls12_381::G1>(case),
        _ => check::<bls12_381::G2>(case),
    });
    examine("bls12_377", |group, case| match group {
        "g1" => check::<bls12_377::G1>(case) || check_edwards::<bls12_377::G1>(case),
        "g2" => check::<bls12_377::G2>(case),
        _ => check_edwards::<bls12_377::G1>(case),
    });
}

fn bytes(case: &Value) -> Vec<u8> {
    let hex = text(case, "bytes").as_bytes().chunks_exact(2);
    hex.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

/// The specification's word for a reason.
fn reason(error: EncodingError) -> &'static str {
    match error {
        EncodingError::Length { .. } => "wrong length",
        EncodingError::Flags(_) => "wrong flags",
        EncodingError::NotReduced => "not reduced",
        EncodingError::NotOnCurve => "not on curve",
        EncodingError::NotInSubgroup => "not in subgroup",
        EncodingError::InfinityWithData => "stray bits",
        EncodingError::Identity => "identity",
    }
}

/// The model's point or its reason, and the encoding that we write.
fn check_encoding<C: Curve<Base: Read>>(
    case: &Value,
    found: Result<Affine<C>, EncodingError>,
    write: impl Fn(&Affine<C>) -> Vec<u8>,
) {
    let id = &case["id"];
    match found {
        Ok(found) => {
            assert!(case["refused"].is_null(), "{id} is accepted");
            assert_eq!(found, point(&case["point"]), "{id}");
            assert_eq!(write(&found), bytes(case), "{id}");
        }
        Err(error) => assert_eq!(case["refused"].as_str(), Some(reason(error)), "{id}"),
    }
}

#[test]
fn encodings_are_read_as_the_model_reads_them() {
    fn zcash_group<C: zcash::Zcash<Base: Read>>(case: &Value) {
        let bytes = bytes(case);
        match text(case, "form") {
            "compressed" => check_encoding::<C>(case, zcash::decode_compressed(&bytes), |p| {
                zcash::encode_compressed(p).as_ref().to_vec()
            }),
            _ => check_encoding::<C>(case, zcash::decode_uncompressed(&bytes), |p| {
                zcash::encode_uncompressed(p).as_ref().to_vec()
            }),
        }
    }
    for case in cases("encoding/bls12_381") {
        match text(&case, "group") {
            "g1" => zcash_group::<bls12_381::G1>(&case),
            _ => zcash_group::<bls12_381::G2>(&case),
        }
    }
    for case in cases("encoding/secp256k1") {
        let found = sec1::decode(&bytes(&case), Hybrid::Refused);
        if found == Err(EncodingError::Identity) {
            assert!(case["refused"].is_null() && case["point"].is_null(), "{}", case["id"]);
            continue;
        }
        check_encoding::<secp256k1::Secp256k1>(&case, found, |p| match text(&case, "form") {
            "compressed" => sec1::encode_compressed(p).unwrap().to_vec(),
            _ => sec1::encode_uncompressed(p).unwrap().to_vec(),
        });
    }
}
