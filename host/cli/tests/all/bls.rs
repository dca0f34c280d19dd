//! `proofmill bls verify` from outside.

use crate::support::{expect, files, run, text};
use serde_json::{Value, json};

/// From Ethereum's consensus tests: the key of each, and its signature of 32 zeros.
pub const KEY: &str = "0xa491d1b0ecd9bb917989f0e74f0dea0422eac4a873e5e2644f368dffb9a6e20fd6e10c1b77654d067c0618f6e5a7f79a";
pub const SIGNATURE: &str = "0xb6ed936746e01f8ecf281f020953fbf1f01debd5657c4a383940b020b26507f6076334f91e2366c96e9ab279fb5158090352ea1c5b0c9274504f4f0e7053af24802e51e4568d164fe986834f41e55c8e850ce1f98458c0cfc9ab380b55285a55";

fn zeros() -> String {
    "0x".to_owned() + &"00".repeat(32)
}

fn verify(lines: &[Value], more: &[&str]) -> std::process::Output {
    let content: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let (_folder, paths) = files(&[content.as_bytes()]);
    run(&[&["bls", "verify"], more, &[&paths[0]]].concat())
}

const POSSESSION: [&str; 2] = ["--scheme", "possession"];

#[test]
fn signatures_and_aggregates_are_judged() {
    let good = json!({ "public_key": KEY, "message": zeros(), "signature": SIGNATURE });
    let mut other = good.clone();
    other["message"] = "0x01".into();
    let mut off = good.clone();
    off["public_key"] = KEY.replace("0xa4", "0xa5").into();
    let of_one = json!({ "public_keys": [KEY], "message": zeros(), "signature": SIGNATURE });
    let of_many = json!({ "public_keys": [KEY], "messages": [zeros()], "signature": SIGNATURE });
    let wrong = json!({ "public_keys": [KEY, KEY], "message": zeros(), "signature": SIGNATURE });
    expect(
        &verify(&[good.clone(), of_one, of_many], &POSSESSION),
        0,
        &["line 1: valid\nline 2: valid\nline 3: valid\n"],
    );
    let output = verify(&[good.clone(), other, off, wrong], &POSSESSION);
    let does_not = "invalid: the signature does not verify";
    expect(
        &output,
        1,
        &[
            "line 1: valid\n",
            &format!("line 2: {does_not}\n"),
            "line 3: invalid: public key: is ",
            &format!("line 4: {does_not}\n"),
        ],
    );
    expect(&verify(std::slice::from_ref(&good), &[]), 1, &["line 1: invalid"]);
    let output = verify(&[good], &["--json", "--scheme", "possession"]);
    expect(&output, 0, &[]);
    let line: Value = serde_json::from_str(text(&output.stdout).trim()).unwrap();
    assert_eq!(
        (&line["valid"], &line["line"], &line["problem"]),
        (&true.into(), &1.into(), &Value::Null)
    );
}

#[test]
fn what_cannot_be_is_named() {
    let good = json!({ "public_key": KEY, "message": "", "signature": SIGNATURE });
    let changed = |key: &str, value: Value| {
        let mut line = good.clone();
        line[key] = value;
        verify(&[line], &[])
    };
    expect(&changed("signature", "0x1".into()), 2, &["line 1: 'signature'", "not hex"]);
    expect(&changed("message", 5.into()), 2, &["line 1: 'message'", "not a text"]);
    expect(&changed("key", KEY.into()), 2, &["line 1: 'key' is unknown; expected public_key"]);
    expect(&changed("public_keys", json!([KEY])), 2, &["need --scheme possession"]);
    expect(&changed("messages", json!([])), 2, &["'messages' without 'public_keys'"]);
    expect(&verify(&[json!({ "public_key": KEY, "message": "" })], &[]), 2, &["no 'signature'"]);
    expect(&verify(&[json!([1])], &[]), 2, &["line 1: no JSON object"]);
    expect(&verify(&[], &[]), 2, &["has no signature"]);
    let lines = json!({ "public_keys": [KEY], "messages": [], "signature": SIGNATURE });
    expect(&verify(&[lines], &[]), 2, &["1 public key and 0 messages"]);
    expect(
        &verify(std::slice::from_ref(&good), &["--variant", "min-sig"]),
        1,
        &["is 48 bytes where the form has 96"],
    );
    expect(&verify(std::slice::from_ref(&good), &["--scheme", "other"]), 2, &["possession"]);
    expect(&run(&["bls", "verify", "no such file"]), 2, &["FILE: no such file"]);
}
