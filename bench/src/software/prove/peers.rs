//! Who takes part besides us.

use std::fs::remove_file;
use std::io::ErrorKind;

use anyhow::{Context, Result, ensure};
use proofmill::groth16::{Curve, snarkjs};

use super::ours::Ours;
use super::task::Task;
use crate::peers::program::Program;
use crate::peers::prove::{Work, start_gnark, start_rapidsnark, start_rust, start_snarkjs};

/// A peer.
pub struct Peer {
    /// Name, version, mode.
    pub name: &'static str,
    /// What its key does between proofs.
    pub key: Key,
    takes: Takes,
    /// Its program; none where it could not be started.
    pub program: Option<Program>,
}

/// What a peer's key does between proofs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// It stays in memory, in the peer's own form.
    Stays,
    /// It is read from its file for every proof.
    IsRead,
}

/// What a peer can prove.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    /// Chains, which it builds; it verifies its proofs itself.
    Chains,
    /// What is in files of circom and snarkjs, over one of these curves; its proofs are left in files, for us to verify.
    Files(&'static [Curve]),
}

impl Peer {
    /// All, with so many threads.
    pub fn all(threads: usize) -> [Self; 4] {
        let bn254 = Takes::Files(&[Curve::Bn254]);
        let both = Takes::Files(&[Curve::Bn254, Curve::Bls12_381]);
        let peer = |name, key, takes, program: Result<Program>| {
            let program = program.inspect_err(|problem| eprintln!("without {name}: {problem:#}"));
            Self { name, key, takes, program: program.ok() }
        };
        [
            peer("arkworks 0.6.0 (asm)", Key::Stays, Takes::Chains, start_rust()),
            peer("gnark 0.16.0 (GOAMD64=v4)", Key::Stays, Takes::Chains, start_gnark(threads)),
            peer("rapidsnark 0.0.8", Key::Stays, bn254, start_rapidsnark(threads)),
            peer("snarkjs 0.7.6", Key::IsRead, both, start_snarkjs(threads)),
        ]
    }

    /// Can it do this?
    pub fn takes(&self, task: &Task) -> bool {
        match self.takes {
            Takes::Chains => task.chain.is_some(),
            Takes::Files(curves) => curves.contains(&task.curve),
        }
    }

    /// The seconds of a proof, which verifies.
    pub fn seconds(&mut self, work: &Work, ours: &Ours, curve: Curve) -> Result<f64> {
        remove_answer(work)?;
        let program = self.program.as_mut().context("it was not started").context(self.name)?;
        let seconds = program.seconds(work).context(self.name)?;
        if let Takes::Files(_) = self.takes {
            verify(ours, work, curve).context(self.name)?;
        }
        Ok(seconds)
    }
}

/// Removes the files of the peer before: what is verified is a peer's own.
fn remove_answer(work: &Work) -> Result<()> {
    for path in [&work.proof, &work.public] {
        match remove_file(path) {
            Err(problem) if problem.kind() != ErrorKind::NotFound => {
                return Err(problem).with_context(|| path.display().to_string());
            }
            _ => {}
        }
    }
    Ok(())
}

/// Does the proof in a peer's files verify?
fn verify(ours: &Ours, work: &Work, curve: Curve) -> Result<()> {
    let proof = snarkjs::proof::open(&work.proof)?;
    let public = snarkjs::public::open(&work.public, curve)?;
    ensure!(ours.verifying().verify(&public, &proof)?, "the proof does not verify");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::task::Files;
    use super::*;

    #[test]
    fn what_the_peer_before_has_left_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let task = Task {
            curve: Curve::Bn254,
            name: "a chain".into(),
            chain: None,
            rounds: 1,
            files: Files { zkey: folder.path().join("zkey"), wtns: folder.path().join("wtns") },
        };
        let work = task.work(folder.path(), 1);
        std::fs::write(&work.proof, "of another").unwrap();
        for _ in 0..2 {
            remove_answer(&work).unwrap();
            assert_eq!((work.proof.exists(), work.public.exists()), (false, false));
        }
        std::fs::create_dir(&work.public).unwrap();
        assert!(remove_answer(&work).is_err());
    }
}
