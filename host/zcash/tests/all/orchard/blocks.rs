//! The Orchard bundles of a block.

use orchard::bundle::{Authorized, Bundle};
use proofmill_zcash::Block;
use zcash_protocol::value::ZatBalance;

/// Returns the bundles of a block.
pub fn bundles(block: &Block) -> Vec<Bundle<Authorized, ZatBalance>> {
    let transactions = block.transactions.iter();
    transactions.filter_map(|(transaction, _)| transaction.orchard_bundle().cloned()).collect()
}
