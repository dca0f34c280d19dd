//! The command stream through registers: a card built with the mailbox takes packets word by word at its
//! AXI-Stream FIFO registers (`spec/wire/shell.toml`, `[mailbox]`), in the order that the published card's clients
//! use. Whatever transport reads and writes registers carries packets this way.

use std::time::{Duration, Instant};

use proofmill_op::{Error, Result};

use super::Transport;
use crate::wire::constants::shell::address_map::{UNMAPPED, stream_control};
use crate::wire::constants::shell::mailbox::{DEPTH_WORDS, ISR, RDFD, RDFO, RLR, TDFD, TDFV, TLR};

/// Interrupt status: the packet was launched.
const TRANSMIT_COMPLETE: u32 = 1 << 27;
/// Interrupt status: a packet has come.
const RECEIVE_COMPLETE: u32 = 1 << 26;
/// The longest that a full box may stay full.
const LIMIT: Duration = Duration::from_secs(10);

/// A transport whose packets go through the card's registers.
pub struct Mailbox<T> {
    registers: T,
}

impl<T: Transport> Mailbox<T> {
    /// Returns whether the card has a mailbox: it has a vacancy, where others read as nothing mapped.
    pub fn is_there(registers: &mut T) -> Result<bool> {
        let vacancy = registers.read_register(stream_control::BASE + TDFV)?;
        Ok(vacancy != UNMAPPED && vacancy <= DEPTH_WORDS)
    }

    /// Opens the mailbox and discards what an earlier host left in it: words written but not launched (a launch
    /// of no bytes forgets them), and packets not read, or read in part.
    pub fn new(registers: T) -> Result<Self> {
        let mut mailbox = Self { registers };
        mailbox.write(TLR, 0)?;
        let end = Instant::now() + LIMIT;
        while mailbox.read(RDFO)? != 0 {
            mailbox.read(RDFD)?;
            mailbox.in_time(end)?;
        }
        mailbox.write(ISR, u32::MAX)?;
        Ok(mailbox)
    }

    fn read(&mut self, register: u32) -> Result<u32> {
        self.registers.read_register(stream_control::BASE + register)
    }

    fn write(&mut self, register: u32, value: u32) -> Result<()> {
        self.registers.write_register(stream_control::BASE + register, value)
    }

    fn in_time(&self, end: Instant) -> Result<()> {
        if Instant::now() < end {
            return Ok(());
        }
        Err(Error::TimedOut { device: self.name().to_owned(), seconds: LIMIT.as_secs_f64() })
    }
}

impl<T: Transport> Transport for Mailbox<T> {
    fn name(&self) -> &str {
        self.registers.name()
    }

    fn send(&mut self, packet: &[u8]) -> Result<()> {
        let words = packet.len().div_ceil(4);
        if packet.is_empty() || words > DEPTH_WORDS as usize / 2 {
            let problem =
                format!("{} bytes; the mailbox takes 1 to {}", packet.len(), DEPTH_WORDS * 2);
            return Err(Error::argument("packet", problem));
        }
        let end = Instant::now() + LIMIT;
        while (self.read(TDFV)? as usize) < words {
            self.in_time(end)?;
        }
        for chunk in packet.chunks(4) {
            let mut word = [0; 4];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write(TDFD, u32::from_le_bytes(word))?;
        }
        self.write(TLR, packet.len() as u32)?;
        let status = self.read(ISR)?;
        if status & TRANSMIT_COMPLETE == 0 {
            let problem = format!("its mailbox did not launch a packet: status {status:#010x}");
            return Err(Error::Lost { device: self.name().to_owned(), problem });
        }
        self.write(ISR, TRANSMIT_COMPLETE)
    }

    fn receive(&mut self, limit: Duration) -> Result<Option<Vec<u8>>> {
        let start = Instant::now();
        while self.read(RDFO)? == 0 {
            if start.elapsed() >= limit {
                return Ok(None);
            }
        }
        let len = self.read(RLR)? as usize;
        if len == 0 || len.div_ceil(4) > DEPTH_WORDS as usize {
            let problem = format!("its mailbox holds a packet of {len} bytes");
            return Err(Error::Lost { device: self.name().to_owned(), problem });
        }
        let mut packet = Vec::with_capacity(len.next_multiple_of(4));
        for _ in 0..len.div_ceil(4) {
            packet.extend(self.read(RDFD)?.to_le_bytes());
        }
        packet.truncate(len);
        self.write(ISR, RECEIVE_COMPLETE)?;
        Ok(Some(packet))
    }

    fn read_register(&mut self, address: u32) -> Result<u32> {
        self.registers.read_register(address)
    }

    fn write_register(&mut self, address: u32, value: u32) -> Result<()> {
        self.registers.write_register(address, value)
    }

    fn cycles(&self) -> Option<u64> {
        self.registers.cycles()
    }
}
