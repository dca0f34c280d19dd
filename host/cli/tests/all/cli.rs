//! Tests of the command: its output, its errors for wrong files, and its exit codes.

use std::path::Path;
use std::process::{Output, Stdio};

use crate::support::{command, expect, files, piped, run, text};
use serde_json::Value;

const HASH_346: &str = "000000eff179fb1e47b7aa8667ad4d8e1ef3dbb0d79144030482bf93b5e6339f";
/// The start of a transaction section: one transaction of version 1.
const TRANSACTIONS: [u8; 5] = [1, 1, 0, 0, 0];

fn verify(arguments: &[&str]) -> Output {
    run(&[&["equihash", "verify"], arguments].concat())
}

fn example(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/headers").join(name);
    path.to_str().unwrap().to_owned()
}

fn header(name: &str) -> Vec<u8> {
    hex::decode(std::fs::read_to_string(example(name)).unwrap().trim()).unwrap()
}

#[test]
fn real_headers_are_valid() {
    let output = verify(&[&example("mainnet-0.hex"), &example("mainnet-346.hex")]);
    expect(
        &output,
        0,
        &["mainnet-346.hex:1 ", HASH_346, " valid", "2 headers: 2 valid, 0 invalid"],
    );
    assert!(output.stderr.is_empty());
    expect(&verify(&["--network", "test", &example("testnet-0.hex")]), 0, &["1 valid"]);
}

#[test]
fn an_invalid_header_is_named_with_its_errors() {
    let output = verify(&[&example("testnet-0.hex")]);
    expect(&output, 1, &["invalid: difficulty_fail", "0 valid, 1 invalid"]);
    let mut wrong = header("mainnet-346.hex");
    wrong[1486] ^= 1;
    let (_folder, paths) = files(&[&wrong]);
    expect(&verify(&["--network", "none", &paths[0]]), 1, &["xor_non_zero"]);
    expect(
        &verify(&["--network", "none", "--personalisation", "BgoldPoW", &example("mainnet-1.hex")]),
        1,
        &["xor_non_zero"],
    );
}

#[test]
fn every_form_of_file_is_read() {
    let one = header("mainnet-346.hex");
    let block = [&one[..], &TRANSACTIONS].concat();
    let stored =
        [&[0x24, 0xe9, 0x27, 0x64][..], &(block.len() as u32).to_le_bytes(), &block].concat();
    let hex = hex::encode(&one);
    let lines = format!("{hex}\n{}\n", hex::encode(&block));
    let (_folder, paths) =
        files(&[&one, &one.repeat(3), &block, &stored.repeat(2), hex.as_bytes(), lines.as_bytes()]);
    for (path, count) in paths.iter().zip([1, 3, 1, 2, 1, 2]) {
        expect(&verify(&[path]), 0, &[&format!(": {count} valid, 0 invalid")]);
    }
}

#[test]
fn standard_input_is_read_once() {
    let output = piped(&["equihash", "verify", "-"], &header("mainnet-1.hex"));
    expect(&output, 0, &["-:1 0007bc227e1c57a4", "1 valid"]);
    expect(&verify(&["-", "-"]), 2, &["standard input (-) can be read only once"]);
}

#[test]
fn what_is_wrong_with_a_file_is_said_with_its_place() {
    let one = header("mainnet-346.hex");
    let hex = hex::encode(&one);
    let broken = format!("{}x{}", &hex[..700], &hex[701..]);
    let contents: [(&[u8], &str); 7] = [
        (b"", "offset 0: empty; expected a header of 1487 bytes for (200,9)"),
        (&one[..1000], "offset 0: truncated: 1000 bytes, where a header for (200,9) has 1487"),
        (&one[..1486], "truncated: 1486 bytes"),
        (&[&one[..], &[7; 9]].concat(), "offset 1487: neither transactions"),
        (broken.as_bytes(), "offset 700: 'x' is not a hex digit"),
        (&hex.as_bytes()[..hex.len() - 1], "odd number of hex digits"),
        (&[&one[..140], &[100], &one[..100]].concat(), "offset 140: the solution's CompactSize"),
    ];
    for (content, problem) in contents {
        let (_folder, paths) = files(&[content]);
        expect(&verify(&[&paths[0]]), 2, &[&paths[0], problem]);
    }
    let (_folder, paths) = files(&[&one]);
    expect(&verify(&["--params", "144,5", &paths[0]]), 2, &["offset 140", "it is that of (200,9)"]);
    expect(&verify(&["/nowhere/file"]), 2, &["/nowhere/file", "No such file"]);
    expect(&verify(&["/"]), 2, &["/: "]);
}

