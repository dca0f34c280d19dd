//! Wrong JSON: an error with the path of the value and its position.

use proofmill_proof::groth16::Curve;
use proofmill_proof::snarkjs::{Witness, Zkey, proof, public, verifying_key};
use proofmill_proof::{Error, FileError, Result};

fn file(curve: &str, name: &str) -> String {
    std::fs::read_to_string(format!("tests/snarkjs/{curve}/{name}.json")).unwrap()
}

fn wrong<T>(result: Result<T>) -> FileError {
    match result {
        Err(Error::File(wrong)) => wrong,
        Err(other) => panic!("another error: {other}"),
        Ok(_) => panic!("no error"),
    }
}

/// Replaces the first number after a word. Returns the text and the number's position.
fn after(text: &str, word: &str, number: &str) -> (String, u64) {
    let from = text.find(word).unwrap() + word.len();
    let start = from + text[from..].find(|c: char| c.is_ascii_digit()).unwrap();
    let end = start + text[start..].find('"').unwrap();
    let changed = format!("{}{number}{}", &text[..start], &text[end..]);
    (changed, start as u64)
}

const P: &str = "21888242871839275222246405745257275088696311157297823662689037894645226208583";

#[test]
fn numbers_that_are_wrong_have_a_path_and_a_place() {
    let text = file("bn254", "proof");
    for path in ["pi_a", "pi_b", "pi_c"] {
        let word = format!("\"{path}\":");
        let cases = [
            (P.to_owned(), format!("not below {P}")),
            ("9".repeat(128), format!("not below {P}")),
            ("9".repeat(129), format!("'{}' is not a decimal number", "9".repeat(64))),
            ("12e1".to_owned(), "'12e1' is not a decimal number".to_owned()),
            ("5".to_owned(), "not on the curve".to_owned()),
        ];
        for (number, problem) in cases {
            let (changed, offset) = after(&text, &word, &number);
            let wrong = wrong(proof::parse("p.json", changed.as_bytes()));
            assert_eq!((wrong.section.as_str(), wrong.offset), (path, offset), "{wrong}");
            assert!(wrong.problem.ends_with(&problem), "{wrong}");
        }
    }
}

#[test]
fn points_of_the_wrong_group_are_refused() {
    let text = file("bls12_381", "verification_key");
    let (changed, _) = after(&text, "\"IC\": [", "0");
    let (changed, offset) = after(&changed, "\"IC\": [\n  [\n   \"0\",", "2");
    let said = wrong(verifying_key::parse("vk.json", changed.as_bytes()));
    assert_eq!(
        (said.section.as_str(), said.problem.as_str()),
        ("IC[0]", "on the curve but not in the subgroup")
    );
    assert!(said.offset < offset);
}

#[test]
fn the_identity_is_no_part_of_a_key() {
    let text = file("bn254", "verification_key");
    for path in ["vk_alpha_1", "vk_beta_2", "vk_gamma_2", "vk_delta_2"] {
        let start = text.find(path).unwrap() + path.len() + 3;
        let end =
            start + text[start..].find(if path.ends_with('1') { "]," } else { "\n ]," }).unwrap();
        let identity = if path.ends_with('1') {
            "[\"0\",\"1\",\"0\""
        } else {
            "[[\"0\",\"0\"],[\"1\",\"0\"],[\"0\",\"0\"]"
        };
        let changed = format!("{}{identity}{}", &text[..start], &text[end..]);
        let said = wrong(verifying_key::parse("vk.json", changed.as_bytes()));
        assert_eq!((said.section.as_str(), said.problem.as_str()), (path, "the identity"));
    }
}

#[test]
fn what_is_projective_is_normal() {
    let text = file("bn254", "proof").replacen("\"1\"", "\"2\"", 1);
    let said = wrong(proof::parse("p.json", text.as_bytes())).to_string();
    let problem = "z is not 1, and this is not the identity as snarkjs writes it";
    assert_eq!(said, format!("p.json: pi_a, byte 180: {problem}"));
}

