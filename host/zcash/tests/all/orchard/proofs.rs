//! The proofs of real blocks: verdicts are those of the crate `orchard`, and each kind of damage is found.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use orchard::bundle::{Authorized, Bundle};
use orchard::circuit::{OrchardCircuitVersion as Version, VerifyingKey};
use proofmill_cpu::CpuDevice;
use proofmill_zcash::{
    InvalidOrchardProof, Malformed, Network, OrchardCircuitVersion, OrchardFlags, OrchardProof,
    OrchardVerifier,
};
use zcash_protocol::value::ZatBalance;

use super::authors;
use super::blocks::bundles;
use crate::zebra::blocks;

type OrchardBundle = Bundle<Authorized, ZatBalance>;

/// No index.
const NONE: [usize; 0] = [];
/// Bytes of an element of a proof.
const ELEMENT: usize = 32;

static VERIFIER: LazyLock<OrchardVerifier> =
    LazyLock::new(|| OrchardVerifier::new(Arc::new(CpuDevice::new(Some(2)).unwrap())));

static KEY: LazyLock<VerifyingKey> =
    LazyLock::new(|| VerifyingKey::build(Version::InsecurePreNu6_2));

/// The bundles of the blocks; none if the blocks are not installed.
static BUNDLES: LazyLock<Vec<OrchardBundle>> = LazyLock::new(|| {
    let networks = [Network::MainNetwork, Network::TestNetwork];
    let blocks = networks.into_iter().filter_map(blocks).flatten();
    blocks.flat_map(|(_, block)| bundles(&block)).collect()
});

fn proofs() -> Vec<OrchardProof<'static>> {
    BUNDLES.iter().map(OrchardProof::from).collect()
}

/// Returns the reason why a proof is invalid.
fn reason(proof: &OrchardProof<'_>) -> Option<InvalidOrchardProof> {
    VERIFIER.examine(std::slice::from_ref(proof)).unwrap().pop().map(|(_, reason)| reason)
}

#[test]
fn verdicts_are_those_of_the_crate() {
    let proofs = proofs();
    let Some(first) = proofs.first() else { return };
    let mut actions = BTreeMap::new();
    for proof in &proofs {
        *actions.entry(proof.actions.len()).or_insert(0) += 1;
    }
    eprintln!("{} proofs, by the number of actions: {actions:?}", proofs.len());
    assert!(BUNDLES.iter().all(|bundle| bundle.verify_proof(&KEY).is_ok()));
    assert_eq!(VERIFIER.find_invalid(&proofs).unwrap(), NONE);
    assert_eq!(VERIFIER.find_invalid(&[]).unwrap(), NONE);
    assert_eq!(reason(first), None, "alone");
}

/// A batch of valid proofs of all versions, with one that is damaged in the middle.
#[test]
fn only_the_culprit_of_a_batch_is_found() {
    let mut proofs = [proofs(), authors::proofs()].concat();
    assert_eq!(VERIFIER.find_invalid(&proofs).unwrap(), NONE);
    let [middle, last] = [proofs.len() / 2, proofs.len() - 1];
    proofs[middle].anchor[0] ^= 1;
    assert_eq!(VERIFIER.examine(&proofs).unwrap(), [(middle, InvalidOrchardProof::DoesNotVerify)]);
    let short = &proofs[last].proof[..10 * ELEMENT];
    proofs[last].proof = short;
    let [expected, found] = [4992, short.len()];
    let length = InvalidOrchardProof::Malformed(Malformed::Length { expected, found });
    let both = [(middle, InvalidOrchardProof::DoesNotVerify), (last, length)];
    assert_eq!(VERIFIER.examine(&proofs).unwrap(), both);
}

/// f + 1 and f - 1, the last scalar, which no challenge depends on: with equal factors, the errors of two proofs would cancel out.
#[test]
fn errors_that_cancel_out_are_found() {
    let proof = &authors::proofs()[0];
    let last = proof.proof.len() - ELEMENT;
    let [more, less] = [1_i16, -1].map(|change| {
        let mut damaged = proof.proof.to_vec();
        let byte = i16::from(damaged[last]) + change;
        damaged[last] = u8::try_from(byte).expect("the lowest byte is neither 0 nor 255");
        damaged
    });
    let pair = [&more, &less].map(|bytes| OrchardProof { proof: bytes, ..proof.clone() });
    let invalid = [0, 1].map(|index| (index, InvalidOrchardProof::DoesNotVerify));
    assert_eq!(VERIFIER.examine(&pair).unwrap(), invalid);
}

