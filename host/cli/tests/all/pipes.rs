//! Witnesses, public inputs and proofs from standard input and pipes, and proofs to them.
#![cfg(unix)]

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::FileTypeExt as _;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::made::Made;
use crate::support::{command, expect, piped, run, text};

/// Makes a named pipe; its path.
fn pipe(made: &Made, name: &str) -> String {
    let path = made.at(name);
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    path
}

fn is_pipe(path: &str) -> bool {
    fs::metadata(path).unwrap().file_type().is_fifo()
}

/// Proves with this witness from standard input.
fn prove_piped(made: &Made, witness: &[u8], more: &[&str]) -> Output {
    let [zkey, proof, public] =
        ["INSECURE.zkey", "proof.json", "public.json"].map(|name| made.at(name));
    let arguments = ["prove", &zkey, "-", "-o", &proof, "--public", &public];
    piped(&[&arguments[..], more].concat(), witness)
}

#[test]
fn a_witness_is_read_from_standard_input() {
    // The second witness is longer than a pipe holds.
    for (curve, constraints) in [("bls12_381", 9), ("bn254", 2100)] {
        let made = Made::new(curve, constraints);
        expect(
            &prove_piped(&made, &made.read("witness.wtns"), &[]),
            0,
            &["proof.json: ", "verified"],
        );
        expect(&made.verify(&[]), 0, &["proof.json: valid"]);
    }
}

#[test]
fn a_bad_witness_from_a_stream_is_an_error_that_names_it() {
    let made = Made::new("bn254", 9);
    let witness = made.read("witness.wtns");
    let refuses = |witness: &[u8], parts: &[&str]| {
        expect(&prove_piped(&made, witness, &[]), 2, parts);
        assert!(made.others().is_empty(), "{:?}", made.others());
    };
    refuses(&[], &["standard input: frame, byte 0: "]);
    refuses(&witness[..witness.len() - 32], &["standard input: section 2 (values), byte "]);
    let mut wrong = witness.clone();
    *wrong.last_mut().unwrap() ^= 0xff;
    refuses(&wrong, &["standard input: ", "not below r"]);
    let mut wrong = witness.clone();
    wrong[witness.len() - 32] ^= 1;
    refuses(&wrong, &["with standard input: ", "does not satisfy the circuit"]);
    refuses(&Made::new("bn254", 10).read("witness.wtns"), &["witness", "12 values", "11"]);
    let endless = made.prove(&made.at("INSECURE.zkey"), "/dev/zero", &[]);
    let most = 11 * 32 + 4096;
    let named = format!("WTNS: /dev/zero: more than {most} bytes, the most of a witness for ");
    expect(&endless, 2, &[&named, "INSECURE.zkey"]);
}

#[test]
fn outputs_go_to_standard_output_and_the_report_to_standard_error() {
    let made = Made::new("bn254", 9);
    let witness = made.read("witness.wtns");
    let [zkey, wtns, proof, public] =
        ["INSECURE.zkey", "witness.wtns", "proof.json", "public.json"].map(|name| made.at(name));
    let said = piped(&["prove", &zkey, "-", "-o", "-", "--public", &public], &witness);
    expect(&said, 0, &[]);
    let value: Value = serde_json::from_slice(&said.stdout).expect("a proof and nothing else");
    assert!(value["pi_a"].is_array(), "{value}");
    let report = text(&said.stderr);
    assert!(report.contains("MSM A") && report.contains("standard output: "), "{report}");
    let key = made.at("verification_key.json");
    expect(&piped(&["verify", &key, &public, "-"], &said.stdout), 0, &["-: valid\n"]);

    let said = run(&["prove", &zkey, &wtns, "-o", &proof, "--public", "/dev/stdout", "--json"]);
    expect(&said, 0, &[]);
    assert_eq!(said.stdout, made.read("public.json"));
    assert_eq!(serde_json::from_slice::<Value>(&said.stderr).unwrap()["type"], "prove");

    expect(
        &run(&["prove", &zkey, &wtns, "-o", "-", "--public", "-"]),
        2,
        &["--public: - is --output too"],
    );
    let exported = run(&["key", "export-vkey", &zkey, "-o", "-"]);
    expect(&exported, 0, &[]);
    assert_eq!(exported.stdout, made.read("verification_key.json"));
    // `-` is no file's name.
    assert!(!std::path::Path::new("-").exists());
}

