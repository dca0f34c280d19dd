//! Files of small circuits, and commands on them.

use std::fs;
use std::process::{Command, Output};

use tempfile::TempDir;

use super::{command, expect, run};

/// A folder with a key, its constraints, a witness and the verifying key.
pub struct Made(pub TempDir);

impl Made {
    /// Creates the files of a chain of this many constraints.
    pub fn new(curve: &str, constraints: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (out, count) = (folder.path().to_str().unwrap(), constraints.to_string());
        let ask = ["dev", "circuit", "chain", "--constraints", &count, "--curve", curve];
        let said = run(&[&ask[..], &["--out", out]].concat());
        expect(
            &said,
            0,
            &[&format!("{constraints} constraints"), "INSECURE.zkey", "whoever knows"],
        );
        Self(folder)
    }

    /// The path of a file in it.
    pub fn at(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    /// Reads a file in it.
    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.at(name)).unwrap()
    }

    /// Writes a file in it; its path.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        fs::write(self.at(name), content).unwrap();
        self.at(name)
    }

    /// Proves, with more arguments.
    pub fn prove_with(&self, more: &[&str]) -> Output {
        self.proving(more).output().unwrap()
    }

    /// The command that proves.
    pub fn proving(&self, more: &[&str]) -> Command {
        self.proving_of(&self.at("INSECURE.zkey"), &self.at("witness.wtns"), more)
    }

    /// Proves with these files.
    pub fn prove(&self, zkey: &str, witness: &str, more: &[&str]) -> Output {
        self.proving_of(zkey, witness, more).output().unwrap()
    }

    fn proving_of(&self, zkey: &str, witness: &str, more: &[&str]) -> Command {
        let (proof, public) = (self.at("proof.json"), self.at("public.json"));
        command(&[&["prove", zkey, witness, "-o", &proof, "--public", &public], more].concat())
    }

    /// Verifies what was proved.
    pub fn verify(&self, more: &[&str]) -> Output {
        self.verify_files("verification_key.json", "public.json", "proof.json", more)
    }

    /// Verifies with these files in it.
    pub fn verify_files(&self, key: &str, public: &str, proof: &str, more: &[&str]) -> Output {
        run(&[&["verify", &self.at(key), &self.at(public), &self.at(proof)], more].concat())
    }

    /// Every file's name but those that were made first.
    pub fn others(&self) -> Vec<String> {
        let first = ["INSECURE.zkey", "circuit.r1cs", "witness.wtns", "verification_key.json"];
        let names = fs::read_dir(&self.0).unwrap().map(|entry| entry.unwrap().file_name());
        let names = names.map(|name| name.into_string().unwrap());
        names.filter(|name| !first.contains(&&name[..])).collect()
    }
}
