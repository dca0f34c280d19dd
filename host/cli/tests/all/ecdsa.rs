//! `proofmill ecdsa` from outside.

use std::path::Path;
use std::process::Output;

use crate::support::{self, expect, files, piped, run, text};
use serde_json::Value;

fn verify(arguments: &[&str]) -> Output {
    run(&[&["ecdsa", "verify"], arguments].concat())
}

fn example(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/signatures").join(name);
    path.to_str().unwrap().to_owned()
}

fn content(name: &str) -> Vec<u8> {
    std::fs::read(example(name)).unwrap()
}

fn json(output: &Output) -> Vec<Value> {
    text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn real_signatures_are_valid() {
    let output = verify(&[&example("mainnet.jsonl")]);
    let first = "mainnet.jsonl:1 \"02794881321c6a7fa413641dfe75dca623b37ade61fc4646ff1a8f6b62922dcb:0\" valid";
    expect(&output, 0, &[first, "21 signatures: 21 valid, 0 invalid", "signatures/s"]);
    assert!(output.stderr.is_empty());
    let quiet = verify(&["--quiet", &example("mainnet.jsonl")]);
    expect(&quiet, 0, &["21 signatures"]);
    assert_eq!(text(&quiet.stdout).lines().count(), 1);
}

#[test]
fn each_rejection_has_its_reason() {
    let reasons = [
        ":1 \"valid\" valid",
        ":2 \"another digest\" invalid: failed_sig_ver",
        ":3 \"high s\" valid",
        ":4 \"r is 0\" invalid: out_of_range_r, failed_sig_ver",
        ":5 \"s is n\" invalid: out_of_range_s, failed_sig_ver",
        ":6 \"key off the curve\" invalid: failed_sig_ver, invalid_key",
        ":7 \"no point has this x\" invalid: key: not on the curve",
        ":8 \"padded DER\" invalid: signature: not strict DER: an integer with a needless zero byte",
        ":9 \"short digest\" invalid: malformed: digest: 31 bytes; expected 32",
        "9 signatures: 2 valid, 7 invalid",
    ];
    let output = verify(&[&example("rejected.jsonl")]);
    expect(&output, 1, &[]);
    for (line, reason) in text(&output.stdout).lines().zip(reasons) {
        assert!(line.contains(reason), "'{reason}' is not in: {line}");
    }
    let strict = verify(&["--low-s", &example("rejected.jsonl")]);
    expect(&strict, 1, &["\"high s\" invalid: signature: s is above n / 2", "1 valid, 8 invalid"]);
}

#[test]
fn json_is_a_line_an_object() {
    let (_folder, paths) = files(&[b"oops"]);
    let output = verify(&["--json", "--low-s", &example("rejected.jsonl"), &paths[0]]);
    expect(&output, 2, &[]);
    let lines = json(&output);
    assert_eq!(lines.len(), 11);
    assert_eq!((&lines[0]["type"], &lines[0]["valid"]), (&"signature".into(), &true.into()));
    let names = |line: &Value| -> String {
        line["errors"]
            .as_array()
            .unwrap()
            .iter()
            .map(|name| name.as_str().unwrap())
            .collect::<Vec<_>>()
            .join(" ")
    };
    let found: Vec<_> = lines[1..9].iter().map(names).collect();
    let expected = [
        "failed_sig_ver",
        "high_s",
        "out_of_range_r failed_sig_ver",
        "out_of_range_s failed_sig_ver",
        "failed_sig_ver invalid_key",
        "bad_key",
        "bad_signature",
        "malformed",
    ];
    assert_eq!(found, expected);
    assert_eq!(lines[8]["reason"], "malformed: digest: 31 bytes; expected 32");
    assert_eq!((&lines[8]["number"], &lines[8]["id"]), (&9.into(), &"short digest".into()));
    assert_eq!(
        (&lines[9]["type"], &lines[9]["file"]),
        (&"error".into(), &paths[0].as_str().into())
    );
    assert!(lines[9]["message"].as_str().unwrap().starts_with("line 1: neither"));
    assert_eq!((&lines[10]["invalid"], &lines[10]["broken_files"]), (&8.into(), &1.into()));
}

#[test]
fn the_compact_form_is_made_and_verified() {
    let folder = tempfile::tempdir().unwrap();
    for keys in ["compressed", "uncompressed"] {
        let target = folder.path().join(keys);
        let target = target.to_str().unwrap();
        let convert = |files: &[&str]| {
            run(&[&["ecdsa", "convert", "--keys", keys, "--output", target], files].concat())
        };
        expect(&convert(&[&example("mainnet.jsonl")]), 0, &["21 signatures in "]);
        expect(&verify(&[target]), 0, &[":21 valid", "21 valid, 0 invalid"]);
        let piped = piped(&["ecdsa", "verify", "-"], &std::fs::read(target).unwrap());
        expect(&piped, 0, &["-:1 valid", "21 valid, 0 invalid"]);
        expect(&convert(&[&example("mainnet.jsonl")]), 2, &["--output", target, "File exists"]);
    }
    let size = |name| std::fs::metadata(folder.path().join(name)).unwrap().len();
    assert_eq!((size("compressed"), size("uncompressed")), (24 + 21 * 129, 24 + 21 * 161));
}

#[test]
fn what_cannot_be_converted_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("some");
    let convert = |files: &[&str]| {
        run(&[&["ecdsa", "convert", "--output", target.to_str().unwrap()], files].concat())
    };
    let output = convert(&[&example("rejected.jsonl")]);
    let named = [
        "rejected.jsonl:6: key: not on the curve\n",
        ":8: signature: not strict DER",
        ":9: malformed",
    ];
    expect(&output, 1, &named);
    expect(&output, 1, &["6 signatures in", "3 omitted"]);
    // The verdicts stay what they were; the key without a point is still there to be found.
    let output = verify(&[target.to_str().unwrap()]);
    expect(
        &output,
        1,
        &[":4 invalid: out_of_range_r", ":6 invalid: key: not on the curve", "2 valid, 4 invalid"],
    );

    // A file that cannot be read leaves nothing behind.
    std::fs::remove_file(&target).unwrap();
    expect(&convert(&[&example("mainnet.jsonl"), "/nowhere/file"]), 2, &["/nowhere/file"]);
    let (_folder, paths) = files(&[&content("mainnet.jsonl"), b"oops"]);
    expect(&convert(&[&paths[0], &paths[1]]), 2, &[&paths[1], "line 1: neither"]);
    assert!(!target.exists());

    // Nor does one of which nothing can be kept.
    let (_folder, paths) = files(&[b"{}\n{}"]);
    expect(&convert(&[&paths[0]]), 2, &["--output: ", "none of 2 signatures fits into it"]);
    assert!(!target.exists());
}

