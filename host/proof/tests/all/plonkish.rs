//! Proofs of PLONK and FFLONK that snarkjs made, and forgeries of them.

use proofmill_proof::groth16::{Curve, Scalar};
use proofmill_proof::snark::{PreparedVerifyingKey, Proof, Protocol, verify};
use proofmill_proof::snarkjs::{AnyVerifyingKey, public};
use proofmill_proof::{fflonk, plonk};

use crate::support::plonkish::{SUBJECTS, Subject, wrong};

fn made(subject: Subject) -> (AnyVerifyingKey, Vec<Scalar>, Proof) {
    let key = subject.text("verification_key");
    let key = AnyVerifyingKey::parse("key", key.as_bytes()).unwrap();
    let values = public::parse("public", subject.text("public").as_bytes(), subject.curve).unwrap();
    let proof = Proof::parse(subject.protocol, "proof", subject.text("proof").as_bytes()).unwrap();
    (key, values, proof)
}

fn points(proof: &mut Proof) -> Vec<&mut Vec<u8>> {
    match proof {
        Proof::Plonk(proof) => {
            let plonk::Proof { a, b, c, z, t_lo, t_mid, t_hi, w_zeta, w_zeta_omega, .. } = proof;
            vec![a, b, c, z, t_lo, t_mid, t_hi, w_zeta, w_zeta_omega]
        }
        Proof::Fflonk(fflonk::Proof { c1, c2, w1, w2, .. }) => vec![c1, c2, w1, w2],
        other => panic!("{}", other.protocol()),
    }
}

