//! Emulates the files of the XDMA driver around any software model or simulation of a card, so that the host's real `pcie:` transport runs without a board.
//!
//! | the driver's file | emulation |
//! |---|---|
//! | `_h2c_0` | a FIFO; commands are split by their length, since a FIFO has no `tlast`; with many replies outstanding, the card accepts none |
//! | `_c2h_0` | a FIFO in packet mode: a read ends where a reply ends, as with the bridge |
//! | `_h2c_1`, `_c2h_1` | FIFOs of the memory port, if the card has one; a transfer has the length in its header |
//! | `_user` | the card's registers as on any [emulated board](crate::boards) |
//! | `_events_0` | a FIFO that receives a 1 per interrupt |

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use proofmill_card::wire::Header;
use proofmill_card::wire::constants::shell::{address_map, identification};
use proofmill_card::{DOOR_BEAT as BEAT, PcieTransport, Transport, xdma_cards};
use proofmill_op::Result;
use rustix::fs::{CWD, FileType, Mode, OFlags, fcntl_setfl, mknodat};
use rustix::pipe::fcntl_setpipe_size;

use crate::boards::faults::{Board, Magic};
use crate::boards::{
    Folder, Mirror, Orders, Serve, Served, TAKEN, carried_out, is_control_reply, transfer_len,
};

/// A card behind such files, served by a thread until it is dropped.
pub struct Xdma {
    files: Files,
    events: File,
    served: Served,
}

/// The files of a card, by its number.
#[derive(Clone)]
struct Files {
    folder: Arc<Folder>,
    number: u32,
}

impl Files {
    fn place(&self, what: &str) -> PathBuf {
        self.folder.path().join(format!("xdma{}_{what}", self.number))
    }

    /// Creates a FIFO and opens it for reading and writing, so that it stays open while hosts come and go.
    fn fifo(&self, what: &str) -> io::Result<File> {
        let flags = OFlags::NONBLOCK.bits() as i32;
        OpenOptions::new().read(true).write(true).custom_flags(flags).open(self.place(what))
    }
}

impl Xdma {
    /// Puts a card behind files in a new folder, where its number is 0.
    pub fn new(card: Box<dyn Transport>) -> io::Result<Self> {
        Self::behind(Files { folder: Arc::new(Folder::new("xdma")?), number: 0 }, card)
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
        let server = Server {
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
        Ok(Self { files, events, served: Served::start(orders, server)? })
    }

    /// Returns the common beginning of the files' names.
    pub fn prefix(&self) -> String {
        self.files.folder.path().join("xdma").display().to_string()
    }

    /// Returns the path of a file.
    pub fn file(&self, what: &str) -> PathBuf {
        self.files.place(what)
    }

    /// Signals the card's first interrupt.
    pub fn interrupt(&self) -> io::Result<()> {
        (&self.events).write_all(&1u32.to_le_bytes())
    }
}

impl Board for Xdma {
    const URI: &str = "pcie:0";
    const GONE: [&str; 2] = ["there is no ", "modprobe xdma"];

    type Card = dyn Transport;

    fn with(card: Box<dyn Transport>) -> io::Result<Self> {
        Self::new(card)
    }

    fn transport(&self, limit: Duration) -> Result<Box<dyn Transport>> {
        Ok(Box::new(PcieTransport::open(&self.prefix(), 0, limit)?))
    }

    fn served(&self) -> &Served {
        &self.served
    }

    fn magic(&self) -> Magic {
        let (offset, value) = (identification::magic::OFFSET, identification::magic::VALUE);
        Magic { file: self.file("user"), offset, value }
    }

    fn listed(&self) -> Vec<(u32, String)> {
        xdma_cards(&self.prefix())
    }
}

/// The memory port.
struct Bulk {
    transfers: File,
    answers: File,
    /// Bytes of an incomplete transfer.
    partial: Vec<u8>,
}

impl Bulk {
    /// Capacity for all transfers that are outstanding at a time.
    const CAPACITY: usize = 1 << 18;

    fn new(files: &Files) -> io::Result<Self> {
        let (transfers, answers) = (files.fifo("h2c_1")?, files.fifo("c2h_1")?);
        fcntl_setpipe_size(&transfers, Self::CAPACITY)?;
        fcntl_setfl(&answers, OFlags::NONBLOCK | OFlags::DIRECT)?;
        Ok(Self { transfers, answers, partial: Vec::new() })
    }

    /// Executes whole transfers.
    fn serve(&mut self, card: &mut dyn Transport) {
        let mut buffer = vec![0; Self::CAPACITY];
        match self.transfers.read(&mut buffer) {
            Ok(count) => self.partial.extend_from_slice(&buffer[..count]),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) => panic!("the FIFO of transfers: {error}"),
        }
        while let Some(header) = self.partial.get(..BEAT) {
            let len = transfer_len(header);
            if self.partial.len() < len {
                return;
            }
            let rest = self.partial.split_off(len);
            let transfer = std::mem::replace(&mut self.partial, rest);
            let answer = carried_out(card, &transfer);
            self.answers
                .write_all(&answer)
                .expect("the FIFO of responses holds all that are outstanding");
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
    /// Bytes of commands that were not accepted yet.
    partial: Vec<u8>,
    /// Number of commands without a reply.
    taken: usize,
    /// Bytes of a reply that the FIFO does not accept yet.
    waiting: Vec<u8>,
}

impl Serve for Server {
    fn turn(&mut self) {
        self.take();
        let held = self.orders.holds_memory();
        if let Some(bulk) = self.bulk.as_mut().filter(|_| !held) {
            bulk.serve(&mut *self.mirror.card);
        }
        if self.mirror.is_old() {
            self.refresh();
        }
        if self.waiting.is_empty() {
            self.answer();
        }
        self.give();
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
}

impl Server {
    /// Synchronises the registers in both directions. A reset ends for the host after its old commands are discarded.
    fn refresh(&mut self) {
        self.mirror.apply();
        self.forget();
        self.mirror.refresh();
    }

    /// Discards commands that the card had not accepted before a reset by register. The next host sends nothing before the
    /// reset ends.
    fn forget(&mut self) -> bool {
        let was_reset = std::mem::take(&mut self.mirror.was_reset);
        if let Some(mut commands) = self.commands.as_ref().filter(|_| was_reset) {
            self.partial.clear();
            self.taken = 0;
            let mut buffer = [0; 1 << 16];
            while commands.read(&mut buffer).is_ok_and(|count| count > 0) {}
        }
        was_reset
    }

    /// Accepts commands, if there are any.
    fn take(&mut self) {
        let Some(mut commands) = self.commands.as_ref() else { return };
        // A card whose replies are not read fills its queues, and then accepts no commands.
        if self.taken >= TAKEN {
            return;
        }
        let mut buffer = [0; 1 << 16];
        let buffer = &mut buffer[..(1usize << 16).saturating_sub(self.partial.len())];
        match commands.read(buffer) {
            Ok(count) => self.partial.extend_from_slice(&buffer[..count]),
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
            // Registers that the host wrote before it sent the packet.
            self.mirror.apply();
            if self.forget() {
                return;
            }
            self.mirror.card.send(&packet).expect("the card takes packets");
            self.taken += 1;
        }
    }

    /// Sends the card's next reply.
    fn answer(&mut self) {
        let reply = self.mirror.card.receive(Duration::from_millis(1));
        let Some(reply) = reply.expect("the card answers") else { return };
        self.taken = self.taken.saturating_sub(1);
        if is_control_reply(&reply) {
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
