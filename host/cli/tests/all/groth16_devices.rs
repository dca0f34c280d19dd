//! `proofmill prove` with sums in the circuit of `msm`, in simulation: one that computes, one that lies, one that is silent.
#![cfg(unix)]

use std::path::Path;
use std::process::Command;

use crate::support::made::Made;
use crate::support::{expect, text};
use proofmill_device::Simulation;
use serde_json::Value;

/// The circuit of BN254, with multipliers by a function: their circuits would be simulated for hours.
const NAME: &str = "msm_bn254_twin";

fn simulation() -> Option<Simulation> {
    let found = proofmill_device::list().into_iter().filter_map(|listed| listed.simulation);
    let found = found.into_iter().find(|it| it.name == NAME && !it.traced);
    if found.is_none() {
        let named = std::env::var_os(proofmill_device::FOLDER_VARIABLE).is_some();
        assert!(!named, "{} has no '{NAME}'", proofmill_device::FOLDER_VARIABLE);
        eprintln!("SKIPPED: there is no simulation '{NAME}'; `make sim CONFIG={NAME}` builds it");
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
    let said = made.prove_with(&["--json", "--device", device]);
    expect(&said, 0, &[]);
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
    let Some(simulation) = simulation() else { return };
    let device = format!("sim:{}", simulation.path.display());
    let made = Made::new("bn254", 40);
    expect(&made.prove_with(&["--plan", "--device", &device]), 0, &[&device, "cpu:"]);
    let (report, said) = report(&made, &device);
    assert_eq!((&report["redone"], said.as_str()), (&Value::Null, ""));
    for step in ["sum A", "sum B1", "sum C", "sum H"] {
        assert_eq!(devices(&report, step), [&device], "{step}");
    }
    for step in ["sum B2", "quotient"] {
        assert!(devices(&report, step)[0].starts_with("cpu:"), "{step}");
    }
    let other = Made::new("bls12_381", 9);
    let refused = other.prove_with(&["--device", &device]);
    expect(&refused, 3, &[&device, "any step of a proof over bls12_381"]);
}

#[test]
fn a_circuit_that_lies_is_found_out() {
    let Some(simulation) = simulation() else { return };
    let made = Made::new("bn254", 9);
    let device = lying(&simulation, made.0.path(), &[]);
    let (report, said) = report(&made, &device);
    assert_eq!((&report["wrong_answers"], &report["failures"]), (&1.into(), &0.into()), "{report}");
    assert_eq!(report["redone"]["devices"], Value::from([device.clone()].to_vec()));
    let problem = "the proof that was made of its answers does not verify";
    assert_eq!(report["redone"]["problem"], problem);
    assert!(said.contains(&format!("{device}: {problem}; all was done again on cpu:")), "{said}");
    let [first, second] = devices(&report, "sum A")[..] else { panic!("{report}") };
    assert!(first == device && second.starts_with("cpu:"), "{report}");

    std::fs::remove_file(made.at("proof.json")).unwrap();
    let forbidden = made.prove_with(&["--device", &device, "--no-redo"]);
    expect(&forbidden, 3, &[&device, problem, "it is wrong, or the witness is"]);
    assert!(!Path::new(&made.at("proof.json")).exists());
}

#[test]
fn a_circuit_that_is_silent_is_not_waited_for() {
    let Some(simulation) = simulation() else { return };
    let made = Made::new("bn254", 9);
    let device = lying(&simulation, made.0.path(), &["-DSILENT"]) + "?timeout=1";
    let (report, said) = report(&made, &device);
    assert_eq!((&report["wrong_answers"], &report["failures"]), (&0.into(), &1.into()), "{report}");
    let problem = format!("{device} gave no answer for 1 s");
    assert_eq!(report["redone"]["problem"], problem);
    assert!(said.contains(&format!("{problem}; all was done again on cpu:")), "{said}");

    std::fs::remove_file(made.at("proof.json")).unwrap();
    expect(&made.prove_with(&["--device", &device, "--no-redo"]), 3, &[&problem]);
    assert!(!Path::new(&made.at("proof.json")).exists());
}
