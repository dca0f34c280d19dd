//! Emulated boards: the parts that all transports share, and fault injection.
//!
//! A board emulates the system's device files around any software model or simulation of a card, so that the host's
//! real transport runs without hardware. Its registers are a file of 64 KiB. Before each command, words that the host
//! changed are written to the card. Before each reply to RESET and STATUS, and every 20 ms, words that the card changed
//! are written to the file. A register may therefore be 20 ms old, and a register with a side effect on reads has none.
//! Every engine but the coprocessor works with this.

pub mod faults;

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use proofmill_card::wire::constants::memory_door::{header as at, kind, status};
use proofmill_card::wire::constants::shell::{
    address_map, block as shell, block_header, commands, identification,
};
use proofmill_card::wire::{Header, is_engine, put, u32_at, u64_at};
use proofmill_card::{DOOR_BEAT as BEAT, Place, Transport};
use proofmill_op::{Error, Result};
use tempfile::TempDir;

/// Maximum age of a register.
pub const REFRESH: Duration = Duration::from_millis(20);
/// Maximum number of packets that a card has accepted and not answered; more than the queues of its engines hold. Each gets one reply.
pub const TAKEN: usize = 256;
/// Size of the part of a block in which the host uses registers.
const BLOCK: u32 = 0x200;

/// Switches of a board.
#[derive(Default)]
pub struct Orders {
    /// Ends the board's thread.
    stop: AtomicBool,
    /// Stops the card: it accepts nothing, answers nothing, and its registers do not change.
    hang: AtomicBool,
    /// Stops transfers at the card's memory port.
    hold_memory: AtomicBool,
    /// Removes the card from the bus: its registers read ones, its files disappear.
    vanish: AtomicBool,
    /// Number of rounds that the board's thread has begun.
    rounds: AtomicU64,
}

impl Orders {
    /// Returns whether transfers at the card's memory port are stopped.
    pub fn holds_memory(&self) -> bool {
        self.hold_memory.load(Ordering::SeqCst)
    }
}

/// A board that runs in a thread of its own.
pub trait Serve: Send + 'static {
    /// Polls the host's files and the card once.
    fn turn(&mut self);

    /// Removes the card from the bus.
    fn vanish(&mut self);
}

/// A board's thread, which ends when this is dropped.
pub struct Served {
    orders: Arc<Orders>,
    thread: Option<JoinHandle<()>>,
}

impl Served {
    /// Starts the board's thread.
    pub fn start(orders: Arc<Orders>, mut board: impl Serve) -> io::Result<Self> {
        let given = orders.clone();
        let thread = thread::Builder::new().spawn(move || {
            while !given.stop.load(Ordering::SeqCst) {
                given.rounds.fetch_add(1, Ordering::SeqCst);
                if given.vanish.load(Ordering::SeqCst) {
                    return board.vanish();
                }
                match given.hang.load(Ordering::SeqCst) {
                    true => thread::sleep(Duration::from_millis(1)),
                    false => board.turn(),
                }
            }
        })?;
        Ok(Self { orders, thread: Some(thread) })
    }

    /// Stops or continues the card.
    pub fn hang(&self, hung: bool) {
        self.order(&self.orders.hang, hung);
    }

    /// Stops or continues transfers at the card's memory port.
    pub fn hold_memory(&self, held: bool) {
        self.order(&self.orders.hold_memory, held);
    }

    /// Removes the card from the bus.
    pub fn vanish(&self) {
        self.order(&self.orders.vanish, true);
    }

    /// Sets a switch, and waits for the end of the round in which the board may not have seen it.
    fn order(&self, switch: &AtomicBool, value: bool) {
        switch.store(value, Ordering::SeqCst);
        let begun = self.orders.rounds.load(Ordering::SeqCst);
        let ended = || self.thread.as_ref().is_none_or(JoinHandle::is_finished);
        while self.orders.rounds.load(Ordering::SeqCst) == begun && !ended() {
            thread::sleep(Duration::from_micros(50));
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.orders.stop.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.take() {
            // A panic of the card's thread was already reported.
            let _ = thread.join();
        }
    }
}

/// A temporary folder, removed on drop.
pub struct Folder(TempDir);

impl Folder {
    /// Creates a folder, with `what` in its name.
    pub fn new(what: &str) -> io::Result<Self> {
        tempfile::Builder::new().prefix(&format!("proofmill-{what}-")).tempdir().map(Self)
    }

