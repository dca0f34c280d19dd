//! The memory port of a card (`spec/wire/memory_door.toml`): its transfers and the protocol, the same over every transport with
//! streams for it.
//!
//! Bytes are divided into transfers, a few of which are outstanding at a time; each is answered. A write that was answered is in
//! the memory.

use std::time::Duration;

use proofmill_op::{Error, Result, SecretBytes};

use crate::wire::constants::memory_door::{self as wire, header as at, kind, status};
use crate::wire::{put, u32_at, u64_at};

/// Bytes of a beat, and of a header.
pub const BEAT: usize = wire::beat::BYTES as usize;
/// Bytes of a slice that is written packed.
pub const PACKED: u32 = 48;
/// Beats of the memory that a transfer writes.
const WRITTEN: usize = 512;
/// Beats that one reads: data and header are less than a page, in which an answer ends over PCIe.
const READ: usize = 48;
/// The most outstanding transfers.
const WINDOW: usize = 4;

/// A place in a card's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The number of the channel, counted from the first engine's first one on.
    pub channel: u32,
    /// Byte address in the channel, a multiple of 1024.
    pub address: u64,
    /// The bytes of each beat of the memory that are transferred: 64, or 48 and the others become zero.
    pub slice: u32,
}

impl Place {
    /// Returns a place for whole beats.
    pub fn new(channel: u32, address: u64) -> Self {
        Self { channel, address, slice: BEAT as u32 }
    }

    /// Returns the place for packed slices.
    pub fn packed(self) -> Self {
        Self { slice: PACKED, ..self }
    }

    fn header(self, kind: u32, index: u64, beats: usize) -> [u8; BEAT] {
        let mut header = [0; BEAT];
        let mut word = |offset, value: u32| put(&mut header, offset, &value.to_le_bytes());
        word(at::magic::OFFSET, at::magic::VALUE);
        word(at::kind::OFFSET, kind);
        word(at::beats::OFFSET, beats as u32);
        word(at::channel::OFFSET, self.channel);
        word(at::slice::OFFSET, self.slice);
        put(&mut header, at::index::OFFSET, &index.to_le_bytes());
        put(&mut header, at::address::OFFSET, &self.address.to_le_bytes());
        header
    }

    fn after(self, beats: usize) -> Self {
        Self { address: self.address + (beats * BEAT) as u64, ..self }
    }
}

/// The streams of a memory port.
pub trait Streams {
    /// Returns the name of the device, for messages.
    fn device(&self) -> &str;
    /// Sends one transfer.
    fn transfer(&mut self, transfer: &[u8]) -> Result<()>;
    /// Returns the oldest answer; an error if none arrives in time. It may contain elements.
    fn answer(&mut self) -> Result<SecretBytes>;
}

/// The host's end of a memory port. It numbers the transfers.
#[derive(Debug, Default)]
pub struct MemoryPort {
    next: u64,
}

impl MemoryPort {
    /// Opens the port: discards the answers to transfers of an earlier host.
    pub fn open(&mut self, streams: &mut dyn Streams, number: u64) -> Result<()> {
        self.next = number;
        streams.transfer(&Self::refused(number))?;
        loop {
            let answer = streams.answer()?;
            if u64_at(trailer(streams.device(), &answer)?, at::index::OFFSET) == Some(number) {
                break;
            }
        }
        self.next += 1;
        Ok(())
    }

    /// Returns a transfer that every card refuses: it is answered and does nothing.
    pub fn refused(number: u64) -> [u8; BEAT] {
        Place::new(u32::MAX, 0).header(kind::READ, number, 1)
    }

    /// Writes slices.
    pub fn write(&mut self, streams: &mut dyn Streams, place: Place, bytes: &[u8]) -> Result<()> {
        let slice = place.slice as usize;
        let whole = bytes.chunks_exact(slice);
        if !whole.remainder().is_empty() || ![BEAT, PACKED as usize].contains(&slice) {
            let problem = format!("{} bytes are not slices of {slice}", bytes.len());
            return Err(Error::argument("bytes", problem));
        }
        let parts: Vec<_> = bytes.chunks(WRITTEN * slice).collect();
        let transfer = |number: usize, index| {
            let part = parts[number];
            let place = place.after(number * WRITTEN);
            let mut transfer = SecretBytes::filled((BEAT + part.len()).next_multiple_of(BEAT), 0);
            transfer[..BEAT].copy_from_slice(&place.header(kind::WRITE, index, part.len() / slice));
            transfer[BEAT..][..part.len()].copy_from_slice(part);
            transfer
        };
        self.exchange(streams, parts.len(), transfer, |_, _, _| Ok(()))
    }

