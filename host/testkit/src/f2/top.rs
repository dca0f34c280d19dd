//! Slots around the simulation of a board's top level. The host's writes to its window go over PCIS, its writes to
//! registers over OCL, and the card itself writes to the host's memory.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use proofmill_card::wire::constants::slot_rings::{descriptor, registers as at, state, stream};
use proofmill_card::{Bar, SimSlot, Transport};
use proofmill_op::Result;

use super::{F2, Files, PAGE, REGISTERS, WINDOW, described, field, places};
use crate::boards::faults::{Board, Magic};
use crate::boards::{Mirror, Serve, Served};

/// Cycles between two polls of the host's files.
const SLICE: u64 = 256;
/// Cycles within which any session opens or closes.
const OPENING: u64 = 1 << 20;
/// The registers of the rings that the host writes, besides the session.
const WRITTEN: [u32; 4] = [
    at::base_low::OFFSET,
    at::base_high::OFFSET,
    at::freed::OFFSET,
    at::freed::OFFSET + at::freed::STRIDE,
];

/// A slot with a simulated top level.
pub struct Top(F2);

impl Top {
    /// Puts a card in slot 0 of a new machine.
    pub fn new(card: SimSlot) -> io::Result<Self> {
        Self::behind(Files::new()?, card)
    }

    /// Puts another card in the next slot, which has this number.
    pub fn beside(&self, number: u32, card: SimSlot) -> io::Result<Self> {
        Self::behind(Files { number, ..self.0.files.clone() }, card)
    }

    /// Returns the folder that replaces the system's list of slots and contains the memory.
    pub fn folder(&self) -> &Path {
        self.0.folder()
    }

    /// Returns a file of the function that loads the image.
    pub fn file(&self, what: &str) -> PathBuf {
        self.0.file(what)
    }

    fn behind(files: Files, card: SimSlot) -> io::Result<Self> {
        files.lay_out()?;
        let card = Box::new(card);
        let mirror = Mirror::new(&files.of_image("resource0"), card).map_err(io::Error::other)?;
        mirror.file.set_len(REGISTERS as u64)?;
        let registers = Bar::open(&files.of_image("resource0"), 0, REGISTERS)?;
        let mut server = Server {
            files: files.clone(),
            mirror,
            registers,
            session: 0,
            window: None,
            slots: 1,
            stored: [0; 2],
            written: [0; 4],
        };
        for offset in [at::magic::OFFSET, at::layout::OFFSET, at::slots::OFFSET] {
            let value = server.read(offset);
            server.put(offset, value);
        }
        server.slots = server.get(at::slots::OFFSET) as u16;
        Ok(Self(F2 { files, served: Served::start(Arc::default(), server)? }))
    }
}

impl Board for Top {
    const URI: &str = F2::URI;
    const GONE: [&str; 2] = F2::GONE;
    type Card = SimSlot;

    fn with(card: Box<SimSlot>) -> io::Result<Self> {
        Self::new(*card)
    }

    fn transport(&self, limit: Duration) -> Result<Box<dyn Transport>> {
        self.0.transport(limit)
    }

    fn served(&self) -> &Served {
        self.0.served()
    }

    fn magic(&self) -> Magic {
        self.0.magic()
    }

    fn listed(&self) -> Vec<(u32, String)> {
        self.0.listed()
    }
}

struct Server {
    files: Files,
    mirror: Mirror<SimSlot>,
    registers: Bar,
    session: u16,
    /// The window of the open session.
    window: Option<Bar>,
    slots: u16,
    /// Counts of pages of each stream that were sent over PCIS, modulo 2^16.
    stored: [u16; 2],
    written: [u32; 4],
}

impl Serve for Server {
    fn turn(&mut self) {
        self.follow_session();
        if self.window.is_none() {
            return thread::sleep(Duration::from_millis(1));
        }
        self.follow_writes();
        for stream in [stream::PACKETS, stream::DOOR] {
            while self.store(stream).is_some() {}
        }
        self.mirror.card.run(SLICE).expect("the circuit keeps the rules");
        if self.mirror.is_old() {
            self.mirror.apply();
            self.mirror.refresh();
            self.show(at::state::OFFSET);
        }
        for stream in [stream::PACKETS, stream::DOOR] {
            let taken = at::taken::OFFSET + stream * at::taken::STRIDE;
            if self.get(taken) as u16 != self.stored[stream as usize] {
                self.show(taken);
            }
        }
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

    /// Reads a register of the rings.
    fn read(&mut self, offset: u32) -> u32 {
        self.mirror.card.read_register(at::BASE + offset).expect("these registers always answer")
    }

    fn write(&mut self, offset: u32, value: u32) {
        let written = self.mirror.card.write_register(at::BASE + offset, value);
        written.expect("these registers always answer");
    }

    fn show(&mut self, offset: u32) {
        let value = self.read(offset);
        self.put(offset, value);
    }

    fn follow_writes(&mut self) {
        for (number, offset) in WRITTEN.into_iter().enumerate() {
            let value = self.get(offset);
            if value != self.written[number] {
                self.written[number] = value;
                self.write(offset, value);
            }
        }
    }

    fn follow_session(&mut self) {
        let asked = self.get(at::session::OFFSET) as u16;
        if asked == self.session {
            return;
        }
        self.put(at::state::OFFSET, state::RESETTING);
        self.follow_writes();
        (self.session, self.stored) = (asked, [0; 2]);
        if asked != 0 && self.files.may_write() {
            let base =
                [at::base_high::OFFSET, at::base_low::OFFSET].map(|it| u64::from(self.get(it)));
            let memory = Bar::open(&self.files.memory(), 0, WINDOW as usize);
            self.mirror.card.lend(base[0] << 32 | base[1], memory.expect("a session has memory"));
        }
        self.write(at::session::OFFSET, asked.into());
        for _ in 0..OPENING / SLICE {
            if self.read(at::state::OFFSET) & (state::RESETTING | state::DOWN) == 0 {
                break;
            }
            self.mirror.card.run(SLICE).expect("the circuit keeps the rules");
        }
        self.mirror.refresh();
        let window = || {
            Bar::open(&self.files.of_image("resource4"), u64::from(asked) * WINDOW, WINDOW as usize)
        };
        self.window = (asked != 0).then(|| window().expect("it has all windows"));
        self.show(at::state::OFFSET);
        for stream in [stream::DOOR, stream::PACKETS] {
            self.show(at::taken::OFFSET + stream * at::taken::STRIDE);
        }
    }

    /// Stores the host's next page and its descriptor over PCIS, or returns `None` if the host has written none.
    fn store(&mut self, stream: u32) -> Option<()> {
        let window = self.window.as_ref()?;
        let number = self.stored[stream as usize];
        let (place, start) = places(stream, number % self.slots);
        let found = described(window, place, self.session, number)?;
        // Registers that the host wrote before it stored the page.
        self.mirror.apply();
        let bytes = usize::from(field(found, descriptor::bytes::OFFSET)).min(PAGE);
        let mut page = vec![0; bytes.next_multiple_of(8)];
        window.take(start, &mut page);
        let address = u64::from(self.session) * WINDOW;
        self.mirror.card.store(address + start as u64, &page);
        self.mirror.card.store(address + place as u64, &found.to_le_bytes());
        self.stored[stream as usize] = number.wrapping_add(1);
        Some(())
    }
}