/// The negative of each point is on the curve too, so that the equation is reached.
#[test]
fn the_negative_of_a_point_is_found() {
    let proof = &authors::proofs()[0];
    let mut negated = 0;
    for element in 0..proof.proof.len() / ELEMENT {
        let mut damaged = proof.proof.to_vec();
        damaged[(element + 1) * ELEMENT - 1] ^= 0x80;
        match reason(&OrchardProof { proof: &damaged, ..proof.clone() }) {
            Some(InvalidOrchardProof::DoesNotVerify) => negated += 1,
            Some(InvalidOrchardProof::Malformed(Malformed::Scalar { .. })) => {}
            other => panic!("element {element}: {other:?}"),
        }
    }
    assert!(negated >= 30, "{negated}");
}

/// A bit of each element, so that all points, evaluations and openings are tried.
#[test]
fn a_flipped_bit_of_any_element_is_found() {
    let proof = &authors::proofs()[0];
    let mut reasons = BTreeMap::new();
    for element in 0..proof.proof.len() / ELEMENT {
        let mut damaged = proof.proof.to_vec();
        damaged[element * ELEMENT + element % 31] ^= 1 << (element % 8);
        let reason = reason(&OrchardProof { proof: &damaged, ..proof.clone() });
        let reason = reason.unwrap_or_else(|| panic!("element {element}"));
        match reason {
            InvalidOrchardProof::DoesNotVerify => {}
            InvalidOrchardProof::Malformed(
                Malformed::Point { element: named } | Malformed::Scalar { element: named },
            ) => assert_eq!(named, element),
            other => panic!("{other}"),
        }
        *reasons.entry(reason == InvalidOrchardProof::DoesNotVerify).or_insert(0) += 1;
    }
    // Half of the changed points are on the curve.
    assert!(reasons[&true] > 100 && reasons[&false] > 10, "{reasons:?}");
}

#[test]
fn elements_that_are_not_canonical_are_named() {
    let proof = &authors::proofs()[0];
    let with = |element: usize, bytes: [u8; ELEMENT]| {
        let mut damaged = proof.proof.to_vec();
        damaged[element * ELEMENT..][..ELEMENT].copy_from_slice(&bytes);
        reason(&OrchardProof { proof: &damaged, ..proof.clone() })
    };
    // The first element is a point, the last one a scalar.
    let last = proof.proof.len() / ELEMENT - 1;
    let point = Some(InvalidOrchardProof::Malformed(Malformed::Point { element: 0 }));
    let scalar = Some(InvalidOrchardProof::Malformed(Malformed::Scalar { element: last }));
    assert_eq!(with(0, [0; ELEMENT]), point, "the identity");
    assert_eq!(with(0, [0xff; ELEMENT]), point);
    assert_eq!(with(last, [0xff; ELEMENT]), scalar);
    assert_eq!(with(last, [0; ELEMENT]), Some(InvalidOrchardProof::DoesNotVerify));
}

#[test]
fn another_public_input_is_found() {
    let valid = &authors::proofs()[0];
    let damaged = |damage: &dyn Fn(&mut OrchardProof<'_>)| {
        let mut proof = valid.clone();
        damage(&mut proof);
        reason(&proof)
    };
    let wrong = Some(InvalidOrchardProof::DoesNotVerify);
    assert_eq!(damaged(&|_| {}), None);
    assert_eq!(damaged(&|proof| proof.anchor[0] ^= 1), wrong);
    assert_eq!(damaged(&|proof| proof.actions[0].nullifier[0] ^= 1), wrong);
    assert_eq!(damaged(&|proof| proof.actions[0].cmx[0] ^= 1), wrong);
    // The negative of a point.
    assert_eq!(damaged(&|proof| proof.actions[0].cv_net[31] ^= 0x80), wrong);
    assert_eq!(damaged(&|proof| proof.actions[0].rk[31] ^= 0x80), wrong);
    assert_eq!(damaged(&|proof| proof.actions[0].cv_net = [0; 32]), wrong);
    assert_eq!(damaged(&|proof| proof.flags.enable_spends ^= true), wrong);
    assert_eq!(damaged(&|proof| proof.flags.enable_outputs ^= true), wrong);
    for version in [OrchardCircuitVersion::FixedPostNu6_2, OrchardCircuitVersion::PostNu6_3] {
        assert_eq!(damaged(&|proof| proof.version = version), wrong, "{version:?}");
    }
}

