//! `proofmill equihash solve` from outside.

use serde_json::Value;

use crate::support::{expect, files, piped, run, text};

/// A header without a solution, whose compact target is the limit of the regression-test mode.
fn header() -> Vec<u8> {
    let mut header = vec![4; 140];
    header[104..108].copy_from_slice(&[0x0f, 0x0f, 0x0f, 0x20]);
    header
}

#[test]
fn a_block_is_mined_and_verified() {
    let (_folder, paths) = files(&[hex::encode(header()).as_bytes()]);
    let arguments = ["--params", "48,5", "--nonces", "500", "--target", "header"];
    let mined = run(&[&["equihash", "solve"], &arguments[..], &[&paths[0]]].concat());
    expect(&mined, 0, &[]);
    assert_eq!(text(&mined.stdout).lines().count(), 1);
    let verify = ["equihash", "verify", "--params", "48,5", "--network", "regtest", "-"];
    expect(&piped(&verify, &mined.stdout), 0, &["valid"]);
    // The mined header is a header to solve, too: its nonce is found again.
    let again = piped(&["equihash", "solve", "--params", "48,5", "-"], &mined.stdout);
    expect(&again, 0, &[text(&mined.stdout).trim()]);
}

#[test]
fn all_solutions_are_written_as_json() {
    let (_folder, paths) = files(&[&header()]);
    let arguments = ["equihash", "solve", "--params", "48,5", "--nonces", "40", "--json"];
    let solved = run(&[&arguments[..], &[&paths[0]]].concat());
    expect(&solved, 0, &[]);
    let lines: Vec<Value> =
        text(&solved.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (summary, solutions) = lines.split_last().unwrap();
    assert_eq!((&summary["type"], &summary["nonces"]), (&"summary".into(), &40.into()));
    assert_eq!(summary["solutions"], solutions.len());
    assert!(solutions.len() > 5, "{} solutions", solutions.len());
    let headers: Vec<&str> = solutions.iter().map(|it| it["header"].as_str().unwrap()).collect();
    let verify = ["equihash", "verify", "--params", "48,5", "--network", "none", "-"];
    expect(&piped(&verify, headers.join("\n").as_bytes()), 0, &[]);
    // No hash is below this target.
    let target = format!("0x{}", "0".repeat(64));
    let none = [&arguments[..6], &["--target", &target, &paths[0]]].concat();
    let none = run(&none);
    expect(&none, 1, &[]);
    assert!(none.stdout.is_empty());
}

#[test]
fn less_memory_finds_the_same() {
    let (_folder, paths) = files(&[&header()]);
    let solve = |memory: &str| {
        run(&[
            "equihash", "solve", "--params", "96,5", "--nonces", "2", "--memory", memory, &paths[0],
        ])
    };
    let (much, less) = (solve("100"), solve("3"));
    expect(&much, 0, &[]);
    expect(&less, 0, &[]);
    assert_eq!(text(&less.stdout), text(&much.stdout));
    expect(&solve("1"), 2, &["max_bytes: 1048576; (96,5) takes at least"]);
    expect(&solve("0"), 2, &["--memory"]);
}

#[test]
fn wrong_inputs_are_named() {
    let (_folder, paths) = files(&[&header()[1..], &header()]);
    let solve = |more: &[&str]| run(&[&["equihash", "solve"], more].concat());
    expect(&solve(&[&paths[0]]), 2, &["139 bytes; expected 140, or 1487 of a whole header"]);
    expect(&solve(&["--params", "200,8", &paths[1]]), 2, &["(200,8)"]);
    expect(&solve(&["--params", "192,7", &paths[1]]), 3, &["equihash_solve (192,7)"]);
    expect(&solve(&["--target", "low", &paths[1]]), 2, &["expected header, or 0x"]);
    expect(&solve(&["--nonces", "0", &paths[1]]), 2, &["--nonces"]);
    expect(&solve(&["--personalisation", "short", &paths[1]]), 2, &["expected 8"]);
}
