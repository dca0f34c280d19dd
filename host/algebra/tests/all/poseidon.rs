//! Poseidon against `spec/vectors`, on every level of this processor.

use proofmill_algebra::Isa;
use proofmill_algebra::field::{Bls12381Fr, Field, PrimeField};
use proofmill_algebra::ntt::NotBelowModulus;
use proofmill_algebra::poseidon::{
    Domain, ELEMENT_BYTES, Instance, MAX_ARITY, MIN_ARITY, Strength,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::json::{cases, residue, text};

/// Numbers of hashes that leave all kinds of rests in eight and in sixteen lanes.
const COUNTS: [usize; 9] = [0, 1, 2, 3, 5, 8, 11, 16, 37];

fn domain(text: &str) -> Domain {
    match text.split_once(' ') {
        Some(("constant_length", length)) => Domain::ConstantLength(length.parse().unwrap()),
        _ => match text {
            "merkle_tree" => Domain::MerkleTree,
            "variable_length" => Domain::VariableLength,
            "encryption" => Domain::Encryption,
            _ => panic!("{text}"),
        },
    }
}

fn hash(isa: Isa, instance: &Instance, domain: Domain, preimages: &[u8]) -> Vec<u8> {
    let elements = domain.elements(instance.arity()).unwrap();
    let mut digests = vec![0xaa; preimages.len() / elements];
    instance.hash(isa, domain, preimages, &mut digests).unwrap();
    digests
}

#[test]
fn vectors() {
    for (file, strength) in [
        ("poseidon/bls12_381_standard", Strength::Standard),
        ("poseidon/bls12_381_strengthened", Strength::Strengthened),
    ] {
        for case in cases(file) {
            let arity = case["arity"].as_u64().unwrap() as usize;
            let instance = Instance::of(arity, strength).unwrap();
            let domain = domain(text(&case, "domain"));
            let elements = case["preimage"].as_array().unwrap();
            let element = |value: &serde_json::Value| {
                residue::<Bls12381Fr>(value.as_str().unwrap()).to_le_bytes()
            };
            let preimage: Vec<u8> = elements.iter().flat_map(element).collect();
            let digest = residue::<Bls12381Fr>(text(&case, "digest")).to_le_bytes();
            for isa in Isa::available() {
                // Alone, and in lanes.
                for count in [1, 8] {
                    let digests = hash(isa, instance, domain, &preimage.repeat(count));
                    assert_eq!(digests, digest.repeat(count), "{isa}, {strength:?} {}", case["id"]);
                }
            }
        }
    }
}

/// Different preimages side by side, in batches of every shape, with edges among them.
#[test]
fn levels_agree_in_all_batches() {
    let mut random = ChaCha8Rng::seed_from_u64(17);
    let edges = [Bls12381Fr::ZERO, Bls12381Fr::ONE, -Bls12381Fr::ONE];
    for arity in MIN_ARITY..=MAX_ARITY {
        let instance = Instance::of(arity, Strength::Standard).unwrap();
        for count in COUNTS {
            let element = |_| match random.random_range(0..8) {
                edge @ 0..3 => edges[edge].to_le_bytes(),
                _ => Bls12381Fr::reduce_wide_le(
                    &random.random::<[[u8; 32]; 2]>().concat().try_into().unwrap(),
                )
                .to_le_bytes(),
            };
            let preimages: Vec<u8> = (0..count * arity).flat_map(element).collect();
            let [words, others @ ..] = &Isa::available()[..] else { unreachable!() };
            let wanted = hash(*words, instance, Domain::MerkleTree, &preimages);
            for isa in others {
                let found = hash(*isa, instance, Domain::MerkleTree, &preimages);
                assert_eq!(found, wanted, "{isa}, {count} of arity {arity}");
            }
        }
    }
}

#[test]
fn an_element_that_is_not_below_the_modulus_is_named() {
    let modulus: Vec<u8> = Bls12381Fr::MODULUS.iter().flat_map(|w| w.to_le_bytes()).collect();
    for arity in [2, 11, 12] {
        let instance = Instance::of(arity, Strength::Standard).unwrap();
        for isa in Isa::available() {
            for count in [1, 8, 37] {
                for wrong in [0, count * arity / 2, count * arity - 1] {
                    for bytes in [&modulus[..], &[0xff; ELEMENT_BYTES]] {
                        let mut preimages = vec![0; count * arity * ELEMENT_BYTES];
                        preimages[wrong * ELEMENT_BYTES..][..ELEMENT_BYTES].copy_from_slice(bytes);
                        let mut digests = vec![0; count * ELEMENT_BYTES];
                        let found =
                            instance.hash(isa, Domain::MerkleTree, &preimages, &mut digests);
                        assert_eq!(found, Err(NotBelowModulus(wrong)), "{isa}, arity {arity}");
                    }
                }
            }
        }
    }
}

#[test]
fn arities_and_lengths_that_there_are() {
    assert_eq!((MIN_ARITY, MAX_ARITY), (2, 36));
    for arity in [0, 1, 37, usize::MAX] {
        assert!(Instance::of(arity, Strength::Standard).is_none());
    }
    for (domain, elements) in [
        (Domain::ConstantLength(0), None),
        (Domain::ConstantLength(4), Some(4)),
        (Domain::ConstantLength(5), None),
        (Domain::Encryption, Some(4)),
    ] {
        assert_eq!(domain.elements(4), elements);
    }
}
