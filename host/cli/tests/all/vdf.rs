//! `proofmill vdf` from outside.

use std::fs;

use serde_json::Value;

use crate::support::{expect, files, piped, run, text};

const CLAIM: [&str; 6] = ["--modulus", "rsa-1024", "--input", "5", "--squarings", "1000"];

fn with(first: &[&str], more: &[&str]) -> std::process::Output {
    run(&[first, &CLAIM, more].concat())
}

#[test]
fn a_claim_is_evaluated_proved_and_verified() {
    let (folder, _) = files(&[]);
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let evaluated = with(&["vdf", "eval"], &[]);
    expect(&evaluated, 0, &[]);
    let output = text(&evaluated.stdout).trim();
    let (proof, states) = (path("proof.json"), path("states.jsonl"));
    expect(&with(&["vdf", "prove"], &["--output", &proof]), 0, &[]);
    let proved: Value = serde_json::from_str(&fs::read_to_string(&proof).unwrap()).unwrap();
    assert_eq!((&proved["scheme"], &proved["output"]), (&"wesolowski".into(), &output.into()));
    // The same from a file of states, and to standard output.
    let evaluated = with(&["vdf", "eval"], &["--states", &states, "--stride", "128", "--json"]);
    expect(&evaluated, 0, &[]);
    let line: Value = serde_json::from_str(text(&evaluated.stdout)).unwrap();
    assert_eq!((&line["output"], &line["squarings_made"]), (&output.into(), &1000.into()));
    let again = with(&["vdf", "eval"], &["--states", &states, "--json"]);
    let line: Value = serde_json::from_str(text(&again.stdout)).unwrap();
    assert_eq!((&line["output"], &line["squarings_made"]), (&output.into(), &0.into()));
    let from_states = with(&["vdf", "prove"], &["--states", &states, "--memory", "1"]);
    expect(&from_states, 0, &[]);
    let found: Value = serde_json::from_str(text(&from_states.stdout)).unwrap();
    assert_eq!(found, proved);

    expect(&run(&["vdf", "verify", &proof]), 0, &["1: valid"]);
    expect(&with(&["vdf", "verify"], &[&proof]), 0, &["1: valid"]);
    let other = ["vdf", "verify", "--squarings", "1001", &proof];
    expect(&run(&other), 1, &["1: INVALID: is of 1000 squarings; expected 1001"]);
    let both = format!("{proved}\n{}\n", proved.to_string().replace("1000", "1001"));
    let verified = piped(&["vdf", "verify", "--json", "-"], both.as_bytes());
    expect(&verified, 1, &[]);
    let lines: Vec<Value> =
        text(&verified.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!([&lines[0]["valid"], &lines[1]["valid"]], [&Value::from(true), &false.into()]);
    assert_eq!(lines[1]["error"], "does not verify");
}

#[test]
fn wrong_inputs_are_named() {
    let (_folder, paths) = files(&[b"{", b"", b"{\"scheme\":\"wesolowski\"}"]);
    let eval = |modulus: &str, input: &str, squarings: &str| {
        run(&["vdf", "eval", "--modulus", modulus, "--input", input, "--squarings", squarings])
    };
    let even = format!("0x{}0", "f".repeat(300));
    expect(&eval(&even, "5", "1"), 2, &["--modulus: is even; expected an odd number"]);
    let factor = format!("0x{}", "f".repeat(300));
    expect(&eval(&factor, "5", "1"), 2, &["--modulus: has the factor 3"]);
    expect(&eval("rsa-1024", "5", "0"), 2, &["--squarings: is 0; expected at least 1"]);
    expect(&eval("rsa-1024", "1", "9"), 2, &["--input: is 0, 1 or -1"]);
    expect(&eval("rsa-4", "5", "1"), 2, &["--modulus: 'rsa-4' is no number"]);
    expect(&run(&["vdf", "verify", &paths[0]]), 2, &["proof 1: EOF"]);
    expect(&run(&["vdf", "verify", &paths[1]]), 2, &["no proofs; expected JSON objects"]);
    expect(&run(&["vdf", "verify", &paths[2]]), 2, &["proof 1: missing field `modulus`"]);
    let remote = ["--device", "sim:"];
    expect(&with(&["vdf", "eval"], &remote), 3, &["cannot open 'sim:'"]);
}

#[test]
fn a_truncated_file_of_states_is_refused() {
    let (folder, _) = files(&[]);
    let states = folder.path().join("states.jsonl");
    let name = states.to_str().unwrap();
    expect(&with(&["vdf", "eval"], &["--states", name, "--stride", "300"]), 0, &[]);
    let whole = fs::read(&states).unwrap();
    fs::write(&states, &whole[..whole.len() - 40]).unwrap();
    let refused = with(&["vdf", "eval"], &["--states", name]);
    expect(&refused, 2, &["--states", "line 5", "delete this line to continue"]);
    // What the message says works.
    let end = whole.iter().rposition(|&byte| byte == b'\n').unwrap();
    let end = whole[..end].iter().rposition(|&byte| byte == b'\n').unwrap();
    fs::write(&states, &whole[..=end]).unwrap();
    expect(&with(&["vdf", "eval"], &["--states", name]), 0, &[]);
    assert_eq!(fs::read(&states).unwrap(), whole);
}
