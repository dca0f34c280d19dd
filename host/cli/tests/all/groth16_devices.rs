//! `proofmill prove` with sums in the circuit of `msm`, in simulation: one that computes, one that lies, one that is silent; and `proofmill verify` and
//! `bls verify` with pairings in the coprocessor.
#![cfg(unix)]

use std::path::Path;
use std::process::{Command, Output};

use crate::support::made::Made;
use crate::support::{expect, files, run, text};
use proofmill_device::Simulation;
use serde_json::{Value, json};

/// The circuit of BN254, with multipliers by a function: their circuits would be simulated for hours.
const NAME: &str = "msm_bn254_twin";

/// The coprocessor: as published, and with memory for the lines of a key's points.
const COPROCESSORS: [&str; 2] = ["coprocessor_twin", "coprocessor_1024_twin"];

fn simulation(name: &str) -> Option<Simulation> {
    let found = proofmill_device::list().into_iter().filter_map(|listed| listed.simulation);
    let found = found.into_iter().find(|it| it.name == name && !it.traced);
    if found.is_none() {
        let named = std::env::var_os(proofmill_device::FOLDER_VARIABLE).is_some();
        assert!(!named, "{} has no '{name}'", proofmill_device::FOLDER_VARIABLE);
        eprintln!("SKIPPED: there is no simulation '{name}'; `make sim CONFIG={name}` builds it");
    }
    found
}

/// The same with other answers: `lying_card.c`, compiled with these options.
fn lying(simulation: &Simulation, folder: &Path, options: &[&str]) -> String {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let library = folder.join("lying.so");
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-Wl,--no-as-needed"])
        .args(options)
        .arg("-I")
        .arg(here.join("../../spec/wire"))
        .arg("-o")
        .arg(&library)
        .arg(here.join("tests/lying_card.c"))
        .arg(simulation.path.canonicalize().unwrap())
        .arg("-ldl")
        .status();
    assert!(built.expect("cc, which links programs of Rust too").success());
    format!("sim:{}", library.display())
}

/// What `--json` writes.
fn report(made: &Made, device: &str) -> (Value, String) {
    read(made, &made.prove_with(&["--json", "--device", device]))
}

/// What a successful proof wrote.
fn read(made: &Made, said: &Output) -> (Value, String) {
    expect(said, 0, &[]);
    expect(&made.verify(&[]), 0, &["proof.json: valid"]);
    (serde_json::from_slice(&said.stdout).unwrap(), text(&said.stderr).to_owned())
}

/// The devices of a step, in the order of the attempts.
fn devices<'a>(report: &'a Value, step: &str) -> Vec<&'a str> {
    let steps = report["steps"].as_array().unwrap().iter();
    steps.filter(|it| it["step"] == step).map(|it| it["device"].as_str().unwrap()).collect()
}

#[test]
fn a_circuit_sums_and_the_processor_does_the_rest() {
    let Some(simulation) = simulation(NAME) else { return };
    let device = format!("sim:{}", simulation.path.display());
    let made = Made::new("bn254", 40);
    expect(&made.prove_with(&["--plan", "--device", &device]), 0, &[&device, "cpu:"]);
    let (report, said) = report(&made, &device);
    assert_eq!((&report["retried"], said.as_str()), (&Value::Null, ""));
    for step in ["MSM A", "MSM B1", "MSM C", "MSM H"] {
        assert_eq!(devices(&report, step), [&device], "{step}");
    }
    for step in ["MSM B2", "quotient"] {
        assert!(devices(&report, step)[0].starts_with("cpu:"), "{step}");
    }
    let other = Made::new("bls12_381", 9);
    let refused = other.prove_with(&["--device", &device]);
    expect(&refused, 3, &[&device, "any step of a proof over bls12_381"]);
}

