//! Damaged keys and witnesses, and keys that another program changes while they are in use: a proof that is returned verifies, or the error
//! names the file.

use std::fs::{self, OpenOptions};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use proofmill_op::msm::Curve;
use proofmill_proof::dev::{Circuit, Statement};
use proofmill_proof::groth16::{Devices, Prover, Settings, verify};
use proofmill_proof::snark::{self, Control, Protocol};
use proofmill_proof::snarkjs::{AnyZkey, Witness, Zkey};
use proofmill_testkit::boards::Folder;
use proofmill_testkit::random::Random;

use crate::provers::{files, key};
use crate::requests::cpu;
use crate::{Case, End};

/// What happens to a file.
#[derive(Clone, Copy, Debug)]
enum Damage {
    Flip,
    Truncation,
    Extension,
    Zeros,
    Exchange,
}

/// Damages a key or a witness at a random place.
pub fn damaged(random: &mut Random) -> Case {
    let damage = *random.pick(&[
        Damage::Flip,
        Damage::Truncation,
        Damage::Extension,
        Damage::Zeros,
        Damage::Exchange,
    ]);
    let is_key = random.below(2) == 1;
    let mut bytes = if is_key { files().0.to_vec() } else { files().1.clone() };
    let at = random.below(bytes.len() as u64) as usize;
    match damage {
        Damage::Flip => bytes[at] ^= 1 << random.below(8),
        Damage::Truncation => bytes.truncate(at),
        Damage::Extension => {
            let more = random.bytes(1 + at % 100);
            bytes.extend(more);
        }
        Damage::Zeros => bytes.iter_mut().skip(at).take(32).for_each(|byte| *byte = 0),
        Damage::Exchange => {
            let other = random.below(bytes.len() as u64) as usize;
            bytes.swap(at, other);
        }
    }
    let (damaged_key, damaged_witness) = match is_key {
        true => (bytes, files().1.clone()),
        false => (files().0.to_vec(), bytes),
    };
    let end = match proved(damaged_key, damaged_witness) {
        Ok(Some(true)) => Ok(End::Right),
        Ok(Some(false)) => Err("a proof that does not verify was returned".into()),
        Ok(None) => Ok(End::Refused),
        Err(problem) => Err(problem),
    };
    Case::new(if is_key { "key" } else { "witness" }, damage, end)
}

/// Returns the end of a case with this error.
fn refused(error: &impl std::fmt::Display) -> Result<Option<bool>, String> {
    match &error.to_string()[..] {
        "" => Err("an error without a text".into()),
        _ => Ok(None),
    }
}

/// Proves with these files and verifies with the key as it was; `None` if they are refused.
fn proved(damaged: Vec<u8>, witness: Vec<u8>) -> Result<Option<bool>, String> {
    let damaged = match Zkey::from_bytes("key", damaged.into()) {
        Ok(key) => key,
        Err(error) => return refused(&error),
    };
    let witness = match Witness::from_bytes("witness", witness) {
        Ok(witness) => witness,
        Err(error) => return refused(&error),
    };
    let prover = match Prover::new(&damaged, Devices::one(cpu()), Settings::default()) {
        Ok(prover) => prover,
        Err(error) => return refused(&error),
    };
    let proved = match prover.prove(&witness) {
        Ok(proved) => proved,
        Err(error) => return refused(&error),
    };
    // What a key that was damaged in its verification key makes is for that key only.
    let own = damaged.verifying_key().map_err(|error| error.to_string())?;
    let for_own = verify(&own, &proved.public_inputs, &proved.proof).unwrap_or(false);
    let vk = key().verifying_key().map_err(|error| error.to_string())?;
    let right = verify(&vk, &proved.public_inputs, &proved.proof).unwrap_or(false);
    Ok(Some(right || for_own))
}

/// When a key changes that is in use.
#[derive(Clone, Copy, Debug)]
enum Change {
    BeforeProver,
    BeforeProof,
    /// At this report of the progress of a proof.
    DuringProof(u64),
}

/// Returns the bytes of a key for a chain of constraints.
fn key_for(protocol: Protocol) -> Vec<u8> {
    let circuit = Circuit::new(Curve::Bn254, &Statement::Chain { constraints: 20 }).unwrap();
    let mut key = Vec::new();
    match protocol {
        Protocol::Plonk => circuit.write_insecure_plonk_key(b"faults", &mut key).unwrap(),
        Protocol::Fflonk => circuit.write_insecure_fflonk_key(b"faults", &mut key).unwrap(),
        _ => circuit.write_insecure_key(b"faults", &mut key).unwrap(),
    }
    key
}

/// Overwrites up to a quarter of a mapped key, by any protocol, with random bytes, zeros or ones.
pub fn changed(random: &mut Random) -> Case {
    let report = random.below(40);
    let change =
        *random.pick(&[Change::BeforeProver, Change::BeforeProof, Change::DuringProof(report)]);
    let bytes = key_for(*random.pick(Protocol::ALL));
    let bits = random.below(bytes.len().ilog2().into());
    let count = 1 + random.below(1 << bits) as usize;
    let at = random.below((bytes.len() - count) as u64);
    let new = match random.below(3) {
        0 => random.bytes(count),
        1 => vec![0; count],
        _ => vec![0xff; count],
    };
    let folder = Folder::new("changed").unwrap();
    let path = folder.path().join("key.zkey");
    fs::write(&path, bytes).unwrap();
    let key = AnyZkey::open(&path).unwrap();
    let overwrite = move || {
        let mut file = OpenOptions::new().write(true).open(&path).unwrap();
        file.seek(SeekFrom::Start(at)).unwrap();
        file.write_all(&new).unwrap();
    };
    let end = match proved_with(&key, change, overwrite) {
        Ok(true) => Ok(End::Right),
        Ok(false) => Err("a proof that does not verify was returned".into()),
        Err(error) => refused(&error).map(|_| End::Refused),
    };
    Case::new("key in use", change, end)
}

/// Proves with a key that changes. Returns whether the proof verifies with the key as it was.
fn proved_with(
    key: &AnyZkey,
    change: Change,
    overwrite: impl Fn() + Send + Sync + 'static,
) -> proofmill_proof::Result<bool> {
    let verifying = key.verifying_key()?;
    if matches!(change, Change::BeforeProver) {
        overwrite();
    }
    let prover = snark::Prover::new(key, Devices::one(cpu()), Settings::default())?;
    if matches!(change, Change::BeforeProof) {
        overwrite();
    }
    let reports = AtomicU64::new(0);
    let control = Control::none().with_progress(Arc::new(move |_, _| {
        let number = reports.fetch_add(1, Ordering::Relaxed);
        if matches!(change, Change::DuringProof(at) if at == number) {
            overwrite();
        }
    }));
    let witness = Witness::from_bytes("witness", files().1.clone())?;
    let proved = prover.prove_with(&witness, &control)?;
    Ok(snark::verify(&verifying, &proved.public_inputs, &proved.proof).unwrap_or(false))
}