#[test]
fn words_that_are_wrong_have_a_place() {
    let text = file("bn254", "proof");
    let cases = [
        ("groth16", "plonk", "protocol", "'plonk', not 'groth16'"),
        ("bn128", "bls12377", "curve", "'bls12377' is none of bn128 (bn254), bls12381 (bls12_381)"),
        ("bn128", "bls12381", "pi_a", "not on the curve"),
    ];
    for (word, other, path, problem) in cases {
        let changed = text.replacen(word, other, 1);
        let wrong = wrong(proof::parse("p.json", changed.as_bytes()));
        assert_eq!((wrong.section.as_str(), wrong.problem.as_str()), (path, problem));
    }
}

#[test]
fn the_number_of_points_is_that_of_the_public_values() {
    let text = file("bn254", "verification_key");
    for (count, said) in [
        ("0", "2 points for 0 public values and 1"),
        ("4294967295", "2 points for 4294967295 public values and 1"),
    ] {
        let changed = text.replacen("\"nPublic\": 1", &format!("\"nPublic\": {count}"), 1);
        let wrong = wrong(verifying_key::parse("vk.json", changed.as_bytes()));
        assert_eq!((wrong.section.as_str(), wrong.problem.as_str()), ("IC", said));
    }
}

#[test]
fn what_is_no_json_of_this_kind_has_a_place() {
    let proof_text = file("bn254", "proof");
    let short = proof_text.replacen(",\n  \"1\"", "", 1);
    let cases: [(&[u8], u64, &str); 8] = [
        (b"", 0, "the text ends where a value is expected"),
        (b"[1]", 1, "integer `1`; expected an array of length 3"),
        (b"{\"pi_a\": \"1\"}", 11, "string \"1\"; expected an array of length 3"),
        (b"{\"pi_a\": {}}", 11, "an object; expected an array of length 3"),
        (b"5", 1, "integer `5`; expected an object with the documented members"),
        (b"{\n}", 2, "'pi_a' is missing"),
        (b"{\"pi_a\": [\"\xff\"", 11, "invalid unicode code point"),
        (short.as_bytes(), 165, "an array of length 2; expected an array of length 3"),
    ];
    for (text, offset, said) in cases {
        let wrong = wrong(proof::parse("p.json", text));
        assert_eq!(wrong.section, "JSON");
        assert!(wrong.problem.starts_with(said) && wrong.offset.abs_diff(offset) <= 12, "{wrong}");
    }
    let deep = "[".repeat(10_000);
    assert!(public::parse("x", deep.as_bytes(), Curve::Bn254).is_err());
    let keys = format!("{{\"x\": {deep}");
    assert!(proof::parse("x", keys.as_bytes()).is_err());
}

#[test]
fn every_end_and_every_change_of_a_proof_is_seen() {
    for curve in ["bn254", "bls12_381"] {
        let text = file(curve, "proof");
        let original = proof::parse("p.json", text.as_bytes()).unwrap();
        for end in 0..text.len() {
            assert_eq!(wrong(proof::parse("p.json", &text.as_bytes()[..end])).section, "JSON");
        }
        for at in 0..text.len() {
            let mut changed = text.clone().into_bytes();
            changed[at] ^= 1;
            if let Ok(found) = proof::parse("p.json", &changed) {
                // White space, or the name of an optional value.
                let harmless =
                    text.as_bytes()[at].is_ascii_whitespace() || at > text.rfind(']').unwrap();
                assert!(harmless && found == original, "byte {at}");
            }
        }
    }
}

