//! Emulated slots of an AWS F2 instance around any software model or simulation of a card, so that the host's real
//! `f2:` transport runs without one. A slot has the files of two PCI functions and both rings of both streams
//! (`spec/wire/slot_rings.toml`).
//!
//! | the function's file | emulation |
//! |---|---|
//! | `resource0` | the card's registers as on any [emulated board](crate::boards), and behind them those of the rings |
//! | `resource4` | the windows of all sessions, a sparse file of 64 GiB |
//! | `config` | a command register: without the right to write to the host's memory, the card reports a fault |
//!
//! The host's memory is a file beside them.

mod top;

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use proofmill_card::wire::constants::slot_rings::{
    descriptor, registers as at, room, state, stream,
};
use proofmill_card::wire::put;
use proofmill_card::{
    Bar, DOOR_BEAT as BEAT, EMULATED_BASE, F2Transport, Transport, f2_slots, fence,
};
use proofmill_op::Result;

pub use self::top::Top;

use crate::boards::faults::{Board, Magic};
use crate::boards::{Folder, Mirror, Orders, Serve, Served, TAKEN, carried_out, is_control_reply};

/// Pages of each ring.
const SLOTS: u16 = 16;
const PAGE: usize = room::pages::SLOT as usize;
const WINDOW: u64 = room::BYTES as u64;
/// Bytes of the registers.
const REGISTERS: usize = 1 << 17;
/// The command register of a function's configuration: the function responds, and may write to memory.
const COMMAND: usize = 4;
const ANSWERS: u8 = 1 << 1;
const MASTER: u8 = 1 << 2;
/// PCI identifiers of both functions.
const IDS: [(&str, &str); 2] = [("0", "0xf000"), ("1", "0x9248")];

/// A card in a slot, served by a thread until it is dropped.
pub struct F2 {
    files: Files,
    served: Served,
}

#[derive(Clone)]
struct Files {
    folder: Arc<Folder>,
    number: u32,
}

impl Files {
    /// Creates slot 0 of a new machine.
    fn new() -> io::Result<Self> {
        Ok(Self { folder: Arc::new(Folder::new("f2")?), number: 0 })
    }

    /// Creates all files but the registers.
    fn lay_out(&self) -> io::Result<()> {
        for (function, device) in IDS {
            let folder = self.function(function);
            fs::create_dir(&folder)?;
            fs::write(folder.join("vendor"), "0x1d0f\n")?;
            fs::write(folder.join("device"), format!("{device}\n"))?;
            let mut config = [0; 64];
            config[COMMAND] = ANSWERS;
            fs::write(folder.join("config"), config)?;
        }
        File::create(self.of_image("resource4"))?.set_len(WINDOW << 16)
    }

    fn function(&self, function: &str) -> PathBuf {
        self.folder.path().join(format!("0000:{:02x}:00.{function}", 0x9f + 2 * self.number))
    }

    fn of_image(&self, what: &str) -> PathBuf {
        self.function("0").join(what)
    }

    fn memory(&self) -> PathBuf {
        self.folder.path().join(format!("memory{}", self.number))
    }

    fn may_write(&self) -> bool {
        fs::read(self.of_image("config")).is_ok_and(|it| it[COMMAND] & MASTER != 0)
    }

    /// Removes the card from the bus.
    fn vanish(&self, registers: &File) {
        let _ = registers.write_all_at(&[0xff; REGISTERS], 0);
        let _ = fs::remove_dir_all(self.function("0"));
    }
}

impl F2 {
    /// Puts a card in slot 0 of a new machine.
    pub fn new(card: Box<dyn Transport>) -> io::Result<Self> {
        Self::behind(Files::new()?, card)
    }

    /// Puts another card in the next slot, which has this number.
    pub fn beside(&self, number: u32, card: Box<dyn Transport>) -> io::Result<Self> {
        Self::behind(Files { number, ..self.files.clone() }, card)
    }

    fn behind(files: Files, card: Box<dyn Transport>) -> io::Result<Self> {
        files.lay_out()?;
        let has_door = card.has_memory();
        let mirror = Mirror::new(&files.of_image("resource0"), card).map_err(io::Error::other)?;
        mirror.file.set_len(REGISTERS as u64)?;
        let registers = Bar::open(&files.of_image("resource0"), 0, REGISTERS)?;
        for (offset, value) in [
            (at::magic::OFFSET, at::magic::VALUE),
            (at::layout::OFFSET, at::layout::VALUE),
            (at::slots::OFFSET, SLOTS.into()),
        ] {
            registers.write((at::BASE + offset) as usize, value);
        }
        let orders = Arc::<Orders>::default();
        let server = Server {
            files: files.clone(),
            orders: orders.clone(),
            mirror,
            registers,
            has_door,
            session: 0,
            maps: None,
            streams: Default::default(),
            unanswered: 0,
        };
        Ok(Self { files, served: Served::start(orders, server)? })
    }

