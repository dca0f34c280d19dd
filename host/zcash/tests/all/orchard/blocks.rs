//! The Orchard bundles of a block.

use std::io::{Cursor, Read};

use orchard::bundle::{Authorized, Bundle};
use zcash_primitives::block::BlockHeader;
use zcash_primitives::transaction::Transaction;
use zcash_protocol::consensus::BranchId;
use zcash_protocol::value::ZatBalance;

/// Reads the bundles of a block with transactions of version 5; other blocks have none.
pub fn bundles(block: &[u8]) -> Vec<Bundle<Authorized, ZatBalance>> {
    let mut rest = Cursor::new(block);
    BlockHeader::read(&mut rest).unwrap();
    let count = compact_size(&mut rest);
    let transactions = (0..count).map_while(|_| Transaction::read(&mut rest, BranchId::Nu5).ok());
    transactions.filter_map(|transaction| transaction.orchard_bundle().cloned()).collect()
}

fn compact_size(rest: &mut impl Read) -> u64 {
    let mut read = |count: usize| {
        let mut bytes = [0; 8];
        rest.read_exact(&mut bytes[..count]).unwrap();
        u64::from_le_bytes(bytes)
    };
    match read(1) {
        253 => read(2),
        254 => read(4),
        255 => read(8),
        small => small,
    }
}
