//! A circuit with invented notes.

use orchard::builder::SpendInfo;
use orchard::circuit::{Circuit, OrchardCircuitVersion};
use orchard::keys::{FullViewingKey, Scope, SpendingKey};
use orchard::note::{Note, NoteVersion, RandomSeed, Rho};
use orchard::tree::{MerkleHashOrchard, MerklePath};
use orchard::value::{NoteValue, ValueCommitTrapdoor};
use pasta_curves::pallas;

/// A circuit of this version. Keys do not depend on the notes.
pub fn circuit(version: OrchardCircuitVersion) -> Circuit {
    let key = SpendingKey::from_bytes([7; 32]).unwrap();
    let key = FullViewingKey::from(&key);
    let note = |rho: Rho| {
        let seed = RandomSeed::from_bytes([3; 32], &rho).unwrap();
        let address = key.address_at(0_u32, Scope::External);
        Note::from_parts(address, NoteValue::from_raw(10), rho, seed, NoteVersion::V2).unwrap()
    };
    let spent = note(Rho::from_bytes(&[1; 32]).unwrap());
    let created = note(Rho::from_bytes(&spent.nullifier(&key).to_bytes()).unwrap());
    let path = MerklePath::from_parts(0, [MerkleHashOrchard::from_bytes(&[2; 32]).unwrap(); 32]);
    let spend = SpendInfo::new(key, spent, path).unwrap();
    let trapdoor = ValueCommitTrapdoor::from_bytes([5; 32]).unwrap();
    Circuit::from_action_context(spend, created, pallas::Scalar::from(9), trapdoor, version)
        .unwrap()
}
