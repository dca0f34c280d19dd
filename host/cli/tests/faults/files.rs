//! Damaged keys and witnesses: a proof that is returned verifies, or the error names the file.

use proofmill_proof::groth16::{Devices, Prover, Settings, verify};
use proofmill_proof::snarkjs::{Witness, Zkey};
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
