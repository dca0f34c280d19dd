//! `proofmill prove`, `verify` and `key` with keys for PLONK and FFLONK.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{expect, piped, run};

/// Folders of snarkjs: a protocol and a curve.
const FOLDERS: [&str; 3] = ["plonk_bn254", "plonk_bls12_381", "fflonk_bn254"];

/// The files of snarkjs for a small circuit, and a folder for those of the command.
struct Files {
    theirs: &'static str,
    folder: TempDir,
}

impl Files {
    fn new(theirs: &'static str) -> Self {
        Self { theirs, folder: tempfile::tempdir().unwrap() }
    }

    fn is_fflonk(&self) -> bool {
        self.theirs.starts_with("fflonk")
    }

    fn theirs(&self, name: &str) -> String {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../proof/tests/snarkjs");
        folder.join(self.theirs).join(name).to_str().unwrap().to_owned()
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
    for folder in FOLDERS {
        let files = Files::new(folder);
        let steps = if files.is_fflonk() {
            ["MSM C1", "MSM W2", "accumulator", "permutation", "opening", "check"]
        } else {
            ["MSM wires", "MSM quotient", "accumulator", "evaluations", "openings", "check"]
        };
        expect(&files.prove(&[]), 0, &steps);
        let (key, public) = (files.theirs("verification_key.json"), files.ours("public.json"));
        let read = |path: &str| fs::read(path).unwrap();
        assert_eq!(read(&public), read(&files.theirs("public.json")));
        expect(&run(&["verify", &key, &public, &files.ours("proof.json")]), 0, &["valid"]);
        expect(&run(&["verify", &key, &public, &files.theirs("proof.json")]), 0, &["valid"]);
        let piped = piped(&["verify", &key, &public, "-"], &read(&files.ours("proof.json")));
        expect(&piped, 0, &["valid"]);

        let exported = files.ours("exported.json");
        expect(
            &run(&["key", "export-vkey", &files.theirs("circuit.zkey"), "-o", &exported]),
            0,
            &[],
        );
        assert_eq!(read(&exported), read(&key));
    }
}

#[test]
fn an_invalid_proof_of_a_batch_is_named() {
    for folder in ["plonk_bn254", "fflonk_bn254"] {
        let files = Files::new(folder);
        expect(&files.prove(&[]), 0, &[]);
        let (key, public) = (files.theirs("verification_key.json"), files.ours("public.json"));
        let mut proof: Value =
            serde_json::from_slice(&fs::read(files.ours("proof.json")).unwrap()).unwrap();
        let value =
            if files.is_fflonk() { &mut proof["evaluations"]["zw"] } else { &mut proof["eval_zw"] };
        *value = "5".into();
        fs::write(files.ours("forged.json"), proof.to_string()).unwrap();
        let (one, forged) = (files.ours("proof.json"), files.ours("forged.json"));
        expect(&run(&["verify", &key, &public, &forged]), 1, &["forged.json: invalid"]);
        let batch = ["verify", "--batch", &key, &public, &one, &public, &forged, &public, &one];
        expect(&run(&batch), 1, &["proof.json: valid", "forged.json: invalid"]);
    }
}

#[test]
fn a_key_is_described_and_a_plan_is_made() {
    for (folder, name, points, steps) in
        [("plonk_bls12_381", "plonk, bls12_381", 14, 10), ("fflonk_bn254", "fflonk, bn254", 90, 12)]
    {
        let files = Files::new(folder);
        let key = files.theirs("circuit.zkey");
        let said = run(&["key", "info", "--check", &key]);
        expect(&said, 0, &[name, "5 of at most 2^3", "2 public", "every scalar below r"]);
        let said = run(&["key", "info", "--json", &key]);
        let told: Value = serde_json::from_slice(&said.stdout).unwrap();
        let protocol = name.split(',').next().unwrap();
        assert_eq!((&told["protocol"], &told["domain"]), (&protocol.into(), &8.into()));
        assert_eq!((&told["points"], &told["additions"]), (&points.into(), &1.into()));
        let said = run(&["prove", "--plan", "--json", &key]);
        let plan: Value = serde_json::from_slice(&said.stdout).unwrap();
        assert_eq!(plan["steps"].as_array().unwrap().len(), steps);
        let report: Value = serde_json::from_slice(&files.prove(&["--json"]).stdout).unwrap();
        assert_eq!(report["steps"].as_array().unwrap().len(), steps);
        assert_eq!(report["planned_memory"], plan["memory"]);
    }
}

#[test]
fn files_of_different_protocols_do_not_fit() {
    let files = Files::new("plonk_bn254");
    let groth16 = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/groth16");
    let other = |name: &str| groth16.join(name).to_str().unwrap().to_owned();
    let (key, public) = (files.theirs("verification_key.json"), files.theirs("public.json"));
    let said = run(&["verify", &key, &public, &other("proof.json")]);
    expect(&said, 2, &["proof.json: JSON", "'A' is missing"]);
    let said =
        run(&["verify", &other("verification_key.json"), &public, &files.theirs("proof.json")]);
    expect(&said, 2, &["proof.json: JSON", "'pi_a' is missing"]);

    let mut other = fs::read(files.theirs("circuit.zkey")).unwrap();
    let header = other.windows(16).position(|it| it == *b"\x01\0\0\0\x04\0\0\0\0\0\0\0\x02\0\0\0");
    other[header.unwrap() + 12] = 3;
    fs::write(files.ours("other.zkey"), other).unwrap();
    for arguments in [["key", "info"], ["prove", "--plan"]] {
        let said = run(&[&arguments[..], &[&files.ours("other.zkey")]].concat());
        expect(
            &said,
            2,
            &[
                "section 1 (header)",
                "a key of protocol number 3, not of groth16 or plonk or fflonk",
            ],
        );
    }
}
