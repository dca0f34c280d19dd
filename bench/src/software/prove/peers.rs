//! The peers in contests of proofs.

use std::fs::remove_file;
use std::io::ErrorKind;

use anyhow::{Context, Result, ensure};
use proofmill::groth16::{Curve, snarkjs};
use proofmill::snark::{Proof, Protocol};
use works::prove::Work;

use super::ours::Ours;
use super::task::Task;
use crate::peers::{Library, Peer, Peers};

/// A peer that proves.
#[derive(Clone, Copy)]
pub struct Entrant {
    library: Library,
    /// The state of its key between proofs.
    pub key: Key,
    protocols: &'static [Protocol],
    takes: Takes,
}

/// The state of a peer's key between proofs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// Kept in memory, in the peer's own form.
    Stays,
    /// Read from its file for every proof.
    IsRead,
}

/// The statements that a peer can prove.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    /// Chains, which it builds; it verifies its proofs itself.
    Chains,
    /// Files of circom and snarkjs, over one of these curves; its proofs are left in files, for us to verify.
    Files(&'static [Curve]),
}

impl Entrant {
    /// Every peer.
    pub const ALL: [Self; 4] = [
        Self {
            library: Library::Arkworks,
            key: Key::Stays,
            protocols: &[Protocol::Groth16],
            takes: Takes::Chains,
        },
        Self {
            library: Library::Gnark,
            key: Key::Stays,
            protocols: &[Protocol::Groth16, Protocol::Plonk],
            takes: Takes::Chains,
        },
        Self {
            library: Library::Rapidsnark,
            key: Key::Stays,
            protocols: &[Protocol::Groth16],
            takes: Takes::Files(&[Curve::Bn254]),
        },
        Self {
            library: Library::Snarkjs,
            key: Key::IsRead,
            protocols: Protocol::ALL,
            takes: Takes::Files(&[Curve::Bn254, Curve::Bls12_381]),
        },
    ];

    /// Returns whether it supports the task.
    pub fn takes(&self, task: &Task) -> bool {
        let form = match self.takes {
            Takes::Chains => task.chain.is_some(),
            Takes::Files(curves) => curves.contains(&task.curve),
        };
        form && self.protocols.contains(&task.protocol)
    }

    /// Returns it as a peer in a contest that verifies each of its proofs.
    pub fn peer<'a>(
        self,
        peers: &'a Peers,
        work: &'a Work,
        ours: &'a Ours,
        task: &Task,
    ) -> Peer<'a> {
        let asked = works::Work::Prove(work.clone());
        let (protocol, curve) = (task.protocol, task.curve);
        let peer = Peer::with(self.library, move || {
            remove_answer(work)?;
            let seconds = peers.seconds(self.library, &asked)?;
            if let Takes::Files(_) = self.takes {
                verify(ours, work, protocol, curve)?;
            }
            Ok(seconds)
        });
        match (self.takes, protocol) {
            (Takes::Chains, Protocol::Plonk) => {
                let name = format!("{}, another arithmetization", peer.name);
                peer.named(name)
            }
            _ => peer,
        }
    }
}

/// Removes the files of the previous peer, so that only its own are verified.
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

/// Verifies the proof in a peer's files.
fn verify(ours: &Ours, work: &Work, protocol: Protocol, curve: Curve) -> Result<()> {
    let proof = Proof::open(protocol, &work.proof)?;
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
            protocol: Protocol::Groth16,
            curve: Curve::Bn254,
            name: "a chain".into(),
            chain: None,
            rounds: 1,
            batch: 0,
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
