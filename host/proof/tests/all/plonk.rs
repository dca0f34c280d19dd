//! Proofs of PLONK that snarkjs made, and forgeries of them.

use proofmill_proof::groth16::Curve;
use proofmill_proof::plonk::{
    Evaluations, PreparedVerifyingKey, Proof, Scalar, VerifyingKey, verify,
};
use proofmill_proof::snarkjs::plonk::{proof, verifying_key};
use proofmill_proof::snarkjs::public;
use proofmill_proof::{Error, FileError, Result};

use crate::support::CURVES;

/// Returns a file of snarkjs for the circuit of `tests/snarkjs/tiny.circom`.
fn text(curve: Curve, name: &str) -> String {
    let folder = format!("tests/snarkjs/plonk_{}", curve.name());
    std::fs::read_to_string(format!("{folder}/{name}.json")).unwrap()
}

fn made(curve: Curve) -> (VerifyingKey, Vec<Scalar>, Proof) {
    let key = verifying_key::parse("key", text(curve, "verification_key").as_bytes()).unwrap();
    let values = public::parse("public", text(curve, "public").as_bytes(), curve).unwrap();
    (key, values, proof::parse("proof", text(curve, "proof").as_bytes()).unwrap())
}

fn points(proof: &mut Proof) -> [&mut Vec<u8>; 9] {
    let Proof { a, b, c, z, t_lo, t_mid, t_hi, w_zeta, w_zeta_omega, .. } = proof;
    [a, b, c, z, t_lo, t_mid, t_hi, w_zeta, w_zeta_omega]
}

fn values(proof: &mut Proof) -> [&mut Scalar; 6] {
    let Evaluations { a, b, c, s1, s2, z_omega } = &mut proof.evaluations;
    [a, b, c, s1, s2, z_omega]
}

fn key_points(key: &mut VerifyingKey) -> [&mut Vec<u8>; 8] {
    let VerifyingKey { q_m, q_l, q_r, q_o, q_c, s1, s2, s3, .. } = key;
    [q_m, q_l, q_r, q_o, q_c, s1, s2, s3]
}

/// Returns every proof with one changed part: a point replaced by another or by the identity, or an evaluation with another bit.
fn forgeries(original: &Proof) -> Vec<Proof> {
    let mut forged = Vec::new();
    for i in 0..9 {
        for other in [Some((i + 1) % 9), None] {
            let mut proof = original.clone();
            let point = match other {
                Some(other) => points(&mut proof)[other].clone(),
                None => vec![0; proof.a.len()],
            };
            *points(&mut proof)[i] = point;
            forged.push(proof);
        }
    }
    for i in 0..6 {
        let mut proof = original.clone();
        values(&mut proof)[i][0] ^= 1;
        forged.push(proof);
    }
    forged
}

#[test]
fn a_proof_of_snarkjs_is_valid_and_no_part_can_be_changed() {
    for curve in CURVES {
        let (key, public_inputs, proof) = made(curve);
        assert!(verify(&key, &public_inputs, &proof).unwrap());
        let prepared = PreparedVerifyingKey::new(&key).unwrap();
        for (number, forged) in forgeries(&proof).iter().enumerate() {
            assert!(!prepared.verify(&public_inputs, forged).unwrap(), "{curve:?} {number}");
        }
        for i in 0..public_inputs.len() {
            let mut others = public_inputs.clone();
            others[i][0] ^= 1;
            assert!(!prepared.verify(&others, &proof).unwrap(), "{curve:?} public {i}");
        }
        for i in 0..8 {
            let mut other = key.clone();
            *key_points(&mut other)[i] = proof.a.clone();
            assert!(!verify(&other, &public_inputs, &proof).unwrap(), "{curve:?} key {i}");
        }
        for change in
            [|key: &mut VerifyingKey| key.k1[0] ^= 8, |key: &mut VerifyingKey| key.k2[0] ^= 8]
        {
            let mut other = key.clone();
            change(&mut other);
            assert!(!verify(&other, &public_inputs, &proof).unwrap());
        }
    }
}

#[test]
fn invalid_proofs_of_a_batch_are_found() {
    for curve in CURVES {
        let (key, public_inputs, proof) = made(curve);
        let prepared = PreparedVerifyingKey::new(&key).unwrap();
        let forged = forgeries(&proof);
        assert_eq!(prepared.find_invalid(&[]).unwrap(), [0; 0]);
        for invalid in [vec![], vec![0], vec![6], vec![2, 3, 5], (0..7).collect()] {
            let proofs: Vec<_> = (0..7)
                .map(|at| if invalid.contains(&at) { &forged[3 * at] } else { &proof })
                .map(|proof| (&public_inputs[..], proof))
                .collect();
            assert_eq!(prepared.find_invalid(&proofs).unwrap(), invalid, "{curve:?}");
        }
        let short = &public_inputs[1..];
        let error = prepared.find_invalid(&[(&public_inputs, &proof), (short, &proof)]);
        let problem = error.unwrap_err().to_string();
        assert_eq!(problem, "public: of proof 1: 1 value, the key has 2");
    }
}

