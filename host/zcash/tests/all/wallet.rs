//! A wallet with notes in a tree of their own.

use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use sapling_crypto::circuit::{Output, Spend, ValueCommitmentOpening};
use sapling_crypto::prover::SpendProver;
use sapling_crypto::value::{NoteValue, ValueCommitTrapdoor};
use sapling_crypto::zip32::ExtendedSpendingKey;
use sapling_crypto::{CommitmentTree, IncrementalWitness, MerklePath, Node, Note, Rseed};

use proofmill_zcash::SaplingProver;

/// Randomness of one Spend, and of one Output.
pub const ALPHA: u64 = 11;
pub const RCV: u64 = 12;
pub const ESK: u64 = 13;

pub struct Wallet {
    pub key: ExtendedSpendingKey,
    pub notes: Vec<Note>,
    pub paths: Vec<MerklePath>,
    pub root: Node,
}

impl Wallet {
    /// Returns a wallet with a note of each value.
    pub fn new(values: &[u64]) -> Self {
        let key = ExtendedSpendingKey::master(b"a wallet of the tests").unwrap();
        let (_, address) = key.default_address();
        let note = |(number, &value): (usize, &u64)| {
            let rseed = Rseed::AfterZip212([number as u8 + 1; 32]);
            Note::from_parts(address, NoteValue::from_raw(value), rseed)
        };
        let notes: Vec<_> = values.iter().enumerate().map(note).collect();
        let nodes: Vec<_> = notes.iter().map(|note| Node::from_cmu(&note.cmu())).collect();
        let path = |number: usize| {
            let mut tree = CommitmentTree::empty();
            nodes[..=number].iter().for_each(|node| tree.append(*node).unwrap());
            let mut witness = IncrementalWitness::from_tree(tree).unwrap();
            nodes[number + 1..].iter().for_each(|node| witness.append(*node).unwrap());
            witness.path().unwrap()
        };
        let paths: Vec<_> = (0..nodes.len()).map(path).collect();
        let root = paths[0].root(nodes[0]);
        Self { key, notes, paths, root }
    }

    /// Returns the circuit that spends a note.
    pub fn spend(&self, number: usize) -> Spend {
        let note = &self.notes[number];
        <SaplingProver as SpendProver>::prepare_circuit(
            self.key.expsk().proof_generation_key(),
            *note.recipient().diversifier(),
            *note.rseed(),
            note.value(),
            jubjub::Fr::from(ALPHA),
            rcv(),
            self.root.into(),
            self.paths[number].clone(),
        )
        .unwrap()
    }

    /// Returns the circuit that creates a note.
    pub fn output(&self, number: usize) -> Output {
        let note = &self.notes[number];
        let (value, randomness) = (note.value(), rcv().inner());
        Output {
            value_commitment_opening: Some(ValueCommitmentOpening { value, randomness }),
            payment_address: Some(note.recipient()),
            commitment_randomness: Some(note.rcm()),
            esk: Some(jubjub::Fr::from(ESK)),
        }
    }
}

/// Returns the blinding of a value commitment.
pub fn rcv() -> ValueCommitTrapdoor {
    ValueCommitTrapdoor::from_bytes(jubjub::Fr::from(RCV).to_bytes()).unwrap()
}

/// Returns a generator for signatures and for the reference.
pub fn generator() -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(53)
}
