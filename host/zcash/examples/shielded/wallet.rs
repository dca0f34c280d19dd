//! A wallet with two notes pays twice, by the builder of `zcash_primitives`.

use std::error::Error;

use proofmill_zcash::SaplingProver;
use rand_core::CryptoRng;
use sapling_crypto::circuit;
use sapling_crypto::value::NoteValue;
use sapling_crypto::zip32::ExtendedSpendingKey;
use sapling_crypto::{BatchValidator, CommitmentTree, IncrementalWitness, Node, Note, Rseed};
use zcash_primitives::transaction::builder::{BuildConfig, Builder, BundlePadding};
use zcash_primitives::transaction::fees::zip317::FeeRule;
use zcash_primitives::transaction::{Transaction, builder};
use zcash_protocol::consensus::{BlockHeight, BranchId, Network};
use zcash_protocol::memo::MemoBytes;
use zcash_protocol::value::Zatoshis;
use zcash_transparent::builder::TransparentSigningSet;

/// A height of NU5 on the main network.
const HEIGHT: BlockHeight = BlockHeight::from_u32(2_000_000);

/// The values of the notes, and those of the payments; the difference is the fee of ZIP 317.
const NOTES: [u64; 2] = [60_000, 50_000];
const PAYMENTS: [u64; 2] = [70_000, 30_000];

/// Builds, proves, signs and serializes a transaction with two spends and two outputs.
pub fn pay(prover: &SaplingProver, rng: &mut impl CryptoRng) -> Result<Vec<u8>, Box<dyn Error>> {
    let key = ExtendedSpendingKey::master(b"the seed of a wallet").ok_or("an unusable seed")?;
    let view = key.to_diversifiable_full_viewing_key();
    let (_, address) = view.default_address();
    let note = |(number, value)| {
        let rseed = Rseed::AfterZip212([number; 32]);
        Note::from_parts(address, NoteValue::from_raw(value), rseed)
    };
    let notes = (1..).zip(NOTES).map(note).collect::<Vec<_>>();

    // A wallet gets the tree from its node.
    let mut tree = CommitmentTree::empty();
    let mut witnesses: Vec<IncrementalWitness> = Vec::new();
    for note in &notes {
        let node = Node::from_cmu(&note.cmu());
        tree.append(node).map_err(|_| "the tree is full")?;
        for witness in &mut witnesses {
            witness.append(node).map_err(|_| "the tree is full")?;
        }
        witnesses.extend(IncrementalWitness::from_tree(tree.clone()));
    }

    let config = BuildConfig::Standard {
        sapling_anchor: Some(tree.root().into()),
        orchard_anchor: None,
        ironwood_anchor: None,
        orchard_padding: BundlePadding::DEFAULT,
        ironwood_padding: BundlePadding::DEFAULT,
    };
    let mut builder = Builder::new(Network::MainNetwork, HEIGHT, config);
    for (note, witness) in notes.into_iter().zip(witnesses) {
        let path = witness.path().ok_or("no path")?;
        builder.add_sapling_spend::<FeeRule>(view.fvk().clone(), note, path).map_err(show)?;
    }
    for value in PAYMENTS {
        let (value, memo) = (Zatoshis::const_from_u64(value), MemoBytes::empty());
        builder.add_sapling_output::<FeeRule>(None, address, value, memo).map_err(show)?;
    }
    let signers = TransparentSigningSet::new();
    let fee = FeeRule::standard();
    let built = builder.build(&signers, &[key], &[], rng, prover, prover, &fee).map_err(show)?;
    let mut bytes = Vec::new();
    built.transaction().write(&mut bytes)?;
    Ok(bytes)
}

/// Returns the error without its type.
fn show(error: builder::Error<impl std::fmt::Debug>) -> Box<dyn Error> {
    format!("{error:?}").into()
}

/// Returns the verdict of `sapling-crypto` on the Sapling part of a transaction without transparent inputs, whose signature hash is its
/// identifier (ZIP 244).
pub fn is_accepted(
    bytes: &[u8],
    keys: &(circuit::SpendVerifyingKey, circuit::OutputVerifyingKey),
    rng: impl CryptoRng,
) -> Result<bool, Box<dyn Error>> {
    let transaction = Transaction::read(bytes, BranchId::Nu5)?;
    let sighash = *transaction.txid().as_ref();
    let bundle = transaction.sapling_bundle().ok_or("no Sapling part")?.clone();
    let mut validator = BatchValidator::new();
    Ok(validator.check_bundle(bundle, sighash) && validator.validate(&keys.0, &keys.1, rng))
}
