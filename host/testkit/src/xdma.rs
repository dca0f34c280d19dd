//! The files of the XDMA driver around any card in software or in simulation, so that the host's real `pcie:` transport runs without a board.
//!
//! | the driver's file | here |
//! |---|---|
//! | `_h2c_0` | a FIFO; commands are cut by their length, since a FIFO has no `tlast`; a card that has many to answer takes none |
//! | `_c2h_0` | a FIFO in packet mode: a read ends where a reply does, as the bridge ends it |
//! | `_h2c_1`, `_c2h_1` | FIFOs of the door to the memory, if the card has one; a transfer is as long as its header says |
//! | `_user` | a file of 64 KiB: words that the host changed are written to the card before each command, words that the card changed are written here before each reply to RESET and STATUS, and every 20 ms |
//! | `_events_0` | a FIFO that gets a 1 an interrupt |
//!
//! So a register is as old as that, and one that acts when it is read does not act: enough for every engine but the coprocessor.

pub mod faults;

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use proofmill_card::Transport;
use proofmill_card::wire::constants::memory_door::{header as at, kind, status};
use proofmill_card::wire::constants::shell::{
    address_map, block as shell, block_header, commands, identification,
};
use proofmill_card::wire::{Header, is_engine, put, u32_at, u64_at};
use proofmill_card::{DOOR_BEAT as BEAT, Place};
use proofmill_op::{Error, Result};
use rustix::fs::{CWD, FileType, Mode, OFlags, fcntl_setfl, mknodat};
use rustix::pipe::fcntl_setpipe_size;

/// How old a register may be.
const REFRESH: Duration = Duration::from_millis(20);
/// Packets that a card has taken and not answered, at most; more than the queues of its engines. Each is answered by one reply.
const TAKEN: usize = 256;
/// No register that the host needs lies behind this many bytes of a block.
const BLOCK: u32 = 0x200;

static FOLDERS: AtomicU32 = AtomicU32::new(0);

/// A card behind such files, served by a thread until it is dropped.
pub struct Xdma {
    files: Files,
    events: File,
    orders: Arc<Orders>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Orders {
    stop: AtomicBool,
    hang: AtomicBool,
    hold_memory: AtomicBool,
    vanish: AtomicBool,
}

/// A folder of its own, until nobody uses it.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The files of a card, by its number.
#[derive(Clone)]
struct Files {
    folder: Arc<Folder>,
    number: u32,
}

impl Files {
    fn place(&self, what: &str) -> PathBuf {
        self.folder.0.join(format!("xdma{}_{what}", self.number))
    }