    /// Returns the folder's path.
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

/// The registers of a card and their copies in a file.
pub struct Mirror<C: ?Sized = dyn Transport> {
    /// The file that the host maps or reads.
    pub file: File,
    /// The card that has the registers.
    pub card: Box<C>,
    /// Addresses with the last synchronised words.
    words: Vec<(u32, u32)>,
    since: Instant,
    /// The address of the shell's `control`.
    control: u32,
    /// Set when the host has reset the card by `control`.
    pub was_reset: bool,
}

impl<C: Transport + ?Sized> Mirror<C> {
    /// Creates a file of 64 KiB for this card.
    pub fn new(path: &Path, mut card: Box<C>) -> Result<Self> {
        let page = identification::magic::OFFSET..identification::scratch::OFFSET + 4;
        let mut addresses: Vec<u32> = page.step_by(4).collect();
        let mut block = card.read_register(identification::first_block::OFFSET)?;
        let control = block.saturating_add(shell::registers::control::OFFSET);
        while block != 0 {
            let size = card.read_register(block + block_header::SIZE)?.min(BLOCK);
            addresses.extend((block..block + size).step_by(4));
            block = card.read_register(block + block_header::NEXT)?;
        }
        let io = |source: io::Error| Error::Io {
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

    /// Returns a word of the file.
    pub fn word(&self, address: u32) -> u32 {
        let mut bytes = [0; 4];
        self.file.read_exact_at(&mut bytes, address.into()).expect("the file has all registers");
        u32::from_le_bytes(bytes)
    }

    /// Returns whether the file is older than [`REFRESH`].
    pub fn is_old(&self) -> bool {
        self.since.elapsed() >= REFRESH
    }

    /// Writes words that the host changed to the card.
    pub fn apply(&mut self) {
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

    /// Resets the card by its register and discards its remaining replies.
    pub fn reset(&mut self) {
        self.card.write_register(self.control, 1).expect("the card's registers work");
        while self.card.read_register(self.control).expect("the card's registers work") != 0 {
            let _ = self.card.receive(Duration::from_millis(1)).expect("the card answers");
        }
        while self.card.receive(Duration::ZERO).expect("the card answers").is_some() {}
        self.refresh();
    }

    /// Writes words that the card changed to the file.
    pub fn refresh(&mut self) {
        for (address, known) in &mut self.words {
            let found = self.card.read_register(*address).expect("the card's registers work");
            if found != *known {
                let bytes = found.to_le_bytes();
                self.file.write_all_at(&bytes, (*address).into()).expect("the file can be written");
                *known = found;
            }
        }
        self.since = Instant::now();
    }
}

/// Returns whether the driver expects fresh registers after this reply.
pub fn is_control_reply(reply: &[u8]) -> bool {
    let control = [commands::reset::REPLY, commands::status::REPLY];
    Header::of(reply).is_some_and(|it| !is_engine(it.cmd) && control.contains(&it.cmd))
}

/// Returns the bytes of a transfer to the memory port, from its header of one beat.
pub fn transfer_len(header: &[u8]) -> usize {
    let place = place(header);
    let writes = word(header, at::kind::OFFSET) == kind::WRITE;
    let slices = if writes { beats(header) * place.slice as usize } else { 0 };
    BEAT + slices.next_multiple_of(BEAT)
}

/// Executes a whole transfer and returns its response.
pub fn carried_out(card: &mut dyn Transport, transfer: &[u8]) -> Vec<u8> {
    let (place, beats) = (place(transfer), beats(transfer));
    let writes = word(transfer, at::kind::OFFSET) == kind::WRITE;
    let mut answer = vec![0; if writes { 0 } else { beats * BEAT }];
    let done = match writes {
        true => card.write_memory(place, &transfer[BEAT..][..beats * place.slice as usize]),
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
    answer
}

fn place(header: &[u8]) -> Place {
    let address = u64_at(header, at::address::OFFSET).expect("a header has all fields");
    let (channel, slice) = (word(header, at::channel::OFFSET), word(header, at::slice::OFFSET));
    Place { channel, address, slice }
}

fn beats(header: &[u8]) -> usize {
    word(header, at::beats::OFFSET) as usize
}

fn word(header: &[u8], offset: u32) -> u32 {
    u32_at(header, offset).expect("a header has all fields")
}
