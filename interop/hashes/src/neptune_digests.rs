//! Random preimages of every arity, strength and domain on `cpu:`, beside neptune.

use blstrs::Scalar;
use ff::Field as _;
use generic_array::typenum::*;
use neptune::hash_type::HashType;
use neptune::poseidon::{Arity, Poseidon, PoseidonConstants};
use proofmill::Device;
use proofmill::poseidon::neptune::{from_bytes, to_bytes};
use proofmill::poseidon::{Domain, Request, Strength, digests};

use crate::painted::Source;

/// Preimages of an arity: in all tests, and in the long ones.
const FEW: usize = 200;
const MANY: usize = 100_000;

/// A domain as neptune calls it.
fn theirs<A: Arity<Scalar>>(domain: Domain) -> HashType<Scalar, A> {
    match domain {
        Domain::MerkleTree => HashType::MerkleTree,
        Domain::VariableLength => HashType::VariableLength,
        Domain::ConstantLength(length) => HashType::ConstantLength(length),
        Domain::Encryption => HashType::Encryption,
    }
}

/// Compares so many digests of an arity, over both strengths and all domains.
fn compare<A: Arity<Scalar>>(count: usize) {
    let arity = A::to_usize();
    let device = proofmill::open("cpu:?threads=1").unwrap();
    let lengths = if count == FEW { vec![1, arity - 1, arity] } else { (1..=arity).collect() };
    let mut domains = vec![Domain::VariableLength, Domain::Encryption];
    domains.extend(lengths.into_iter().map(Domain::ConstantLength));
    // Half of all are of the domain that trees have.
    domains.extend(vec![Domain::MerkleTree; domains.len()]);
    let each = count.div_ceil(2 * domains.len());
    let mut source = Source(arity as u64);
    for strength in [Strength::Standard, Strength::Strengthened] {
        let of_neptune = match strength {
            Strength::Standard => neptune::Strength::Standard,
            Strength::Strengthened => neptune::Strength::Strengthened,
        };
        let constants = PoseidonConstants::<Scalar, A>::new_with_strength(of_neptune);
        for &domain in &domains {
            let length = domain.elements(arity).unwrap();
            let preimages = source.elements(each * length);
            let found = ours(&*device, arity, strength, domain, &preimages);
            let mut hasher = Poseidon::new(&constants);
            for (number, preimage) in preimages.chunks(length).enumerate() {
                // The tag is set by hand: for a domain of another length than the arity, and for one that neptune has the tag of alone.
                hasher.set_preimage(&[preimage, &vec![Scalar::ZERO; arity - length]].concat());
                hasher.elements[0] = theirs::<A>(domain).domain_tag();
                let wanted = hasher.hash();
                assert_eq!(found[number], wanted, "{arity} {strength:?} {domain:?} {preimage:?}");
            }
        }
    }
}

fn ours(
    device: &dyn Device,
    arity: usize,
    strength: Strength,
    domain: Domain,
    preimages: &[Scalar],
) -> Vec<Scalar> {
    let request = Request::new(arity, to_bytes(preimages));
    let request = request.in_domain(domain).with_strength(strength);
    from_bytes(&digests(device, request).unwrap()).unwrap()
}

/// Compares with neptune's `ConstantLength` hash type.
#[test]
fn constant_length_equals_neptune() {
    let device = proofmill::open("cpu:?threads=1").unwrap();
    let preimage = Source(4).elements(4);
    let constants = PoseidonConstants::<Scalar, U8>::new_constant_length(4);
    let wanted = Poseidon::new_with_preimage(&preimage, &constants).hash();
    let found = ours(&*device, 8, Strength::Standard, Domain::ConstantLength(4), &preimage);
    assert_eq!(found, [wanted]);
}

macro_rules! arities {
    ($($arity:ident: $number:ident,)*) => {$(
        mod $arity {
            use super::*;

            #[test]
            fn few() {
                compare::<$number>(FEW);
            }

            #[test]
            #[ignore = "long"]
            fn many() {
                compare::<$number>(MANY);
            }
        }
    )*};
}

// neptune is compiled once for each, which takes seconds: some of them, Filecoin's among them, and with the feature `every` the others.
arities! { arity_2: U2, arity_3: U3, arity_4: U4, arity_8: U8, arity_11: U11, arity_12: U12, arity_36: U36, }

#[cfg(feature = "every")]
arities! {
    arity_5: U5, arity_6: U6, arity_7: U7, arity_9: U9, arity_10: U10, arity_13: U13, arity_14: U14, arity_15: U15, arity_16: U16,
    arity_17: U17, arity_18: U18, arity_19: U19, arity_20: U20, arity_21: U21, arity_22: U22, arity_23: U23, arity_24: U24,
    arity_25: U25, arity_26: U26, arity_27: U27, arity_28: U28, arity_29: U29, arity_30: U30, arity_31: U31, arity_32: U32,
    arity_33: U33, arity_34: U34, arity_35: U35,
}