#[test]
fn malformed_arguments_are_named() {
    let (key, public_inputs, proof) = made(Curve::Bn254);
    let problem = |key: &VerifyingKey, public_inputs: &[Scalar], proof: &Proof| {
        verify(key, public_inputs, proof).unwrap_err().to_string()
    };
    let mut other = proof.clone();
    other.t_mid[3] ^= 1;
    assert_eq!(problem(&key, &public_inputs, &other), "proof: t_mid is not on the curve");
    let mut other = proof.clone();
    other.evaluations.s2 = [0xff; 32];
    let said = problem(&key, &public_inputs, &other);
    assert_eq!(said, "proof: evaluation s2 is a number that is not below the modulus");
    let said = problem(&key, &[public_inputs[0], [0xff; 32]], &proof);
    assert_eq!(said, "public: value 1 is not below the order of the group");
    let said = problem(&key, &public_inputs, &made(Curve::Bls12_381).2);
    assert_eq!(said, "proof: is on bls12_381, the key on bn254");
    let mut key = key;
    key.k2 = key.k1;
    let overlap = "verifying key: the cosets of k1 and k2 and the domain overlap";
    assert_eq!(problem(&key, &public_inputs, &proof), overlap);
    key.domain_log = 29;
    let said = problem(&key, &public_inputs, &proof);
    assert_eq!(said, "verifying key: a domain of 2^29 points, where the field has 2^28");
}

fn wrong<T>(result: Result<T>) -> FileError {
    match result {
        Err(Error::File(wrong)) => wrong,
        Err(other) => panic!("another error: {other}"),
        Ok(_) => panic!("no error"),
    }
}

#[test]
fn files_are_written_as_snarkjs_writes_them() {
    for curve in CURVES {
        let (key, _, proof) = made(curve);
        assert_eq!(verifying_key::text(&key).unwrap(), text(curve, "verification_key"));
        assert_eq!(proof::text(&proof).unwrap(), text(curve, "proof"));
    }
}

#[test]
fn every_end_and_every_change_of_a_text_is_seen() {
    for curve in CURVES {
        let (key, _, proof) = made(curve);
        let of_proof = text(curve, "proof");
        let of_key = text(curve, "verification_key");
        for end in 0..of_proof.len() {
            assert_eq!(wrong(proof::parse("p", &of_proof.as_bytes()[..end])).section, "JSON");
        }
        for end in 0..of_key.len() {
            let error = wrong(verifying_key::parse("k", &of_key.as_bytes()[..end]));
            assert_eq!(error.section, "JSON");
        }
        for at in (0..of_proof.len()).filter(|&at| of_proof.as_bytes()[at].is_ascii_digit()) {
            let mut changed = of_proof.clone().into_bytes();
            changed[at] = if changed[at] == b'9' { b'8' } else { changed[at] + 1 };
            // A word with a digit, a point or an evaluation: another proof, or an error.
            assert!(proof::parse("p", &changed).map_or(true, |found| found != proof), "byte {at}");
        }
        for at in (0..of_key.len()).filter(|&at| of_key.as_bytes()[at].is_ascii_digit()) {
            let mut changed = of_key.clone().into_bytes();
            changed[at] = if changed[at] == b'9' { b'8' } else { changed[at] + 1 };
            assert!(
                verifying_key::parse("k", &changed).map_or(true, |found| found != key),
                "byte {at}"
            );
        }
    }
}

#[test]
fn wrong_values_of_a_text_have_a_place() {
    let key = text(Curve::Bn254, "verification_key");
    let cases = [
        ("\"power\": 3", "\"power\": 29", "power", "29, where the field has 2^28"),
        ("\"power\": 3", "\"power\": 4", "w", "not "),
        ("\"nPublic\": 2", "\"nPublic\": 9", "nPublic", "9 public values in 2^3 rows"),
        ("\"k1\": \"2\"", "\"k1\": \"-2\"", "k1", "'-2' is not a decimal number"),
        ("\"plonk\"", "\"groth16\"", "protocol", "'groth16', not 'plonk'"),
        ("\"w\": \"1", "\"w\": \"2", "w", "not "),
    ];
    for (old, new, section, problem) in cases {
        assert!(key.contains(old));
        let error = wrong(verifying_key::parse("k", key.replacen(old, new, 1).as_bytes()));
        assert_eq!(error.section, section, "{error}");
        assert!(error.problem.starts_with(problem), "{error}");
    }
    let proof = text(Curve::Bn254, "proof");
    let at = proof.find("eval_zw").unwrap() + 11;
    let long = format!("{}{}{}", &proof[..at], "9".repeat(77), &proof[at + 5..]);
    let error = wrong(proof::parse("p", long.as_bytes()));
    assert_eq!((error.section.as_str(), error.offset), ("eval_zw", at as u64));
}