    /// Returns the folder that replaces the system's list of slots and contains the memory.
    pub fn folder(&self) -> &Path {
        self.files.folder.path()
    }

    /// Returns a file of the function that loads the image.
    pub fn file(&self, what: &str) -> PathBuf {
        self.files.of_image(what)
    }
}

impl Board for F2 {
    const URI: &str = "f2:0";
    const GONE: [&str; 2] = ["there is no ", "`sudo fpga-describe-local-image -S 0 -R`"];

    type Card = dyn Transport;

    fn with(card: Box<dyn Transport>) -> io::Result<Self> {
        Self::new(card)
    }

    fn transport(&self, limit: Duration) -> Result<Box<dyn Transport>> {
        Ok(Box::new(F2Transport::open(Some(self.folder()), 0, limit)?))
    }

    fn served(&self) -> &Served {
        &self.served
    }

    fn magic(&self) -> Magic {
        let (offset, value) = (at::BASE + at::magic::OFFSET, at::magic::VALUE);
        Magic { file: self.file("resource0"), offset, value }
    }

    fn listed(&self) -> Vec<(u32, String)> {
        f2_slots(self.folder())
    }
}

/// The rings of a stream on the side of the card.
#[derive(Default)]
struct Stream {
    /// Counts of pages that were taken, written and reported as read, modulo 2^16.
    taken: u16,
    written: u16,
    freed: u16,
    /// Pages of an incomplete transfer.
    partial: Vec<u8>,
    /// Pages that wait for a free slot of the host, each with a flag for the last one of its transfer.
    out: VecDeque<(Vec<u8>, bool)>,
}

impl Stream {
    fn answer(&mut self, transfer: &[u8]) {
        let pages = transfer.len().div_ceil(PAGE);
        let pages = (1..).zip(transfer.chunks(PAGE)).map(|(n, page)| (page.to_vec(), n == pages));
        self.out.extend(pages);
    }
}

/// Returns the offsets of a slot's descriptor and of its page in a window.
fn places(stream: u32, slot: u16) -> (usize, usize) {
    use room::{descriptors, pages};
    let slot = u32::from(slot);
    let descriptor = descriptors::BASE + stream * descriptors::STRIDE + slot * descriptors::SLOT;
    let page = pages::BASE + stream * pages::STRIDE + slot * pages::SLOT;
    (descriptor as usize, page as usize)
}

/// Returns the descriptor at `place` if it is that of this page. The host stored the page before it.
fn described(window: &Bar, place: usize, session: u16, number: u16) -> Option<u64> {
    let found = window.read_long(place);
    let key = [descriptor::session::OFFSET, descriptor::number::OFFSET].map(|it| field(found, it));
    if key != [session, number] {
        return None;
    }
    fence();
    Some(found)
}

fn field(descriptor: u64, offset: u32) -> u16 {
    (descriptor >> (8 * offset)) as u16
}

/// The mapped memory of the open session.
struct Maps {
    window: Bar,
    memory: Bar,
}

struct Server {
    files: Files,
    orders: Arc<Orders>,
    mirror: Mirror,
    registers: Bar,
    has_door: bool,
    session: u16,
    maps: Option<Maps>,
    streams: [Stream; 2],
    /// Packets that the card has accepted and not answered.
    unanswered: usize,
}

impl Serve for Server {
    fn turn(&mut self) {
        self.follow_session();
        if self.maps.is_none() {
            return thread::sleep(Duration::from_millis(1));
        }
        self.take_packets();
        let held = self.orders.holds_memory();
        if self.has_door && !held {
            while let Some(transfer) = self.come(stream::DOOR) {
                let answer = carried_out(&mut *self.mirror.card, &transfer);
                self.streams[stream::DOOR as usize].answer(&answer);
            }
        }
        if self.mirror.is_old() {
            self.refresh();
        }
        if self.streams[stream::PACKETS as usize].out.is_empty() {
            self.answer();
        }
        self.give(stream::PACKETS);
        self.give(stream::DOOR);
    }

    fn vanish(&mut self) {
        self.files.vanish(&self.mirror.file);
    }
}

impl Server {
    fn get(&self, offset: u32) -> u32 {
        self.registers.read((at::BASE + offset) as usize)
    }

    fn put(&self, offset: u32, value: u32) {
        self.registers.write((at::BASE + offset) as usize, value);
    }