#[test]
fn standard_input_is_read_once() {
    let output = piped(&["ecdsa", "verify", "-"], &content("mainnet.jsonl"));
    expect(&output, 0, &["-:1 ", "21 valid"]);
    expect(&verify(&["-", "-"]), 2, &["standard input (-) can be read only once"]);
}

#[test]
fn what_is_wrong_is_said() {
    let good = example("mainnet.jsonl");
    expect(&verify(&[]), 2, &["<FILE>"]);
    expect(&verify(&["--device", "gpu:", &good]), 2, &["unknown scheme 'gpu:'"]);
    expect(&verify(&["--device", "sim:", &good]), 3, &["make sim"]);
    expect(&verify(&["/nowhere/file"]), 2, &["/nowhere/file", "No such file"]);
    expect(&verify(&["/"]), 2, &["/: at its start: Is a directory"]);
    expect(&verify(&["--trace", "x.vcd", &good]), 2, &["--trace", "has no waveform"]);
    let (_folder, paths) = files(&[b"", b"\x89pmsig\r\n"]);
    expect(&verify(&[&paths[0]]), 2, &["at its start: no signatures", "0 signatures"]);
    expect(&verify(&[&paths[1]]), 2, &["it ends within its header of 24 bytes"]);
}

#[test]
fn all_files_are_gone_through_in_their_order() {
    let (good, bad) = (content("mainnet.jsonl"), content("rejected.jsonl"));
    let cut = [&good[..], b"{"].concat();
    let contents: Vec<&[u8]> =
        [&good[..], b"oops", &bad, &cut].into_iter().cycle().take(80).collect();
    let (_folder, paths) = files(&contents);
    let paths: Vec<_> = paths.iter().map(String::as_str).collect();
    let output = verify(&[&["--json"], &paths[..]].concat());
    expect(&output, 2, &[]);
    let lines = json(&output);
    assert_eq!(lines.len(), 20 * (21 + 1 + 9 + 22) + 1);
    let mut order: Vec<_> =
        lines[..lines.len() - 1].iter().map(|line| line["file"].as_str().unwrap()).collect();
    order.dedup();
    assert_eq!(order, paths);
    let numbers: Vec<_> = lines[..21].iter().map(|line| line["number"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=21).collect::<Vec<_>>());
}

