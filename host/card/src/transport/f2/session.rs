//! A session with a slot: what both streams share, from its opening until nothing of it is under way any more.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use proofmill_op::{Error, Result};

use super::bar::{Bar, fence};
use super::memory::Memory;
use super::slots::{PCI_DEVICES, REGISTERS, Slot};
use crate::transport::image::ONES;
use crate::wire::constants::shell::identification;
use crate::wire::constants::slot_rings::{registers as at, room, state, stream};

/// How often whoever waits for a card looks whether it is well.
const LOOK: Duration = Duration::from_millis(20);
/// So long a wait does not sleep, then for a share of the time that it has waited already.
const AWAKE: Duration = Duration::from_micros(50);
const SHARE: u32 = 8;
const LONGEST_SLEEP: Duration = Duration::from_millis(1);
/// How long closing waits for the card.
const FAREWELL: Duration = Duration::from_millis(500);

/// An open session.
pub struct Session {
    name: String,
    slot: Slot,
    registers: Bar,
    window: Bar,
    memory: Memory,
    number: u16,
    /// Of each ring.
    pub slots: u16,
    closed: AtomicBool,
    /// Registers of the card were written, and nothing behind them was read.
    written: Mutex<bool>,
    /// Why it is no more.
    dead: OnceLock<Error>,
}

impl Session {
    /// Opens slot `number`, or one that is emulated in files of a folder; gives up after `limit`. Whatever an earlier host left, the card is in
    /// its first state afterwards, and the rings are empty.
    pub fn open(emulated: Option<&Path>, number: u32, limit: Duration) -> Result<Self> {
        let name = format!("f2:{number}");
        let failed = |problem: String| Error::Open { device: name.clone(), problem };
        let slot =
            Slot::find(emulated.unwrap_or(Path::new(PCI_DEVICES)), number).map_err(failed)?;
        slot.check().map_err(failed)?;
        // Before anything of the card is touched: it is also the lock.
        let memory = match emulated {
            None => Memory::huge(&slot.address(), room::BYTES as usize),
            Some(folder) => Memory::emulated(folder, number, room::BYTES as usize),
        };
        let memory = memory.map_err(failed)?;
        slot.answer().map_err(failed)?;
        let registers = slot.map("resource0", 0, REGISTERS).map_err(failed)?;
        let register = |offset: u32| registers.read((at::BASE + offset) as usize);
        let magic = register(at::magic::OFFSET);
        if magic != at::magic::VALUE {
            return Err(failed(slot.foreign(magic)));
        }
        let layout = register(at::layout::OFFSET);
        if layout != at::layout::VALUE {
            let (ours, cure) = (at::layout::VALUE, slot.cure());
            let problem = format!("its rings are of version {layout}, not {ours}; {cure}");
            return Err(failed(problem));
        }
        let slots = register(at::slots::OFFSET);
        if !slots.is_power_of_two() || slots > room::MOST_SLOTS {
            return Err(failed(format!("its rings have {slots} slots; {}", slot.cure())));
        }
        let fresh = fresh(register(at::session::OFFSET));
        let start = u64::from(fresh) * u64::from(room::BYTES);
        let window = slot.map(slot.window(), start, room::BYTES as usize).map_err(failed)?;
        let session = Self {
            name: name.clone(),
            slot,
            registers,
            window,
            memory,
            number: fresh,
            slots: slots as u16,
            closed: AtomicBool::new(false),
            written: Mutex::new(false),
            dead: OnceLock::new(),
        };
        session.begin(limit).inspect_err(|error| _ = session.dead.set(error.clone()))?;
        Ok(session)
    }

    /// Closes what is open, then opens this session in memory in which nothing is left of another.
    fn begin(&self, limit: Duration) -> Result<()> {
        let start = Instant::now();
        self.settle(0, limit)?;
        for stream in [stream::PACKETS, stream::DOOR] {
            let first = room::descriptors::BASE + stream * room::descriptors::STRIDE;
            let nothing = [0; (room::MOST_SLOTS * room::descriptors::SLOT) as usize];
            self.memory.bytes.fill(first as usize, &nothing);
        }
        self.put(at::base_low::OFFSET, self.memory.base as u32);
        self.put(at::base_high::OFFSET, (self.memory.base >> 32) as u32);
        self.slot.master(true).map_err(|problem| self.refused(problem))?;
        self.settle(self.number, limit.saturating_sub(start.elapsed()))
    }