    /// Open for both, so that it stays open while hosts come and go.
    fn fifo(&self, what: &str) -> io::Result<File> {
        let flags = OFlags::NONBLOCK.bits() as i32;
        OpenOptions::new().read(true).write(true).custom_flags(flags).open(self.place(what))
    }
}

impl Xdma {
    /// Puts a card behind files in a new folder, where its number is 0.
    pub fn new(card: Box<dyn Transport>) -> io::Result<Self> {
        let number = FOLDERS.fetch_add(1, Ordering::Relaxed);
        let name = format!("proofmill-xdma-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir(&folder)?;
        Self::behind(Files { folder: Arc::new(Folder(folder)), number: 0 }, card)
    }

    /// Puts another card behind files beside these, with this number.
    pub fn beside(&self, number: u32, card: Box<dyn Transport>) -> io::Result<Self> {
        Self::behind(Files { number, ..self.files.clone() }, card)
    }

    fn behind(files: Files, card: Box<dyn Transport>) -> io::Result<Self> {
        let bulk: &[&str] = if card.has_memory() { &["h2c_1", "c2h_1"] } else { &[] };
        for what in ["h2c_0", "c2h_0", "events_0"].iter().chain(bulk) {
            let mode = Mode::RUSR | Mode::WUSR;
            mknodat(CWD, files.place(what), FileType::Fifo, mode, 0)?;
        }
        let commands = files.fifo("h2c_0")?;
        let replies = files.fifo("c2h_0")?;
        fcntl_setfl(&replies, OFlags::NONBLOCK | OFlags::DIRECT)?;
        let bulk = match card.has_memory() {
            true => Some(Bulk::new(&files)?),
            false => None,
        };
        let events = files.fifo("events_0")?;
        let orders = Arc::<Orders>::default();
        let mirror = Mirror::new(&files.place("user"), card).map_err(io::Error::other)?;
        let mut server = Server {
            files: files.clone(),
            commands: Some(commands),
            replies: Some(replies),
            bulk,
            mirror,
            orders: orders.clone(),
            partial: Vec::new(),
            taken: 0,
            waiting: Vec::new(),
        };
        let thread = thread::Builder::new().spawn(move || server.run())?;
        Ok(Self { files, events, orders, thread: Some(thread) })
    }

    /// What the files' names begin with.
    pub fn prefix(&self) -> String {
        self.files.folder.0.join("xdma").display().to_string()
    }

    /// One of the files.
    pub fn file(&self, what: &str) -> PathBuf {
        self.files.place(what)
    }

    /// A hung card takes nothing, answers nothing, and its registers stand still.
    pub fn hang(&self, hung: bool) {
        self.orders.hang.store(hung, Ordering::SeqCst);
    }

    /// A card whose memory is held takes packets and answers them, and leaves what comes to the door of its memory.
    pub fn hold_memory(&self, held: bool) {
        self.orders.hold_memory.store(held, Ordering::SeqCst);
    }

    /// The card leaves the bus: its registers read ones, its files go.
    pub fn vanish(&self) {
        self.orders.vanish.store(true, Ordering::SeqCst);
    }

    /// The card's first interrupt.
    pub fn interrupt(&self) -> io::Result<()> {
        (&self.events).write_all(&1u32.to_le_bytes())
    }
}

impl Drop for Xdma {
    fn drop(&mut self) {
        self.orders.stop.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.take() {
            // A card that panicked has said so.
            let _ = thread.join();
        }
    }
}

/// The registers, here and in the card.
struct Mirror {
    file: File,
    card: Box<dyn Transport>,
    /// Addresses, and the words as both sides last agreed.
    words: Vec<(u32, u32)>,
    since: Instant,
    /// The address of the shell's `control`.
    control: u32,
    /// The host has reset the card by it.
    was_reset: bool,
}

impl Mirror {
    fn new(path: &Path, mut card: Box<dyn Transport>) -> Result<Self> {
        let page = identification::magic::OFFSET..identification::scratch::OFFSET + 4;
        let mut addresses: Vec<u32> = page.step_by(4).collect();
        let mut block = card.read_register(identification::first_block::OFFSET)?;
        let control = block.saturating_add(shell::registers::control::OFFSET);
        while block != 0 {
            let size = card.read_register(block + block_header::SIZE)?.min(BLOCK);
            addresses.extend((block..block + size).step_by(4));
            block = card.read_register(block + block_header::NEXT)?;
        }
        let io = |source: io::Error| proofmill_op::Error::Io {
            context: path.display().to_string(),
            source: source.into(),
        };
        let unmapped = address_map::UNMAPPED.to_le_bytes();
        fs::write(path, unmapped.repeat((1 << address_map::BITS) / 4)).map_err(io)?;
        let file = OpenOptions::new().read(true).write(true).open(path).map_err(io)?;
        let words = addresses.into_iter().map(|at| (at, address_map::UNMAPPED)).collect();
        let mut mirror =
            Self { file, card, words, since: Instant::now(), control, was_reset: false };
        mirror.refresh();
        Ok(mirror)
    }

