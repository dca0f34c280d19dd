//! The chain of self-describing blocks, read once at opening. Only the addresses of the
//! identification registers are known beforehand.

use std::fmt::Display;
use std::ops::Deref;

use proofmill_op::{Error, Result};

use super::handshake::Status;
use super::open_error;
use crate::Transport;
use crate::wire::constants::shell::{address_map, block, block_header, identification};
use crate::wire::constants::{equihash_solve, memory_door, msm, ntt, poseidon};

/// The most blocks of a card: more are a sign of a broken bus.
const MAX_BLOCKS: usize = 64;

/// A block of registers: an engine's registers, or the shell's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Byte address of its first word.
    pub address: u32,
    /// Its type.
    pub kind: u32,
    /// Version of its layout.
    pub version: u32,
    /// Its bytes.
    pub size: u32,
}

/// The description of the card in its registers.
#[derive(Debug)]
pub struct Chain {
    /// Every block, in the order of the chain.
    pub blocks: Vec<Block>,
    version: u32,
    build_date: [u8; 8],
    build_host: [u8; 8],
    capabilities: u64,
}

/// A block of an operation's engine.
#[derive(Clone, Copy, Debug)]
pub struct EngineBlock<'a> {
    block: &'a Block,
    operation: &'a str,
    uri: &'a str,
}

impl Deref for EngineBlock<'_> {
    type Target = Block;

    fn deref(&self) -> &Block {
        self.block
    }
}

impl EngineBlock<'_> {
    /// Returns the error of a card that is not opened because of this block.
    pub fn broken(&self, problem: impl Display) -> Error {
        let Self { operation, block, uri } = self;
        open_error(uri, format!("its {operation} block at {:#x}: {problem}", block.address))
    }

    /// Reads the length of the engine's queue from the register at this offset; an error if it is 0.
    pub fn queue(&self, transport: &mut dyn Transport, offset: u32) -> Result<usize> {
        match self.read(transport, offset)? {
            0 => Err(self.broken("a queue of no command")),
            queue => Ok(queue as usize),
        }
    }
}

impl Chain {
    /// Returns the blocks of an operation, those of this type and version, in the order of the chain.
    pub fn engines<'a>(
        &'a self,
        operation: &'a str,
        kind: (u32, u32),
        uri: &'a str,
    ) -> impl Iterator<Item = EngineBlock<'a>> {
        let ours = self.blocks.iter().filter(move |it| (it.kind, it.version) == kind);
        ours.map(move |block| EngineBlock { block, operation, uri })
    }

    /// Returns what `read` returns for the block of an operation with one engine at most; an error for a second one. A block
    /// for which it returns `None` is skipped.
    pub fn engine<T>(
        &self,
        operation: &str,
        kind: (u32, u32),
        uri: &str,
        mut read: impl FnMut(EngineBlock<'_>) -> Result<Option<T>>,
    ) -> Result<Option<T>> {
        let mut found = None;
        for block in self.engines(operation, kind, uri) {
            let Some(engine) = read(block)? else { continue };
            if found.replace(engine).is_some() {
                return Err(block.broken("a second engine"));
            }
        }
        Ok(found)
    }
}

/// For each block of a card with a memory port, by its address: the number of the engine's first channel at the port.
#[derive(Debug, Default)]
pub struct Channels(Vec<(u32, u32)>);

impl Channels {
    /// Returns the number for the block at this address.
    pub fn first(&self, address: u32) -> Option<u32> {
        self.0.iter().find(|(block, _)| *block == address).map(|(_, first)| *first)
    }
}

impl Block {
    /// Returns the number of memory channels of its engine.
    fn channels(&self, transport: &mut dyn Transport) -> Result<u32> {
        use {equihash_solve::block as solvers, msm::block as msms};
        use {ntt::block as transforms, poseidon::block as hashes};
        const MSMS: (u32, u32) = (msms::TYPE, msms::VERSION);
        const TRANSFORMS: (u32, u32) = (transforms::TYPE, transforms::VERSION);
        const HASHES: (u32, u32) = (hashes::TYPE, hashes::VERSION);
        const SOLVERS: (u32, u32) = (solvers::TYPE, solvers::VERSION);
        Ok(match (self.kind, self.version) {
            // The channels of points and that of scalars.
            MSMS => self.read(transport, msms::registers::channels::OFFSET)?.saturating_add(1),
            TRANSFORMS => self.read(transport, transforms::registers::channels::OFFSET)?,
            HASHES | SOLVERS => 1,
            _ => 0,
        })
    }

    /// Reads one of its 32-bit registers.
    pub fn read(&self, transport: &mut dyn Transport, offset: u32) -> Result<u32> {
        transport.read_register(self.address + offset)
    }