#[test]
fn the_flag_of_nu6_3_is_found() {
    for mut proof in authors::proofs().into_iter().skip(2) {
        proof.flags.enable_cross_address ^= true;
        assert_eq!(reason(&proof), Some(InvalidOrchardProof::DoesNotVerify));
        proof.version = OrchardCircuitVersion::FixedPostNu6_2;
        proof.flags = OrchardFlags { enable_cross_address: false, ..proof.flags };
        assert_eq!(reason(&proof), Some(InvalidOrchardProof::CrossAddress(proof.version)));
    }
}

#[test]
fn a_malformed_public_input_is_named() {
    let valid = &authors::proofs()[0];
    let name = |damage: &dyn Fn(&mut OrchardProof<'_>)| {
        let mut proof = valid.clone();
        damage(&mut proof);
        reason(&proof).unwrap().to_string()
    };
    let large = "a coordinate that is not below the modulus";
    assert_eq!(name(&|proof| proof.anchor = [0xff; 32]), format!("anchor of action 0: {large}"));
    let nullifier = name(&|proof| proof.actions[0].nullifier = [0xff; 32]);
    assert_eq!(nullifier, format!("nullifier of action 0: {large}"));
    assert_eq!(
        name(&|proof| proof.actions[0].cmx = [0xff; 32]),
        format!("cmx of action 0: {large}")
    );
    let cv_net = name(&|proof| proof.actions[0].cv_net = [0xff; 32]);
    assert_eq!(cv_net, format!("cv_net of action 0: {large}"));
    let rk = name(&|proof| proof.actions[0].rk = [0; 32]);
    assert!(rk.starts_with("rk of action 0: the identity"), "{rk}");
    assert_eq!(name(&|proof| proof.actions.clear()), "no action");
}

/// Before NU6.2, nodes did not look at bytes after the proof, and neither does the crate.
#[test]
fn lengths_are_those_that_the_crate_accepts() {
    for proof in authors::proofs() {
        let padded = [proof.proof, &[0; 3]].concat();
        let [expected, found] = [proof.proof.len(), padded.len()];
        let longer = reason(&OrchardProof { proof: &padded, ..proof.clone() });
        let is_old = proof.version == OrchardCircuitVersion::InsecurePreNu6_2;
        let length = InvalidOrchardProof::Malformed(Malformed::Length { expected, found });
        assert_eq!(longer, (!is_old).then_some(length));
        for found in [0, ELEMENT, expected - ELEMENT, expected - 1] {
            let shorter = reason(&OrchardProof { proof: &proof.proof[..found], ..proof.clone() });
            let length = InvalidOrchardProof::Malformed(Malformed::Length { expected, found });
            assert_eq!(shorter, Some(length));
        }
    }
}

#[test]
fn swapped_proofs_are_found() {
    let mut proofs = proofs();
    let same = |a: usize, b: usize| proofs[a].actions.len() == proofs[b].actions.len();
    let Some(other) = (1..proofs.len()).find(|&other| same(0, other)) else { return };
    let [first, second] = [proofs[0].proof, proofs[other].proof];
    (proofs[0].proof, proofs[other].proof) = (second, first);
    assert_eq!(VERIFIER.find_invalid(&proofs).unwrap(), [0, other]);
    let mut actions = proofs[1].clone();
    if actions.actions.len() > 1 {
        actions.actions.swap(0, 1);
        assert_eq!(reason(&actions), Some(InvalidOrchardProof::DoesNotVerify), "actions");
    }
}