#[test]
fn wrong_arguments_are_named() {
    let file = example("mainnet-0.hex");
    expect(&verify(&[]), 2, &["<FILE>"]);
    expect(
        &verify(&["--network", "moon", &file]),
        2,
        &["--network", "'moon' is unknown", "main, test"],
    );
    expect(
        &verify(&["--params", "200;9", &file]),
        2,
        &["--params", "'200;9' is not of the form n,k"],
    );
    expect(
        &verify(&["--params", "200,8", &file]),
        2,
        &["(200,8) is not an Equihash parameter set"],
    );
    expect(
        &verify(&["--personalisation", "short", &file]),
        2,
        &["--personalisation", "5 bytes; expected 8"],
    );
    expect(&verify(&["--device", "gpu:", &file]), 2, &["unknown scheme 'gpu:'"]);
    expect(&verify(&["--device", "cpu:?speed=9", &file]), 2, &["unknown option 'speed'"]);
    expect(&verify(&["--trace", "/tmp/x.vcd", &file]), 2, &["--trace", "has no waveform"]);
    expect(&run(&["nonsense"]), 2, &["nonsense"]);
}

#[test]
fn a_device_that_is_not_there_ends_with_three() {
    let file = example("mainnet-0.hex");
    expect(&verify(&["--device", "sim:", &file]), 3, &["make sim", "card.so"]);
    expect(
        &verify(&["--device", "sim:", "--trace", "/tmp/x.vcd", &file]),
        3,
        &["make sim TRACE=1"],
    );
    expect(&verify(&["--device", "pcie:99", &file]), 3, &["there is no /dev/xdma99_user"]);
    let no_slot = &["this machine has no FPGA slot", "F2 instances"];
    expect(&verify(&["--device", "f2:0?emulated=/nowhere", &file]), 3, no_slot);
    let output = verify(&["--params", "80,4", "/nowhere/file"]);
    expect(&output, 3, &["cpu: cannot do this: equihash_verify (80,4); it offers", "(200,9)"]);
    expect(&run(&["selftest", "--device", "sim:/dev/null"]), 3, &["/dev/null"]);
}

#[test]
fn all_files_are_gone_through_and_the_worst_counts() {
    let (_folder, paths) = files(&[b"oops"]);
    let (good, invalid) = (example("mainnet-0.hex"), example("testnet-0.hex"));
    expect(&verify(&[&good, &invalid]), 1, &["1 valid, 1 invalid"]);
    let output = verify(&[&paths[0], &invalid, &good]);
    expect(&output, 2, &["1 valid, 1 invalid; 1 file malformed", "'o' is not a hex digit"]);
}

#[test]
fn many_files_keep_their_order() {
    let (good, invalid) = (header("mainnet-346.hex"), header("testnet-0.hex"));
    let contents: Vec<&[u8]> =
        [&good[..], b"oops", &invalid].into_iter().cycle().take(300).collect();
    let (_folder, paths) = files(&contents);
    let paths: Vec<_> = paths.iter().map(String::as_str).collect();
    let output = verify(&[&["--json"], &paths[..]].concat());
    expect(&output, 2, &["offset 0: 'o' is not a hex digit"]);
    let lines: Vec<Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 301);
    for (i, (line, path)) in lines.iter().zip(&paths).enumerate() {
        assert_eq!(line["file"], *path);
        let valid = [Value::Bool(true), Value::Null, Value::Bool(false)];
        assert_eq!(line["valid"], valid[i % 3], "{path}");
    }
    assert!(lines[300]["device_seconds"].as_f64().unwrap() > 0.0);
}

