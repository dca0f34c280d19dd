//! A session with a slot: the state that both streams share, from opening until no transfer is outstanding.

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

/// The interval at which a wait checks the card.
const LOOK: Duration = Duration::from_millis(20);
/// The time for which a wait spins; afterwards it sleeps for a share of the time that has passed.
const AWAKE: Duration = Duration::from_micros(50);
const SHARE: u32 = 8;
const LONGEST_SLEEP: Duration = Duration::from_millis(1);
/// The longest time that closing waits for the card.
const FAREWELL: Duration = Duration::from_millis(500);

/// An open session.
pub struct Session {
    name: String,
    slot: Slot,
    registers: Bar,
    window: Bar,
    memory: Memory,
    number: u16,
    /// The number of slots of each ring.
    pub slots: u16,
    closed: AtomicBool,
    /// True if registers of the card were written and none was read since.
    written: Mutex<bool>,
    /// The reason why the session ended.
    dead: OnceLock<Error>,
}

impl Session {
    /// Opens slot `number`, or one that is emulated in files of a folder, within `limit`. The card is in its initial state
    /// afterwards, whatever an earlier host left, and the rings are empty.
    pub fn open(emulated: Option<&Path>, number: u32, limit: Duration) -> Result<Self> {
        let name = format!("f2:{number}");
        let failed = |problem: String| Error::Open { device: name.clone(), problem };
        let slot =
            Slot::find(emulated.unwrap_or(Path::new(PCI_DEVICES)), number).map_err(failed)?;
        slot.check().map_err(failed)?;
        // Before the first access to the card: the memory is also the lock.
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

    /// Closes an open session, then opens this one with cleared memory.
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

    /// Writes the session's register and waits until the card has taken it.
    fn settle(&self, session: u16, limit: Duration) -> Result<()> {
        let there = || match self.slot.exists() {
            true => Ok(()),
            false => Err(self.refused(self.gone())),
        };
        fence();
        there()?;
        self.put(at::session::OFFSET, session.into());
        let start = Instant::now();
        loop {
            there()?;
            // Only the card writes this value, so it has read the session; its state is then that of the session.
            let taken = self.get(at::taken::OFFSET);
            let found = self.get(at::state::OFFSET);
            if found == ONES || taken == ONES {
                return Err(self.refused(self.slot.foreign(ONES)));
            }
            // A closed card may stay in its reset.
            let waits_for = if session == 0 { 0 } else { state::DOWN } | state::RESETTING;
            if taken >> 16 == session.into() && found & waits_for == 0 {
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

    /// Returns the name of the device, for messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the error of a lost card.
    pub fn lost(&self, problem: impl std::fmt::Display) -> Error {
        Error::Lost { device: self.name.clone(), problem: problem.to_string() }
    }

    /// Records the loss, for both streams, and returns the first error.
    pub fn died<T>(&self, error: Error) -> Result<T> {
        Err(self.dead.get_or_init(|| error).clone())
    }

    /// Returns a time-out, which also ends the session.
    pub fn late<T>(&self, limit: Duration) -> Result<T> {
        let (device, seconds) = (self.name.clone(), limit.as_secs_f64());
        self.died(Error::TimedOut { device, seconds })
    }

    /// Returns an error if the session is known to be lost or closed.
    pub fn is_well(&self) -> Result<()> {
        match self.dead.get() {
            Some(error) => Err(error.clone()),
            None if self.closed.load(Ordering::SeqCst) => Err(self.lost("it is closed")),
            None => Ok(()),
        }
    }

    /// Returns an error if registers and window must not be accessed. The system kills a process that accesses a function which was removed, so
    /// the function's files are checked before each register and each page.
    pub fn alive(&self) -> Result<()> {
        self.is_well()?;
        if !self.slot.exists() {
            return self.died(self.lost(self.gone()));
        }
        Ok(())
    }

    /// Checks the state of the card.
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

    /// Reads a register of the card.
    pub fn read(&self, address: u32) -> Result<u32> {
        self.reach(address)?;
        let value = self.registers.read(address as usize);
        if value == ONES {
            self.look()?;
            self.answers()?;
        }
        Ok(value)
    }

    /// Checks for lost registers. All ones can be a value, or mean that registers do not respond although the rings do: during a reset, or permanently.
    fn answers(&self) -> Result<()> {
        let is_silent = || self.registers.read(identification::magic::OFFSET as usize) == ONES;
        if is_silent() && self.get(at::state::OFFSET) & state::DOWN == 0 && is_silent() {
            let problem = format!("its registers do not answer; {}", self.slot.cure());
            return self.died(self.lost(problem));
        }
        Ok(())
    }

    /// Writes a register of the card.
    pub fn write(&self, address: u32, value: u32) -> Result<()> {
        self.reach(address)?;
        self.registers.write(address as usize, value);
        *self.written.lock().unwrap_or_else(PoisonError::into_inner) = true;
        Ok(())
    }

    /// Waits until writes to the card's registers have arrived, before the next write over PCIS. The two are not ordered, but a read waits for
    /// earlier writes.
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

    /// Returns the number of pages of a stream that the card has taken.
    pub fn taken(&self, stream: u32) -> Result<u16> {
        self.alive()?;
        let taken = self.get(at::taken::OFFSET + stream * at::taken::STRIDE);
        if taken >> 16 != self.number.into() {
            self.look()?;
            return self.died(self.lost(format!("it reports {taken:#010x} of another session")));
        }
        Ok(taken as u16)
    }

    /// Reports to the card how many pages of a stream were read.
    pub fn free(&self, stream: u32, pages: u16) -> Result<()> {
        self.alive()?;
        let value = u32::from(self.number) << 16 | u32::from(pages);
        // The pages were read before the card may overwrite them.
        fence();
        self.put(at::freed::OFFSET + stream * at::freed::STRIDE, value);
        Ok(())
    }

    /// Returns the card's window.
    pub fn window(&self) -> &Bar {
        &self.window
    }

    /// Returns the host memory.
    pub fn memory(&self) -> &Bar {
        &self.memory.bytes
    }

    /// Returns the session number, which is in the descriptors.
    pub fn number(&self) -> u16 {
        self.number
    }

    /// Ends every wait.
    pub fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
    }

    /// Calls `poll` until it returns a value; returns `None` after the limit. `looked` is the time of the last successful check of the card.
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
        if !self.slot.exists() || ![0, self.number.into()].contains(&self.get(at::session::OFFSET))
        {
            return;
        }
        // If the card does not respond, it accesses no memory either.
        let _ = self.settle(0, FAREWELL);
        let _ = self.slot.master(false);
    }
}

/// Returns a new session number: it differs from that of the open session, so that the card's acceptance can be detected, and from the value of a
/// removed card.
fn fresh(open: u32) -> u16 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    // Spread over all numbers: hosts may open at any time, but often in the same second.
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
