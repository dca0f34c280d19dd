//! The tree over a block's transactions, and the header's fields that commit to them and to the chain.

use proofmill::ecdsa::Hash;
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
