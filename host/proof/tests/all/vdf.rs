//! Verifiable delay functions: the vectors of the model and published proofs, each also damaged.

use std::fs;

use proofmill_cpu::CpuDevice;
use proofmill_op::{Device, Submit};
use proofmill_proof::vdf::record::{Record, Verifier, claim};
use proofmill_proof::vdf::states::StateFile;
use proofmill_proof::vdf::wesolowski::{self, Proof, Settings};
use proofmill_proof::vdf::{Claim, Group, format_number, moduli, parse_number, pietrzak};
use proofmill_testkit::vectors::{self, VdfCase};

fn cpu() -> CpuDevice {
    CpuDevice::new(Some(2)).unwrap()
}

fn number(text: &str) -> Vec<u8> {
    parse_number(text).unwrap()
}

fn claim_of(case: &VdfCase) -> Claim {
    let group = Group::with_any_modulus(&case.modulus).unwrap();
    Claim::with_any_input(&group, &case.input, case.squarings).unwrap()
}

fn states(device: &dyn Device, claim: &Claim, stride: u64) -> Vec<u8> {
    device.submit(claim.request(stride)).unwrap().wait().unwrap().states
}

/// Removes zeros at the end, which the vectors do not have.
fn trimmed(bytes: &[u8]) -> &[u8] {
    &bytes[..bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1)]
}

#[test]
fn proofs_are_the_models() {
    let device = cpu();
    let cases = vectors::vdf().unwrap();
    let cases = cases.iter().filter_map(|case| Some((case, case.wesolowski.as_ref()?)));
    let mut count = 0;
    for (case, (_, wanted)) in cases {
        let claim = claim_of(case);
        let output = claim.canonical(&case.output).unwrap();
        for max_bytes in [1, 1 << 12, 1 << 28] {
            let settings = Settings { max_bytes, ..Settings::default() };
            let found = wesolowski::prove(&device, &claim, &settings).unwrap();
            assert_eq!(trimmed(&found.proof), wanted, "{} in {max_bytes} bytes", case.id);
            assert_eq!(found.output, output, "{}", case.id);
        }
        count += 1;
    }
    assert!(count > 15, "{count} cases");
}

#[test]
fn proofs_from_states_of_any_stride() {
    let device = cpu();
    let claim = claim("rsa-1024", "7", 997).unwrap();
    let wanted = wesolowski::prove(&device, &claim, &Settings::default()).unwrap();
    // With a stride far above t, only the columns of t are visited.
    for stride in [1, 2, 7, 60, 64, 500, 997, 5000, u64::MAX] {
        let states = states(&device, &claim, stride);
        let settings = Settings::default();
        let found = wesolowski::prove_with_states(&claim, stride, &states, &settings).unwrap();
        assert_eq!(found, wanted, "stride {stride}");
    }
    let mut wrong = states(&device, &claim, 100);
    let settings = Settings::default();
    let refusal = |states: &[u8], stride| {
        wesolowski::prove_with_states(&claim, stride, states, &settings).unwrap_err().to_string()
    };
    assert_eq!(refusal(&wrong[1..], 100), "states: 1279 bytes; expected 10 states of 128 bytes");
    assert!(refusal(&wrong, 0).starts_with("states: "));
    wrong[130] ^= 1;
    assert!(refusal(&wrong, 100).starts_with("states: do not belong to the claim"));
}