/// Returns the evaluations, and FFLONK's inverse at the end.
fn scalars(proof: &mut Proof) -> Vec<&mut Scalar> {
    match proof {
        Proof::Plonk(proof) => {
            let plonk::Evaluations { a, b, c, s1, s2, z_omega } = &mut proof.evaluations;
            vec![a, b, c, s1, s2, z_omega]
        }
        Proof::Fflonk(proof) => {
            let fflonk::Evaluations {
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
            vec![
                q_l, q_r, q_m, q_o, q_c, s1, s2, s3, a, b, c, z, z_omega, t1_omega, t2_omega,
                inverse,
            ]
        }
        other => panic!("{}", other.protocol()),
    }
}

/// Returns every key with one changed part: a point replaced by one of the proof, or a factor with another bit.
fn other_keys(key: &AnyVerifyingKey, proof: &Proof) -> Vec<AnyVerifyingKey> {
    let point = points(&mut proof.clone())[0].clone();
    match key {
        AnyVerifyingKey::Plonk(key) => {
            let changed = |change: &dyn Fn(&mut plonk::VerifyingKey)| {
                let mut key = key.clone();
                change(&mut key);
                AnyVerifyingKey::Plonk(key)
            };
            let point_of = |i: usize| {
                changed(&|key| {
                    let plonk::VerifyingKey { q_m, q_l, q_r, q_o, q_c, s1, s2, s3, .. } = key;
                    *[q_m, q_l, q_r, q_o, q_c, s1, s2, s3][i] = point.clone();
                })
            };
            let factors = [changed(&|key| key.k1[0] ^= 8), changed(&|key| key.k2[0] ^= 8)];
            (0..8).map(point_of).chain(factors).collect()
        }
        AnyVerifyingKey::Fflonk(key) => {
            let changes: [fn(&mut fflonk::VerifyingKey, Vec<u8>); 4] = [
                |key, point| key.c0 = point,
                |key, _| key.k1[0] ^= 8,
                |key, _| key.k2[0] ^= 8,
                |key, _| key.domain_log += 1,
            ];
            let changed = |change: fn(&mut fflonk::VerifyingKey, Vec<u8>)| {
                let mut key = key.clone();
                change(&mut key, point.clone());
                AnyVerifyingKey::Fflonk(key)
            };
            changes.into_iter().map(changed).collect()
        }
        AnyVerifyingKey::Groth16(_) => panic!("a key for Groth16"),
    }
}

/// Returns every proof with one changed part: a point replaced by another or by the identity, or a scalar with another bit.
fn forgeries(original: &Proof) -> Vec<Proof> {
    let mut forged = Vec::new();
    let (count, scalar_count) =
        (points(&mut original.clone()).len(), scalars(&mut original.clone()).len());
    for i in 0..count {
        for other in [Some((i + 1) % count), None] {
            let mut proof = original.clone();
            let point = match other {
                Some(other) => points(&mut proof)[other].clone(),
                None => vec![0; points(&mut proof)[0].len()],
            };
            *points(&mut proof)[i] = point;
            forged.push(proof);
        }
    }
    for i in 0..scalar_count {
        let mut proof = original.clone();
        scalars(&mut proof)[i][0] ^= 1;
        forged.push(proof);
    }
    forged
}

#[test]
fn a_proof_of_snarkjs_is_valid_and_no_part_can_be_changed() {
    for subject in SUBJECTS {
        let (key, public_inputs, proof) = made(subject);
        assert!(verify(&key, &public_inputs, &proof).unwrap());
        let prepared = PreparedVerifyingKey::new(&key).unwrap();
        assert_eq!(prepared.public_inputs(), 2);
        for (number, forged) in forgeries(&proof).iter().enumerate() {
            assert!(!prepared.verify(&public_inputs, forged).unwrap(), "{subject:?} {number}");
        }
        for i in 0..public_inputs.len() {
            let mut others = public_inputs.clone();
            others[i][0] ^= 1;
            assert!(!prepared.verify(&others, &proof).unwrap(), "{subject:?} public {i}");
        }
        for (number, other) in other_keys(&key, &proof).iter().enumerate() {
            assert!(!verify(other, &public_inputs, &proof).unwrap(), "{subject:?} key {number}");
        }
    }
}

#[test]
fn invalid_proofs_of_a_batch_are_found() {
    for subject in SUBJECTS {
        let (key, public_inputs, proof) = made(subject);
        let prepared = PreparedVerifyingKey::new(&key).unwrap();
        let forged = forgeries(&proof);
        assert_eq!(prepared.find_invalid(&[]).unwrap(), [0; 0]);
        // The last forgery for FFLONK is another inverse, which has no equation.
        let last = forged.len() - 1;
        for invalid in [vec![], vec![0], vec![6], vec![2, 3, 5], (0..7).collect()] {
            let forgery = |at: usize| if at == 3 { &forged[last] } else { &forged[3 * at] };
            let proofs: Vec<_> = (0..7)
                .map(|at| if invalid.contains(&at) { forgery(at) } else { &proof })
                .map(|proof| (&public_inputs[..], proof))
                .collect();
            assert_eq!(prepared.find_invalid(&proofs).unwrap(), invalid, "{subject:?}");
        }
        let short = &public_inputs[1..];
        let error = prepared.find_invalid(&[(&public_inputs, &proof), (short, &proof)]);
        let problem = error.unwrap_err().to_string();
        assert_eq!(problem, "public: of proof 1: 1 value, the key has 2");
    }
}

/// A point by its place and name, and scalars.
type Names = ((usize, &'static str), &'static [(usize, &'static str)]);

#[test]
fn malformed_arguments_are_named() {
    for subject in SUBJECTS {
        let (key, public_inputs, proof) = made(subject);
        let problem = |key: &AnyVerifyingKey, public_inputs: &[Scalar], proof: &Proof| {
            verify(key, public_inputs, proof).unwrap_err().to_string()
        };
        let ((point, name), names): Names = match subject.protocol {
            Protocol::Fflonk => ((2, "w1"), &[(12, "z_omega"), (15, "inverse")]),
            _ => ((5, "t_mid"), &[(4, "evaluation s2")]),
        };
        let mut other = proof.clone();
        points(&mut other)[point][3] ^= 1;
        let said = problem(&key, &public_inputs, &other);
        assert_eq!(said, format!("proof: {name} is not on the curve"));
        for &(i, name) in names {
            let mut other = proof.clone();
            *scalars(&mut other)[i] = [0xff; 32];
            let said = problem(&key, &public_inputs, &other);
            assert_eq!(said, format!("proof: {name} is a number that is not below the modulus"));
        }
        let said = problem(&key, &[public_inputs[0], [0xff; 32]], &proof);
        assert_eq!(said, "public: value 1 is not below the order of the group");
        let largest = if subject.curve == Curve::Bn254 { 28 } else { 32 };
        let overlap = "verifying key: the cosets of k1 and k2 and the domain overlap";
        let log = largest + 1;
        let large =
            format!("verifying key: a domain of 2^{log} points, where the field has 2^{largest}");
        for (log, expected) in [(3, overlap), (log, &large)] {
            assert_eq!(problem(&with_one_factor(&key, log), &public_inputs, &proof), expected);
        }
    }
    let [plonk, other, _] = SUBJECTS.map(made);
    let said = verify(&plonk.0, &plonk.1, &other.2).unwrap_err().to_string();
    assert_eq!(said, "proof: is on bls12_381, the key on bn254");
}

/// Returns a key whose k1 is its k2, with another domain.
fn with_one_factor(key: &AnyVerifyingKey, log: u32) -> AnyVerifyingKey {
    let mut key = key.clone();
    match &mut key {
        AnyVerifyingKey::Plonk(key) => (key.k2, key.domain_log) = (key.k1, log),
        AnyVerifyingKey::Fflonk(key) => (key.k2, key.domain_log) = (key.k1, log),
        AnyVerifyingKey::Groth16(_) => panic!("a key for Groth16"),
    }
    key
}

#[test]
fn files_are_written_as_snarkjs_writes_them() {
    for subject in SUBJECTS {
        let (key, _, proof) = made(subject);
        assert_eq!(key.text().unwrap(), subject.text("verification_key"));
        assert_eq!(proof.text().unwrap(), subject.text("proof"));
    }
}

fn with_another_digit(text: &str, at: usize) -> Vec<u8> {
    let mut changed = text.as_bytes().to_vec();
    changed[at] = if changed[at] == b'9' { b'8' } else { changed[at] + 1 };
    changed
}

#[test]
fn every_end_and_every_change_of_a_text_is_seen() {
    for subject in SUBJECTS {
        let (key, _, proof) = made(subject);
        let (of_proof, of_key) = (subject.text("proof"), subject.text("verification_key"));
        let read = |bytes: &[u8]| Proof::parse(subject.protocol, "p", bytes);
        for end in 0..of_proof.len() {
            assert_eq!(wrong(read(&of_proof.as_bytes()[..end])).section, "JSON");
        }
        for end in 0..of_key.len() {
            let error = wrong(AnyVerifyingKey::parse("k", &of_key.as_bytes()[..end]));
            assert_eq!(error.section, "JSON");
        }
        for at in (0..of_proof.len()).filter(|&at| of_proof.as_bytes()[at].is_ascii_digit()) {
            // A word with a digit, a point or an evaluation: another proof, or an error.
            let found = read(&with_another_digit(&of_proof, at));
            assert!(found.map_or(true, |found| found != proof), "byte {at}");
        }
        for at in (0..of_key.len()).filter(|&at| of_key.as_bytes()[at].is_ascii_digit()) {
            let found = AnyVerifyingKey::parse("k", &with_another_digit(&of_key, at));
            assert!(found.map_or(true, |found| found != key), "byte {at}");
        }
    }
}

#[test]
fn wrong_values_of_a_text_have_a_place() {
    use proofmill_proof::snarkjs::{fflonk, plonk};
    let shared = [
        ("\"power\": 3", "\"power\": 29", "power", "29, where the field has 2^28"),
        ("\"power\": 3", "\"power\": 4", "w", "not "),
        ("\"nPublic\": 2", "\"nPublic\": 9", "nPublic", "9 public values in 2^3 rows"),
        ("\"k1\": \"2\"", "\"k1\": \"-2\"", "k1", "'-2' is not a decimal number"),
        ("\"w\": \"1", "\"w\": \"2", "w", "not "),
    ];
    let of_plonk = [("\"plonk\"", "\"groth16\"", "protocol", "'groth16', not 'plonk'")];
    let of_fflonk = [
        ("\"fflonk\"", "\"plonk\"", "protocol", "'plonk', not 'fflonk'"),
        ("\"bn128\"", "\"bls12381\"", "curve", "fflonk on bls12_381; snarkjs has it on bn254"),
        ("\"w3\": \"2", "\"w3\": \"1", "w3", "not "),
        ("\"w4\": \"2", "\"w4\": \"1", "w4", "not "),
        ("\"w8\": \"1", "\"w8\": \"2", "w8", "not "),
        ("\"wr\": \"1", "\"wr\": \"2", "wr", "not "),
    ];
    for subject in SUBJECTS.into_iter().filter(|subject| subject.curve == Curve::Bn254) {
        let is_fflonk = subject.protocol == Protocol::Fflonk;
        let key = subject.text("verification_key");
        let own = if is_fflonk { &of_fflonk[..] } else { &of_plonk[..] };
        for &(old, new, section, problem) in shared.iter().chain(own) {
            assert!(key.contains(old));
            let changed = key.replacen(old, new, 1);
            let error = match subject.protocol {
                Protocol::Fflonk => wrong(fflonk::verifying_key::parse("k", changed.as_bytes())),
                _ => wrong(plonk::verifying_key::parse("k", changed.as_bytes())),
            };
            assert_eq!(error.section, section, "{error}");
            assert!(error.problem.starts_with(problem), "{error}");
        }
        let proof = subject.text("proof");
        let (name, section) =
            if is_fflonk { ("\"zw\"", "evaluations.zw") } else { ("eval_zw\"", "eval_zw") };
        let at = proof.find(name).unwrap() + name.len() + 3;
        let long = format!("{}{}{}", &proof[..at], "9".repeat(77), &proof[at + 5..]);
        let error = wrong(Proof::parse(subject.protocol, "p", long.as_bytes()));
        assert_eq!((error.section.as_str(), error.offset), (section, at as u64));
    }
}