/// The circuit accepts a header every few hundred cycles, but each takes well over a thousand.
#[test]
fn files_of_one_header_keep_a_simulation_busy() {
    let simulation = proofmill_device::list().into_iter().find(|listed| listed.uri == "sim:");
    let Some(simulation) = simulation.and_then(|listed| listed.simulation) else {
        let named = std::env::var_os(proofmill_device::FOLDER_VARIABLE).is_some();
        assert!(!named, "{} has no 'card'", proofmill_device::FOLDER_VARIABLE);
        eprintln!("SKIPPED: there is no simulation 'card'; `make sim` builds it");
        return;
    };
    let uri = format!("sim:{}", simulation.path.display());
    let cycles = |files: &[&str]| {
        let output = verify(&[&["--json", "--device", &uri], files].concat());
        expect(&output, 0, &[]);
        let last = text(&output.stdout).lines().last().unwrap();
        serde_json::from_str::<Value>(last).unwrap()["cycles"].as_u64().unwrap()
    };
    let file = example("mainnet-346.hex");
    let (one, sixteen) = (cycles(&[&file]), cycles(&[&file[..]; 16]));
    assert!(sixteen < 16 * one / 2, "{sixteen} cycles for 16 files, {one} for one");
    assert_eq!(cycles(&[&file]), one, "the same again takes the same cycles");
}

#[test]
fn a_file_that_is_too_large_is_not_read() {
    let (_folder, paths) = files(&[b""]);
    std::fs::File::options().write(true).open(&paths[0]).unwrap().set_len((1 << 30) + 1).unwrap();
    let output = verify(&[&paths[0]]);
    expect(&output, 2, &[&paths[0], "1073741825 bytes; expected at most 1073741824"]);
}

#[test]
fn json_is_a_line_an_object() {
    let (_folder, paths) = files(&[b"oops"]);
    let output =
        verify(&["--json", &example("mainnet-346.hex"), &example("testnet-0.hex"), &paths[0]]);
    expect(&output, 2, &[]);
    let lines: Vec<Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 4);
    assert_eq!((&lines[0]["type"], &lines[0]["hash"]), (&"header".into(), &HASH_346.into()));
    assert_eq!((&lines[0]["valid"], lines[0]["number"].as_u64()), (&true.into(), Some(1)));
    assert_eq!(lines[1]["errors"][0], "difficulty_fail");
    assert_eq!(
        (&lines[2]["type"], &lines[2]["file"]),
        (&"error".into(), &paths[0].as_str().into())
    );
    assert!(lines[2]["message"].as_str().unwrap().starts_with("offset 0"));
    assert_eq!((&lines[3]["type"], lines[3]["invalid"].as_u64()), (&"summary".into(), Some(1)));
}

#[test]
fn a_reader_that_goes_away_is_no_panic() {
    let (_folder, paths) = files(&[&header("mainnet-346.hex").repeat(2000)]);
    let mut child = command(&["equihash", "verify", &paths[0]])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(141));
    assert!(output.stderr.is_empty(), "{}", text(&output.stderr));
}

#[test]
fn the_machine_is_described() {
    expect(&run(&["devices"]), 0, &["cpu:", "equihash_verify (200,9)", "make sim"]);
    expect(
        &run(&["doctor"]),
        0,
        &["processor", "chosen", "portable", "/nowhere/proofmill-simulations"],
    );
    let devices: Value = serde_json::from_slice(&run(&["devices", "--json"]).stdout).unwrap();
    assert_eq!(devices[0]["uri"], "cpu:");
    let doctor: Value = serde_json::from_slice(&run(&["doctor", "--json"]).stdout).unwrap();
    assert!(doctor["cpu"]["threads"].as_u64().unwrap() > 0);
    assert!(doctor["cpu"]["chosen"].is_string());
    // A GPU has a driver; where there is none, one line has the reason.
    let gpus = &doctor["gpus"];
    assert_ne!(gpus["driver"].is_null(), gpus["problem"].is_null(), "{gpus}");
    assert_eq!(gpus["found"].as_array().unwrap().is_empty(), gpus["driver"].is_null(), "{gpus}");
    if let Some(problem) = gpus["problem"].as_str() {
        expect(&run(&["doctor"]), 0, &[&format!("GPUs         none: {problem}\n")]);
        expect(&run(&["devices"]), 0, &[&format!("cuda:                    {problem}\n")]);
        expect(&run(&["selftest", "--device", "cuda:9"]), 3, &[problem]);
    }
}