    fn word(&self, address: u32) -> u32 {
        let mut bytes = [0; 4];
        self.file.read_exact_at(&mut bytes, address.into()).expect("the file has all registers");
        u32::from_le_bytes(bytes)
    }

    /// Brings to the card what the host has changed.
    fn apply(&mut self) {
        for number in 0..self.words.len() {
            let (address, known) = self.words[number];
            let found = self.word(address);
            if found != known {
                self.card.write_register(address, found).expect("the card's registers work");
                self.words[number].1 = found;
                self.was_reset |= address == self.control;
            }
        }
    }

    /// And to the host what the card has changed.
    fn refresh(&mut self) {
        for (address, known) in &mut self.words {
            let found = self.card.read_register(*address).expect("the card's registers work");
            if found != *known {
                let bytes = found.to_le_bytes();
                self.file.write_all_at(&bytes, (*address).into()).expect("the file is there");
                *known = found;
            }
        }
        self.since = Instant::now();
    }
}

/// The door to the memory.
struct Bulk {
    transfers: File,
    answers: File,
    /// Bytes of a transfer that is not whole.
    partial: Vec<u8>,
}

impl Bulk {
    /// Room for all transfers that are on their way at a time.
    const ROOM: usize = 1 << 18;

    fn new(files: &Files) -> io::Result<Self> {
        let (transfers, answers) = (files.fifo("h2c_1")?, files.fifo("c2h_1")?);
        fcntl_setpipe_size(&transfers, Self::ROOM)?;
        fcntl_setfl(&answers, OFlags::NONBLOCK | OFlags::DIRECT)?;
        Ok(Self { transfers, answers, partial: Vec::new() })
    }

    /// Carries whole transfers out.
    fn serve(&mut self, card: &mut dyn Transport) {
        let mut room = vec![0; Self::ROOM];
        match self.transfers.read(&mut room) {
            Ok(count) => self.partial.extend_from_slice(&room[..count]),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) => panic!("the FIFO of transfers: {error}"),
        }
        while let Some(header) = self.partial.get(..BEAT) {
            let word = |offset| u32_at(header, offset).expect("a header has all fields");
            let address = u64_at(header, at::address::OFFSET).expect("likewise");
            let place = Place {
                channel: word(at::channel::OFFSET),
                address,
                slice: word(at::slice::OFFSET),
            };
            let beats = word(at::beats::OFFSET) as usize;
            let writes = word(at::kind::OFFSET) == kind::WRITE;
            let slices = if writes { beats * place.slice as usize } else { 0 };
            let len = BEAT + slices.next_multiple_of(BEAT);
            if self.partial.len() < len {
                return;
            }
            let rest = self.partial.split_off(len);
            let transfer = std::mem::replace(&mut self.partial, rest);
            let mut answer = vec![0; if writes { 0 } else { beats * BEAT }];
            let done = match writes {
                true => card.write_memory(place, &transfer[BEAT..BEAT + slices]),
                false => card.read_memory(place, &mut answer),
            };
            let status = match done {
                Ok(()) => status::DONE,
                Err(Error::Failed { .. }) => status::MEMORY_FAULT,
                Err(_) => {
                    answer.clear();
                    status::REFUSED
                }
            };
            answer.extend_from_slice(&transfer[..BEAT]);
            let end = answer.len() - BEAT;
            put(&mut answer[end..], at::status::OFFSET, &status.to_le_bytes());
            self.answers
                .write_all(&answer)
                .expect("the FIFO of answers has room for all that are asked for");
        }
    }
}

struct Server {
    bulk: Option<Bulk>,
    files: Files,
    commands: Option<File>,
    replies: Option<File>,
    mirror: Mirror,
    orders: Arc<Orders>,
    /// Bytes of commands that are not taken.
    partial: Vec<u8>,
    /// Commands that are not answered.
    taken: usize,
    /// Bytes of a reply that the host has no room for.
    waiting: Vec<u8>,
}

impl Server {
    fn run(&mut self) {
        while !self.orders.stop.load(Ordering::SeqCst) {
            if self.orders.vanish.load(Ordering::SeqCst) {
                return self.vanish();
            }
            if self.orders.hang.load(Ordering::SeqCst) {
                thread::sleep(Duration::from_millis(1));
                continue;
            }
            self.take();
            let held = self.orders.hold_memory.load(Ordering::SeqCst);
            if let Some(bulk) = self.bulk.as_mut().filter(|_| !held) {
                bulk.serve(&mut *self.mirror.card);
            }
            if self.mirror.since.elapsed() >= REFRESH {
                self.refresh();
            }
            if self.waiting.is_empty() {
                self.answer();
            }
            self.give();
        }
    }

