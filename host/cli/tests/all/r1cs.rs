//! `proofmill r1cs`, `witness check` and `prove --r1cs` from the outside.

use std::process::Output;

use serde_json::Value;

use crate::support::made::Made;
use crate::support::{expect, piped, run, text};

/// Constraints of the circuit: constraint i is: variable i + 2, squared, equals variable i + 3 minus i. The last is 1.
const CONSTRAINTS: usize = 9;
const VARIABLES: usize = CONSTRAINTS + 2;
const VALUE: usize = 32;

fn check(made: &Made, more: &[&str]) -> Output {
    let [r1cs, witness] = ["circuit.r1cs", "witness.wtns"].map(|name| made.at(name));
    run(&[&["witness", "check", &r1cs, &witness], more].concat())
}

/// Writes a witness whose value of a variable differs in its lowest bit. Returns the changed file.
fn spoil(made: &Made, variable: usize) -> Vec<u8> {
    let mut witness = made.read("witness.wtns");
    let at = witness.len() - (VARIABLES - variable) * VALUE;
    witness[at] ^= 1;
    made.write("witness.wtns", &witness);
    witness
}

/// Names for some variables.
fn names(made: &Made) -> String {
    made.write(
        "circuit.sym",
        "1,1,0,main.last\n2,2,0,main.x[0]\n3,5,0,main.x[3]\n4,-1,0,main.gone\n",
    )
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_constraint_system_is_described_and_printed() {
    let made = Made::new("bls12_381", CONSTRAINTS);
    let r1cs = made.at("circuit.r1cs");
    let parts = [
        "circuit.r1cs: r1cs, bls12_381, ",
        "constraints  9\n",
        "variables    11: 1, 1 public (1 of them outputs)",
        "entries      9 in A, 9 in B, 17 in C",
    ];
    expect(&run(&["r1cs", "info", &r1cs]), 0, &parts);
    let told = json(&run(&["r1cs", "info", &r1cs, "--json"]));
    let number = |name: &str| told[name].as_u64().unwrap();
    let numbers = ["constraints", "variables", "public_inputs", "labels"].map(number);
    assert_eq!((&told["type"], numbers), (&"r1cs".into(), [9, 11, 1, 11]));
    assert_eq!(
        (&told["curve"], number("bytes")),
        (&"bls12_381".into(), made.read("circuit.r1cs").len() as u64)
    );

    let printed = run(&["r1cs", "print", &r1cs]);
    expect(&printed, 0, &["[ w2 ] * [ w2 ] - [ w3 ] = 0\n[ w3 ] * [ w3 ] - [ w4 - 1 ] = 0\n"]);
    assert_eq!(text(&printed.stdout).lines().count(), CONSTRAINTS);
    let named = run(&["r1cs", "print", &r1cs, "--sym", &names(&made)]);
    expect(&named, 0, &["[ main.x[0] ] * [ main.x[0] ] - [ w3 ] = 0\n"]);
    expect(&named, 0, &["[ w10 ] * [ w10 ] - [ main.last - 8 ] = 0\n"]);
}

#[test]
fn violated_constraints_are_printed_with_their_values() {
    let made = Made::new("bn254", CONSTRAINTS);
    let valid = check(&made, &[]);
    expect(&valid, 0, &["9 constraints, 0 violated\n", "witness.wtns: valid\n"]);
    assert!(!text(&valid.stdout).contains(" = "), "{valid:?}");
    let wrong = spoil(&made, 5);
    // x_0 = -1/2, so the variable 3 is 1/4.
    let sym = names(&made);
    let found = check(&made, &["--sym", &sym]);
    let parts = [
        "constraint 2: [ w4 ] * [ w4 ] - [ main.x[3] - 2 ] = 0\n  A = ",
        "constraint 3: [ main.x[3] ] * [ main.x[3] ] - [ w6 - 3 ] = 0\n",
        "\n  main.x[3] = ",
        "\n  w4 = ",
        "9 constraints, 2 violated\n",
        "witness.wtns: invalid\n",
    ];
    expect(&found, 1, &parts);
    assert_eq!(text(&found.stdout).matches("constraint ").count(), 2);

    let one = check(&made, &["--max", "1"]);
    expect(&one, 1, &["constraint 2: ", "9 constraints, 2 violated; 1 not shown\n"]);
    assert!(!text(&one.stdout).contains("constraint 3:"), "{one:?}");
    let none = check(&made, &["--max", "0"]);
    expect(&none, 1, &["9 constraints, 2 violated; 2 not shown\n"]);
    let pipe = piped(&["witness", "check", &made.at("circuit.r1cs"), "-"], &wrong);
    expect(&pipe, 1, &["constraint 2: ", "standard input: invalid\n"]);
}

#[test]
fn the_report_in_json_has_canonical_values() {
    let made = Made::new("bn254", CONSTRAINTS);
    let told = json(&check(&made, &["--json"]));
    assert_eq!((&told["type"], &told["valid"]), (&"witness".into(), &true.into()));
    assert_eq!((&told["constraints"], &told["violations"]), (&9.into(), &Value::Array(vec![])));
    let wrong = spoil(&made, 5);
    let found = check(&made, &["--json", "--max", "1", "--sym", &names(&made)]);
    expect(&found, 1, &[]);
    let told = json(&found);
    assert_eq!((&told["valid"], &told["violated"]), (&false.into(), &2.into()));
    let [violation] = &told["violations"].as_array().unwrap()[..] else { panic!("{told}") };
    assert_eq!(violation["constraint"], 2);
    let signals = violation["signals"].as_array().unwrap();
    assert_eq!((&signals[0]["variable"], &signals[0]["name"]), (&4.into(), &Value::Null));
    let at = wrong.len() - (VARIABLES - 5) * VALUE;
    let value = num_bigint::BigUint::from_bytes_le(&wrong[at..at + VALUE]).to_string();
    assert_eq!((&signals[1]["name"], &signals[1]["value"]), (&"main.x[3]".into(), &value.into()));
    assert_eq!((&violation["A"], &violation["B"]), (&signals[0]["value"], &signals[0]["value"]));
}

#[test]
fn files_that_do_not_fit_are_named() {
    let (made, other) = (Made::new("bn254", CONSTRAINTS), Made::new("bls12_381", CONSTRAINTS));
    let longer = Made::new("bn254", CONSTRAINTS + 1);
    let r1cs = made.at("circuit.r1cs");
    let refuses = |witness: &str, more: &[&str], parts: &[&str]| {
        expect(&run(&[&["witness", "check", &r1cs, witness], more].concat()), 2, parts);
    };
    let curves = "is over bls12_381, the circuit over bn254";
    refuses(&other.at("witness.wtns"), &[], &["circuit.r1cs with ", "witness.wtns: ", curves]);
    let sizes = "witness: has 12 values, the circuit has 11 variables";
    refuses(&longer.at("witness.wtns"), &[], &[sizes]);
    refuses("none.wtns", &[], &["none.wtns", "No such file"]);
    let witness = made.at("witness.wtns");
    refuses(&witness, &["--sym", "none.sym"], &["none.sym", "No such file"]);
    let far = made.write("far.sym", "1,1,0,main.a\n2,11,0,main.b\n");
    refuses(&witness, &["--sym", &far], &["far.sym: line 2, byte 13: variable 11, where "]);

    let whole = made.read("circuit.r1cs");
    let cut = made.write("cut.r1cs", &whole[..whole.len() - 1]);
    for command in [
        &["r1cs", "info", &cut][..],
        &["r1cs", "print", &cut],
        &["witness", "check", &cut, &witness],
    ] {
        expect(
            &run(command),
            2,
            &["cut.r1cs: section 3 (labels), byte ", "the file ends after 87"],
        );
    }
    let stdin = ["R1CS: standard input: a constraint system must be a regular file"];
    expect(&run(&["witness", "check", "-", &witness]), 2, &stdin);
    expect(&run(&["r1cs", "info", &witness]), 2, &["begins with 'wtns', not 'r1cs'"]);
}

#[test]
fn a_failed_proof_is_explained() {
    let made = Made::new("bn254", CONSTRAINTS);
    let (r1cs, sym) = (made.at("circuit.r1cs"), names(&made));
    let explained = ["--r1cs", &r1cs[..], "--sym", &sym];
    expect(&made.prove_with(&explained), 0, &["verified"]);
    let first = made.others();
    spoil(&made, 5);
    let plain = made.prove_with(&[]);
    expect(&plain, 2, &["does not satisfy the circuit"]);
    let said = made.prove_with(&explained);
    let constraint = "constraint 2: [ w4 ] * [ w4 ] - [ main.x[3] - 2 ] = 0\n";
    expect(&said, 2, &[constraint, "\n  main.x[3] = ", "9 constraints, 2 violated\n"]);
    let said = text(&said.stderr);
    assert!(said.starts_with(text(&plain.stderr)), "{said}");
    assert_eq!(made.others(), first, "a failed proof was written");

    let longer = Made::new("bn254", CONSTRAINTS + 1);
    let parts = ["circuit.r1cs with ", "witness: has 11 values, the circuit has 12 variables"];
    expect(&made.prove_with(&["--r1cs", &longer.at("circuit.r1cs")]), 2, &parts);
    expect(&made.prove_with(&["--sym", &sym]), 2, &["--r1cs"]);
    expect(&made.prove_with(&["--r1cs", &r1cs, "--no-self-check"]), 2, &["--no-self-check"]);
    let over = run(&[
        "prove",
        &made.at("INSECURE.zkey"),
        &made.at("witness.wtns"),
        "-o",
        &r1cs,
        "--r1cs",
        &r1cs,
    ]);
    expect(&over, 2, &["--output", "is --r1cs too"]);
}

#[test]
fn a_damaged_key_is_told_from_a_wrong_witness() {
    let made = Made::new("bn254", CONSTRAINTS);
    let other = tempfile::tempdir().unwrap();
    let out = other.path().to_str().unwrap();
    let count = CONSTRAINTS.to_string();
    let ask = ["dev", "circuit", "chain", "--constraints", &count, "--out", out, "--seed", "other"];
    expect(&run(&ask), 0, &[]);
    // The points of H of another ceremony.
    let (mut key, other) =
        (made.read("INSECURE.zkey"), std::fs::read(other.path().join("INSECURE.zkey")).unwrap());
    assert_eq!(key.len(), other.len());
    let section = |file: &[u8]| {
        let mut at = 12;
        loop {
            let number = u32::from_le_bytes(file[at..at + 4].try_into().unwrap());
            let bytes = u64::from_le_bytes(file[at + 4..at + 12].try_into().unwrap()) as usize;
            at += 12;
            if number == 9 {
                return at..at + bytes;
            }
            at += bytes;
        }
    };
    let place = section(&key);
    key[place.clone()].copy_from_slice(&other[place]);
    made.write("INSECURE.zkey", key);
    let said = made.prove_with(&["--r1cs", &made.at("circuit.r1cs")]);
    expect(&said, 2, &["does not verify", "violates no constraint: the key is damaged"]);
}
