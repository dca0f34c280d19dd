//! Elements of fields and towers as `spec/vectors` writes them: `0x…`, and lists of coefficients, lowest first.

use std::path::Path;

use proofmill_algebra::curve::{Affine, Curve};
use proofmill_algebra::field::PrimeField;
use proofmill_algebra::tower::{Fp2, Fp6, Fp12, Tower};
use proofmill_algebra::{bls12_377, bls12_381, bn254, pallas, secp256k1, toy, vesta};
use serde_json::Value;

/// `spec/vectors/<name>.json`.
pub fn file(name: &str) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/vectors");
    let path = folder.join(name).with_extension("json");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).expect("JSON")
}

/// The cases of `spec/vectors/<name>.json`.
pub fn cases(name: &str) -> Vec<Value> {
    file(name)["cases"].as_array().expect("cases").clone()
}

pub fn text<'a>(case: &'a Value, key: &str) -> &'a str {
    case[key].as_str().unwrap_or_else(|| panic!("{}: no {key}", case["id"]))
}

/// A value in a case.
pub trait Read: Sized {
    fn read(value: &Value) -> Self;
}

/// The magnitude of a number, lowest limb first, and whether there is a minus in front.
pub fn integer(text: &str) -> (Vec<u64>, bool) {
    let digits = text.trim_start_matches('-').strip_prefix("0x").expect("0x");
    let limb = |digits: &[u8]| {
        u64::from_str_radix(std::str::from_utf8(digits).expect("ASCII"), 16).expect("hex")
    };
    (digits.as_bytes().rchunks(16).map(limb).collect(), text.starts_with('-'))
}

/// Modulo the prime.
pub fn residue<F: PrimeField>(text: &str) -> F {
    let (limbs, negative) = integer(text);
    let shift = F::from(1 << 32).square();
    let magnitude = limbs.iter().rev().fold(F::ZERO, |sum, &limb| sum * shift + F::from(limb));
    if negative { -magnitude } else { magnitude }
}

fn bytes(text: &str) -> Vec<u8> {
    integer(text).0.iter().flat_map(|limb| limb.to_le_bytes()).collect()
}

fn element<F: PrimeField>(value: &Value) -> F {
    let mut bytes = bytes(value.as_str().expect("a number"));
    bytes.resize(F::BYTES.max(bytes.len()), 0);
    let (low, high) = bytes.split_at(F::BYTES);
    assert!(high.iter().all(|&byte| byte == 0), "{value}");
    F::from_le_bytes(low).unwrap_or_else(|error| panic!("{value}: {error}"))
}

macro_rules! read_elements {
    ($($field:ty),*) => {$(
        impl Read for $field {
            fn read(value: &Value) -> Self {
                element(value)
            }
        }
    )*};
}

read_elements!(
    toy::Fp,
    secp256k1::Fp,
    bn254::Fp,
    bls12_381::Fp,
    bls12_377::Fp,
    pallas::Fp,
    vesta::Fp
);

impl<T: Tower<Base: Read>> Read for Fp2<T> {
    fn read(value: &Value) -> Self {
        Self::new(Read::read(&value[0]), Read::read(&value[1]))
    }
}

impl<T: Tower<Base: Read>> Read for Fp6<T> {
    fn read(value: &Value) -> Self {
        Self::new(Read::read(&value[0]), Read::read(&value[1]), Read::read(&value[2]))
    }
}

impl<T: Tower<Base: Read>> Read for Fp12<T> {
    fn read(value: &Value) -> Self {
        Self::new(Read::read(&value[0]), Read::read(&value[1]))
    }
}

/// A point; null is the identity.
pub fn point<C: Curve<Base: Read>>(value: &Value) -> Affine<C> {
    if value.is_null() {
        return Affine::IDENTITY;
    }
    Affine::new(Read::read(&value[0]), Read::read(&value[1])).expect("on the curve")
}