#[test]
fn the_selftest_passes_and_chooses() {
    expect(&run(&["selftest", "--filter", "48,5"]), 0, &["checks passed, 0 failed"]);
    let output = run(&["selftest", "--json", "--filter", "(48,5): resident"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((report["passed"].as_u64(), report["failed"].as_u64()), (Some(1), Some(0)));
    expect(&run(&["selftest", "--filter", "no such check"]), 2, &["no such check"]);
}

#[test]
fn the_demo_shows_what_is_valid() {
    let parts = [
        HASH_346,
        "mainnet-1687106",
        "500 headers in one request: 500 valid",
        "02794881321c6a7fa413641dfe75dca623b37ade61fc4646ff1a8f6b62922dcb",
        "10000 signatures, 21 of them different: 10000 valid",
    ];
    expect(&run(&["demo"]), 0, &parts);
}

#[test]
fn a_code_path_is_chosen_by_its_name() {
    let chosen = |arguments: &[&str]| {
        let doctor: Value = serde_json::from_slice(&run(arguments).stdout).unwrap();
        (
            doctor["cpu"]["chosen"].clone(),
            doctor["cpu"]["code_paths"].clone(),
            doctor["cpu"]["absent"].clone(),
        )
    };
    let (best, present, absent) = chosen(&["doctor", "--json"]);
    assert!(present.as_array().unwrap().contains(&best));
    for level in present.as_array().unwrap() {
        let level = level.as_str().unwrap();
        assert_eq!(chosen(&["--isa", level, "doctor", "--json"]).0, level);
        let real = example("mainnet-346.hex");
        expect(&verify(&["--isa", level, &real]), 0, &["1 valid"]);
    }
    for level in absent.as_array().unwrap() {
        let level = level.as_str().unwrap();
        expect(&run(&["--isa", level, "devices"]), 2, &["--isa: this processor has no ", level]);
    }
    expect(&run(&["--isa", "fast", "devices"]), 2, &["--isa: there is no level 'fast'"]);
}

#[test]
fn the_doctor_measures_every_level() {
    let doctor: Value =
        serde_json::from_slice(&run(&["doctor", "--measure", "--json"]).stdout).unwrap();
    let measured = doctor["measured"].as_array().unwrap();
    let levels: Vec<_> = measured.iter().map(|row| row["level"].clone()).collect();
    assert!(doctor["cpu"]["code_paths"].as_array().unwrap().starts_with(&levels));
    assert_eq!(levels.last(), Some(&doctor["cpu"]["chosen"]));
    for row in measured {
        let rates = row.as_object().unwrap().values().filter_map(Value::as_f64);
        assert_eq!(rates.filter(|rate| *rate > 0.0).count(), 4, "{row}");
    }
}

/// The error is reported before any measurement, which takes a minute.
#[test]
fn a_page_of_bench_that_cannot_be_written_is_named_at_once() {
    let output = run(&["bench", "--html", "/nowhere/proofmill.html"]);
    expect(&output, 2, &["--html: /nowhere/proofmill.html: No such file"]);
}

/// The arguments and the exit status pass through; without Python or the package, the error names them.
#[test]
#[cfg(unix)]
fn the_cluster_is_a_python_command() {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let python = |script: &str| {
        let path = folder.path().join("python");
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
        let mut command = command(&["cluster", "prove", "k.zkey", "--help"]);
        command.env("PROOFMILL_PYTHON", path).output().unwrap()
    };
    let found = python("[ \"$1\" = -c ] && exit 0\necho \"$@\"\nexit 7");
    assert_eq!(found.status.code(), Some(7), "{found:?}");
    assert_eq!(found.stdout, b"-m proofmill.cluster prove k.zkey --help\n");
    expect(&python("exit 1"), 2, &["has no proofmill with Ray", "proofmill[ray]"]);
    let mut absent = command(&["cluster", "status"]);
    absent.env("PROOFMILL_PYTHON", "/no/python");
    expect(&absent.output().unwrap(), 2, &["/no/python: the cluster needs Python"]);
}
