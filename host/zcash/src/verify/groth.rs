//! The Groth16 proofs of Sprout and Sapling, in batches.

use std::sync::OnceLock;

use proofmill_proof::bellman;
use proofmill_proof::groth16::{PreparedVerifyingKey, Scalar};
use proofmill_proof::{Pairings, Result};
use zcash_primitives::transaction::components::sprout::JsDescription;

use super::Place;

/// A circuit with proofs in blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statement {
    JoinSplit,
    Spend,
    Output,
}

impl Statement {
    const ALL: [Self; 3] = [Self::JoinSplit, Self::Spend, Self::Output];

    /// The verifying key: the first bytes of the parameters of each ceremony.
    fn key(self) -> (&'static str, &'static [u8]) {
        match self {
            Self::JoinSplit => ("sprout.vk", include_bytes!("../keys/sprout.vk")),
            Self::Spend => ("sapling-spend.vk", include_bytes!("../keys/sapling-spend.vk")),
            Self::Output => ("sapling-output.vk", include_bytes!("../keys/sapling-output.vk")),
        }
    }
}

/// A proof with its public inputs.
#[derive(Debug)]
pub struct Claim {
    pub place: Place,
    pub proof: [u8; 192],
    pub public_inputs: Vec<Scalar>,
}

/// The claims of some blocks.
#[derive(Debug, Default)]
pub struct Claims([Vec<Claim>; 3]);

impl Claims {
    pub fn push(&mut self, statement: Statement, claim: Claim) {
        self.0[statement as usize].push(claim);
    }

    pub fn append(&mut self, other: Self) {
        self.0.iter_mut().zip(other.0).for_each(|(claims, other)| claims.extend(other));
    }
}

/// The prepared keys.
#[derive(Debug)]
pub struct Keys {
    pairings: Pairings,
    prepared: [OnceLock<PreparedVerifyingKey>; 3],
}

impl Keys {
    pub fn new(pairings: Pairings) -> Self {
        Self { pairings, prepared: Default::default() }
    }

    fn get(&self, statement: Statement) -> Result<&PreparedVerifyingKey> {
        let cell = &self.prepared[statement as usize];
        if cell.get().is_none() {
            let (name, bytes) = statement.key();
            let key = bellman::read_verifying_key(name, bytes)?;
            let prepared = PreparedVerifyingKey::with_pairings(&key, self.pairings.clone())?;
            let _ = cell.set(prepared);
        }
        Ok(cell.get().expect("it was set"))
    }

    /// Returns the places of invalid proofs, with the reason.
    pub fn find_invalid(&self, claims: &Claims) -> Result<Vec<(Place, String)>> {
        let mut invalid = Vec::new();
        for statement in Statement::ALL {
            let claims = &claims.0[statement as usize];
            if claims.is_empty() {
                continue;
            }
            let proofs: Vec<_> =
                claims.iter().map(|it| (&it.public_inputs[..], &it.proof)).collect();
            for (index, problem) in self.get(statement)?.find_invalid_compressed(&proofs)? {
                invalid.push((claims[index].place, problem.to_string()));
            }
        }
        Ok(invalid)
    }
}

/// Bits of a scalar in packed inputs: the field's capacity.
const CAPACITY: usize = 254;

/// Packs bits into scalars, the first bit of each as the lowest (protocol specification 5.4.10.2 and A.4: multipacking).
fn pack(bits: impl Iterator<Item = bool>) -> Vec<Scalar> {
    let mut scalars = Vec::new();
    for (at, bit) in bits.enumerate() {
        let position = at % CAPACITY;
        if position == 0 {
            scalars.push([0; 32]);
        }
        let scalar: &mut Scalar = scalars.last_mut().expect("one was pushed");
        scalar[position / 8] |= u8::from(bit) << (position % 8);
    }
    scalars
}

/// Packs bytes, the lowest bit of each first.
pub fn pack_le(bytes: &[u8]) -> Vec<Scalar> {
    pack(bytes.iter().flat_map(|byte| (0..8).map(move |bit| byte >> bit & 1 == 1)))
}

/// Packs bytes, the highest bit of each first.
fn pack_be(bytes: &[u8]) -> Vec<Scalar> {
    pack(bytes.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1 == 1)))
}

/// Computes the public inputs of a JoinSplit: anchor, h_sig, for each input nullifier and MAC, commitments, public values (protocol
/// specification 4.15.1).
pub fn joinsplit_inputs(joinsplit: &JsDescription, key: &[u8; 32]) -> Vec<Scalar> {
    let nullifiers = joinsplit.nullifiers();
    let mut hash =
        blake2b_simd::Params::new().hash_length(32).personal(b"ZcashComputehSig").to_state();
    hash.update(joinsplit.random_seed());
    hash.update(nullifiers.as_flattened());
    hash.update(key);
    let mut bytes = joinsplit.anchor().to_vec();
    bytes.extend_from_slice(hash.finalize().as_bytes());
    for (nullifier, mac) in nullifiers.iter().zip(joinsplit.macs()) {
        bytes.extend_from_slice(nullifier);
        bytes.extend_from_slice(mac);
    }
    bytes.extend(joinsplit.commitments().as_flattened());
    for value in [joinsplit.vpub_old(), joinsplit.vpub_new()] {
        bytes.extend(u64::try_from(i64::from(value)).unwrap_or_default().to_le_bytes());
    }
    pack_be(&bytes)
}
