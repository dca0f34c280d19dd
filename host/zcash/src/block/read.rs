//! Streams of blocks.

use std::io::Read;

use zcash_protocol::consensus::Network;

use super::{Block, MAX_BLOCK_BYTES, malformed};
use crate::{Error, Result};

/// Reads blocks one after the other, at most about two ahead.
///
/// | content | from |
/// |---|---|
/// | magic number, length, block, and so on; zeros at the end | zcashd's `blk*.dat` |
/// | lines of hexadecimal digits, a block each | `getblock HASH 0` |
/// | blocks without anything between them | a peer |
///
/// A malformed block in a frame or a line is an error, and the next one follows. Any other error is the last item: what follows it cannot be
/// found.
pub struct BlockReader<R> {
    source: R,
    network: Network,
    /// What was read; the part before `start` is done.
    buffer: Vec<u8>,
    start: usize,
    source_ended: bool,
    form: Option<Form>,
    offset: u64,
    number: usize,
    ended: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Framed,
    Lines,
    Plain,
}

/// The number in front of each block of a file (zcashd, `src/chainparams.cpp`, `pchMessageStart`).
const fn magic(network: Network) -> [u8; 4] {
    match network {
        Network::MainNetwork => [0x24, 0xe9, 0x27, 0x64],
        Network::TestNetwork => [0xfa, 0x1a, 0xf9, 0xbf],
    }
}

const OTHER_NETWORKS: [([u8; 4], &str); 3] = [
    (magic(Network::MainNetwork), "mainnet"),
    (magic(Network::TestNetwork), "testnet"),
    ([0xaa, 0xe8, 0x3f, 0x5f], "regtest"),
];

/// Bytes that are read at once, at least.
const AT_ONCE: usize = 1 << 20;

/// Bytes of magic number and length.
const FRAME: usize = 8;

impl<R: Read> BlockReader<R> {
    /// Reads blocks of a network.
    pub fn new(source: R, network: Network) -> Self {
        Self {
            source,
            network,
            buffer: Vec::new(),
            start: 0,
            source_ended: false,
            form: None,
            offset: 0,
            number: 0,
            ended: false,
        }
    }

    /// Returns what was read and is not done.
    fn ahead(&self) -> &[u8] {
        &self.buffer[self.start..]
    }

    /// Reads until this many bytes are ahead, or the source ends. Reads more than that, so that moving the bytes costs little.
    fn fill(&mut self, bytes: usize) -> Result<()> {
        if self.source_ended || self.ahead().len() >= bytes {
            return Ok(());
        }
        self.buffer.drain(..self.start);
        self.start = 0;
        let wanted = (bytes.max(AT_ONCE) - self.buffer.len() + AT_ONCE) as u64;
        let read = (&mut self.source).take(wanted).read_to_end(&mut self.buffer)?;
        self.source_ended = (read as u64) < wanted;
        Ok(())
    }

    fn advance(&mut self, bytes: usize) {
        self.start += bytes;
        self.offset += bytes as u64;
    }

    fn next_block(&mut self) -> Result<Option<Block>> {
        self.fill(64)?;
        let form = *self.form.get_or_insert_with(|| form_of(&self.buffer[self.start..]));
        match form {
            Form::Framed => self.framed(),
            Form::Lines => self.line(),
            Form::Plain => self.plain(),
        }
    }

    fn framed(&mut self) -> Result<Option<Block>> {
        while self.ahead().first() == Some(&0) {
            let zeros = self.ahead().iter().take_while(|&&byte| byte == 0).count();
            self.advance(zeros);
            self.fill(64)?;
        }
        if self.ahead().is_empty() {
            return Ok(None);
        }
        let Some((frame, _)) = self.ahead().split_first_chunk::<FRAME>() else {
            return Err(malformed("frame", "the file ends inside magic number and length"));
        };
        let [m0, m1, m2, m3, l0, l1, l2, l3] = *frame;
        let found = [m0, m1, m2, m3];
        if found != magic(self.network) {
            let other = OTHER_NETWORKS.iter().find(|(magic, _)| *magic == found);
            let problem = match other {
                Some((_, name)) => format!("a block of {name}, another network"),
                None => format!("magic number {}", hex::encode(found)),
            };
            return Err(malformed("frame", problem));
        }
        let length = u32::from_le_bytes([l0, l1, l2, l3]) as usize;
        if length > MAX_BLOCK_BYTES {
            let problem = format!("{length} bytes; a block has at most {MAX_BLOCK_BYTES}");
            return Err(malformed("frame", problem));
        }
        self.fill(FRAME + length)?;
        let Some(bytes) = self.ahead().get(FRAME..FRAME + length) else {
            let problem = format!("{length} bytes, of which {} exist", self.ahead().len() - FRAME);
            return Err(malformed("frame", problem));
        };
        let block = Block::from_bytes(bytes, self.network);
        self.ended = false;
        self.advance(FRAME + length);
        block.map(Some)
    }

    fn line(&mut self) -> Result<Option<Block>> {
        const MAX_LINE: usize = 2 * MAX_BLOCK_BYTES + 2;
        loop {
            let mut end = self.ahead().iter().position(|&byte| byte == b'\n');
            if end.is_none() {
                self.fill(MAX_LINE)?;
                end = self.ahead().iter().position(|&byte| byte == b'\n');
            }
            if self.ahead().is_empty() {
                return Ok(None);
            }
            let length = end.unwrap_or(self.ahead().len());
            if length >= MAX_LINE {
                let problem = format!("a line of more than {} digits", 2 * MAX_BLOCK_BYTES);
                return Err(malformed("line", problem));
            }
            let bytes = hex::decode(self.ahead()[..length].trim_ascii());
            self.ended = false;
            self.advance(length + usize::from(end.is_some()));
            let bytes = bytes.map_err(|error| malformed("line", error))?;
            if !bytes.is_empty() {
                return Block::from_bytes(&bytes, self.network).map(Some);
            }
        }
    }

    fn plain(&mut self) -> Result<Option<Block>> {
        self.fill(MAX_BLOCK_BYTES)?;
        if self.ahead().is_empty() {
            return Ok(None);
        }
        let (block, _) = Block::read(self.ahead(), self.network)?;
        self.advance(block.bytes);
        Ok(Some(block))
    }
}

/// A header begins with a small version number, a frame with its magic number: neither is text.
fn form_of(start: &[u8]) -> Form {
    let is_text = |byte: &u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace();
    if OTHER_NETWORKS.iter().any(|(magic, _)| start.starts_with(magic)) {
        Form::Framed
    } else if start.iter().all(is_text) {
        Form::Lines
    } else {
        Form::Plain
    }
}

/// Each item is a block, or an error with its position.
impl<R: Read> Iterator for BlockReader<R> {
    type Item = Result<Block>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let (number, offset) = (self.number, self.offset);
        self.number += 1;
        // Where the next block can be found, this becomes false.
        self.ended = true;
        let block = self.next_block().transpose();
        if let Some(Ok(_)) = block {
            self.ended = false;
        }
        block.map(|block| {
            block.map_err(|error| match error {
                Error::Block { part, problem } => {
                    let part = format!("block {number}, from byte {offset}: {part}");
                    Error::Block { part, problem }
                }
                other => other,
            })
        })
    }
}
