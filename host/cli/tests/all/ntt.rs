//! `proofmill ntt` from outside.

use std::path::Path;

use crate::support::{expect, files, run, text};
use serde_json::Value;

/// 3 + x at 1, i, -1 and -i, where i is 2^48.
const COEFFICIENTS: [u64; 4] = [3, 1, 0, 0];

fn bytes(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[test]
fn a_file_is_transformed_and_back() {
    let (folder, paths) = files(&[&bytes(&COEFFICIENTS)]);
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let ntt = |arguments: &[&str]| run(&[&["ntt", "--field", "goldilocks"], arguments].concat());
    let read = |path: &str| std::fs::read(Path::new(path)).unwrap();
    for coset in [&[][..], &["--coset", "0x7"]] {
        let output = ntt(&[coset, &["--json", &paths[0], &at("values")]].concat());
        expect(&output, 0, &[]);
        let line: Value = serde_json::from_str(text(&output.stdout).trim()).unwrap();
        assert_eq!((&line["type"], &line["size"]), (&"ntt".into(), &4.into()));
        let g = if coset.is_empty() { 1 } else { 7 };
        assert_eq!(read(&at("values"))[..8], (3u64 + g).to_le_bytes());
        let output = ntt(&[coset, &["--inverse", &at("values"), &at("back")]].concat());
        expect(&output, 0, &[]);
        assert_eq!(read(&at("back")), read(&paths[0]));
    }
}

#[test]
fn what_cannot_be_is_named() {
    let (folder, paths) = files(&[&bytes(&COEFFICIENTS[..3]), &[0xff; 32], &[0; 33]]);
    let to = folder.path().join("to").to_str().unwrap().to_owned();
    let ntt = |field: &str, path: &str| run(&["ntt", "--field", field, path, &to]);
    expect(&ntt("goldilocks", &paths[0]), 2, &["elements: a count of 3 is not a power of two"]);
    expect(&ntt("bn254_fr", &paths[1]), 2, &["elements: number 0 is not below the modulus"]);
    expect(&ntt("bls12_381_fr", &paths[2]), 2, &["elements: 33 bytes"]);
    expect(&ntt("bn254_fp", &paths[1]), 2, &["expected one of bn254_fr, bls12_381_fr, "]);
    expect(&ntt("bn254_fr", "no such file"), 2, &["FROM: no such file"]);
    let output = run(&["ntt", "--field", "goldilocks", "--coset", "0x0", &paths[1], &to]);
    expect(&output, 2, &["coset: is 0"]);
    let output = run(&["ntt", "--field", "goldilocks", "--coset", "xyz", &paths[1], &to]);
    expect(&output, 2, &["--coset: 'xyz' is not a hexadecimal number\n"]);
    assert!(!Path::new(&to).exists());
}