    /// Reads one of its 64-bit registers: the low word first, which latches the high one.
    pub fn read64(&self, transport: &mut dyn Transport, offset: u32) -> Result<u64> {
        let low = self.read(transport, offset)?;
        let high = self.read(transport, offset + 4)?;
        Ok(u64::from(high) << 32 | u64::from(low))
    }
}

/// Checks that there is a card and reads its chain.
pub fn read(transport: &mut dyn Transport, uri: &str) -> Result<Chain> {
    let magic = transport.read_register(identification::magic::OFFSET)?;
    if magic != identification::magic::VALUE {
        let expected = identification::magic::VALUE;
        let problem =
            format!("not a proofmill card: its magic reads {magic:#010x}, not {expected:#010x}");
        return Err(open_error(uri, problem));
    }
    let layout = transport.read_register(identification::layout::OFFSET)?;
    if layout != identification::layout::VALUE {
        let expected = identification::layout::VALUE;
        let problem =
            format!("its register layout is version {layout}; this driver supports {expected}");
        return Err(open_error(uri, problem));
    }
    let blocks = walk(transport, uri)?;
    let shell = blocks
        .iter()
        .find(|it| it.kind == block::TYPE && it.version == block::VERSION)
        .ok_or_else(|| {
            open_error(uri, "its chain of blocks has no shell block that this driver supports")
        })?;

    use block::registers as at;
    Ok(Chain {
        version: shell.read(transport, at::version::OFFSET)?,
        build_date: shell.read64(transport, at::build_date::OFFSET)?.to_le_bytes(),
        build_host: shell.read64(transport, at::build_host::OFFSET)?.to_le_bytes(),
        capabilities: shell.read64(transport, at::cmd_cap::OFFSET)?,
        blocks,
    })
}

/// Follows `next` from the first block to 0. Every block must lie in the address space, must not be met twice
/// and must not be one of too many, so that a broken card cannot lead the driver round in circles.
pub fn walk(transport: &mut dyn Transport, uri: &str) -> Result<Vec<Block>> {
    const HEADER: u32 = block_header::SIZE + 4;
    let end = 1u32 << address_map::BITS;
    let mut blocks: Vec<Block> = Vec::new();
    let mut address = transport.read_register(identification::first_block::OFFSET)?;
    while address != 0 {
        let broken = |what: &str| {
            let problem = format!(
                "its chain of blocks is broken at {address:#x}, block {}: {what}",
                blocks.len()
            );
            Err(open_error(uri, problem))
        };
        if address % 4 != 0 || address > end - HEADER {
            return broken("no address of a block");
        }
        if blocks.iter().any(|it| it.address == address) {
            return broken("the chain comes back to it");
        }
        if blocks.len() == MAX_BLOCKS {
            return broken("too many blocks");
        }
        let mut word = |offset| transport.read_register(address + offset);
        let (kind, version) = (word(block_header::TYPE)?, word(block_header::VERSION)?);
        let (next, size) = (word(block_header::NEXT)?, word(block_header::SIZE)?);
        if size < HEADER || size > end - address {
            return broken(&format!("its size is {size} bytes"));
        }
        blocks.push(Block { address, kind, version, size });
        address = next;
    }
    Ok(blocks)
}

impl Chain {
    /// Returns the memory channels of the card's memory port, if it has one. Engines have theirs in the order of their blocks. The port of a card with
    /// channels of other engines than those known to this driver is not used.
    pub fn channels(&self, transport: &mut dyn Transport) -> Result<Channels> {
        use memory_door::block;
        let is_port = |it: &&Block| it.kind == block::TYPE && it.version == block::VERSION;
        let Some(port) = self.blocks.iter().find(is_port) else { return Ok(Channels::default()) };
        let (mut firsts, mut next) = (Vec::new(), 0u32);
        for block in &self.blocks {
            firsts.push((block.address, next));
            next = next.saturating_add(block.channels(transport)?);
        }
        let all = port.read(transport, block::registers::channels::OFFSET)?;
        Ok(if next == all { Channels(firsts) } else { Channels::default() })
    }

    /// The registers and the command stream must lead to the same card.
    pub fn agrees_with(&self, status: &Status, uri: &str) -> Result<()> {
        let stream = (status.version, status.capabilities, status.raw_date, status.raw_host);
        let registers = (self.version, self.capabilities, self.build_date, self.build_host);
        if stream == registers {
            return Ok(());
        }
        let problem = format!(
            "its registers and its status reply differ (version {:#x}, {:#x}; capabilities {:#x}, {:#x}): not one card",
            self.version, status.version, self.capabilities, status.capabilities,
        );
        Err(open_error(uri, problem))
    }
}