    /// Follows writes to the session register. Any write closes the open session and resets the card.
    fn follow_session(&mut self) {
        let asked = self.get(at::session::OFFSET) as u16;
        if asked == self.session {
            return;
        }
        self.put(at::state::OFFSET, state::RESETTING);
        self.mirror.reset();
        (self.session, self.streams, self.unanswered) = (asked, Default::default(), 0);
        self.maps = (asked != 0).then(|| {
            let base = u64::from(self.get(at::base_high::OFFSET)) << 32
                | u64::from(self.get(at::base_low::OFFSET));
            assert_eq!(base, EMULATED_BASE, "the host uses another base address");
            let open = |path: &Path, start| {
                Bar::open(path, start, WINDOW as usize).expect("the host has created the file")
            };
            Maps {
                window: open(&self.files.of_image("resource4"), u64::from(asked) * WINDOW),
                memory: open(&self.files.memory(), 0),
            }
        });
        self.put(at::state::OFFSET, 0);
        for stream in [stream::DOOR, stream::PACKETS] {
            self.report_taken(stream);
        }
    }

    /// Reports how many pages were taken.
    fn report_taken(&self, stream: u32) {
        let taken = self.streams[stream as usize].taken;
        let value = u32::from(self.session) << 16 | u32::from(taken);
        self.put(at::taken::OFFSET + stream * at::taken::STRIDE, value);
    }

    /// Returns the next whole transfer of the host.
    fn come(&mut self, stream: u32) -> Option<Vec<u8>> {
        loop {
            let window = &self.maps.as_ref()?.window;
            let ring = &mut self.streams[stream as usize];
            let (descriptor, page) = places(stream, ring.taken % SLOTS);
            let found = described(window, descriptor, self.session, ring.taken)?;
            let bytes = usize::from(field(found, descriptor::bytes::OFFSET));
            let last = field(found, descriptor::last::OFFSET) == 1;
            assert!((1..=PAGE).contains(&bytes) && (last || bytes.is_multiple_of(BEAT)), "{bytes}");
            let start = ring.partial.len();
            ring.partial.resize(start + bytes.next_multiple_of(8), 0);
            window.take(page, &mut ring.partial[start..]);
            ring.partial.truncate(start + bytes);
            ring.taken = ring.taken.wrapping_add(1);
            let whole = last.then(|| std::mem::take(&mut ring.partial));
            self.report_taken(stream);
            if whole.is_some() {
                return whole;
            }
        }
    }

    /// Accepts commands. A card whose replies are not read fills its queues, and then accepts none.
    fn take_packets(&mut self) {
        while self.unanswered < TAKEN
            && let Some(packet) = self.come(stream::PACKETS)
        {
            // Registers that the host wrote before it sent the packet.
            self.mirror.apply();
            self.mirror.card.send(&packet).expect("the card takes packets");
            self.unanswered += 1;
        }
    }

    /// Synchronises the registers in both directions.
    fn refresh(&mut self) {
        self.mirror.apply();
        self.mirror.refresh();
    }

    /// Sends the card's next reply.
    fn answer(&mut self) {
        let reply = self.mirror.card.receive(Duration::from_millis(1));
        let Some(reply) = reply.expect("the card answers") else { return };
        self.unanswered = self.unanswered.saturating_sub(1);
        if is_control_reply(&reply) {
            self.refresh();
        }
        self.streams[stream::PACKETS as usize].answer(&reply);
    }

    /// Writes pages of a stream into free slots of the host.
    fn give(&mut self, stream: u32) {
        let freed = self.get(at::freed::OFFSET + stream * at::freed::STRIDE);
        let ring = &mut self.streams[stream as usize];
        let Some(maps) = self.maps.as_ref().filter(|_| !ring.out.is_empty()) else { return };
        let pages = freed as u16;
        let full = ring.written.wrapping_sub(ring.freed);
        if freed >> 16 == u32::from(self.session) && ring.written.wrapping_sub(pages) <= full {
            ring.freed = pages;
        }
        while ring.written.wrapping_sub(ring.freed) < SLOTS
            && let Some((mut data, last)) = ring.out.pop_front()
        {
            if !self.files.may_write() {
                return self.registers.write((at::BASE + at::state::OFFSET) as usize, state::FAULT);
            }
            let (place, page) = places(stream, ring.written % SLOTS);
            let mut line = [0; 64];
            for (offset, field) in [
                (descriptor::session::OFFSET, self.session),
                (descriptor::number::OFFSET, ring.written),
                (descriptor::bytes::OFFSET, data.len() as u16),
                (descriptor::last::OFFSET, last.into()),
            ] {
                put(&mut line, offset, &field.to_le_bytes());
            }
            data.resize(data.len().next_multiple_of(64), 0);
            maps.memory.fill(page, &data);
            fence();
            maps.memory.fill(place, &line);
            ring.written = ring.written.wrapping_add(1);
        }
    }
}
