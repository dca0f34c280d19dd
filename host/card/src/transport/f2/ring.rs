//! The two rings of a stream: pages in the card's window, which the host writes, and pages in host memory, which the card writes.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{Ordering, fence as order};
use std::time::{Duration, Instant};

use proofmill_op::{Result, SecretBytes};

use super::bar::fence;
use super::session::Session;
use crate::transport::memory_port::{BEAT, Streams};
use crate::wire::constants::slot_rings::{descriptor, room};
use crate::wire::put;

/// Bytes of a page.
const PAGE: usize = room::pages::SLOT as usize;
/// The longest transfer: no reply of an engine or of a memory is longer.
const LONGEST: usize = 1 << 20;

/// The most transfers that wait on the host before the card has to hold them.
const WAITING: usize = 256;

/// A stream.
pub struct Ring {
    session: Arc<Session>,
    stream: u32,
    /// The time limit of sending and of a response of the memory.
    limit: Duration,
    /// Numbers of pages modulo 2^16: sent, taken by the card as of the last read, and read by the host.
    sent: u16,
    taken: u16,
    read: u16,
    /// Transfers that arrived while another one was sent.
    waiting: VecDeque<Vec<u8>>,
    /// The received pages of an incomplete transfer.
    partial: Vec<u8>,
    looked: Instant,
}

impl Ring {
    /// Creates the rings of a session in which nothing was sent.
    pub fn new(session: Arc<Session>, stream: u32, limit: Duration) -> Self {
        let (sent, taken, read) = (0, 0, 0);
        let (waiting, partial, looked) = (VecDeque::new(), Vec::new(), Instant::now());
        Self { session, stream, limit, sent, taken, read, waiting, partial, looked }
    }

    /// Sends one transfer.
    pub fn send(&mut self, transfer: &[u8]) -> Result<()> {
        let session = self.session.clone();
        let start = Instant::now();
        let mut rest = transfer;
        while !rest.is_empty() {
            let mut looked = self.looked;
            let left = self.limit.saturating_sub(start.elapsed());
            let free = session.wait(left, &mut looked, || self.free_pages())?;
            self.looked = looked;
            let Some(free) = free else { return session.late(self.limit) };
            let (now, later) = rest.split_at(rest.len().min(free * PAGE));
            self.put(now, later.is_empty())?;
            rest = later;
        }
        Ok(())
    }

    /// Returns the number of free pages; `None` if there is none. A card whose replies are not read may accept no packets.
    fn free_pages(&mut self) -> Result<Option<usize>> {
        let slots = self.session.slots;
        if self.sent.wrapping_sub(self.taken) == slots {
            let taken = self.session.taken(self.stream)?;
            if self.sent.wrapping_sub(taken) > slots {
                let problem =
                    format!("it reports {taken} taken pages, but {} were sent", self.sent);
                return self.session.died(self.session.lost(problem));
            }
            self.taken = taken;
        }
        let free = slots - self.sent.wrapping_sub(self.taken);
        if free == 0
            && self.waiting.len() < WAITING
            && let Some(transfer) = self.come()?
        {
            self.waiting.push_back(transfer);
        }
        Ok(Some(free.into()).filter(|free| *free > 0))
    }

    /// Fills pages. Their data reach the card before the first descriptor does.
    fn put(&mut self, bytes: &[u8], ends: bool) -> Result<()> {
        self.session.settle_registers()?;
        let window = self.session.window();
        let first = self.sent;
        let number = |page: usize| first.wrapping_add(page as u16);
        for (page, data) in bytes.chunks(PAGE).enumerate() {
            self.session.alive()?;
            let place = self.page(number(page));
            let (words, rest) = data.split_at(data.len() / 8 * 8);
            window.fill(place, words);
            if !rest.is_empty() {
                let mut word = [0; 8];
                word[..rest.len()].copy_from_slice(rest);
                window.fill(place + words.len(), &word);
            }
        }
        fence();
        self.session.alive()?;
        let pages = bytes.len().div_ceil(PAGE);
        for (page, data) in bytes.chunks(PAGE).enumerate() {
            let last = ends && page + 1 == pages;
            let value = self.descriptor(number(page), data.len() as u16, last.into());
            window.fill(self.place(number(page)), &value);
        }
        fence();
        self.sent = number(pages);
        Ok(())
    }

