//! BLS signatures of others' test vectors: Ethereum's consensus tests and Wycheproof. Each is judged on this processor, and by programs of `cpu:`'s coprocessor.

use crate::support::cpu;
use proofmill_proof::bls::{PublicKey, Scheme, Signature, Variant, Verifier, hash_to_curve};
use proofmill_proof::{Pairings, Result};
use serde_json::Value;
use wycheproof_ng_bls::TestName;

const VARIANT: Variant = Variant::MinPk;

fn verifiers() -> [Verifier; 2] {
    [Pairings::default(), Pairings::Device(cpu(1))].map(|pairings| Verifier { pairings })
}

fn bytes(value: &Value) -> Vec<u8> {
    let text = value.as_str().unwrap();
    let digits = text.strip_prefix("0x").unwrap_or(text).as_bytes().chunks(2);
    digits.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

fn all_bytes(value: &Value) -> Vec<Vec<u8>> {
    value.as_array().unwrap().iter().map(bytes).collect()
}

fn keys(value: &Value) -> Result<Vec<PublicKey>> {
    all_bytes(value).iter().map(|key| PublicKey::from_bytes(VARIANT, key)).collect()
}

/// Is the signature of this input, by its kind, accepted? What is no key and no signature is not.
fn is_accepted(verifier: &Verifier, kind: &str, scheme: Scheme, input: &Value) -> Result<bool> {
    let signature = Signature::from_bytes(VARIANT, &bytes(&input["signature"]))?;
    match kind {
        "verify" => {
            let key = PublicKey::from_bytes(VARIANT, &bytes(&input["pubkey"]))?;
            verifier.verify(scheme, &key, &bytes(&input["message"]), &signature)
        }
        "fast_aggregate_verify" => {
            let keys = keys(&input["pubkeys"])?;
            let keys: Vec<_> = keys.iter().collect();
            verifier.fast_aggregate_verify(&keys, &bytes(&input["message"]), &signature)
        }
        "aggregate_verify" => {
            let (keys, messages) = (keys(&input["pubkeys"])?, all_bytes(&input["messages"]));
            let claims: Vec<_> = keys.iter().zip(messages.iter().map(|it| &it[..])).collect();
            let as_many = keys.len() == messages.len();
            Ok(as_many && verifier.aggregate_verify(scheme, &claims, &signature)?)
        }
        other => panic!("{other}"),
    }
}

/// The identity is a public key to these tests, which follow an older draft, and is none to draft 05.
const WAS_ACCEPTED: &str = "verify_infinity_pubkey_and_infinity_signature";

#[test]
fn ethereums_consensus_tests() {
    let path =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../spec/model/published/bls_consensus.json");
    let file: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let cases = |kind: &str| file[kind].as_array().unwrap().clone();
    let mut judged = 0;
    for kind in ["verify", "fast_aggregate_verify", "aggregate_verify"] {
        for case in cases(kind) {
            let name = case["name"].as_str().unwrap();
            let wanted = case["output"].as_bool().unwrap() && name != WAS_ACCEPTED;
            for verifier in verifiers() {
                let scheme = Scheme::ProofOfPossession;
                let found = is_accepted(&verifier, kind, scheme, &case["input"]);
                assert_eq!(found.unwrap_or(false), wanted, "{name}: {verifier:?}");
            }
            judged += 1;
        }
    }
    assert_eq!(judged, 28 + 11 + 4);
    for case in cases("aggregate") {
        let signatures = all_bytes(&case["input"]);
        let signatures = signatures.iter().map(|it| Signature::from_bytes(VARIANT, it).unwrap());
        let sum = Signature::aggregate(&signatures.collect::<Vec<_>>());
        match &case["output"] {
            Value::Null => assert!(sum.is_err()),
            output => assert_eq!(sum.unwrap().to_bytes(), bytes(output)),
        }
    }
    // Nothing signs here; what was signed is accepted.
    for case in cases("sign") {
        let secret = bytes(&case["input"]["privkey"]);
        let key = blst::min_pk::SecretKey::from_bytes(&secret).unwrap().sk_to_pk().to_bytes();
        let key = PublicKey::from_bytes(VARIANT, &key).unwrap();
        let signature = Signature::from_bytes(VARIANT, &bytes(&case["output"])).unwrap();
        let message = bytes(&case["input"]["message"]);
        let found =
            Verifier::default().verify(Scheme::ProofOfPossession, &key, &message, &signature);
        assert!(found.unwrap(), "{}", case["name"]);
    }
}

#[test]
fn wycheproofs_signatures() {
    let sets = [
        (TestName::BlsSigG2BasicVerify, "verify", Scheme::Basic, 88),
        (TestName::BlsSigG2PopVerify, "verify", Scheme::ProofOfPossession, 26),
        (TestName::BlsSigG2AggregateVerify, "aggregate_verify", Scheme::Basic, 19),
    ];
    for (set, kind, scheme, count) in sets {
        let file: Value = serde_json::from_str(set.json_data()).unwrap();
        let mut judged = 0;
        for group in file["testGroups"].as_array().unwrap() {
            assert_eq!(group["ciphersuite"], scheme.tag(VARIANT));
            for case in group["tests"].as_array().unwrap() {
                let input = serde_json::json!({
                    "pubkey": group["publicKey"]["pk"],
                    "pubkeys": case["pubkeys"],
                    "message": case["msg"],
                    "messages": case["messages"],
                    "signature": case["sig"],
                });
                let wanted = case["result"] == "valid";
                for verifier in verifiers() {
                    let found = is_accepted(&verifier, kind, scheme, &input).unwrap_or(false);
                    assert_eq!(found, wanted, "{set:?} {}: {verifier:?}", case["tcId"]);
                }
                judged += 1;
            }
        }
        assert_eq!(judged, count, "{set:?}");
    }
}

#[test]
fn wycheproofs_hashes() {
    let file: Value = serde_json::from_str(TestName::BlsHashToG2.json_data()).unwrap();
    for group in file["testGroups"].as_array().unwrap() {
        let tag = group["dst"].as_str().unwrap();
        for case in group["tests"].as_array().unwrap() {
            let point = hash_to_curve(VARIANT, &bytes(&case["msg"]), tag.as_bytes());
            assert_eq!(point, bytes(&case["expected"]), "{}", case["tcId"]);
        }
    }
}
