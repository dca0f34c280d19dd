//! The trees over a block's transactions, and the header's fields that commit to them.

use blake2b_simd::Params;
use proofmill::ecdsa::Hash;
use zcash_primitives::transaction::{Transaction, TxVersion};
use zcash_protocol::consensus::{NetworkUpgrade, Parameters};

use super::report::{Findings, Part};
use super::structure::Context;
use crate::block::Block;

/// Bitcoin's tree over transaction identifiers: SHA-256d of pairs; an odd last node is paired with itself (protocol specification 7.6).
/// `None` if two equal neighbours would give the same root without one of them (CVE-2012-2459).
fn merkle_root(mut nodes: Vec<[u8; 32]>) -> Option<[u8; 32]> {
    while nodes.len() > 1 {
        let duplicated = nodes.chunks_exact(2).any(|pair| pair[0] == pair[1]);
        if duplicated {
            return None;
        }
        nodes = nodes
            .chunks(2)
            .map(|pair| Hash::Sha256d.digest(&[pair[0], pair[pair.len() - 1]].concat()))
            .collect();
    }
    nodes.first().copied()
}

/// Returns the root of the tree over the authorizing data (ZIP 244, `hashAuthDataRoot`): padded with zeros to a power of two.
pub fn auth_data_root<'a>(transactions: impl Iterator<Item = &'a Transaction>) -> [u8; 32] {
    let leaf = |transaction: &Transaction| match transaction.version() {
        TxVersion::Sprout(_) | TxVersion::V3 | TxVersion::V4 => [0xff; 32],
        _ => hash(transaction.auth_commitment().as_bytes()),
    };
    let mut nodes: Vec<[u8; 32]> = transactions.map(leaf).collect();
    nodes.resize(nodes.len().next_power_of_two(), [0; 32]);
    while nodes.len() > 1 {
        nodes = nodes
            .chunks(2)
            .map(|pair| {
                let parent = Params::new()
                    .hash_length(32)
                    .personal(b"ZcashAuthDatHash")
                    .hash(pair.as_flattened());
                hash(parent.as_bytes())
            })
            .collect();
    }
    nodes[0]
}

fn hash(bytes: &[u8]) -> [u8; 32] {
    bytes.try_into().expect("the digests have 32 bytes")
}

/// Checks the Merkle root, and of the commitment what follows from the block.
pub fn check_commitments(block: &Block, context: &Context, findings: &mut Findings) {
    let txids = block.transactions.iter().map(|(it, _)| *it.txid().as_ref()).collect();
    match merkle_root(txids) {
        Some(root) => findings.require(root == block.header.merkle_root, Part::MerkleRoot, || {
            format!(
                "the header has {}, the transactions {}",
                reversed(&block.header.merkle_root),
                reversed(&root)
            )
        }),
        None => findings.invalid(Part::MerkleRoot, "a transaction is duplicated"),
    }
    let commitment = block.header.final_sapling_root;
    let heartwood = context.network.activation_height(NetworkUpgrade::Heartwood);
    if heartwood.is_some_and(|height| u32::from(height) == context.height) {
        findings.require(commitment == [0; 32], Part::Commitment, || {
            "it is not zero in the block that activates Heartwood".into()
        });
    } else if context.is_active(NetworkUpgrade::Nu5) {
        findings.not_checked(Part::Commitment, "it includes the root of the chain's history");
    } else if context.is_active(NetworkUpgrade::Heartwood) {
        findings.not_checked(Part::Commitment, "it is the root of the chain's history");
    } else if context.is_active(NetworkUpgrade::Sapling) {
        findings
            .not_checked(Part::Commitment, "it is the root of the Sapling note commitment tree");
    }
}

/// Returns hexadecimal digits, the last byte first, as block explorers show roots.
fn reversed(bytes: &[u8; 32]) -> String {
    bytes.iter().rev().map(|byte| format!("{byte:02x}")).collect()
}
