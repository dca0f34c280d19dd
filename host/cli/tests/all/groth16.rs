//! `proofmill prove`, `verify`, `key` and `dev` from the outside.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::support::made::Made;
use crate::support::{command, expect, run, text};
use num_bigint::BigUint;
use serde_json::Value;

const CURVES: [&str; 2] = ["bn254", "bls12_381"];

#[test]
fn what_is_proved_is_verified() {
    for curve in CURVES {
        let made = Made::new(curve, 20);
        let steps = ["MSM A", "MSM B1", "MSM B2", "MSM C", "MSM H", "rows", "quotient", "check"];
        let said = made.prove_with(&[]);
        expect(&said, 0, &steps);
        expect(&said, 0, &[curve, "2^5 rows", "proof.json: ", ", verified"]);
        assert!(said.stderr.is_empty(), "a bar where no terminal is: {}", text(&said.stderr));
        expect(&made.verify(&[]), 0, &["proof.json: valid"]);
        let verdict: Value = serde_json::from_slice(&made.verify(&["--json"]).stdout).unwrap();
        assert_eq!((&verdict["valid"], &verdict["curve"]), (&true.into(), &curve.into()));

        let exported = made.at("exported.json");
        expect(&run(&["key", "export-vkey", &made.at("INSECURE.zkey"), "-o", &exported]), 0, &[]);
        assert_eq!(made.read("exported.json"), made.read("verification_key.json"));
    }
}

#[test]
fn the_example_is_valid() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/groth16");
    let files =
        ["verification_key.json", "public.json", "proof.json"].map(|name| folder.join(name));
    let [key, public, proof] = files.each_ref().map(|file| file.to_str().unwrap());
    expect(&run(&["verify", key, public, proof]), 0, &["proof.json: valid"]);
}

