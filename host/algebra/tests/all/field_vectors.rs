//! `spec/vectors/field`, made by the executable specification.

use std::fs;
use std::path::Path;

use proofmill_algebra::field::*;
use serde_json::Value;

fn cases(field: &str) -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/vectors/field");
    let text = fs::read_to_string(folder.join(format!("{field}.json"))).expect("a vector file");
    let mut book: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(book["field"], field);
    book["cases"].as_array_mut().map(std::mem::take).expect("a list of cases")
}

/// The element of a number `0x…`; none of null.
fn element<F: PrimeField>(number: &Value) -> Option<F> {
    let digits = number.as_str()?.strip_prefix("0x").expect("0x…");
    let width = 2 * F::BYTES;
    let bytes = hex_bytes(&format!("{digits:0>width$}"));
    Some(F::from_be_bytes(&bytes).expect("reduced"))
}

fn hex_bytes(digits: &str) -> Vec<u8> {
    let byte = |i| u8::from_str_radix(&digits[i..i + 2], 16).expect("hexadecimal");
    (0..digits.len()).step_by(2).map(byte).collect()
}

fn pair<F: PrimeField>(case: &Value, a: F, b: F) {
    let is = |key: &str, found: F| assert_eq!(element(&case[key]), Some(found), "{case} {key}");
    is("add", a + b);
    is("sub", a - b);
    is("mul", a * b);
}

fn single<F: PrimeField>(case: &Value, a: F) {
    assert_eq!(element(&case["neg"]), Some(-a), "{case}");
    assert_eq!(element(&case["square"]), Some(a.square()), "{case}");
    assert_eq!(element(&case["inverse"]), a.invert().into_option(), "{case}");
    assert_eq!(element(&case["inverse"]), a.invert_vartime(), "{case}");
    // The specification's root is one of two.
    let root = a.sqrt().into_option().map(|root: F| root.square());
    assert_eq!(element(&case["sqrt"]).map(|root: F| root.square()), root, "{case}");
    assert_eq!(format!("{a:?}"), case["a"].as_str().expect("a text"));
}

fn decoding<F: PrimeField>(case: &Value, bytes: &[u8]) {
    let reversed: Vec<u8> = bytes.iter().rev().copied().collect();
    let found = F::from_le_bytes(bytes);
    assert_eq!(F::from_be_bytes(&reversed), found, "{case}");
    match (case["refused"].as_str(), found) {
        (None, Ok(found)) => {
            assert_eq!(element(&case["value"]), Some(found), "{case}");
            assert_eq!(found.to_le_bytes().as_ref(), bytes, "{case}");
            assert_eq!(found.to_be_bytes().as_ref(), reversed, "{case}");
        }
        (Some("wrong length"), Err(DecodeError::Length { expected, found })) => {
            assert_eq!((expected, found), (F::BYTES, bytes.len()), "{case}");
        }
        (Some("not reduced"), Err(DecodeError::NotReduced)) => {}
        (_, found) => panic!("{case}: {found:?}"),
    }
}

fn examine<F: PrimeField>() {
    let cases = cases(F::NAME);
    assert!(!cases.is_empty());
    for case in &cases {
        match (element(&case["a"]), element(&case["b"])) {
            (Some(a), Some(b)) => pair::<F>(case, a, b),
            (Some(a), None) => single::<F>(case, a),
            _ => decoding::<F>(case, &hex_bytes(case["bytes"].as_str().expect("bytes"))),
        }
    }
}

#[test]
fn every_field_agrees_with_the_specification() {
    examine::<Goldilocks>();
    examine::<Secp256k1Fp>();
    examine::<Secp256k1Fn>();
    examine::<Bn254Fp>();
    examine::<Bn254Fr>();
    examine::<Bls12381Fp>();
    examine::<Bls12381Fr>();
    examine::<Bls12377Fp>();
    examine::<Bls12377Fr>();
    examine::<JubjubFr>();
    examine::<PastaFp>();
    examine::<PastaFq>();
    examine::<ToyFp>();
    examine::<ToyFr>();
    examine::<ToyEdwardsFr>();
}