#[test]
fn files_that_are_too_large_are_refused_before_they_are_parsed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.json");
    std::fs::File::create(&path).unwrap().set_len(1 << 40).unwrap();
    let cases = [
        (wrong(proof::open(&path)), proof::MAX_BYTES),
        (wrong(public::open(&path, Curve::Bn254)), public::MAX_BYTES),
        (wrong(verifying_key::open(&path)), verifying_key::MAX_BYTES),
    ];
    for (wrong, most) in cases {
        assert_eq!(wrong.offset, most as u64);
        assert_eq!(wrong.problem, format!("longer than {most} bytes, the most that are read"));
    }
}

/// Opening a pipe would wait until another process writes into it.
#[cfg(unix)]
#[test]
fn a_pipe_is_refused_and_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    let refused = [
        proof::open(&path).err(),
        public::open(&path, Curve::Bn254).err(),
        verifying_key::open(&path).err(),
        Zkey::open(&path).err(),
        Witness::open(&path).err(),
    ];
    for error in refused {
        let said = error.unwrap().to_string();
        assert!(said.ends_with("pipe: not a regular file"), "{said}");
    }
}

#[test]
fn public_values_that_are_wrong_have_a_path() {
    let parse = |text: &str| public::parse("x.json", text.as_bytes(), Curve::Bn254);
    let r = "21888242871839275222246405745257275088548364400416034343698204186575808495617";
    let said = wrong(parse(&format!("[\"1\", \"{r}\"]"))).to_string();
    assert_eq!(said, format!("x.json: [1], byte 7: not below {r}"));
    assert_eq!(
        wrong(parse("[\"\"]")).to_string(),
        "x.json: [0], byte 2: '' is not a decimal number"
    );
    assert_eq!(wrong(parse("[\"0x1\"]")).problem, "'0x1' is not a decimal number");
    assert_eq!(wrong(parse("[\"-1\"]")).problem, "'-1' is not a decimal number");
    for (given, shown) in [
        ("-1", "-1"),
        ("1.0", "1.0"),
        ("1e3", "1e3"),
        ("true", "true"),
        ("null", "null"),
        ("[\"1\"]", "[\\\"1\\\"]"),
    ] {
        let said = wrong(parse(&format!("[{given}]"))).to_string();
        assert_eq!(said, format!("x.json: [0], byte 1: '{shown}' is not a decimal number"));
    }
    let said = wrong(parse(&format!("[1, {r}]"))).to_string();
    assert_eq!(said, format!("x.json: [1], byte 4: not below {r}"));
    assert_eq!(wrong(parse("{}")).problem, "an object; expected an array");
    let below = parse(
        "[\"0\", \"21888242871839275222246405745257275088548364400416034343698204186575808495616\"]",
    );
    let below = below.unwrap();
    assert_eq!(below.len(), 2);
    let numbers =
        parse("[0, 21888242871839275222246405745257275088548364400416034343698204186575808495616]");
    assert_eq!(numbers.unwrap(), below);
    assert_eq!(parse("[\"\\u0030\", \"7\"]").unwrap(), parse("[0, 7]").unwrap());
    assert!(public::parse("x", b"[]", Curve::Bls12_377).is_err());
}

/// Other tools write the curve's usual name, numbers without quotes, or escapes.
#[test]
fn other_spellings_are_read() {
    let (key, proof_text) = (file("bn254", "verification_key"), file("bn254", "proof"));
    let same = proof::parse("p.json", proof_text.as_bytes()).unwrap();
    for other in [
        proof_text.replacen("bn128", "bn254", 1),
        proof_text.replacen("bn128", "bn\\u0031\\u00328", 1),
        proof_text.replace("\"1\"", "1"),
    ] {
        assert_eq!(proof::parse("p.json", other.as_bytes()).unwrap(), same);
    }
    let other = key.replacen("bn128", "bn254", 1);
    let [key, other] =
        [key, other].map(|text| verifying_key::parse("vk.json", text.as_bytes()).unwrap());
    assert_eq!(key, other);
    let text = file("bls12_381", "proof").replacen("bls12381", "bls12_381", 1);
    assert!(proof::parse("p.json", text.as_bytes()).is_ok());
}