#[test]
fn false_proofs_are_refused() {
    let claim = claim("rsa-2048", "5", 300).unwrap();
    let Proof { output, proof } = wesolowski::prove(&cpu(), &claim, &Settings::default()).unwrap();
    let changed = |bytes: &[u8], place: usize| {
        let mut bytes = bytes.to_vec();
        bytes[place] ^= 1;
        bytes
    };
    assert!(wesolowski::verify(&claim, &output, &proof).unwrap());
    for place in [0, 1, 100, 254] {
        assert!(!wesolowski::verify(&claim, &changed(&output, place), &proof).unwrap());
        assert!(!wesolowski::verify(&claim, &output, &changed(&proof, place)).unwrap());
    }
    for (input, squarings) in [("5", 301), ("5", 299), ("6", 300)] {
        let other = self::claim("rsa-2048", input, squarings).unwrap();
        assert!(!wesolowski::verify(&other, &output, &proof).unwrap());
    }
    // The other representative is refused, since it would make two outputs valid.
    let n = claim.modulus();
    let mut borrow = 0;
    let negative: Vec<u8> = (n.iter().zip(&output))
        .map(|(&n, &y)| {
            let difference = i16::from(n) - i16::from(y) - borrow;
            borrow = i16::from(difference < 0);
            difference as u8
        })
        .collect();
    let refusal = wesolowski::verify(&claim, &negative, &proof).unwrap_err().to_string();
    assert_eq!(refusal, "output: is above N / 2; expected the smaller of y and N - y");
    let refusal = wesolowski::verify(&claim, &n, &proof).unwrap_err().to_string();
    assert_eq!(refusal, "output: is not below the modulus");
    let all = [
        (claim.clone(), Proof { output: output.clone(), proof: proof.clone() }),
        (claim.clone(), Proof { output: output.clone(), proof: changed(&proof, 9) }),
    ];
    let verdicts: Vec<bool> =
        wesolowski::verify_batch(&all).into_iter().map(Result::unwrap).collect();
    assert_eq!(verdicts, [true, false]);
}

#[test]
fn halvings_of_the_model_and_published_ones() {
    let cases = vectors::vdf().unwrap();
    let cases = cases.iter().filter_map(|case| Some((case, case.halvings.as_ref()?)));
    let (mut published, mut made) = (0, 0);
    for (case, halvings) in cases {
        let claim = claim_of(case);
        let is_valid = |output: &[u8], halvings: &[Vec<u8>]| {
            pietrzak::verify(&claim, output, halvings).unwrap_or(false)
        };
        assert!(is_valid(&case.output, halvings), "{}", case.id);
        let mut output = case.output.clone();
        output[0] ^= 1;
        assert!(!is_valid(&output, halvings), "{}", case.id);
        for place in 0..halvings.len() {
            let mut halvings = halvings.clone();
            if halvings[place].is_empty() {
                continue;
            }
            halvings[place][0] ^= 1;
            assert!(!is_valid(&case.output, &halvings), "{} halving {place}", case.id);
        }
        if case.id.starts_with("tokamak") { published += 1 } else { made += 1 }
    }
    assert!(published == 3 && made > 15, "{published} {made}");
}

#[test]
fn the_number_of_halvings_is_checked() {
    let claim = claim("rsa-1024", "5", 1 << 20).unwrap();
    let refusal =
        |count| pietrzak::verify(&claim, &[9], &vec![vec![1]; count]).unwrap_err().to_string();
    assert_eq!(refusal(3), "halvings: 3 states leave 131072 squarings; expected at most 65536");
    assert_eq!(refusal(21), "halvings: 21 states; 1048576 squarings have fewer halvings");
}

#[test]
fn wrong_claims_are_named() {
    let refusal = |modulus: &str, input: &str, t| claim(modulus, input, t).unwrap_err().to_string();
    let rsa = moduli::RSA_1024;
    let minus_one = format!("{}2", rsa.strip_suffix('3').unwrap());
    assert_eq!(refusal(&minus_one, "5", 1), "modulus: is even; expected an odd number");
    assert!(refusal("35", "5", 1).starts_with("modulus: has 6 bits; expected at least 1024"));
    assert_eq!(
        refusal("rsa", "5", 1),
        "modulus: 'rsa' is no number; expected decimal digits, or 0x and hex digits"
    );
    let with_factor = format!("0x{}", "3".repeat(300));
    assert_eq!(
        refusal(&with_factor, "5", 1),
        "modulus: has the factor 3; expected unknown factors"
    );
    // 2^1279 - 1 is prime (Robinson 1952).
    let prime = format!("0x7f{}", "f".repeat(318));
    assert_eq!(refusal(&prime, "5", 1), "modulus: is prime, so the order of its group is known");
    assert_eq!(refusal(rsa, rsa, 1), "input: is not below the modulus");
    for input in ["0", "1", &minus_one] {
        assert_eq!(
            refusal(rsa, input, 1),
            "input: is 0, 1 or -1; expected a number that squaring changes"
        );
    }
    assert_eq!(
        refusal(rsa, "-5", 1),
        "input: '-5' is no number; expected decimal digits, or 0x and hex digits"
    );
    assert_eq!(refusal(rsa, "5", 0), "squarings: is 0; expected at least 1");
}