    /// Writes the session's register and waits until that has been done.
    fn settle(&self, session: u16, limit: Duration) -> Result<()> {
        let there = || match self.slot.is_there() {
            true => Ok(()),
            false => Err(self.refused(self.gone())),
        };
        fence();
        there()?;
        self.put(at::session::OFFSET, session.into());
        let start = Instant::now();
        loop {
            there()?;
            // Only the card writes this one, so it has seen the session; its state then is that of the session.
            let told = self.get(at::taken::OFFSET);
            let found = self.get(at::state::OFFSET);
            if found == ONES || told == ONES {
                return Err(self.refused(self.slot.foreign(ONES)));
            }
            // A card that is closed may stay in its reset.
            let waits_for = if session == 0 { 0 } else { state::DOWN } | state::RESETTING;
            if told >> 16 == session.into() && found & waits_for == 0 {
                return Ok(());
            }
            if start.elapsed() >= limit {
                let seconds = limit.as_secs_f64();
                let cure = self.slot.cure();
                return Err(self.refused(format!("not out of its reset after {seconds} s; {cure}")));
            }
            pause(start.elapsed());
        }
    }

    fn gone(&self) -> String {
        format!("it has left the bus; {}", self.slot.cure())
    }

    fn refused(&self, problem: String) -> Error {
        Error::Open { device: self.name.clone(), problem }
    }

    fn get(&self, offset: u32) -> u32 {
        self.registers.read((at::BASE + offset) as usize)
    }

    fn put(&self, offset: u32, value: u32) {
        self.registers.write((at::BASE + offset) as usize, value);
    }

    /// What it leads to, for messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// An error of a card that is no more.
    pub fn lost(&self, problem: impl std::fmt::Display) -> Error {
        Error::Lost { device: self.name.clone(), problem: problem.to_string() }
    }

    /// Once lost, always lost, for both streams.
    pub fn died<T>(&self, error: Error) -> Result<T> {
        Err(self.dead.get_or_init(|| error).clone())
    }

    /// A time-out, which also ends the session.
    pub fn late<T>(&self, limit: Duration) -> Result<T> {
        let (device, seconds) = (self.name.clone(), limit.as_secs_f64());
        self.died(Error::TimedOut { device, seconds })
    }

    /// Is it neither lost nor closed, as far as is known?
    pub fn is_well(&self) -> Result<()> {
        match self.dead.get() {
            Some(error) => Err(error.clone()),
            None if self.closed.load(Ordering::SeqCst) => Err(self.lost("it is closed")),
            None => Ok(()),
        }
    }

    /// May its registers and its window be used? The system ends a program that uses those of a function that it has taken away: so the
    /// function's files are looked for before each register and each page.
    pub fn alive(&self) -> Result<()> {
        self.is_well()?;
        if !self.slot.is_there() {
            return self.died(self.lost(self.gone()));
        }
        Ok(())
    }

    /// Is the card well?
    pub fn look(&self) -> Result<()> {
        self.alive()?;
        let (session, found) = (self.get(at::session::OFFSET), self.get(at::state::OFFSET));
        let problem = if session == ONES || found == ONES {
            self.slot.foreign(ONES)
        } else if session != self.number.into() {
            format!("another host has opened it: its session is {session}, not {}", self.number)
        } else if found & state::FAULT != 0 {
            format!("it cannot write to the memory of this machine; {}", self.slot.cure())
        } else if found & state::REFUSED != 0 {
            "it has refused a page".into()
        } else {
            return Ok(());
        };
        self.died(self.lost(problem))
    }

    /// Reads a register of the card's own.
    pub fn read(&self, address: u32) -> Result<u32> {
        self.reach(address)?;
        let value = self.registers.read(address as usize);
        if value == ONES {
            self.look()?;
            self.answers()?;
        }
        Ok(value)
    }