    /// Reads whole beats.
    pub fn read(
        &mut self,
        streams: &mut dyn Streams,
        place: Place,
        bytes: &mut [u8],
    ) -> Result<()> {
        if !bytes.len().is_multiple_of(BEAT) || place.slice != BEAT as u32 {
            return Err(Error::argument(
                "bytes",
                format!("{} bytes are not whole beats", bytes.len()),
            ));
        }
        let mut parts: Vec<_> = bytes.chunks_mut(READ * BEAT).collect();
        let beats: Vec<_> = parts.iter().map(|part| part.len() / BEAT).collect();
        let transfer = |number: usize, index| {
            place.after(number * READ).header(kind::READ, index, beats[number]).to_vec().into()
        };
        self.exchange(streams, beats.len(), transfer, |device, number, data| {
            let (wanted, found) = (parts[number].len(), data.len());
            if found != wanted {
                return Err(lost(device, format!("a read of {wanted} bytes brought {found}")));
            }
            parts[number].copy_from_slice(data);
            Ok(())
        })
    }

    /// Sends `count` transfers, which `transfer` returns by number and index, with a few outstanding at a time; `take` receives the data of their
    /// answers. After a fault of the memory no more are sent, and it returns when those that were sent are answered.
    fn exchange(
        &mut self,
        streams: &mut dyn Streams,
        count: usize,
        transfer: impl Fn(usize, u64) -> SecretBytes,
        mut take: impl FnMut(&str, usize, &[u8]) -> Result<()>,
    ) -> Result<()> {
        let first = self.next;
        self.next += count as u64;
        let (mut sent, mut fault) = (0, Ok(()));
        for number in 0..count {
            while fault.is_ok() && sent < count.min(number + WINDOW) {
                streams.transfer(&transfer(sent, first + sent as u64))?;
                sent += 1;
            }
            if number == sent {
                break;
            }
            match answered(streams, first + number as u64) {
                Ok(answer) => take(streams.device(), number, &answer[..answer.len() - BEAT])?,
                Err(error @ Error::Failed { .. }) => fault = fault.and(Err(error)),
                Err(error) => return Err(error),
            }
        }
        fault
    }
}

/// Returns the bytes of an answer behind its data.
fn trailer<'a>(name: &str, answer: &'a [u8]) -> Result<&'a [u8]> {
    let start = answer.len().checked_sub(BEAT);
    start
        .map(|start| &answer[start..])
        .ok_or_else(|| lost(name, format!("an answer of {} bytes", answer.len())))
}

/// Receives the answer to this transfer.
fn answered(streams: &mut dyn Streams, index: u64) -> Result<SecretBytes> {
    let answer = streams.answer()?;
    let end = trailer(streams.device(), &answer)?;
    if u64_at(end, at::index::OFFSET) != Some(index) {
        return Err(lost(streams.device(), format!("an answer to another transfer than {index}")));
    }
    match u32_at(end, at::status::OFFSET) {
        Some(status::DONE) => Ok(answer),
        Some(status::MEMORY_FAULT) => {
            let problem = "its memory did not answer".into();
            Err(Error::Failed { device: streams.device().to_owned(), problem })
        }
        found => Err(lost(streams.device(), format!("a transfer with status {found:?}"))),
    }
}

fn lost(device: &str, problem: String) -> Error {
    Error::Lost { device: device.to_owned(), problem: format!("its memory port: {problem}") }
}