    fn vanish(&mut self) {
        let ones = vec![0xff; 1 << address_map::BITS];
        let _ = self.mirror.file.write_all_at(&ones, 0);
        for what in ["user", "h2c_0", "c2h_0", "h2c_1", "c2h_1", "events_0"] {
            let _ = fs::remove_file(self.files.place(what));
        }
        self.commands = None;
        self.replies = None;
        self.bulk = None;
    }

    /// Registers, both ways. A reset is over for the host when its old commands are forgotten.
    fn refresh(&mut self) {
        self.mirror.apply();
        self.forget();
        self.mirror.refresh();
    }

    /// After a reset by register: what the card had not taken was in the hands of the host that wrote it, and is gone with it. The next one
    /// sends nothing before the reset is over.
    fn forget(&mut self) -> bool {
        let was_reset = std::mem::take(&mut self.mirror.was_reset);
        if let Some(mut commands) = self.commands.as_ref().filter(|_| was_reset) {
            self.partial.clear();
            self.taken = 0;
            let mut room = [0; 1 << 16];
            while commands.read(&mut room).is_ok_and(|count| count > 0) {}
        }
        was_reset
    }

    /// Commands, as far as there are any.
    fn take(&mut self) {
        let Some(mut commands) = self.commands.as_ref() else { return };
        // A card whose replies nobody takes fills its queues, and then takes no commands.
        if self.taken >= TAKEN {
            return;
        }
        let mut room = [0; 1 << 16];
        let room = &mut room[..(1usize << 16).saturating_sub(self.partial.len())];
        match commands.read(room) {
            Ok(count) => self.partial.extend_from_slice(&room[..count]),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) => panic!("the FIFO of commands: {error}"),
        }
        while self.taken < TAKEN
            && let Some(header) = Header::of(&self.partial)
        {
            let len = (header.len as usize).max(Header::BYTES);
            if self.partial.len() < len {
                return;
            }
            let rest = self.partial.split_off(len);
            let packet = std::mem::replace(&mut self.partial, rest);
            // What the host wrote to a register before it sent this.
            self.mirror.apply();
            if self.forget() {
                return;
            }
            self.mirror.card.send(&packet).expect("the card takes packets");
            self.taken += 1;
        }
    }

    /// The card's next reply.
    fn answer(&mut self) {
        let reply = self.mirror.card.receive(Duration::from_millis(1));
        let Some(reply) = reply.expect("the card answers") else { return };
        self.taken = self.taken.saturating_sub(1);
        let header = Header::of(&reply);
        let is_control = [commands::reset::REPLY, commands::status::REPLY];
        if header.is_some_and(|it| !is_engine(it.cmd) && is_control.contains(&it.cmd)) {
            self.refresh();
        }
        self.waiting = reply;
    }

    fn give(&mut self) {
        let Some(mut replies) = self.replies.as_ref() else { return };
        if self.waiting.is_empty() {
            return;
        }
        match replies.write(&self.waiting) {
            Ok(count) => _ = self.waiting.drain(..count),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                thread::sleep(Duration::from_millis(1));
            }
            Err(error) => panic!("the FIFO of replies: {error}"),
        }
    }
}