    /// All ones are a value, or those of registers that answer no more though the rings do: in a reset for a while, otherwise for ever.
    fn answers(&self) -> Result<()> {
        let is_silent = || self.registers.read(identification::magic::OFFSET as usize) == ONES;
        if is_silent() && self.get(at::state::OFFSET) & state::DOWN == 0 && is_silent() {
            let problem = format!("its registers do not answer; {}", self.slot.cure());
            return self.died(self.lost(problem));
        }
        Ok(())
    }

    /// Writes a register of the card's own.
    pub fn write(&self, address: u32, value: u32) -> Result<()> {
        self.reach(address)?;
        self.registers.write(address as usize, value);
        *self.written.lock().unwrap_or_else(PoisonError::into_inner) = true;
        Ok(())
    }

    /// Makes sure that what was written to the card's registers is there before what goes over PCIS next: nothing orders the two, but a read waits for
    /// the writes before it.
    pub fn settle_registers(&self) -> Result<()> {
        // The other stream waits for the same read.
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        match std::mem::take(&mut *written) {
            true => self.read(identification::magic::OFFSET).map(drop),
            false => Ok(()),
        }
    }

    fn reach(&self, address: u32) -> Result<()> {
        if address >= at::BASE || !address.is_multiple_of(4) {
            return Err(Error::argument("address", format!("{address:#x} is no register")));
        }
        self.alive()
    }

    /// How many pages of a stream the card has taken.
    pub fn taken(&self, stream: u32) -> Result<u16> {
        self.alive()?;
        let told = self.get(at::taken::OFFSET + stream * at::taken::STRIDE);
        if told >> 16 != self.number.into() {
            self.look()?;
            return self.died(self.lost(format!("it tells {told:#010x} of another session")));
        }
        Ok(told as u16)
    }

    /// Tells the card how many pages of a stream were read.
    pub fn free(&self, stream: u32, pages: u16) -> Result<()> {
        self.alive()?;
        let value = u32::from(self.number) << 16 | u32::from(pages);
        // What was read is read before the card may write there again.
        fence();
        self.put(at::freed::OFFSET + stream * at::freed::STRIDE, value);
        Ok(())
    }

    /// The card's room.
    pub fn window(&self) -> &Bar {
        &self.window
    }

    /// That of the host.
    pub fn memory(&self) -> &Bar {
        &self.memory.bytes
    }

    /// What stands in the descriptors.
    pub fn number(&self) -> u16 {
        self.number
    }

    /// Every wait ends now.
    pub fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
    }

    /// Waits until something is there; `None` when nothing is within the limit. `looked`: when whoever waits last saw that the card is well.
    pub fn wait<T>(
        &self,
        limit: Duration,
        looked: &mut Instant,
        mut poll: impl FnMut() -> Result<Option<T>>,
    ) -> Result<Option<T>> {
        let start = Instant::now();
        loop {
            if let Some(found) = poll()? {
                return Ok(Some(found));
            }
            if looked.elapsed() >= LOOK {
                self.look()?;
                *looked = Instant::now();
            }
            let waited = start.elapsed();
            if waited >= limit {
                return Ok(None);
            }
            pause(waited);
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if !self.slot.is_there()
            || ![0, self.number.into()].contains(&self.get(at::session::OFFSET))
        {
            return;
        }
        // What does not end, as on a card that hangs, reaches no memory any more.
        let _ = self.settle(0, FAREWELL);
        let _ = self.slot.master(false);
    }
}

/// Another number than that of the session that is open, so that it is seen that the card has taken it; and none that is read of a card that is gone.
fn fresh(open: u32) -> u16 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    // Spread over all numbers: hosts open at any time, but often in the same second.
    let spread = (now.as_nanos() as u64 ^ u64::from(std::process::id()) << 32)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let number = ((spread >> 40) % 0xfffe) as u16 + 1;
    match u32::from(number) == open {
        true => number % 0xfffe + 1,
        false => number,
    }
}

fn pause(waited: Duration) {
    match waited < AWAKE {
        true => thread::yield_now(),
        false => thread::sleep((waited / SHARE).min(LONGEST_SLEEP)),
    }
}