/// The longest time to an answer of a simulated memory, on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;

    /// A memory channel, and a fault or two.
    #[derive(Default)]
    struct Memory {
        beats: Vec<[u8; BEAT]>,
        answers: VecDeque<Vec<u8>>,
        most: usize,
        status: u32,
        stale: bool,
    }

    impl Streams for Memory {
        fn device(&self) -> &str {
            "memory"
        }

        fn transfer(&mut self, transfer: &[u8]) -> Result<()> {
            let word = |offset| u32_at(transfer, offset).unwrap();
            assert_eq!((word(at::magic::OFFSET), transfer.len() % BEAT), (at::magic::VALUE, 0));
            let first = u64_at(transfer, at::address::OFFSET).unwrap() as usize / BEAT;
            let (beats, slice) =
                (word(at::beats::OFFSET) as usize, word(at::slice::OFFSET) as usize);
            let mut answer = Vec::new();
            if word(at::channel::OFFSET) == u32::MAX {
                self.status = status::REFUSED;
            } else if word(at::kind::OFFSET) == kind::READ {
                answer = self.beats[first..first + beats].concat();
            } else {
                assert_eq!(transfer.len(), BEAT + (beats * slice).next_multiple_of(BEAT));
                for i in 0..beats {
                    self.beats[first + i] = [0; BEAT];
                    self.beats[first + i][..slice]
                        .copy_from_slice(&transfer[BEAT + i * slice..][..slice]);
                }
            }
            let mut end = transfer[..BEAT].to_vec();
            put(&mut end, at::status::OFFSET, &self.status.to_le_bytes());
            if self.stale {
                put(&mut end, at::index::OFFSET, &77u64.to_le_bytes());
            }
            self.status = status::DONE;
            answer.extend(end);
            self.answers.push_back(answer);
            self.most = self.most.max(self.answers.len());
            Ok(())
        }

        fn answer(&mut self) -> Result<SecretBytes> {
            let answer = self.answers.pop_front();
            answer.map(SecretBytes::from).ok_or_else(|| lost("memory", "nothing".into()))
        }
    }

    #[test]
    fn slices_come_to_their_beats_and_back() {
        let mut memory = Memory { beats: vec![[0xee; BEAT]; 4096], ..Memory::default() };
        let mut port = MemoryPort::default();
        memory.answers.push_back(vec![0; BEAT]); // an earlier host's
        port.open(&mut memory, 9).unwrap();
        for count in [0, 1, 2, 511, 512, 513, 3000] {
            for place in [Place::new(0, 1024), Place::new(0, 1024).packed()] {
                let bytes: Vec<u8> =
                    (0..count * place.slice as usize).map(|i| (i * 7 + 1) as u8).collect();
                port.write(&mut memory, place, &bytes).unwrap();
                let mut back = vec![0; count * BEAT];
                port.read(&mut memory, Place::new(0, 1024), &mut back).unwrap();
                for (slice, beat) in bytes.chunks(place.slice as usize).zip(back.chunks(BEAT)) {
                    assert_eq!(slice, &beat[..slice.len()]);
                    assert!(beat[slice.len()..].iter().all(|byte| *byte == 0));
                }
            }
        }
        assert!(memory.answers.is_empty() && memory.most == WINDOW, "{}", memory.most);
    }

    #[test]
    fn a_fault_of_the_memory_is_not_the_cards_end() {
        let mut memory = Memory { beats: vec![[0; BEAT]; 64], ..Memory::default() };
        memory.status = status::MEMORY_FAULT;
        let error =
            MemoryPort::default().write(&mut memory, Place::new(0, 0), &[1; BEAT]).unwrap_err();
        assert!(matches!(error, Error::Failed { .. }), "{error}");
        let mut port = MemoryPort::default();
        memory = Memory { beats: vec![[0; BEAT]; 4096], ..Memory::default() };
        memory.status = status::MEMORY_FAULT; // of the first of three transfers
        let error = port.write(&mut memory, Place::new(0, 0), &[1; 1100 * BEAT]).unwrap_err();
        assert!(matches!(error, Error::Failed { .. }), "{error}");
        port.write(&mut memory, Place::new(0, 0), &[2; 1100 * BEAT]).unwrap();
        memory.status = status::MEMORY_FAULT;
        let mut back = [0; 1100 * BEAT];
        let error = port.read(&mut memory, Place::new(0, 0), &mut back).unwrap_err();
        assert!(matches!(error, Error::Failed { .. }), "{error}");
        port.read(&mut memory, Place::new(0, 0), &mut back).unwrap();
        assert_eq!(back, [2; 1100 * BEAT]);
        memory.status = status::REFUSED;
        let error =
            MemoryPort::default().write(&mut memory, Place::new(0, 0), &[1; BEAT]).unwrap_err();
        assert!(matches!(error, Error::Lost { .. }), "{error}");
        memory.stale = true;
        let error =
            MemoryPort::default().read(&mut memory, Place::new(0, 0), &mut [1; BEAT]).unwrap_err();
        assert!(matches!(error, Error::Lost { .. }), "{error}");
        let error =
            MemoryPort::default().write(&mut memory, Place::new(0, 0), &[1; 63]).unwrap_err();
        assert!(error.to_string().contains("63 bytes"), "{error}");
    }
}
