//! BLS signatures against blst: signatures of blst are accepted, the same ones are refused, and hashes equal the points of RFC 9380.

use blst::BLST_ERROR;
use proofmill_algebra::Isa;
use proofmill_proof::Error;
use proofmill_proof::bls::{
    PublicKey, Scheme, Signature, Variant, aggregate_verify, expand_message_xmd,
    fast_aggregate_verify, find_invalid, hash_to_curve, pop_verify, verify,
};
use serde_json::Value;

/// Generates the tests of a variant, whose types in blst differ.
macro_rules! examine {
    ($module:ident, $variant:expr) => {
        mod $module {
            use super::*;
            use blst::$module as theirs;

            pub fn secret(number: u8) -> theirs::SecretKey {
                theirs::SecretKey::key_gen(&[number; 32], &[]).unwrap()
            }

            pub fn key(number: u8) -> PublicKey {
                let bytes = secret(number).sk_to_pk().to_bytes();
                PublicKey::from_bytes($variant, &bytes).unwrap()
            }

            /// Signs in a scheme; `tag` replaces the scheme's tag.
            pub fn sign(
                number: u8,
                message: &[u8],
                scheme: Scheme,
                tag: Option<&str>,
            ) -> Signature {
                let tag = tag.map_or(scheme.tag($variant), str::to_owned);
                let key = secret(number).sk_to_pk().to_bytes();
                let augmented: &[u8] =
                    if scheme == Scheme::MessageAugmentation { &key } else { &[] };
                let signed = secret(number).sign(message, tag.as_bytes(), augmented);
                let theirs = signed.verify(
                    true,
                    message,
                    tag.as_bytes(),
                    augmented,
                    &secret(number).sk_to_pk(),
                    true,
                );
                assert_eq!(theirs, BLST_ERROR::BLST_SUCCESS);
                Signature::from_bytes($variant, &signed.to_bytes()).unwrap()
            }

            /// Many at a time and one by one have the same results, errors included.
            pub fn reads_many_at_a_time() {
                let keys: Vec<_> = (0..19).map(|number| key(number).to_bytes()).collect();
                let signed = |number| sign(number, b"message", Scheme::Basic, None).to_bytes();
                let signatures: Vec<_> = (0..19).map(signed).collect();
                let spoilt = |mut all: Vec<Vec<u8>>| {
                    all[3][0] ^= 0x80;
                    all[11].pop();
                    all[17] = all[16].iter().map(|byte| !byte).collect();
                    all
                };
                let (keys, signatures) = (spoilt(keys), spoilt(signatures));
                let keys: Vec<_> = keys.iter().map(|bytes| &bytes[..]).collect();
                let signatures: Vec<_> = signatures.iter().map(|bytes| &bytes[..]).collect();
                for isa in Isa::available() {
                    let many = PublicKey::each_from_bytes(isa, $variant, &keys);
                    for (found, key) in many.into_iter().zip(&keys) {
                        let one = PublicKey::from_bytes($variant, key).map_err(|e| e.to_string());
                        assert_eq!(found.map_err(|error| error.to_string()), one, "{isa}");
                    }
                    let many = Signature::each_from_bytes(isa, $variant, &signatures);
                    assert_eq!(many.iter().filter(|found| found.is_err()).count(), 3, "{isa}");
                    for (found, bytes) in many.into_iter().zip(&signatures) {
                        let one = Signature::from_bytes($variant, bytes).map_err(|e| e.to_string());
                        assert_eq!(found.map_err(|error| error.to_string()), one, "{isa}");
                    }
                }
            }

            pub fn examine() {
                for scheme in Scheme::ALL {
                    single(scheme);
                    aggregates(scheme);
                    batches(scheme);
                }
                possession();
            }

            fn single(scheme: Scheme) {
                for message in [&b""[..], b"abc", &[7; 300]] {
                    let signature = sign(1, message, scheme, None);
                    assert!(verify(scheme, &key(1), message, &signature).unwrap());
                    assert!(!verify(scheme, &key(2), message, &signature).unwrap());
                    assert!(!verify(scheme, &key(1), b"other", &signature).unwrap());
                    for other in Scheme::ALL.into_iter().filter(|other| *other != scheme) {
                        assert!(!verify(other, &key(1), message, &signature).unwrap());
                    }
                }
            }

            fn aggregates(scheme: Scheme) {
                let messages: [&[u8]; 3] = [b"one", b"two", b"three"];
                let signatures = [1, 2, 3]
                    .map(|number| sign(number, messages[usize::from(number) - 1], scheme, None));
                let keys = [1, 2, 3].map(key);
                let signature = Signature::aggregate(&signatures).unwrap();
                let mut claims: Vec<(&PublicKey, &[u8])> = keys.iter().zip(messages).collect();
                assert!(aggregate_verify(scheme, &claims, &signature).unwrap());
                assert!(!aggregate_verify(scheme, &claims[..2], &signature).unwrap());
                assert!(!aggregate_verify(scheme, &[], &signature).unwrap());
                claims.swap(0, 1);
                assert!(aggregate_verify(scheme, &claims, &signature).unwrap());
                claims[0].1 = b"one";
                assert!(!aggregate_verify(scheme, &claims, &signature).unwrap());
                // Equal messages are refused in the basic scheme, even with a valid signature.
                let same = [1, 2].map(|number| sign(number, b"same", scheme, None));
                let same = Signature::aggregate(&same).unwrap();
                let claims: [(&PublicKey, &[u8]); 2] = [(&keys[0], b"same"), (&keys[1], b"same")];
                let accepted = aggregate_verify(scheme, &claims, &same).unwrap();
                assert_eq!(accepted, scheme != Scheme::Basic);
                let fast =
                    |keys: &[&PublicKey]| fast_aggregate_verify(keys, b"same", &same).unwrap();
                assert_eq!(fast(&[&keys[0], &keys[1]]), scheme == Scheme::ProofOfPossession);
                assert!(!fast(&[&keys[0]]) && !fast(&[]) && !fast(&[&keys[0], &keys[2]]));
            }

            fn batches(scheme: Scheme) {
                let messages: Vec<[u8; 1]> = (0..6).map(|number| [number % 4]).collect();
                let keys: Vec<_> = (1..7).map(key).collect();
                for wrong in [vec![], vec![0], vec![5], vec![2, 3]] {
                    let signatures: Vec<_> = (0..6)
                        .map(|at: usize| {
                            let by = at as u8 + 1 + u8::from(wrong.contains(&at));
                            sign(by, &messages[at], scheme, None)
                        })
                        .collect();
                    let claims: Vec<(&PublicKey, &[u8], &Signature)> =
                        (0..6).map(|at| (&keys[at], &messages[at][..], &signatures[at])).collect();
                    assert_eq!(find_invalid(scheme, &claims).unwrap(), wrong);
                }
                // Two invalid ones whose errors cancel out in a plain sum.
                let [a, b] = [1, 2].map(|number| sign(number, b"m", scheme, None));
                let swapped: [(&PublicKey, &[u8], &Signature); 2] =
                    [(&keys[0], b"m", &b), (&keys[1], b"m", &a)];
                assert_eq!(find_invalid(scheme, &swapped).unwrap(), [0, 1]);
                assert_eq!(find_invalid(scheme, &[]).unwrap(), [0; 0]);
            }

            fn possession() {
                let tag = Scheme::ProofOfPossession.tag($variant).replacen("SIG", "POP", 1);
                let proof = |by: u8, of: u8| {
                    sign(by, &key(of).to_bytes(), Scheme::ProofOfPossession, Some(&tag))
                };
                assert!(pop_verify(&key(1), &proof(1, 1)).unwrap());
                assert!(!pop_verify(&key(1), &proof(2, 1)).unwrap());
                assert!(!pop_verify(&key(1), &proof(1, 2)).unwrap());
                let signature = sign(1, &key(1).to_bytes(), Scheme::ProofOfPossession, None);
                assert!(!pop_verify(&key(1), &signature).unwrap());
            }
        }
    };
}

