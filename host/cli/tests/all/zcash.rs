//! `proofmill zcash verify-block`, on the blocks of `examples/blocks`.

use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::support::{expect, files, piped, run, text};

const NAMES: [&str; 2] = ["mainnet-949496.hex", "mainnet-1687113.hex"];

fn verify(arguments: &[&str]) -> Output {
    run(&[&["zcash", "verify-block"], arguments].concat())
}

fn example(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/blocks").join(name);
    path.to_str().unwrap().to_owned()
}

fn block(name: &str) -> Vec<u8> {
    hex::decode(std::fs::read_to_string(example(name)).unwrap().trim()).unwrap()
}

fn framed(block: &[u8]) -> Vec<u8> {
    [&[0x24, 0xe9, 0x27, 0x64][..], &(block.len() as u32).to_le_bytes(), block].concat()
}

fn objects(output: &Output) -> Vec<Value> {
    text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn real_blocks_have_no_invalid_part() {
    let output = verify(&[&example(NAMES[0]), &example(NAMES[1])]);
    let parts = [
        "949496 block ",
        "1687113 block ",
        " 0 invalid",
        "not checked commitment: ",
        "2 blocks with ",
    ];
    expect(&output, 0, &parts);
    assert!(output.stderr.is_empty(), "{}", text(&output.stderr));
    assert!(!text(&output.stdout).contains("INVALID"));
}

#[test]
fn every_form_of_file_and_a_directory_are_read() {
    let [one, two] = NAMES.map(block);
    let lines = format!("{}\n\n{}\n", hex::encode(&one), hex::encode(&two));
    let stored = [framed(&one), framed(&two), vec![0; 100]].concat();
    let (folder, paths) = files(&[&one, &[&one[..], &two].concat(), &stored, lines.as_bytes()]);
    for (path, count) in paths.iter().zip(["1 block with", "2 blocks", "2 blocks", "2 blocks"]) {
        expect(&verify(&[path]), 0, &[count]);
    }
    expect(&verify(&[folder.path().to_str().unwrap()]), 0, &["7 blocks with "]);
    expect(&piped(&["zcash", "verify-block", "-"], &stored), 0, &["2 blocks with "]);
}

#[test]
fn damage_is_named() {
    let mut root = block(NAMES[1]);
    root[40] ^= 1;
    // In the binding signature of the coinbase.
    let mut signature = block(NAMES[0]);
    signature[2543 + 40] ^= 1;
    let (_folder, paths) = files(&[&root, &signature]);
    let output = verify(&["--json", &paths[0], &paths[1]]);
    assert_eq!(output.status.code(), Some(1));
    let objects = objects(&output);
    let invalid: Vec<_> = objects
        .iter()
        .flat_map(|object| object["invalid"].as_array().cloned().unwrap_or_default())
        .map(|finding| finding["part"].as_str().unwrap().to_owned())
        .collect();
    assert!(invalid.contains(&"merkle_root".into()), "{invalid:?}");
    assert!(invalid.contains(&"sapling_binding_signature".into()), "{invalid:?}");
    let summary = objects.last().unwrap();
    assert_eq!((&summary["type"], &summary["blocks"]["invalid"]), (&"summary".into(), &2.into()));
}

/// The output that an input spends makes it checkable.
#[test]
fn previous_outputs_are_read_from_a_file() {
    let (_folder, paths) = files(&[
        br#"{"txid": "00", "index": 0, "value": 1, "script": ""}"#,
        br#"{"txid": 5, "index": 0, "value": 1, "script": ""}"#,
        format!(r#"{{"txid": "{}", "index": -1, "value": 1, "script": ""}}"#, "00".repeat(32))
            .as_bytes(),
        format!(
            r#"{{"txid": "{}", "index": 0, "value": 2100000000000001, "script": ""}}"#,
            "00".repeat(32)
        )
        .as_bytes(),
        format!(
            "\n{{\"txid\": \"{}\", \"index\": 0, \"value\": 1, \"script\": \"xy\"}}",
            "00".repeat(32)
        )
        .as_bytes(),
        format!(r#"{{"txid": "{}", "index": 0, "value": 1, "script": "51"}}"#, "00".repeat(32))
            .as_bytes(),
    ]);
    let problems =
        ["line 1: txid", "line 1: txid", "index", "more than all money", "line 2: script"];
    for (path, problem) in paths.iter().zip(problems) {
        expect(&verify(&["--prevouts", path, &example(NAMES[0])]), 2, &[problem]);
    }
    expect(&verify(&["--prevouts", &paths[5], &example(NAMES[0])]), 0, &["1 block with"]);
}

#[test]
fn a_malformed_file_is_named_with_the_place() {
    let whole = block(NAMES[0]);
    let cut = &whole[..whole.len() - 1];
    let mut magic = framed(&whole);
    magic[0] ^= 1;
    let other = [&[0xfa, 0x1a, 0xf9, 0xbf][..], &framed(&whole)[4..]].concat();
    let long = [&framed(&whole)[..4], &u32::MAX.to_le_bytes(), &whole].concat();
    let contents: [(&[u8], &str); 7] = [
        (b"", "there is no block"),
        (b"hello", "block 0, from byte 0: line: "),
        (cut, "transaction "),
        (&[&framed(&whole)[..], &magic].concat(), "block 1, from byte"),
        (&other, "a block of testnet, another network"),
        (&long, "a block has at most 2000000"),
        (&framed(&whole)[..100], "of which 92 exist"),
    ];
    for (content, problem) in contents {
        let (_folder, paths) = files(&[content, &whole]);
        // The next file is read all the same.
        expect(
            &verify(&[&paths[0], &paths[1]]),
            2,
            &["file-0: ", problem, " with ", "1 part malformed"],
        );
    }
    // In frames and lines, the next block is read as well.
    let mut inside = whole.clone();
    inside[1487] = 0;
    let frames = [framed(&inside), framed(&whole)].concat();
    let lines = format!("{}\n{}", hex::encode(&inside), hex::encode(&whole));
    let (_folder, paths) = files(&[&frames, lines.as_bytes()]);
    for path in &paths {
        let parts =
            ["block 0, from byte 0: number of transactions", "1 block with", "1 part malformed"];
        expect(&verify(&[path]), 2, &parts);
    }
    expect(&verify(&["/nowhere/blocks"]), 2, &["/nowhere/blocks"]);
    expect(
        &verify(&["--network", "regtest", &example(NAMES[0])]),
        2,
        &["regtest", "expected main or test"],
    );
    expect(&verify(&["--device", "cpu:?threads=x", &example(NAMES[0])]), 2, &["threads"]);
}