#[test]
fn a_circuit_that_lies_is_found_out() {
    let Some(simulation) = simulation(NAME) else { return };
    let made = Made::new("bn254", 9);
    let device = lying(&simulation, made.0.path(), &[]);
    let (report, said) = report(&made, &device);
    assert_eq!((&report["wrong_answers"], &report["failures"]), (&1.into(), &0.into()), "{report}");
    assert_eq!(report["retried"]["devices"], Value::from([device.clone()].to_vec()));
    let problem = "the proof computed with its results does not verify";
    assert_eq!(report["retried"]["problem"], problem);
    assert!(
        said.contains(&format!("{device}: {problem}; the proof was repeated on cpu:")),
        "{said}"
    );
    let [first, second] = devices(&report, "MSM A")[..] else { panic!("{report}") };
    assert!(first == device && second.starts_with("cpu:"), "{report}");

    std::fs::remove_file(made.at("proof.json")).unwrap();
    let forbidden = made.prove_with(&["--device", &device, "--no-retry"]);
    expect(&forbidden, 3, &[&device, problem, "the device or the witness is wrong"]);
    assert!(!Path::new(&made.at("proof.json")).exists());
}

#[test]
fn a_circuit_that_is_silent_is_not_waited_for() {
    let Some(simulation) = simulation(NAME) else { return };
    let made = Made::new("bn254", 9);
    let silent = lying(&simulation, made.0.path(), &["-DSILENT"]);
    // A busy machine may need longer than a short time-out to open the card.
    let attempt = |seconds| {
        let device = format!("{silent}?timeout={seconds}");
        (seconds, made.prove_with(&["--json", "--device", &device]), device)
    };
    let opened = [5, 60].into_iter().map(attempt).find(|(_, said, _)| said.status.success());
    let (seconds, said, device) = opened.expect("the card is opened");
    let (report, said) = read(&made, &said);
    assert_eq!((&report["wrong_answers"], &report["failures"]), (&0.into(), &1.into()), "{report}");
    let problem = format!("{device} did not respond for {seconds} s");
    assert_eq!(report["retried"]["problem"], problem);
    assert!(said.contains(&format!("{problem}; the proof was repeated on cpu:")), "{said}");

    std::fs::remove_file(made.at("proof.json")).unwrap();
    expect(&made.prove_with(&["--device", &device, "--no-retry"]), 3, &[&problem]);
    assert!(!Path::new(&made.at("proof.json")).exists());
}

#[test]
fn pairings_on_a_card_and_by_the_processor_judge_alike() {
    let [Some(published), Some(larger)] = COPROCESSORS.map(simulation) else { return };
    let [card, larger] = [published, larger].map(|it| format!("sim:{}", it.path.display()));
    let made = Made::new("bls12_381", 9);
    expect(&made.prove_with(&[]), 0, &[]);
    let [key, public, proof] =
        ["verification_key.json", "public.json", "proof.json"].map(|name| made.at(name));
    let other = made.write("other.json", "[\"5\"]");
    let lines = [&"00".repeat(32), "01"].map(|message| {
        json!({ "public_key": crate::bls::KEY, "message": message, "signature": crate::bls::SIGNATURE })
    });
    let content = lines.map(|line| format!("{line}\n")).concat();
    let (_folder, signatures) = files(&[content.as_bytes()]);
    for device in [&card, &larger, "cpu:?threads=1"] {
        let verify = |more: &[&str]| run(&[&["verify", "--device", device, &key], more].concat());
        expect(&verify(&[&public, &proof]), 0, &["proof.json: valid\n"]);
        expect(&verify(&[&other, &proof]), 1, &["proof.json: invalid\n"]);
        let batch = ["--batch", "--json", &public, &proof, &other, &proof, &public, &proof];
        let said = verify(&batch);
        expect(&said, 1, &[]);
        let valid = text(&said.stdout).lines().map(|line| {
            let line: Value = serde_json::from_str(line).unwrap();
            line["valid"].as_bool().unwrap()
        });
        assert_eq!(valid.collect::<Vec<_>>(), [true, false, true], "{device}");
        let arguments = ["bls", "verify", "--scheme", "possession", "--device", device];
        let said = run(&[&arguments[..], &[&signatures[0]]].concat());
        expect(&said, 1, &["line 1: valid\nline 2: invalid: the signature does not verify\n"]);
    }

    let other = Made::new("bn254", 9);
    expect(&other.prove_with(&[]), 0, &[]);
    expect(&other.verify(&["--device", &card]), 3, &["cannot do this: pairings on bn254"]);
    let refused = made.verify(&["--device", "sim:/nowhere/lib.so"]);
    expect(&refused, 3, &["cannot open", "/nowhere/lib.so"]);
}