#[test]
fn the_report_says_what_was_done_where() {
    let made = Made::new("bn254", 9);
    let said = made.prove_with(&["--json", "--threads", "1", "--no-self-check"]);
    expect(&said, 0, &[]);
    let report: Value = serde_json::from_slice(&said.stdout).unwrap();
    assert_eq!((&report["type"], &report["curve"]), (&"prove".into(), &"bn254".into()));
    assert_eq!((&report["domain"], &report["public_inputs"]), (&16.into(), &1.into()));
    assert_eq!((&report["self_check"], &report["retried"]), (&false.into(), &Value::Null));
    assert_eq!(report["wrong_answers"], 0);
    assert!(report["seconds"].as_f64() > Some(0.0), "{report}");
    assert!(report["memory"].as_u64() > Some(1 << 20), "{report}");
    assert!(report["planned_memory"].as_u64() > Some(1 << 20), "{report}");
    let steps = report["steps"].as_array().unwrap();
    let device = |name: &str| {
        let step = steps.iter().find(|step| step["step"] == name);
        step.map(|step| step["device"].clone())
    };
    assert_eq!(device("MSM H"), Some("cpu:?threads=1".into()));
    assert_eq!((device("rows"), device("check")), (Some(Value::Null), None));
    expect(&made.verify(&[]), 0, &[]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_proof_takes_the_memory_of_its_plan() {
    let made = Made::new("bn254", (1 << 14) - 2);
    let said = made.prove_with(&["--json"]);
    expect(&said, 0, &[]);
    let report: Value = serde_json::from_slice(&said.stdout).unwrap();
    let [taken, planned] = ["memory", "planned_memory"].map(|name| report[name].as_f64().unwrap());
    assert!(report["domain"] == 1 << 14 && taken <= 1.2 * planned, "{report}");
}

/// Returns spellings of a number: decimal, hexadecimal, and its bytes.
fn spellings(value: &[u8]) -> [String; 3] {
    let number = BigUint::from_bytes_le(value);
    [number.to_string(), format!("{number:x}"), hex::encode(value)]
}

#[test]
fn nothing_is_said_of_the_witness() {
    let made = Made::new("bn254", 9);
    let witness = made.read("witness.wtns");
    // The last nine values are private; before them are 1 and the public one.
    let secrets = witness.len() - 9 * 32;
    let says = |said: &[u8], value: &[u8]| {
        let said = text(said).to_lowercase();
        spellings(value).iter().any(|spelling| said.contains(spelling))
    };
    let is_silent = |said: &Output, witness: &[u8]| {
        for value in witness[secrets..].chunks(32) {
            assert!(!says(&said.stdout, value) && !says(&said.stderr, value), "{said:?}");
        }
    };
    for more in [&[][..], &["--json"], &["--threads", "1", "--no-self-check"], &["--plan"]] {
        let said = made.prove_with(more);
        expect(&said, 0, &[]);
        is_silent(&said, &witness);
    }
    assert!(says(&made.read("public.json"), &witness[secrets - 32..secrets]));
    for file in ["public.json", "proof.json"] {
        let file = made.read(file);
        assert!(!witness[secrets..].chunks(32).any(|value| says(&file, value)));
    }
    let (low, high) = (witness.len() - 32, witness.len() - 1);
    for (at, problem) in [(low, "does not satisfy the circuit"), (high, "not below")] {
        let mut witness = witness.clone();
        witness[at] ^= 0xff;
        made.write("witness.wtns", &witness);
        let said = made.prove_with(&[]);
        expect(&said, 2, &["witness.wtns", problem]);
        is_silent(&said, &witness);
    }
}

#[test]
fn a_plan_is_made_without_a_witness() {
    let made = Made::new("bn254", 9);
    let zkey = made.at("INSECURE.zkey");
    expect(&run(&["prove", &zkey, "--plan"]), 0, &["bn254, 2^4 rows", "MSM B2", "at most"]);
    let said = made.prove_with(&["--plan", "--json", "--device", "cpu:?threads=1"]);
    expect(&said, 0, &[]);
    let plan: Value = serde_json::from_slice(&said.stdout).unwrap();
    let number = |name: &str| plan[name].as_u64().unwrap();
    let sum = ["key", "witness", "resident", "working"].map(number).into_iter().sum::<u64>();
    assert_eq!((&plan["type"], number("memory")), (&"plan".into(), sum));
    assert_eq!(plan["steps"][0]["device"], "cpu:?threads=1");
    assert!(made.others().is_empty(), "a plan is no proof");
}

#[test]
fn what_does_not_hold_is_invalid() {
    let made = Made::new("bn254", 9);
    expect(&made.prove_with(&[]), 0, &[]);
    made.write("other.json", "[\"5\"]");
    let verify = |public, proof| made.verify_files("verification_key.json", public, proof, &[]);
    expect(&verify("other.json", "proof.json"), 1, &["proof.json: invalid"]);
    let mut proof: Value = serde_json::from_slice(&made.read("proof.json")).unwrap();
    proof["pi_c"] = proof["pi_a"].clone();
    made.write("tampered.json", proof.to_string());
    expect(&verify("public.json", "tampered.json"), 1, &["tampered.json: invalid"]);

    let prime = "21888242871839275222246405745257275088548364400416034343698204186575808495617";
    made.write("large.json", format!("[\"{prime}\"]"));
    expect(&verify("large.json", "proof.json"), 2, &["large.json", "[0]"]);
    made.write("two.json", "[\"1\", \"2\"]");
    expect(&verify("two.json", "proof.json"), 2, &["two.json", "2", "1"]);
    proof["pi_a"][0] = "1".into();
    made.write("off.json", proof.to_string());
    expect(&verify("public.json", "off.json"), 2, &["off.json", "pi_a"]);
    made.write("broken.json", "{\"pi_a\": [");
    expect(&verify("public.json", "broken.json"), 2, &["broken.json", "byte 9"]);
    expect(&verify("public.json", "none.json"), 2, &["none.json", "No such file"]);
}

#[test]
fn of_a_batch_each_is_judged() {
    let made = Made::new("bls12_381", 9);
    let prove = |proof: &str| {
        expect(&made.prove_with(&[]), 0, &[]);
        fs::rename(made.at("proof.json"), made.at(proof)).unwrap();
        made.at(proof)
    };
    let proofs = [prove("a.json"), prove("b.json"), prove("c.json")];
    let (key, public) = (made.at("verification_key.json"), made.at("public.json"));
    let other = made.write("other.json", "[\"5\"]");
    let batch = |files: &[&str]| run(&[&["verify", "--batch", &key], files].concat());
    let [a, b, c] = proofs.each_ref().map(|proof| &proof[..]);
    expect(&batch(&[&public, a]), 0, &["a.json: valid"]);
    let valid = ["a.json: valid\n", "b.json: valid\n", "c.json: valid\n"];
    expect(&batch(&[&public, a, &public, b, &public, c]), 0, &valid);
    let output = batch(&[&public, a, &other, b, &public, c]);
    expect(&output, 1, &["a.json: valid\n", "b.json: invalid\n", "c.json: valid\n"]);
    let output = batch(&["--json", &other, a, &public, b]);
    expect(&output, 1, &[]);
    let lines: Vec<Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let told = |i: usize| (lines[i]["valid"].as_bool(), lines[i]["file"].as_str());
    assert_eq!((told(0), told(1)), ((Some(false), Some(a)), (Some(true), Some(b))));

    expect(&batch(&[&public, a, &public]), 2, &["PUBLIC PROOF: ", "public.json has no proof"]);
    expect(&run(&["verify", &key, &public, a, &public, b]), 2, &["--batch"]);
    let two = made.write("two.json", "[\"1\", \"2\"]");
    let named = ["b.json for ", "two.json with ", "public: 2 values, the key has 1"];
    expect(&batch(&[&public, a, &two, b]), 2, &named);
    expect(&batch(&[&public, a, &public, "none.json"]), 2, &["none.json", "No such file"]);
}

#[test]
fn files_that_do_not_belong_together_are_named() {
    let (made, other) = (Made::new("bn254", 9), Made::new("bls12_381", 9));
    let longer = Made::new("bn254", 10);
    let (zkey, witness) = (made.at("INSECURE.zkey"), made.at("witness.wtns"));
    let fails = |zkey: &str, witness: &str, parts: &[&str]| {
        expect(&made.prove(zkey, witness, &[]), 2, parts);
        assert!(made.others().is_empty(), "{:?}", made.others());
    };
    fails(&zkey, &other.at("witness.wtns"), &["witness: is on bls12_381, the key on bn254"]);
    fails(&zkey, &longer.at("witness.wtns"), &["witness", "12 values", "11"]);
    fails(&witness, &zkey, &["begins with 'wtns', not 'zkey'"]);
    fails(&zkey, &made.at("verification_key.json"), &["verification_key.json", "byte 0"]);
    fails("/nowhere.zkey", &witness, &["/nowhere.zkey", "No such file"]);
    fails(&zkey, made.0.path().to_str().unwrap(), &[made.0.path().to_str().unwrap()]);

    // The witness of another statement of the same shape: its last value is another one.
    let mut wrong = made.read("witness.wtns");
    let at = wrong.len() - 32;
    wrong[at] ^= 1;
    let folder = tempfile::tempdir().unwrap();
    let wrong_file = folder.path().join("wrong.wtns");
    fs::write(&wrong_file, &wrong).unwrap();
    fails(&zkey, wrong_file.to_str().unwrap(), &["wrong.wtns", "does not satisfy the circuit"]);
    fs::write(&wrong_file, &wrong[..at]).unwrap();
    fails(&zkey, wrong_file.to_str().unwrap(), &["wrong.wtns", "section 2", "byte "]);

    expect(&made.prove_with(&[]), 0, &[]);
    fs::copy(made.at("proof.json"), other.at("proof.json")).unwrap();
    fs::copy(made.at("public.json"), other.at("public.json")).unwrap();
    expect(&other.verify(&[]), 2, &["proof: is on bn254, the key on bls12_381"]);
}

#[test]
fn nothing_is_overwritten_by_what_is_not_whole() {
    let made = Made::new("bn254", 9);
    let (zkey, witness) = (made.at("INSECURE.zkey"), made.at("witness.wtns"));
    let prove = |more: &[&str]| run(&[&["prove", &zkey, &witness], more].concat());
    expect(&prove(&["-o", &zkey]), 2, &["--output: ", "INSECURE.zkey is ZKEY too"]);
    let by_the_way = made.0.path().join("../").join(made.0.path().file_name().unwrap());
    let by_the_way = by_the_way.join("witness.wtns");
    expect(&prove(&["--public", by_the_way.to_str().unwrap()]), 2, &["--public: ", "WTNS too"]);
    let same = made.at("same.json");
    expect(&prove(&["-o", &same, "--public", &same]), 2, &["same.json is --output too"]);
    expect(&run(&["key", "export-vkey", &zkey, "-o", &zkey]), 2, &["--output: ", "ZKEY too"]);

    made.write("proof.json", "old");
    let nowhere = made.at("no folder/public.json");
    expect(&prove(&["-o", &made.at("proof.json"), "--public", &nowhere]), 2, &["--public: "]);
    assert_eq!(made.read("proof.json"), b"old");
    expect(&prove(&["-o", made.0.path().to_str().unwrap()]), 2, &["--output: ", "directory"]);
    assert_eq!(made.others(), ["proof.json"]);
    expect(&made.prove_with(&[]), 0, &[]);
    expect(&made.verify(&[]), 0, &[]);
}

#[test]
fn wrong_arguments_are_named() {
    let made = Made::new("bn254", 9);
    expect(&made.prove_with(&["--threads", "0"]), 2, &["--threads", "1..=1024"]);
    expect(&made.prove_with(&["--threads", "2", "--device", "cpu:?threads=1"]), 2, &["--threads"]);
    expect(&made.prove_with(&["--device", "gpu:"]), 2, &["unknown scheme 'gpu:'"]);
    expect(&made.prove_with(&["--device", "sim:none"]), 3, &["none.so", "make sim"]);
    expect(&run(&["prove", &made.at("INSECURE.zkey")]), 2, &["<WTNS>"]);
    expect(&run(&["verify", "a", "b"]), 2, &["<PROOF>"]);
    let out = made.at("out");
    let circuit =
        |kind: &str, more: &[&str]| run(&[&["dev", "circuit", kind, "--out", &out], more].concat());
    expect(&circuit("chain", &["--constraints", "0"]), 2, &["constraints: 0 are not from 1"]);
    expect(&circuit("chain", &["--constraints", "100000000"]), 2, &["constraints: 100000000"]);
    expect(&circuit("poseidon", &["--constraints", "9"]), 2, &["chain, sha256"]);
    let curve = ["--constraints", "9", "--curve", "bls12_377"];
    expect(&circuit("chain", &curve), 2, &["bn254, bls12_381"]);
    let file = made.at("witness.wtns");
    let output = run(&["dev", "circuit", "chain", "--constraints", "9", "--out", &file]);
    expect(&output, 2, &["--out: ", "witness.wtns: not a folder\n"]);
    assert!(!Path::new(&out).exists());
    for power in ["0", "99"] {
        expect(&run(&["dev", "ptau", "--power", power, "--out", &out]), 2, &["power: "]);
    }
    assert!(!Path::new(&out).exists());
}

#[test]
fn a_key_is_described() {
    let made = Made::new("bls12_381", 9);
    let info = |more: &[&str]| run(&[&["key", "info", &made.at("INSECURE.zkey")], more].concat());
    let parts =
        ["groth16, bls12_381", "at most 2^4", "11: 1, 1 public", "16 points of bls12_381_g1"];
    expect(&info(&[]), 0, &parts);
    expect(&info(&["--check"]), 0, &["every point is on its curve and in the subgroup"]);
    let key: Value = serde_json::from_slice(&info(&["--json"]).stdout).unwrap();
    assert_eq!(
        (&key["domain"], &key["variables"], &key["public_inputs"]),
        (&16.into(), &11.into(), &1.into())
    );
    assert_eq!(key["sections"][2]["bytes"], 11 * 192);

    // The last point of the section H, which is the last but the contributions.
    let zkey = made.read("INSECURE.zkey");
    let h = key["sections"][4]["bytes"].as_u64().unwrap();
    let section = [9_u32.to_le_bytes().as_slice(), &h.to_le_bytes()].concat();
    let start = zkey.windows(section.len()).position(|part| part == section).unwrap();
    let mut wrong = zkey.clone();
    wrong[start + section.len() + h as usize - 96] ^= 1;
    made.write("INSECURE.zkey", &wrong);
    expect(&info(&[]), 0, &[]);
    expect(&info(&["--check"]), 2, &["INSECURE.zkey: section 9 (H), byte ", "point 15"]);
}

#[test]
fn powers_of_tau_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("INSECURE_3.ptau");
    let ask = ["dev", "ptau", "--power", "3", "--out", out.to_str().unwrap()];
    expect(&run(&ask), 0, &["INSECURE_3.ptau: ", "whoever knows"]);
    let first = fs::read(&out).unwrap();
    assert_eq!(&first[..8], b"ptau\x01\0\0\0");
    expect(&run(&[&ask[..], &["--seed", "another"]].concat()), 0, &[]);
    let other = fs::read(&out).unwrap();
    assert!(first.len() == other.len() && first != other);
    expect(&run(&ask), 0, &[]);
    assert_eq!(fs::read(&out).unwrap(), first, "the same seed makes the same file");
}

/// Sends SIGINT while a file is being written.
#[cfg(unix)]
#[test]
fn an_interrupted_command_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("large.ptau");
    let ask = ["dev", "ptau", "--power", "20", "--out", out.to_str().unwrap()];
    let mut child = command(&ask).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let names = || fs::read_dir(&folder).unwrap().count();
    let start = Instant::now();
    while names() == 0 && start.elapsed() < Duration::from_secs(300) {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(names(), 1, "writing has begun");
    assert!(!out.exists());
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(names(), 0);
}