examine!(min_pk, Variant::MinPk);
examine!(min_sig, Variant::MinSig);

#[test]
fn short_keys_beside_blst() {
    min_pk::examine();
}

#[test]
fn short_signatures_beside_blst() {
    min_sig::examine();
}

#[test]
fn many_are_read_as_one_by_one() {
    min_pk::reads_many_at_a_time();
    min_sig::reads_many_at_a_time();
}

/// RFC 9380, appendices J.9.1 and J.10.1.
#[test]
fn messages_become_the_published_points() {
    let path =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../spec/model/published/hash_to_curve.json");
    let file: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    for (variant, group) in [(Variant::MinSig, "g1"), (Variant::MinPk, "g2")] {
        let tag = file[group]["dst"].as_str().unwrap();
        let cases = file[group]["cases"].as_array().unwrap();
        assert_eq!(cases.len(), 5);
        for case in cases {
            let message = case["msg"].as_str().unwrap();
            let point = hash_to_curve(variant, message.as_bytes(), tag.as_bytes());
            // The flags are in the highest bits of x, whose last coefficient comes first.
            let x = match &case["x"] {
                Value::Array(parts) => [text(&parts[1]), text(&parts[0])].concat(),
                x => text(x),
            };
            let mut found = point.clone();
            found[0] &= 0x1f;
            assert_eq!(hex(&found), x, "{group}: {message}");
            let y = match &case["y"] {
                Value::Array(parts) => text(&parts[1]),
                y => text(y),
            };
            // Is y more than (p - 1) / 2?
            let half = "0d0088f51cbff34d258dd3db21a5d66bb23ba5c279c2895fb39869507b587b120f55ffff58a9ffffdcff7fffffffd555";
            assert_eq!(point[0] & 0x20 != 0, y.as_str() > half, "{group}: {message}");
        }
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().trim_start_matches("0x").to_owned()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// RFC 9380, appendix K.1.
#[test]
fn bytes_are_expanded_as_published() {
    let tag = b"QUUX-V01-CS02-with-expander-SHA256-128";
    let of = |message: &[u8], count| hex(&expand_message_xmd(message, tag, count));
    assert_eq!(of(b"", 32), "68a985b87eb6b46952128911f2a4412bbc302a9d759667f87f7a21d803f07235");
    assert_eq!(of(b"abc", 32), "d8ccab23b5985ccea865c6c97b6e5b8350e794e603b4b97902f53a8a0d605615");
    assert_eq!(expand_message_xmd(b"m", &[0; 300], 100).len(), 100);
}

#[test]
fn what_is_no_key_and_no_signature_is_named() {
    let problem = |found: Result<PublicKey, Error>| found.unwrap_err().to_string();
    let read = |bytes: &[u8]| PublicKey::from_bytes(Variant::MinPk, bytes);
    let good = min_pk::key(1).to_bytes();
    assert_eq!(read(&good).unwrap(), min_pk::key(1));
    assert_eq!(problem(read(&good[1..])), "public key: is 47 bytes where the form has 48");
    let mut identity = [0; 48];
    identity[0] = 0xc0;
    assert_eq!(problem(read(&identity)), "public key: is the identity");
    assert_eq!(problem(read(&[0; 48])), "public key: is flags 0x00 that the form does not have");
    assert_eq!(problem(read(&[0xff; 48])), "public key: is flags 0xe0 that the form does not have");
    let mut large = [0xff; 48];
    large[0] = 0x9f;
    assert_eq!(problem(read(&large)), "public key: is a coordinate that is not below the modulus");
    // x = 0 has the points (0, 2) and (0, -2), of order 3.
    let mut small = [0; 48];
    small[0] = 0x80;
    assert_eq!(problem(read(&small)), "public key: is on the curve but not in the subgroup");
    let mut off = [0; 48];
    (off[0], off[47]) = (0x80, 1);
    assert_eq!(problem(read(&off)), "public key: is not on the curve");
    let found = Signature::from_bytes(Variant::MinPk, &[0; 48]).unwrap_err().to_string();
    assert_eq!(found, "signature: is 48 bytes where the form has 96");

    // Keys whose sum is the identity have no aggregate; the identity is no key's signature.
    let key = min_pk::key(1);
    let mut negative = good.clone();
    negative[0] ^= 0x20;
    let negative = read(&negative).unwrap();
    let mut none = [0; 96];
    none[0] = 0xc0;
    let none = Signature::from_bytes(Variant::MinPk, &none).unwrap();
    assert!(!fast_aggregate_verify(&[&key, &negative], b"m", &none).unwrap());
    assert!(!verify(Scheme::Basic, &key, b"m", &none).unwrap());

    let other = min_sig::sign(1, b"m", Scheme::Basic, None);
    let wanted = "signature: is of min-sig, expected min-pk";
    assert_eq!(verify(Scheme::Basic, &key, b"m", &other).unwrap_err().to_string(), wanted);
    let found = find_invalid(Scheme::Basic, &[(&key, b"m", &none), (&key, b"m", &other)]);
    assert_eq!(found.unwrap_err().to_string(), wanted);
    let found = Signature::aggregate(&[none, other]).unwrap_err().to_string();
    assert_eq!(found, "signatures: are of different variants");
    assert_eq!(Signature::aggregate(&[]).unwrap_err().to_string(), "signatures: are none");
}