#[test]
fn a_file_of_states_continues() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("states.jsonl");
    let claim = claim("rsa-1024", "5", 1000).unwrap();
    let all = states(&cpu(), &claim, 300);
    let each = claim.byte_count();
    let mut file = StateFile::open(&path, &claim, 300).unwrap();
    file.append(&all[..2 * each]).unwrap();
    drop(file);
    let mut file = StateFile::open(&path, &claim, 300).unwrap();
    assert_eq!(file.states(), &all[..2 * each]);
    file.append(&all[2 * each..]).unwrap();
    assert_eq!(StateFile::open(&path, &claim, 300).unwrap().states(), all);
    assert_eq!(StateFile::stride(&path).unwrap(), 300);

    let text = fs::read_to_string(&path).unwrap();
    let problem = |text: &str| {
        fs::write(&path, text).unwrap();
        let error = StateFile::open(&path, &claim, 300).unwrap_err().to_string();
        error.rsplit_once("states.jsonl: ").unwrap().1.to_owned()
    };
    let truncated = problem(&text[..text.len() - 10]);
    assert!(
        truncated.starts_with("line 5, byte 0: ends after")
            && truncated.contains("delete this line"),
        "{truncated}"
    );
    let lines: Vec<&str> = text.lines().collect();
    let without_second = [lines[0], lines[2], ""].join("\n");
    assert_eq!(problem(&without_second), "line 2, byte 0: is state 2; expected state 1");
    let value = lines[1].find("0x").unwrap() + 10;
    let digit = if &text[..][value..=value] == "7" { "8" } else { "7" };
    let line = format!("{}{digit}{}", &lines[1][..value], &lines[1][value + 1..]);
    let damaged = [lines[0], &line, ""].join("\n");
    assert_eq!(
        problem(&damaged),
        "line 2, byte 0: has another check than its value: the file is damaged"
    );
    assert!(
        problem(&text.replace("\"squarings\":1000", "\"squarings\":1001"))
            .contains("has squarings 1001; expected 1000")
    );
    assert!(
        problem(&text.replace("\"input\":\"0x5\"", "\"input\":\"0x6\""))
            .contains("belongs to another input")
    );
    assert!(
        problem(&text.replace("\"stride\":300", "\"stride\":100"))
            .contains("has stride 100; expected 300")
    );
    assert!(problem("{}\n").starts_with("line 1"));
}

#[test]
fn records_of_every_scheme() {
    let claim = claim("rsa-1024", "5", 100).unwrap();
    let proof = wesolowski::prove(&cpu(), &claim, &Settings::default()).unwrap();
    let text = Record::of(&claim, &proof).to_json().unwrap();
    let verifier = Verifier::default();
    let record = Record::from_json(&text).unwrap();
    assert!(verifier.verify(&record).unwrap() && record.verify().unwrap());
    let other = text.replace("\"squarings\":100", "\"squarings\":101");
    assert!(!verifier.verify(&Record::from_json(&other).unwrap()).unwrap());

    let cases = vectors::vdf().unwrap();
    let case = cases.iter().find(|case| case.id == "tokamak-1024-setup").unwrap();
    let record = Record::Pietrzak {
        modulus: format_number(&case.modulus),
        input: format_number(&case.input),
        squarings: case.squarings,
        output: format_number(&case.output),
        halvings: case.halvings.iter().flatten().map(|v| format_number(v)).collect(),
    };
    assert!(record.verify().unwrap());

    for (wrong, problem) in [
        ("", "proof: EOF"),
        ("{}", "proof: missing field `scheme`"),
        (r#"{"scheme":"sum"}"#, "proof: unknown variant `sum`"),
        (r#"{"scheme":"wesolowski","modulus":"1"}"#, "proof: missing field `input`"),
    ] {
        let error = Record::from_json(wrong).unwrap_err().to_string();
        assert!(error.starts_with(problem), "{wrong}: {error}");
    }
    let error = Record::from_json(&text.replace("\"output\":\"0x", "\"output\":\"x")).unwrap();
    assert!(error.verify().unwrap_err().to_string().starts_with("output: 'x"));
    assert_eq!(number("0x10"), [16]);
}
