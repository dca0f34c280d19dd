//! Proofs of FFLONK that snarkjs made, and forgeries of them.

use proofmill_proof::fflonk::{
    Evaluations, PreparedVerifyingKey, Proof, Scalar, VerifyingKey, verify,
};
use proofmill_proof::groth16::Curve;
use proofmill_proof::snarkjs::fflonk::{proof, verifying_key};
use proofmill_proof::snarkjs::public;
use proofmill_proof::{Error, FileError, Result};

/// Returns a file of snarkjs for the circuit of `tests/snarkjs/tiny.circom`.
fn text(name: &str) -> String {
    std::fs::read_to_string(format!("tests/snarkjs/fflonk_bn254/{name}.json")).unwrap()
}

fn made() -> (VerifyingKey, Vec<Scalar>, Proof) {
    let key = verifying_key::parse("key", text("verification_key").as_bytes()).unwrap();
    let values = public::parse("public", text("public").as_bytes(), Curve::Bn254).unwrap();
    (key, values, proof::parse("proof", text("proof").as_bytes()).unwrap())
}

fn points(proof: &mut Proof) -> [&mut Vec<u8>; 4] {
    let Proof { c1, c2, w1, w2, .. } = proof;
    [c1, c2, w1, w2]
}

/// Returns the evaluations and the inverse.
fn values(proof: &mut Proof) -> [&mut Scalar; 16] {
    let Evaluations {
        q_l,
        q_r,
        q_m,
        q_o,
        q_c,
        s1,
        s2,
        s3,
        a,
        b,
        c,
        z,
        z_omega,
        t1_omega,
        t2_omega,
    } = &mut proof.evaluations;
    let inverse = &mut proof.inverse;
    [q_l, q_r, q_m, q_o, q_c, s1, s2, s3, a, b, c, z, z_omega, t1_omega, t2_omega, inverse]
}

/// Returns every proof with one changed part: a point replaced by another or by the identity, or a scalar with another bit.
fn forgeries(original: &Proof) -> Vec<Proof> {
    let mut forged = Vec::new();
    for i in 0..4 {
        for other in [Some((i + 1) % 4), None] {
            let mut proof = original.clone();
            let point = match other {
                Some(other) => points(&mut proof)[other].clone(),
                None => vec![0; proof.c1.len()],
            };
            *points(&mut proof)[i] = point;
            forged.push(proof);
        }
    }
    for i in 0..16 {
        let mut proof = original.clone();
        values(&mut proof)[i][0] ^= 1;
        forged.push(proof);
    }
    forged
}

#[test]
fn a_proof_of_snarkjs_is_valid_and_no_part_can_be_changed() {
    let (key, public_inputs, proof) = made();
    assert!(verify(&key, &public_inputs, &proof).unwrap());
    let prepared = PreparedVerifyingKey::new(&key).unwrap();
    assert_eq!(prepared.public_inputs(), 2);
    for (number, forged) in forgeries(&proof).iter().enumerate() {
        assert!(!prepared.verify(&public_inputs, forged).unwrap(), "{number}");
    }
    for i in 0..public_inputs.len() {
        let mut others = public_inputs.clone();
        others[i][0] ^= 1;
        assert!(!prepared.verify(&others, &proof).unwrap(), "public {i}");
    }
    let changes: [fn(&mut VerifyingKey, &Proof); 4] = [
        |key, proof| key.c0 = proof.c1.clone(),
        |key, _| key.k1[0] ^= 8,
        |key, _| key.k2[0] ^= 8,
        |key, _| key.domain_log += 1,
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let mut other = key.clone();
        change(&mut other, &proof);
        assert!(!verify(&other, &public_inputs, &proof).unwrap(), "key {number}");
    }
}

#[test]
fn invalid_proofs_of_a_batch_are_found() {
    let (key, public_inputs, proof) = made();
    let prepared = PreparedVerifyingKey::new(&key).unwrap();
    let forged = forgeries(&proof);
    assert_eq!(prepared.find_invalid(&[]).unwrap(), [0; 0]);
    // Those with another inverse have no equation.
    let no_inverse = forged.len() - 1;
    for invalid in [vec![], vec![0], vec![6], vec![2, 3, 5], (0..7).collect()] {
        let forgery = |at: usize| if at == 3 { &forged[no_inverse] } else { &forged[3 * at] };
        let proofs: Vec<_> = (0..7)
            .map(|at| if invalid.contains(&at) { forgery(at) } else { &proof })
            .map(|proof| (&public_inputs[..], proof))
            .collect();
        assert_eq!(prepared.find_invalid(&proofs).unwrap(), invalid);
    }
    let short = &public_inputs[1..];
    let error = prepared.find_invalid(&[(&public_inputs, &proof), (short, &proof)]);
    let problem = error.unwrap_err().to_string();
    assert_eq!(problem, "public: of proof 1: 1 value, the key has 2");
}