#[test]
fn public_inputs_and_proofs_are_read_from_streams() {
    let made = Made::new("bls12_381", 9);
    expect(&made.prove_with(&[]), 0, &[]);
    let [key, public, proof] =
        ["verification_key.json", "public.json", "proof.json"].map(|name| made.at(name));
    let (public_bytes, proof_bytes) = (made.read("public.json"), made.read("proof.json"));
    expect(&piped(&["verify", &key, "-", &proof], &public_bytes), 0, &["proof.json: valid\n"]);
    expect(&piped(&["verify", &key, "-", &proof], b"[\"5\"]"), 1, &["proof.json: invalid\n"]);
    expect(&piped(&["verify", &key, "/dev/stdin", &proof], &public_bytes), 0, &["valid\n"]);
    let said = piped(&["verify", "--json", "--batch", &key, &public, "-"], &proof_bytes);
    expect(&said, 0, &["\"file\":\"-\""]);
    let substituted = Command::new("bash")
        .args([
            "-c",
            r#""$0" verify "$1" <(cat "$2") <(cat "$3")"#,
            env!("CARGO_BIN_EXE_proofmill"),
        ])
        .args([&key, &public, &proof])
        .output()
        .unwrap();
    expect(&substituted, 0, &[": valid\n"]);

    let once = ["PROOF: standard input (-) can be read only once, and PUBLIC reads it\n"];
    expect(&run(&["verify", &key, "-", "-"]), 2, &once);
    expect(&run(&["verify", &key, "-", "/dev/stdin"]), 2, &once);
    let once = ["PUBLIC: standard input (-) can be read only once\n"];
    expect(&run(&["verify", "--batch", &key, "-", &proof, "-", &proof]), 2, &once);
    expect(&piped(&["verify", &key, "-", &proof], b"[1, x]"), 2, &["standard input: JSON, byte 4"]);
    expect(&piped(&["verify", &key, &public, "-"], b""), 2, &["standard input: JSON, byte 0"]);
    expect(
        &piped(&["verify", &key, "-", &proof], b"[1, 2]"),
        2,
        &["for standard input with ", "2 values"],
    );
    let endless = run(&["verify", &key, "/dev/zero", &proof]);
    expect(&endless, 2, &["/dev/zero: file, byte 16777216: longer than"]);
    let endless = run(&["verify", &key, &public, "/dev/zero"]);
    expect(&endless, 2, &["/dev/zero: file, byte 65536: longer than"]);
}

#[test]
fn named_pipes_stay_pipes() {
    let made = Made::new("bn254", 9);
    let [witness, proof, public] = ["witness", "proof", "public"].map(|name| pipe(&made, name));
    let sent = (witness.clone(), made.read("witness.wtns"));
    let sender = thread::spawn(move || fs::write(sent.0, sent.1).unwrap());
    // One reader, which opens the second pipe at the end of the first.
    let received = [proof.clone(), public.clone()];
    let receiver = thread::spawn(move || received.map(|path| fs::read(path).unwrap()));
    let zkey = made.at("INSECURE.zkey");
    expect(&run(&["prove", &zkey, &witness, "-o", &proof, "--public", &public]), 0, &["verified"]);
    sender.join().unwrap();
    let [proof_bytes, public_bytes] = receiver.join().unwrap();
    assert!([&witness, &proof, &public].into_iter().all(|path| is_pipe(path)));
    made.write("proof.json", proof_bytes);
    made.write("public.json", public_bytes);
    expect(&made.verify(&[]), 0, &["proof.json: valid"]);
    let twice = run(&["prove", &zkey, &witness, "-o", &witness]);
    expect(&twice, 2, &["--output: ", "witness is WTNS too"]);
}

#[test]
fn a_key_is_a_regular_file() {
    let made = Made::new("bn254", 9);
    expect(&made.prove_with(&[]), 0, &[]);
    let [zkey, wtns, key, public, proof] =
        ["INSECURE.zkey", "witness.wtns", "verification_key.json", "public.json", "proof.json"]
            .map(|name| made.at(name));
    let fifo = pipe(&made, "key");
    let folder = made.0.path().to_str().unwrap();
    for (name, shown) in [("-", "standard input"), (&fifo, &fifo), (folder, folder)] {
        let is_refused = |arguments: &[&str], argument: &str| {
            let said = piped(arguments, b"");
            let named = format!("{argument}: {shown}: a key must be a regular file");
            expect(&said, 2, &[&named]);
        };
        is_refused(&["prove", name, &wtns], "ZKEY");
        is_refused(&["prove", name, "--plan"], "ZKEY");
        is_refused(&["key", "info", name], "ZKEY");
        is_refused(&["key", "export-vkey", name, "-o", "-"], "ZKEY");
        is_refused(&["verify", name, &public, &proof], "VKEY");
        #[cfg(feature = "serve")]
        is_refused(&["serve", "--key", &format!("chain={name}")], "--key");
    }
    // A file by another name is a file.
    let said = Command::new("sh")
        .args(["-c", r#""$0" key info /dev/stdin < "$1""#, env!("CARGO_BIN_EXE_proofmill"), &zkey])
        .output()
        .unwrap();
    expect(&said, 0, &["groth16, bn254"]);
    expect(&run(&["verify", &key, &public, &proof]), 0, &["valid"]);
}

/// A key that another program truncates after it was mapped.
#[test]
#[cfg(target_os = "linux")]
fn a_key_that_is_truncated_during_a_proof_is_named_as_the_cause() {
    let made = Made::new("bn254", 2100);
    let key = fs::canonicalize(made.at("INSECURE.zkey")).unwrap();
    let witness = made.read("witness.wtns");
    let proof = made.at("proof.json");
    let arguments = ["prove", key.to_str().unwrap(), "-", "-o", &proof, "--allow-core-dumps"];
    let mut proving = command(&arguments);
    proving.current_dir(made.0.path()).stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut proving = proving.spawn().unwrap();
    let start = Instant::now();
    let maps = format!("/proc/{}/maps", proving.id());
    while !fs::read_to_string(&maps).unwrap().contains(key.to_str().unwrap()) {
        assert!(start.elapsed() < Duration::from_secs(120), "the key is not mapped");
        thread::sleep(Duration::from_millis(5));
    }
    fs::File::options().write(true).open(&key).unwrap().set_len(0).unwrap();
    // It may end before it has read the witness.
    let _ = proving.stdin.take().unwrap().write_all(&witness);
    let output = proving.wait_with_output().unwrap();
    expect(&output, 2, &["became shorter while it was read"]);
    assert!(!fs::exists(&proof).unwrap());
}
