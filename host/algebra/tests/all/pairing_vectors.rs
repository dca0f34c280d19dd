//! Products of pairings against `spec/vectors/pairing`, on every instruction set, with points prepared or not.

use crate::json::{Read, cases, point};
use proofmill_algebra::Isa;
use proofmill_algebra::curve::{Affine, Curve};
use proofmill_algebra::pairing::*;
use proofmill_algebra::tower::{Fp12, Tower};
use serde_json::Value;

fn pairs<E>(case: &Value) -> Vec<Pair<E>>
where
    E: Pairing<Tower: Tower<Base: Read>, G1: Curve<Base: Read>, G2: Curve<Base: Read>>,
{
    let pairs = case["pairs"].as_array().expect("pairs");
    pairs.iter().map(|pair| (point(&pair[0]), point(&pair[1]))).collect()
}

fn products<E>()
where
    E: Pairing<Tower: Tower<Base: Read>, G1: Curve<Base: Read>, G2: Curve<Base: Read>>,
{
    for case in cases(&format!("pairing/{}", E::NAME)) {
        let pairs: Vec<Pair<E>> = pairs::<E>(&case);
        let is_one = case["is_one"].as_bool().expect("yes or no");
        for (p, q) in &pairs {
            assert!(bool::from(p.is_in_subgroup() & q.is_in_subgroup()), "{}", case["id"]);
        }
        let prepared: Vec<_> = pairs.iter().map(|(_, q)| Prepared::<E>::new(q)).collect();
        let prepared: Vec<(Affine<E::G1>, _)> =
            pairs.iter().zip(&prepared).map(|((p, _), q)| (*p, q)).collect();
        for isa in Isa::available() {
            let value = product::<E>(isa, &pairs);
            assert_eq!(value == Fp12::ONE, is_one, "{}, {isa}", case["id"]);
            if case.get("value").is_some() {
                assert_eq!(value, Fp12::read(&case["value"]), "{}, {isa}", case["id"]);
            }
            let fresh = pairs.len().min(1);
            let f = miller_product::<E>(isa, &pairs[..fresh], &prepared[fresh..]);
            assert_eq!(final_exponentiation::<E>(isa, f), value, "{}, {isa}", case["id"]);
        }
    }
}

#[test]
fn bn254() {
    products::<Bn254>();
}

#[test]
fn bls12_381() {
    products::<Bls12381>();
}

#[test]
fn bls12_377() {
    products::<Bls12377>();
}
