//! A simulated card in the shell of an F2 instance: registers over OCL, stores over PCIS, memory that it writes over PCIM. Emulated slots
//! are based on it; time passes only in a run or during a register access.

use std::ffi::c_int;
use std::ptr::NonNull;
use std::time::Duration;

use libloading::Library;
use proofmill_op::{Error, Result};

use super::{RawSim, SimLibrary, SimTransport};
use crate::transport::Transport;
use crate::transport::f2::Bar;
use crate::transport::image::ONES;

/// Cycles that a register access may take.
const REGISTER_CYCLES: u64 = 100_000;

/// The shell's part of `sim.h`.
#[derive(Clone, Copy)]
pub(super) struct Functions {
    write: unsafe extern "C" fn(*mut RawSim, u64, *const u8, usize) -> c_int,
    memory: unsafe extern "C" fn(*mut RawSim, u64, *mut u8, usize) -> c_int,
}

impl Functions {
    pub fn load(library: &Library) -> Option<Self> {
        // SAFETY: the types are those of spec/wire/sim.h; the pointers are kept no longer than the library, which stands in the same struct.
        unsafe {
            Some(Self {
                write: *library.get(b"pm_sim_pcis_write\0").ok()?,
                memory: *library.get(b"pm_sim_pcim_memory\0").ok()?,
            })
        }
    }

    /// Takes away what memory it was lent; false where the card is behind no such shell.
    pub fn take_memory(self, card: NonNull<RawSim>) -> bool {
        // SAFETY: a live card; no memory is given.
        unsafe { (self.memory)(card.as_ptr(), 0, std::ptr::null_mut(), 0) == 0 }
    }
}

/// A card behind the shell.
pub struct SimSlot {
    card: SimTransport,
    functions: Functions,
    /// The memory that it may write; never read.
    lent: Option<Bar>,
}

impl SimSlot {
    /// Creates a card out of reset; [`Error::Unsupported`] if the library's card has no such shell.
    pub fn new(library: &SimLibrary) -> Result<Self> {
        let card = SimTransport::new(library)?;
        let absent = || super::super::unsupported(card.name(), "slot of an F2 instance");
        let functions = library.0.slot.filter(|slot| slot.take_memory(card.card));
        let functions = functions.ok_or_else(absent)?;
        Ok(Self { card, functions, lent: None })
    }

    /// Stores bytes over PCIS, after earlier stores.
    pub fn store(&mut self, address: u64, bytes: &[u8]) {
        // SAFETY: a live card; the bytes are copied before the call returns.
        unsafe { (self.functions.write)(self.raw(), address, bytes.as_ptr(), bytes.len()) };
    }

    /// Lends it this memory, at an address on the bus, in place of earlier memory.
    pub fn lend(&mut self, base: u64, memory: Bar) {
        let (start, len) = memory.range();
        // SAFETY: a live card. The bytes are mapped as long as `memory` lives, which is until the card has another or is freed: fields are
        // dropped in their order.
        unsafe { (self.functions.memory)(self.raw(), base, start, len) };
        self.lent = Some(memory);
    }

    /// Runs at most this many cycles, fewer when it has written to memory.
    pub fn run(&mut self, cycles: u64) -> Result<()> {
        const WRITTEN: c_int = 4;
        // SAFETY: a live card.
        unsafe { (self.card.interface().pm_sim_run)(self.raw(), cycles, WRITTEN) };
        self.card.check_bus()
    }

    fn raw(&self) -> *mut RawSim {
        self.card.card.as_ptr()
    }
}

/// Registers alone: an error is ones, as for a host behind the shell.
impl Transport for SimSlot {
    fn name(&self) -> &str {
        self.card.name()
    }

    fn send(&mut self, _packet: &[u8]) -> Result<()> {
        Err(super::super::unsupported(self.name(), "packets but those of its rings"))
    }

    fn receive(&mut self, _limit: Duration) -> Result<Option<Vec<u8>>> {
        Ok(None)
    }

    fn read_register(&mut self, address: u32) -> Result<u32> {
        let mut value = ONES;
        // SAFETY: a live card and a place for the value.
        let code = unsafe {
            let read = self.card.interface().pm_sim_reg_read;
            read(self.raw(), address, &raw mut value, REGISTER_CYCLES)
        };
        self.answered(code, "reading", address)?;
        Ok(if code == 0 { value } else { ONES })
    }

    fn write_register(&mut self, address: u32, value: u32) -> Result<()> {
        // SAFETY: a live card.
        let code = unsafe {
            let write = self.card.interface().pm_sim_reg_write;
            write(self.raw(), address, value, REGISTER_CYCLES)
        };
        self.answered(code, "writing", address)
    }
}

impl SimSlot {
    fn answered(&self, code: c_int, what: &str, address: u32) -> Result<()> {
        self.card.check_bus()?;
        match code {
            -1 => {
                let problem = format!("{what} register {address:#06x}: no answer");
                Err(Error::Lost { device: self.card.name.clone(), problem })
            }
            _ => Ok(()),
        }
    }
}
