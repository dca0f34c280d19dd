//! A Spend of a note that is alone in its tree, and the Output that creates it. The bench and the peer prove the same.

use sapling_crypto::circuit::{Output, Spend, SpendParameters, ValueCommitmentOpening};
use sapling_crypto::prover::SpendProver;
use sapling_crypto::value::{NoteValue, ValueCommitTrapdoor};
use sapling_crypto::zip32::ExtendedSpendingKey;
use sapling_crypto::{CommitmentTree, IncrementalWitness, Node, Note, Rseed};

/// Returns both circuits with their inputs.
pub fn circuits() -> Option<(Spend, Output)> {
    let key = ExtendedSpendingKey::master(b"the key of a benchmark")?;
    let (_, address) = key.default_address();
    let note =
        Note::from_parts(address, NoteValue::from_raw(1_000_000), Rseed::AfterZip212([1; 32]));
    let node = Node::from_cmu(&note.cmu());
    let mut tree = CommitmentTree::empty();
    tree.append(node).ok()?;
    let path = IncrementalWitness::from_tree(tree)?.path()?;
    let blinding = jubjub::Fr::from(12);
    let spend = <SpendParameters as SpendProver>::prepare_circuit(
        key.expsk().proof_generation_key(),
        *address.diversifier(),
        *note.rseed(),
        note.value(),
        jubjub::Fr::from(11),
        ValueCommitTrapdoor::from_bytes(blinding.to_bytes()).into_option()?,
        path.root(node).into(),
        path,
    )?;
    let output = Output {
        value_commitment_opening: Some(ValueCommitmentOpening {
            value: note.value(),
            randomness: blinding,
        }),
        payment_address: Some(address),
        commitment_randomness: Some(note.rcm()),
        esk: Some(jubjub::Fr::from(13)),
    };
    Some((spend, output))
}
