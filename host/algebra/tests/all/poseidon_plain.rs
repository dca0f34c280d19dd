//! circomlib's Poseidon and Poseidon2 against `spec/vectors`.

use proofmill_algebra::field::{Bn254Fr, Goldilocks, PrimeField};
use proofmill_algebra::ntt::NotBelowModulus;
use proofmill_algebra::poseidon::plain::Instance;

use crate::json::{cases, residue};

fn modulus(instance: Instance) -> Vec<u8> {
    let limbs = match instance {
        Instance::Circom | Instance::Poseidon2Bn254 => Bn254Fr::MODULUS,
        Instance::Poseidon2Goldilocks => Goldilocks::MODULUS,
        _ => panic!("{instance:?}"),
    };
    limbs.iter().flat_map(|limb| limb.to_le_bytes()).collect()
}

/// A list of numbers as bytes.
fn bytes(instance: Instance, list: &serde_json::Value) -> Vec<u8> {
    let element = |value: &serde_json::Value| {
        let text = value.as_str().unwrap();
        match instance {
            Instance::Poseidon2Goldilocks => residue::<Goldilocks>(text).to_le_bytes().to_vec(),
            _ => residue::<Bn254Fr>(text).to_le_bytes().to_vec(),
        }
    };
    list.as_array().unwrap().iter().flat_map(element).collect()
}

#[test]
fn vectors() {
    for instance in Instance::ALL {
        let cases = cases(&format!("permutation/{}", instance.name()));
        for arity in instance.arities() {
            let of_arity: Vec<_> = cases.iter().filter(|case| case["arity"] == arity).collect();
            assert!(of_arity.len() >= 3, "{instance:?} {arity}");
            // All in one batch.
            let all = |what: &str| -> Vec<u8> {
                of_arity.iter().flat_map(|case| bytes(instance, &case[what])).collect()
            };
            let wanted = all("digest");
            let mut digests = vec![0xaa; wanted.len()];
            instance.hash(arity, &all("preimage"), &mut digests).unwrap();
            let each = instance.digest_elements(arity) * instance.element_bytes();
            for ((case, found), wanted) in
                of_arity.iter().zip(digests.chunks(each)).zip(wanted.chunks(each))
            {
                assert_eq!(found, wanted, "{instance:?} {}", case["id"]);
            }
        }
    }
}

#[test]
fn an_element_that_is_not_below_the_modulus_is_named() {
    for instance in Instance::ALL {
        let (modulus, size) = (modulus(instance), instance.element_bytes());
        for arity in [instance.arities()[0], *instance.arities().last().unwrap()] {
            for wrong in [0, 3 * arity - 1] {
                for element in [&modulus[..], &vec![0xff; size]] {
                    let mut preimages = vec![0; 3 * arity * size];
                    preimages[wrong * size..][..size].copy_from_slice(element);
                    let mut digests = vec![0; 3 * instance.digest_elements(arity) * size];
                    let found = instance.hash(arity, &preimages, &mut digests);
                    assert_eq!(found, Err(NotBelowModulus(wrong)), "{instance:?} {arity}");
                }
            }
        }
    }
}

#[test]
fn arities_that_there_are() {
    assert_eq!(Instance::Circom.arities(), (1..=16).collect::<Vec<_>>());
    assert_eq!(Instance::Poseidon2Bn254.arities(), [2, 3, 4, 8, 12, 16]);
    assert_eq!(Instance::Poseidon2Goldilocks.arities(), [8, 12, 16, 20]);
}
