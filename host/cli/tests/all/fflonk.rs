//! `proofmill prove`, `verify` and `key` with a key for FFLONK.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{expect, piped, run};

/// The files of snarkjs for a small circuit, and a folder for those of the command.
struct Files {
    folder: TempDir,
}

impl Files {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn theirs(&self, name: &str) -> String {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../proof/tests/snarkjs");
        folder.join("fflonk_bn254").join(name).to_str().unwrap().to_owned()
    }

    fn ours(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    fn prove(&self, more: &[&str]) -> std::process::Output {
        let (key, witness) = (self.theirs("circuit.zkey"), self.theirs("witness.wtns"));
        let (proof, public) = (self.ours("proof.json"), self.ours("public.json"));
        let all = ["prove", &key, &witness, "-o", &proof, "--public", &public];
        run(&[&all, more].concat())
    }
}

#[test]
fn the_key_chooses_the_protocol() {
    let files = Files::new();
    let steps = ["MSM C1", "MSM W2", "accumulator", "permutation", "opening", "check"];
    expect(&files.prove(&[]), 0, &steps);
    let (key, public) = (files.theirs("verification_key.json"), files.ours("public.json"));
    let read = |path: &str| fs::read(path).unwrap();
    assert_eq!(read(&public), read(&files.theirs("public.json")));
    expect(&run(&["verify", &key, &public, &files.ours("proof.json")]), 0, &["valid"]);
    expect(&run(&["verify", &key, &public, &files.theirs("proof.json")]), 0, &["valid"]);
    let piped = piped(&["verify", &key, &public, "-"], &read(&files.ours("proof.json")));
    expect(&piped, 0, &["valid"]);

    let exported = files.ours("exported.json");
    expect(&run(&["key", "export-vkey", &files.theirs("circuit.zkey"), "-o", &exported]), 0, &[]);
    assert_eq!(read(&exported), read(&key));
}

#[test]
fn an_invalid_proof_of_a_batch_is_named() {
    let files = Files::new();
    expect(&files.prove(&[]), 0, &[]);
    let (key, public) = (files.theirs("verification_key.json"), files.ours("public.json"));
    let mut proof: Value =
        serde_json::from_slice(&fs::read(files.ours("proof.json")).unwrap()).unwrap();
    proof["evaluations"]["zw"] = "5".into();
    fs::write(files.ours("forged.json"), proof.to_string()).unwrap();
    let (one, forged) = (files.ours("proof.json"), files.ours("forged.json"));
    expect(&run(&["verify", &key, &public, &forged]), 1, &["forged.json: invalid"]);
    let batch = ["verify", "--batch", &key, &public, &one, &public, &forged, &public, &one];
    expect(&run(&batch), 1, &["proof.json: valid", "forged.json: invalid"]);
}

#[test]
fn a_key_is_described_and_a_plan_is_made() {
    let files = Files::new();
    let key = files.theirs("circuit.zkey");
    let said = run(&["key", "info", "--check", &key]);
    expect(&said, 0, &["fflonk, bn254", "5 of at most 2^3", "2 public", "every scalar below r"]);
    let said = run(&["key", "info", "--json", &key]);
    let told: Value = serde_json::from_slice(&said.stdout).unwrap();
    assert_eq!((&told["protocol"], &told["domain"]), (&"fflonk".into(), &8.into()));
    assert_eq!((&told["points"], &told["additions"]), (&90.into(), &1.into()));
    let said = run(&["prove", "--plan", "--json", &key]);
    let plan: Value = serde_json::from_slice(&said.stdout).unwrap();
    assert_eq!(plan["steps"].as_array().unwrap().len(), 12);
    let report: Value = serde_json::from_slice(&files.prove(&["--json"]).stdout).unwrap();
    assert_eq!(report["steps"].as_array().unwrap().len(), 12);
    assert_eq!(report["planned_memory"], plan["memory"]);
}