#[test]
fn malformed_arguments_are_named() {
    let (key, public_inputs, proof) = made();
    let problem = |key: &VerifyingKey, public_inputs: &[Scalar], proof: &Proof| {
        verify(key, public_inputs, proof).unwrap_err().to_string()
    };
    let mut other = proof.clone();
    other.w1[3] ^= 1;
    assert_eq!(problem(&key, &public_inputs, &other), "proof: w1 is not on the curve");
    for (name, i) in [("z_omega", 12), ("inverse", 15)] {
        let mut other = proof.clone();
        *values(&mut other)[i] = [0xff; 32];
        let said = problem(&key, &public_inputs, &other);
        assert_eq!(said, format!("proof: {name} is a number that is not below the modulus"));
    }
    let said = problem(&key, &[public_inputs[0], [0xff; 32]], &proof);
    assert_eq!(said, "public: value 1 is not below the order of the group");
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
    let (key, _, proof) = made();
    assert_eq!(verifying_key::text(&key).unwrap(), text("verification_key"));
    assert_eq!(proof::text(&proof).unwrap(), text("proof"));
}

#[test]
fn every_end_and_every_change_of_a_text_is_seen() {
    let (key, _, proof) = made();
    let (of_proof, of_key) = (text("proof"), text("verification_key"));
    for end in 0..of_proof.len() {
        assert_eq!(wrong(proof::parse("p", &of_proof.as_bytes()[..end])).section, "JSON");
    }
    for end in 0..of_key.len() {
        assert_eq!(wrong(verifying_key::parse("k", &of_key.as_bytes()[..end])).section, "JSON");
    }
    for at in (0..of_proof.len()).filter(|&at| of_proof.as_bytes()[at].is_ascii_digit()) {
        let changed = with_another_digit(&of_proof, at);
        // A word with a digit, a point or an evaluation: another proof, or an error.
        assert!(proof::parse("p", &changed).map_or(true, |found| found != proof), "byte {at}");
    }
    for at in (0..of_key.len()).filter(|&at| of_key.as_bytes()[at].is_ascii_digit()) {
        let changed = with_another_digit(&of_key, at);
        let found = verifying_key::parse("k", &changed);
        assert!(found.map_or(true, |found| found != key), "byte {at}");
    }
}

fn with_another_digit(text: &str, at: usize) -> Vec<u8> {
    let mut changed = text.as_bytes().to_vec();
    changed[at] = if changed[at] == b'9' { b'8' } else { changed[at] + 1 };
    changed
}

#[test]
fn wrong_values_of_a_text_have_a_place() {
    let key = text("verification_key");
    let cases = [
        ("\"power\": 3", "\"power\": 29", "power", "29, where the field has 2^28"),
        ("\"power\": 3", "\"power\": 4", "w", "not "),
        ("\"nPublic\": 2", "\"nPublic\": 9", "nPublic", "9 public values in 2^3 rows"),
        ("\"k1\": \"2\"", "\"k1\": \"-2\"", "k1", "'-2' is not a decimal number"),
        ("\"fflonk\"", "\"plonk\"", "protocol", "'plonk', not 'fflonk'"),
        ("\"bn128\"", "\"bls12381\"", "curve", "fflonk on bls12_381; snarkjs has it on bn254"),
        ("\"w\": \"1", "\"w\": \"2", "w", "not "),
        ("\"w3\": \"2", "\"w3\": \"1", "w3", "not "),
        ("\"w4\": \"2", "\"w4\": \"1", "w4", "not "),
        ("\"w8\": \"1", "\"w8\": \"2", "w8", "not "),
        ("\"wr\": \"1", "\"wr\": \"2", "wr", "not "),
    ];
    for (old, new, section, problem) in cases {
        assert!(key.contains(old));
        let error = wrong(verifying_key::parse("k", key.replacen(old, new, 1).as_bytes()));
        assert_eq!(error.section, section, "{error}");
        assert!(error.problem.starts_with(problem), "{error}");
    }
    let proof = text("proof");
    let at = proof.find("\"zw\"").unwrap() + 7;
    let long = format!("{}{}{}", &proof[..at], "9".repeat(77), &proof[at + 5..]);
    let error = wrong(proof::parse("p", long.as_bytes()));
    assert_eq!((error.section.as_str(), error.offset), ("evaluations.zw", at as u64));
}
