//! Blocks, as nodes store and send them.

mod read;

use proofmill::equihash::{BlockHash, Params};
pub use read::BlockReader;
use zcash_encoding::CompactSize;
use zcash_primitives::block::BlockHeader;
use zcash_primitives::transaction::Transaction;
use zcash_protocol::consensus::{BlockHeight, BranchId, Network};

use crate::{Error, Result};

/// The largest block, in bytes (protocol specification 7.6).
pub const MAX_BLOCK_BYTES: usize = 2_000_000;

/// A block with parsed transactions.
#[derive(Debug)]
pub struct Block {
    /// The header.
    pub header: BlockHeader,
    /// The header's bytes, in the form of an Equihash request.
    pub header_bytes: Vec<u8>,
    /// The height in the coinbase transaction; 0 for a block without a previous one, whose coinbase has none.
    pub height: u32,
    /// The transactions with their lengths in bytes; the first is the coinbase.
    pub transactions: Vec<(Transaction, usize)>,
    /// The length in bytes.
    pub bytes: usize,
}

impl Block {
    /// Reads a block that fills these bytes.
    pub fn from_bytes(bytes: &[u8], network: Network) -> Result<Self> {
        let (block, rest) = Self::read(bytes, network)?;
        if !rest.is_empty() {
            return Err(malformed(
                "end",
                format!("{} bytes after the last transaction", rest.len()),
            ));
        }
        Ok(block)
    }

    /// Reads a block from the start of these bytes. Returns it with the bytes after it.
    pub fn read(bytes: &[u8], network: Network) -> Result<(Self, &[u8])> {
        let mut rest = bytes;
        let header = BlockHeader::read(&mut rest).map_err(|error| malformed("header", error))?;
        let header_bytes = bytes[..bytes.len() - rest.len()].to_vec();
        let expected = Params::N200_K9.header_bytes();
        if header_bytes.len() != expected {
            let problem = format!("{} bytes, where Zcash has {expected}", header_bytes.len());
            return Err(malformed("header", problem));
        }
        let count: usize = CompactSize::read_t(&mut rest)
            .map_err(|error| malformed("number of transactions", error))?;
        if count == 0 {
            return Err(malformed("number of transactions", "0; a block has a coinbase"));
        }
        let is_genesis = header.prev_block.0 == [0; 32];
        let height = if is_genesis { 0 } else { height_of(&mut &*rest)? };
        let branch = BranchId::for_height(&network, BlockHeight::from_u32(height));
        let mut transactions = Vec::new();
        for number in 0..count {
            let before = rest.len();
            let transaction = transaction(&mut rest, branch, number)?;
            transactions.push((transaction, before - rest.len()));
        }
        let bytes = bytes.len() - rest.len();
        Ok((Self { header, header_bytes, height, transactions, bytes }, rest))
    }

    /// Returns the block's name.
    pub fn hash(&self) -> BlockHash {
        BlockHash::of(&self.header_bytes)
    }
}

fn transaction(rest: &mut &[u8], branch: BranchId, number: usize) -> Result<Transaction> {
    Transaction::read(rest, branch)
        .map_err(|error| malformed(format!("transaction {number}"), error))
}

/// Reads the coinbase and returns the height in its script (BIP 34).
fn height_of(rest: &mut &[u8]) -> Result<u32> {
    let coinbase = transaction(rest, BranchId::Sprout, 0)?;
    let bundle = coinbase.transparent_bundle().filter(|bundle| bundle.is_coinbase());
    let bundle = bundle.ok_or_else(|| malformed("transaction 0", "it is not a coinbase"))?;
    let script = bundle.vin.first().map_or(&[][..], |input| &input.script_sig().0.0);
    read_height(script).ok_or_else(|| malformed("transaction 0", "its script has no block height"))
}

/// Reads the height that a coinbase script pushes first: OP_1 to OP_16, or the shortest little-endian bytes, of which the highest bit is the sign.
fn read_height(script: &[u8]) -> Option<u32> {
    let (&first, rest) = script.split_first()?;
    match first {
        0x51..=0x60 => Some(u32::from(first - 0x50)),
        length @ 1..=5 => {
            let bytes = rest.get(..usize::from(length))?;
            let (&highest, lower) = bytes.split_last()?;
            let shortest = highest != 0 || lower.last().is_some_and(|byte| byte & 0x80 != 0);
            let height = bytes.iter().rfold(0, |height, &byte| height << 8 | u64::from(byte));
            (highest & 0x80 == 0 && shortest && height > 16).then_some(())?;
            u32::try_from(height).ok()
        }
        _ => None,
    }
}

pub(crate) fn malformed(part: impl Into<String>, problem: impl ToString) -> Error {
    Error::Block { part: part.into(), problem: problem.to_string() }
}

/// Blocks that are verified in one batch. A full group has at least one of the limits.
#[derive(Debug, Default)]
pub struct BlockGroup {
    blocks: Vec<Block>,
    bytes: usize,
    transactions: usize,
}

impl BlockGroup {
    /// The limits: bytes, blocks, and transactions, of which each takes some kilobytes in memory.
    const LIMITS: [usize; 3] = [16 << 20, 1024, 20_000];

    /// Adds a block.
    pub fn push(&mut self, block: Block) {
        self.bytes += block.bytes;
        self.transactions += block.transactions.len();
        self.blocks.push(block);
    }

    /// Returns whether the group has reached a limit.
    pub fn is_full(&self) -> bool {
        let sizes = [self.bytes, self.blocks.len(), self.transactions];
        sizes.iter().zip(Self::LIMITS).any(|(size, limit)| *size >= limit)
    }

    /// Returns the bytes of all blocks.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Takes all blocks.
    pub fn take(&mut self) -> Vec<Block> {
        std::mem::take(self).blocks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heights_have_one_form() {
        let form = |bytes: &[u8]| read_height(bytes);
        assert_eq!(form(&[0x51]), Some(1));
        assert_eq!(form(&[0x60, 7]), Some(16));
        assert_eq!(form(&[1, 17]), Some(17));
        assert_eq!(form(&[1, 0x7f]), Some(127));
        assert_eq!(form(&[2, 0x80, 0]), Some(128));
        assert_eq!(form(&[3, 0x40, 0x0d, 0x03]), Some(200_000));
        assert_eq!(form(&[4, 0xff, 0xff, 0xff, 0x7f]), Some(0x7fff_ffff));
        assert_eq!(form(&[5, 0xff, 0xff, 0xff, 0xff, 0]), Some(u32::MAX));
        let wrong: [&[u8]; 9] = [
            &[],
            &[0],
            &[1, 16],
            &[1, 0x80],
            &[2, 17, 0],
            &[2, 0, 0x80],
            &[3, 1, 2],
            &[5, 0, 0, 0, 0, 1],
            &[0x61],
        ];
        for bytes in wrong {
            assert_eq!(form(bytes), None, "{bytes:?}");
        }
    }
}