    fn descriptor(&self, number: u16, bytes: u16, last: u16) -> [u8; 8] {
        let mut value = [0; 8];
        for (offset, field) in [
            (descriptor::session::OFFSET, self.session.number()),
            (descriptor::number::OFFSET, number),
            (descriptor::bytes::OFFSET, bytes),
            (descriptor::last::OFFSET, last),
        ] {
            put(&mut value, offset, &field.to_le_bytes());
        }
        value
    }

    /// Returns the offset of a page's descriptor.
    fn place(&self, number: u16) -> usize {
        use room::descriptors::{BASE, SLOT, STRIDE};
        (BASE + self.stream * STRIDE + self.slot(number) * SLOT) as usize
    }

    /// Returns the offset of a page's data.
    fn page(&self, number: u16) -> usize {
        use room::pages::{BASE, SLOT, STRIDE};
        (BASE + self.stream * STRIDE + self.slot(number) * SLOT) as usize
    }

    fn slot(&self, number: u16) -> u32 {
        (number % self.session.slots).into()
    }

    /// Returns the next transfer of the card; `None` when none is complete within `limit`.
    pub fn receive(&mut self, limit: Duration) -> Result<Option<Vec<u8>>> {
        let session = self.session.clone();
        let mut looked = self.looked;
        let found = session.wait(limit, &mut looked, || self.poll());
        self.looked = looked;
        found
    }

    /// Returns the next transfer, if it has arrived.
    pub fn poll(&mut self) -> Result<Option<Vec<u8>>> {
        self.session.is_well()?;
        match self.waiting.pop_front() {
            None => self.come(),
            waiting => Ok(waiting),
        }
    }

    fn come(&mut self) -> Result<Option<Vec<u8>>> {
        let before = self.read;
        let mut whole = None;
        while whole.is_none()
            && let Some((bytes, last)) = self.next()?
        {
            let start = self.partial.len();
            self.partial.resize(start + bytes.next_multiple_of(8), 0);
            self.session.memory().take(self.page(self.read), &mut self.partial[start..]);
            self.partial.truncate(start + bytes);
            self.read = self.read.wrapping_add(1);
            if self.partial.len() > LONGEST {
                let problem = format!("a transfer is longer than {LONGEST} bytes");
                return self.session.died(self.session.lost(problem));
            }
            whole = last.then(|| std::mem::take(&mut self.partial));
        }
        if self.read != before {
            self.session.free(self.stream, self.read)?;
        }
        Ok(whole)
    }

    /// Returns the bytes of the next page, and whether it ends its transfer. `None` if it has not arrived: the descriptor is older, or that of an
    /// earlier session.
    fn next(&self) -> Result<Option<(usize, bool)>> {
        let found = self.session.memory().read_long(self.place(self.read));
        let field = |offset: u32| (found >> (8 * offset)) as u16;
        let session = field(descriptor::session::OFFSET);
        if (session, field(descriptor::number::OFFSET)) != (self.session.number(), self.read) {
            return Ok(None);
        }
        // The card wrote the data before the descriptor.
        order(Ordering::Acquire);
        let bytes = usize::from(field(descriptor::bytes::OFFSET));
        let goes_on = bytes.is_multiple_of(BEAT);
        match field(descriptor::last::OFFSET) {
            1 if (1..=PAGE).contains(&bytes) => Ok(Some((bytes, true))),
            0 if (1..=PAGE).contains(&bytes) && goes_on => Ok(Some((bytes, false))),
            last => {
                let problem = format!("it wrote a page of {bytes} bytes, marked {last}");
                self.session.died(self.session.lost(problem))
            }
        }
    }
}

/// The streams of the memory port.
impl Streams for Ring {
    fn device(&self) -> &str {
        self.session.name()
    }

    fn transfer(&mut self, transfer: &[u8]) -> Result<()> {
        self.send(transfer)
    }

    fn answer(&mut self) -> Result<SecretBytes> {
        match self.receive(self.limit)? {
            Some(answer) => Ok(answer.into()),
            None => self.session.late(self.limit),
        }
    }
}
