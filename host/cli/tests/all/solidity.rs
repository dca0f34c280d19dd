//! `proofmill key solidity` and `calldata`: their files, and errors. Contracts are compiled and called in interop/test_solidity.py.

use std::fs;
use std::path::Path;

use crate::support::{expect, files, piped, run, text};

fn theirs(folder: &str, name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../proof/tests/snarkjs");
    path.join(folder).join(name).to_str().unwrap().to_owned()
}

#[test]
fn a_proving_key_and_its_verification_key_have_the_same_contract() {
    let (_folder, paths) = files(&[b"old", b"old"]);
    for (folder, contract) in [("plonk_bn254", "PlonkVerifier"), ("fflonk_bn254", "FflonkVerifier")]
    {
        for (name, path) in ["circuit.zkey", "verification_key.json"].iter().zip(&paths) {
            expect(&run(&["key", "solidity", &theirs(folder, name), "-o", path]), 0, &[]);
        }
        let [one, other] = [0, 1].map(|i| fs::read_to_string(&paths[i]).unwrap());
        assert_eq!(one, other);
        assert!(one.contains(&format!("contract {contract} {{")));
    }
    let key = theirs("bn254", "verification_key.json");
    let printed = run(&["key", "solidity", &key, "--name", "Mine", "--output", "-"]);
    expect(&printed, 0, &["SPDX-License-Identifier: MIT", "contract Mine {"]);
}

#[test]
fn keys_and_names_that_are_wrong_leave_the_file_as_it_was() {
    let (_folder, paths) = files(&[b"old", b"no key"]);
    let [output, garbage] = [&paths[0], &paths[1]];
    let key = theirs("bn254", "verification_key.json");
    let other_curve = theirs("bls12_381", "verification_key.json");
    let missing = theirs("bn254", "none.json");
    let cases: [(&[&str], &str); 7] = [
        (&[&key, "--name", "contract"], "'--name <NAME>': not an upper-case letter and"),
        (&[&key, "--name", "IC_0_X"], "name: IC_0_X is another identifier of the contract"),
        (&[&other_curve], "is on bls12_381; contracts verify proofs on bn254 only"),
        (&[garbage], "file-1: JSON, byte"),
        (&[&missing], "KEY: "),
        (&["-"], "KEY: standard input: a key must be a regular file"),
        (&[output], "is KEY too"),
    ];
    for (arguments, problem) in cases {
        let arguments = [&["key", "solidity", "-o", output], arguments].concat();
        expect(&run(&arguments), 2, &[problem]);
        assert_eq!(fs::read(output).unwrap(), b"old");
    }
}

#[test]
fn a_call_is_printed_in_two_forms() {
    let [proof, public] = ["proof.json", "public.json"].map(|name| theirs("bn254", name));
    let printed = run(&["calldata", &proof, &public]);
    expect(&printed, 0, &["[\"0x", "\"],[[\"0x", "\"]],[\"0x", "\"],[\"0x"]);
    let encoded = run(&["calldata", "--format", "hex", &proof, &public]);
    expect(&encoded, 0, &["0x43753b4d"]);
    assert_eq!(text(&encoded.stdout).trim().len(), 2 + 2 * (4 + 9 * 32));
    let from_pipe = piped(&["calldata", "-", &public], &fs::read(&proof).unwrap());
    assert_eq!(from_pipe.stdout, printed.stdout);
    let [proof, public] = ["proof.json", "public.json"].map(|name| theirs("fflonk_bn254", name));
    expect(&run(&["calldata", &proof, &public]), 0, &["[0x", ", 0x", "],[0x"]);
    let encoded = run(&["calldata", "--format", "hex", &proof, &public]);
    expect(&encoded, 0, &["0x33a3aea2"]);
    assert_eq!(text(&encoded.stdout).trim().len(), 2 + 2 * (4 + 26 * 32));
}

#[test]
fn proofs_that_are_wrong_have_no_call() {
    let [proof, public] = ["proof.json", "public.json"].map(|name| theirs("plonk_bn254", name));
    let [other_proof, other_public] =
        ["proof.json", "public.json"].map(|name| theirs("bls12_381", name));
    let (_folder, paths) = files(&[br#"["1", "21888242871839275222246405745257275088548364400416034343698204186575808495617"]"#]);
    let cases: [(&[&str], &str); 5] = [
        (&[&public, &proof], "public.json: JSON, byte 0: an array; expected an object"),
        (&[&proof, &proof], "proof.json: JSON, byte"),
        (&[&proof, &paths[0]], "[1], byte 7: not below 2188824"),
        (&[&other_proof, &other_public], "proof: is on bls12_381"),
        (&["-", "-"], "PUBLIC: standard input (-) can be read only once"),
    ];
    for (arguments, problem) in cases {
        expect(&run(&[&["calldata"], arguments].concat()), 2, &[problem]);
    }
}