/// Many requests, the last of which is not full, and rejected lines among them that reach no device.
#[test]
fn outcomes_stay_with_their_lines() {
    let mut text = String::new();
    let (good, bad) = (content("mainnet.jsonl"), content("rejected.jsonl"));
    let lines: Vec<&str> = [&good[..], &bad]
        .into_iter()
        .flat_map(|it| std::str::from_utf8(it).unwrap().lines())
        .collect();
    (0..5000).for_each(|i| text += &format!("{}\n", lines[i * 7 % lines.len()]));
    let output = piped(&["ecdsa", "verify", "--json", "-"], text.as_bytes());
    expect(&output, 1, &[]);
    let found = json(&output);
    assert_eq!(found.len(), 5001);
    for (i, line) in found[..5000].iter().enumerate() {
        let at = i * 7 % lines.len();
        assert_eq!(line["number"].as_u64(), Some(i as u64 + 1));
        assert_eq!(line["valid"], at <= 21 || at == 23, "line {}", i + 1);
    }
}

#[test]
fn a_reader_that_goes_away_is_no_panic() {
    let mut child = support::command(&["ecdsa", "verify", "-"]);
    child.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    child.stderr(std::process::Stdio::piped());
    let mut child = child.spawn().unwrap();
    drop(child.stdout.take());
    // The command ends while it is being written to.
    let _ = std::io::Write::write_all(
        &mut child.stdin.take().unwrap(),
        &content("mainnet.jsonl").repeat(200),
    );
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(141));
    assert!(output.stderr.is_empty(), "{}", text(&output.stderr));
}

/// Real signatures through the circuit, and each kind of fault: the output equals that of the processor.
#[test]
fn a_simulation_says_the_same() {
    let found = proofmill_device::list().into_iter().filter_map(|listed| listed.simulation);
    let Some(simulation) = found.into_iter().find(|it| it.name == "ecdsa" && !it.traced) else {
        let named = std::env::var_os(proofmill_device::FOLDER_VARIABLE).is_some();
        assert!(!named, "{} has no 'ecdsa'", proofmill_device::FOLDER_VARIABLE);
        eprintln!("SKIPPED: there is no simulation 'ecdsa'; `make sim CONFIG=ecdsa` builds it");
        return;
    };
    let uri = format!("sim:{}", simulation.path.display());
    let (real, wrong) = (example("mainnet.jsonl"), example("rejected.jsonl"));
    let circuit = verify(&["--device", &uri, &real, &wrong]);
    let processor = verify(&[&real, &wrong]);
    expect(&circuit, 1, &["30 signatures: 23 valid, 7 invalid", "cycles of the card"]);
    let outcomes = |output: &Output| -> Vec<String> {
        text(&output.stdout).lines().take(30).map(str::to_owned).collect()
    };
    assert_eq!(outcomes(&circuit), outcomes(&processor));
}
