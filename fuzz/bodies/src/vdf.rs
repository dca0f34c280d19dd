//! Proofs of verifiable delay functions.

use proofmill::vdf::class_group::{ClassGroup, Encoding, FORM_BYTES};
use proofmill::vdf::record::{Record, Verifier};
use proofmill::vdf::{chia, moduli};

/// A discriminant of 64 bits: -p for a prime p = 7 (mod 8), as Chia's are.
const DISCRIMINANT: i128 = -18_446_744_073_709_551_359;
/// Iterations of a claim of Chia.
const ITERATIONS: u64 = 100;

/// Parses and verifies a record; one that is parsed is written and parsed again.
pub fn record(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let Ok(record) = Record::from_json(text) else { return };
    let _verdict = Verifier::default().verify(&record);
    let written = record.to_json().expect("a record has a text");
    assert_eq!(Record::from_json(&written).expect("its text is a record"), record);
}

/// Returns a record of each scheme.
pub fn record_seeds() -> Vec<Vec<u8>> {
    let numbers = format!(r#""modulus":"{}","input":"5""#, moduli::RSA_1024);
    vec![
        format!(r#"{{"scheme":"wesolowski",{numbers},"squarings":1,"output":"25","proof":"1"}}"#).into(),
        format!(r#"{{"scheme":"pietrzak",{numbers},"squarings":2,"output":"625","halvings":["25"]}}"#).into(),
        format!(
            r#"{{"scheme":"chia","discriminant":"{DISCRIMINANT}","input":"08{zeros}","iterations":1,"proof":"08{zeros}04{zeros}","witness_type":0}}"#,
            zeros = "00".repeat(FORM_BYTES - 1)
        )
        .into(),
    ]
}

/// Decodes a form and writes it again, and verifies a proof of the same bytes.
pub fn form(input: &[u8]) {
    let group = ClassGroup::new(DISCRIMINANT.into()).expect("a discriminant");
    let Some((form, proof)) = input.split_first_chunk::<FORM_BYTES>() else { return };
    if let Ok(decoded) = group.decode(form, Encoding::Unique, "form") {
        assert_eq!(group.encode(&decoded).expect("a form has an encoding"), *form);
    }
    for segments in [0, 1] {
        let _verdict = chia::verify(group.discriminant(), form, proof, ITERATIONS, segments);
    }
}

/// Returns the generator and the identity in the places of input, output and proof.
pub fn form_seeds() -> Vec<Vec<u8>> {
    let group = ClassGroup::new(DISCRIMINANT.into()).expect("a discriminant");
    let generator = group.generator().and_then(|form| group.encode(&form));
    let forms = [generator.expect("a form"), group.encode(&group.identity()).expect("a form")];
    let [generator, identity] = &forms;
    vec![
        [&generator[..], identity, identity].concat(),
        [&generator[..], generator, identity].concat(),
    ]
}
