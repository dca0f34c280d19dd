//! A card's circuit, Verilated into a shared library and loaded at run time. The C interface is
//! `spec/wire/sim.h`; time passes only while this transport waits for a reply or for the memory port, or accesses a register.

mod slot;

use std::collections::VecDeque;
use std::ffi::{CStr, CString, c_char, c_int, c_uint};
use std::fs::File;
use std::io::Read as _;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::sync::Arc;
use std::time::{Duration, Instant};

use libloading::{Library, Symbol};
use proofmill_op::{CodeFile, Error, Result, SecretBytes};

pub use self::slot::SimSlot;

use super::memory_port::{MemoryPort, PATIENCE, Place, Streams};
use super::{Event, Transport};

/// The supported version of the C interface.
const ABI: u32 = 3;
/// Cycles between two checks of the wall clock: some hundred microseconds of simulation.
const SLICE: u64 = 256;
/// Cycles that a register access may take: far more than any queue in front of it.
const REGISTER_CYCLES: u64 = 100_000;

/// The card behind the pointer; only ever touched by the library.
#[repr(C)]
struct RawSim {
    _opaque: [u8; 0],
}

/// Declares the functions of `sim.h` once: the table of pointers and its loading.
macro_rules! interface {
    ($($name:ident: fn($($argument:ty),*) $(-> $result:ty)?;)*) => {
        struct Interface { $($name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)* }

        impl Interface {
            fn load(library: &Library) -> std::result::Result<Self, libloading::Error> {
                Ok(Self { $(
                    // SAFETY: the types are those of spec/wire/sim.h; the pointers are kept no longer than the
                    // library, which stands in the same struct.
                    $name: unsafe { *library.get(concat!(stringify!($name), "\0").as_bytes())? },
                )* })
            }
        }
    };
}

interface! {
    pm_sim_manifest: fn() -> *const c_char;
    pm_sim_new: fn() -> *mut RawSim;
    pm_sim_free: fn(*mut RawSim);
    pm_sim_trace: fn(*mut RawSim, *const c_char) -> c_int;
    pm_sim_send: fn(*mut RawSim, *const u8, usize);
    pm_sim_pending: fn(*const RawSim) -> usize;
    pm_sim_run: fn(*mut RawSim, u64, c_int) -> u64;
    pm_sim_recv: fn(*mut RawSim, *mut u8, usize, *mut u64) -> usize;
    pm_sim_cycles: fn(*const RawSim) -> u64;
    pm_sim_first_word: fn(*const RawSim, u64) -> u64;
    pm_sim_last_word: fn(*const RawSim, u64) -> u64;
    pm_sim_reg_read: fn(*mut RawSim, u32, *mut u32, u64) -> c_int;
    pm_sim_reg_write: fn(*mut RawSim, u32, u32, u64) -> c_int;
    pm_sim_jitter: fn(*mut RawSim, u64, c_uint, c_uint);
    pm_sim_memory: fn(*mut RawSim, c_uint, c_uint, c_uint) -> c_int;
    pm_sim_memory_model: fn(*mut RawSim, *const c_char) -> c_int;
    pm_sim_memory_fault: fn(*mut RawSim, c_uint, u64, u64) -> c_int;
    pm_sim_broken: fn(*const RawSim) -> *const c_char;
    pm_sim_freeze: fn(*mut RawSim, c_int);
}

/// The functions of the memory port, in libraries that have one.
#[derive(Clone, Copy)]
struct PortFunctions {
    send: unsafe extern "C" fn(*mut RawSim, *const u8, usize) -> c_int,
    recv: unsafe extern "C" fn(*mut RawSim, *mut u8, usize) -> usize,
}

impl PortFunctions {
    fn load(library: &Library) -> Option<Self> {
        // SAFETY: the types are those of spec/wire/sim.h; the pointers are kept no longer than the library, which stands in the same struct.
        unsafe {
            Some(Self {
                send: *library.get(b"pm_sim_door_send\0").ok()?,
                recv: *library.get(b"pm_sim_door_recv\0").ok()?,
            })
        }
    }
}

/// A loaded simulation library: any number of cards can be made of it.
#[derive(Clone)]
pub struct SimLibrary(Arc<Loaded>);

struct Loaded {
    path: PathBuf,
    interface: Interface,
    port: Option<PortFunctions>,
    slot: Option<slot::Functions>,
    _library: Library,
}

impl SimLibrary {
    /// Loads a library and checks that it has this version of the interface.
    pub fn load(path: &Path) -> Result<Self> {
        let mut code = CodeFile::open(path).map_err(|error| open_error(path, error))?;
        check_size(path, code.file())?;
        let name = code.loader_name();
        let refused = |error: libloading::Error| {
            let text = with_causes(&error);
            open_error(path, text.replace(&*name.to_string_lossy(), &path.to_string_lossy()))
        };
        // SAFETY: loading runs the library's initialisers. The user named this file, as one names a program, and no other user can change it.
        let library = unsafe { Library::new(&name) }.map_err(refused)?;
        let foreign = |error: libloading::Error| {
            open_error(path, format!("not a simulation library: {}", with_causes(&error)))
        };
        // SAFETY: in every version of the interface it takes nothing and returns a number.
        let abi = unsafe {
            let version: Symbol<unsafe extern "C" fn() -> u32> =
                library.get(b"pm_sim_abi\0").map_err(foreign)?;
            version()
        };
        if abi != ABI {
            let problem =
                format!("speaks interface version {abi}, not {ABI}; run `make sim` again");
            return Err(open_error(path, problem));
        }
        let interface = Interface::load(&library).map_err(foreign)?;
        let (port, slot) = (PortFunctions::load(&library), slot::Functions::load(&library));
        let path = path.to_owned();
        Ok(Self(Arc::new(Loaded { path, interface, port, slot, _library: library })))
    }

    /// Returns the manifest of the build, as JSON text.
    pub fn manifest(&self) -> String {
        // SAFETY: takes nothing; returns a static text that ends with a zero, or null.
        let text = unsafe { (self.0.interface.pm_sim_manifest)() };
        if text.is_null() {
            return String::new();
        }
        // SAFETY: not null, and a zero-terminated text by the interface's contract; copied at once.
        unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
    }

    /// Returns the path of the library.
    pub fn path(&self) -> &Path {
        &self.0.path
    }
}

/// The timing of a simulated card's memory channels; `spec/wire/sim.h` defines the values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Cycles from a read's address to its first beat, from a write's last beat to its response; from 1 on.
    pub latency: u32,
    /// Cycles of 256 in which no beat passes.
    pub gap: u8,
    /// The most outstanding bursts, reads and writes each; from 1 on.
    pub bursts: u32,
}

impl Default for Memory {
    /// Returns the values after power-up.
    fn default() -> Self {
        Self { latency: 64, gap: 0, bursts: 64 }
    }
}

/// One simulated card.
pub struct SimTransport {
    library: SimLibrary,
    card: NonNull<RawSim>,
    name: String,
    sent: u64,
    /// `None` for a card without a memory port.
    port: Option<MemoryPort>,
    /// The ends of transfers at the memory, which are executed at once: time in a simulation passes only during a wait.
    moved: VecDeque<Event>,
}

// SAFETY: a card is not thread-safe but not bound to a thread either; this struct owns it, all access goes
// through `&mut self`, or through `&self` for plain reads, and the struct is not `Sync`.
unsafe impl Send for SimTransport {}

impl SimTransport {
    /// Returns a card out of reset, whose memory port is open if it has one.
    pub fn new(library: &SimLibrary) -> Result<Self> {
        // SAFETY: takes nothing; returns a new card or null.
        let card = NonNull::new(unsafe { (library.0.interface.pm_sim_new)() })
            .ok_or_else(|| open_error(library.path(), "not enough memory for a card"))?;
        let name = format!("sim:{}", library.path().display());
        let mut transport = Self {
            library: library.clone(),
            card,
            name,
            sent: 0,
            port: None,
            moved: VecDeque::new(),
        };
        let mut port = MemoryPort::default();
        if transport.library.0.port.is_some() && !transport.is_in_slot() {
            match port.open(&mut transport, 1) {
                Ok(()) => transport.port = Some(port),
                Err(Error::Unsupported { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(transport)
    }

    /// Returns whether it is in the shell of an F2 instance, where packets pass only through rings. Memory that was lent to it is taken back.
    pub fn is_in_slot(&self) -> bool {
        self.library.0.slot.is_some_and(|slot| slot.take_memory(self.card))
    }

    /// Writes a waveform (VCD) of everything from now on.
    pub fn trace(&mut self, file: &Path) -> Result<()> {
        let path = CString::new(file.as_os_str().as_bytes())
            .map_err(|_| Error::argument("trace", "the file's name has a zero byte in it"))?;
        // SAFETY: a live card and a zero-terminated text.
        match unsafe { (self.interface().pm_sim_trace)(self.card.as_ptr(), path.as_ptr()) } {
            0 => Ok(()),
            -1 => Err(open_error(
                self.library.path(),
                "built without waveforms; run `make sim TRACE=1` for one that has them",
            )),
            _ => Err(Error::argument("trace", format!("cannot write {}", file.display()))),
        }
    }

    /// Sets how the memory channels behave from now on.
    pub fn set_memory(&mut self, memory: Memory) -> Result<()> {
        let Memory { latency, gap, bursts } = memory;
        // SAFETY: a live card.
        let code = unsafe {
            (self.interface().pm_sim_memory)(self.card.as_ptr(), latency, gap.into(), bursts)
        };
        match code {
            0 => Ok(()),
            _ => Err(Error::argument("memory", format!("{memory:?}: a value is out of range"))),
        }
    }

    /// Sets the model of the memory, by its name in `spec/wire/sim.h`: `ideal`, `hbm`, `hbm_port` or `ddr4`.
    pub fn set_memory_model(&mut self, name: &str) -> Result<()> {
        let refused = |problem: &str| Error::argument("memory", format!("'{name}' {problem}"));
        let text = CString::new(name).map_err(|_| refused("has a zero byte in it"))?;
        // SAFETY: a live card and a zero-terminated text.
        match unsafe { (self.interface().pm_sim_memory_model)(self.card.as_ptr(), text.as_ptr()) } {
            0 => Ok(()),
            _ => Err(refused("is not ideal, hbm or ddr4, or not possible on this card")),
        }
    }

    /// For tests: accesses to these bytes of a channel are answered with an error. An empty range is none.
    pub fn fault(&mut self, channel: u32, bytes: Range<u64>) -> Result<()> {
        // SAFETY: a live card.
        let code = unsafe {
            let fault = self.interface().pm_sim_memory_fault;
            fault(self.card.as_ptr(), channel, bytes.start, bytes.end)
        };
        match code {
            0 => Ok(()),
            _ => {
                Err(Error::argument("channel", format!("the card has no memory channel {channel}")))
            }
        }
    }

    /// Returns an error if the card violated a rule of its memory bus, which stops it.
    fn check_bus(&self) -> Result<()> {
        // SAFETY: a live card; reads only.
        let rule = unsafe { (self.interface().pm_sim_broken)(self.card.as_ptr()) };
        if rule.is_null() {
            return Ok(());
        }
        // SAFETY: not null, and a zero-terminated text that lives as long as the card; copied at once.
        let rule = unsafe { CStr::from_ptr(rule) }.to_string_lossy();
        let problem = format!("the circuit broke a rule of AXI4: {rule}");
        Err(Error::Lost { device: self.name.clone(), problem })
    }

    /// Receives as [`Transport::receive`] does, and returns the cycle in which the last word of the reply left the card.
    pub fn receive_stamped(&mut self, limit: Duration) -> Result<Option<(Vec<u8>, u64)>> {
        let start = Instant::now();
        loop {
            if let Some(reply) = self.take() {
                return Ok(Some(reply));
            }
            // SAFETY: a live card.
            unsafe { (self.interface().pm_sim_run)(self.card.as_ptr(), SLICE, 1) };
            self.check_bus()?;
            if start.elapsed() >= limit {
                return Ok(self.take());
            }
        }
    }

    /// Returns the oldest waiting reply, without letting time pass.
    fn take(&mut self) -> Option<(Vec<u8>, u64)> {
        let mut bytes = vec![0; 256];
        loop {
            let mut cycle = 0;
            // SAFETY: a live card, a buffer of the length given, a place for the cycle.
            let len = unsafe {
                let recv = self.interface().pm_sim_recv;
                recv(self.card.as_ptr(), bytes.as_mut_ptr(), bytes.len(), &raw mut cycle)
            };
            if len == 0 {
                return None;
            }
            if len <= bytes.len() {
                bytes.truncate(len);
                return Some((bytes, cycle));
            }
            bytes.resize(len, 0);
        }
    }

    /// Runs the card for at most this many cycles.
    pub fn run(&mut self, cycles: u64) {
        // SAFETY: a live card.
        unsafe { (self.interface().pm_sim_run)(self.card.as_ptr(), cycles, 0) };
    }

    /// Packets sent so far: the number of the next one.
    pub fn sent(&self) -> u64 {
        self.sent
    }

    /// Packets that wait outside the card or are half inside.
    pub fn pending(&self) -> usize {
        // SAFETY: a live card; reads only.
        unsafe { (self.interface().pm_sim_pending)(self.card.as_ptr()) }
    }

    /// Returns the cycle in which the first word of the n-th packet entered the card, while it is recorded.
    pub fn first_word(&self, packet: u64) -> Option<u64> {
        // SAFETY: a live card; reads only.
        let cycle = unsafe { (self.interface().pm_sim_first_word)(self.card.as_ptr(), packet) };
        (cycle != 0).then_some(cycle)
    }

    /// Returns the cycle in which the last word of the n-th packet entered the card, while it is recorded.
    pub fn last_word(&self, packet: u64) -> Option<u64> {
        // SAFETY: a live card; reads only.
        let cycle = unsafe { (self.interface().pm_sim_last_word)(self.card.as_ptr(), packet) };
        (cycle != 0).then_some(cycle)
    }

    /// For tests: random gaps before input words and random refusals of output words, in 256ths of the cycles.
    pub fn jitter(&mut self, seed: u64, input_gap: u8, output_stall: u8) {
        // SAFETY: a live card.
        unsafe {
            let jitter = self.interface().pm_sim_jitter;
            jitter(self.card.as_ptr(), seed, input_gap.into(), output_stall.into());
        }
    }

    /// For tests: a frozen card accepts nothing and sends nothing.
    pub fn freeze(&mut self, frozen: bool) {
        // SAFETY: a live card.
        unsafe { (self.interface().pm_sim_freeze)(self.card.as_ptr(), frozen.into()) };
    }

    fn interface(&self) -> &Interface {
        &self.library.0.interface
    }

    fn register_result(&self, code: c_int, what: &str, address: u32) -> Result<()> {
        self.check_bus()?;
        let problem = match code {
            0 => return Ok(()),
            -1 => format!("{what} register {address:#06x}: no answer in {REGISTER_CYCLES} cycles"),
            code => format!("{what} register {address:#06x}: AXI response {code}"),
        };
        Err(Error::Lost { device: self.name.clone(), problem })
    }
}

impl Streams for SimTransport {
    fn device(&self) -> &str {
        &self.name
    }

    fn transfer(&mut self, transfer: &[u8]) -> Result<()> {
        let no_port = || super::unsupported(&self.name, "card memory");
        let port = self.library.0.port.ok_or_else(no_port)?;
        // SAFETY: a live card; the bytes are copied before the call returns.
        match unsafe { (port.send)(self.card.as_ptr(), transfer.as_ptr(), transfer.len()) } {
            0 => Ok(()),
            _ => Err(no_port()),
        }
    }

    fn answer(&mut self) -> Result<SecretBytes> {
        const ANSWER: c_int = 2;
        let port =
            self.library.0.port.ok_or_else(|| super::unsupported(&self.name, "card memory"))?;
        let start = Instant::now();
        let mut bytes = vec![0; 1 << 16];
        loop {
            // SAFETY: a live card, a buffer of the length given.
            let len = unsafe { (port.recv)(self.card.as_ptr(), bytes.as_mut_ptr(), bytes.len()) };
            if len > bytes.len() {
                bytes.resize(len, 0);
                continue;
            }
            if len > 0 {
                bytes.truncate(len);
                return Ok(bytes.into());
            }
            // SAFETY: a live card.
            unsafe { (self.interface().pm_sim_run)(self.card.as_ptr(), SLICE, ANSWER) };
            self.check_bus()?;
            if start.elapsed() >= PATIENCE {
                let seconds = PATIENCE.as_secs_f64();
                return Err(Error::TimedOut { device: self.name.clone(), seconds });
            }
        }
    }
}

impl Transport for SimTransport {
    fn name(&self) -> &str {
        &self.name
    }

    fn send(&mut self, packet: &[u8]) -> Result<()> {
        if packet.is_empty() {
            return Err(Error::argument("packet", "has no bytes"));
        }
        // SAFETY: a live card; the bytes are copied before the call returns.
        unsafe {
            (self.interface().pm_sim_send)(self.card.as_ptr(), packet.as_ptr(), packet.len())
        };
        self.sent += 1;
        Ok(())
    }

    fn receive(&mut self, limit: Duration) -> Result<Option<Vec<u8>>> {
        Ok(self.receive_stamped(limit)?.map(|(bytes, _)| bytes))
    }

    fn read_register(&mut self, address: u32) -> Result<u32> {
        let mut value = 0;
        // SAFETY: a live card and a place for the value.
        let code = unsafe {
            let read = self.interface().pm_sim_reg_read;
            read(self.card.as_ptr(), address, &raw mut value, REGISTER_CYCLES)
        };
        self.register_result(code, "reading", address)?;
        Ok(value)
    }

    fn write_register(&mut self, address: u32, value: u32) -> Result<()> {
        // SAFETY: a live card.
        let code = unsafe {
            let write = self.interface().pm_sim_reg_write;
            write(self.card.as_ptr(), address, value, REGISTER_CYCLES)
        };
        self.register_result(code, "writing", address)
    }

    fn has_memory(&self) -> bool {
        self.port.is_some()
    }

    fn read_memory(&mut self, place: Place, bytes: &mut [u8]) -> Result<()> {
        let mut port =
            self.port.take().ok_or_else(|| super::unsupported(&self.name, "card memory"))?;
        let done = port.read(self, place, bytes);
        self.port = Some(port);
        done
    }

    fn write_memory(&mut self, place: Place, bytes: &[u8]) -> Result<()> {
        let mut port =
            self.port.take().ok_or_else(|| super::unsupported(&self.name, "card memory"))?;
        let done = port.write(self, place, bytes);
        self.port = Some(port);
        done
    }

    fn begin_write(&mut self, place: Place, bytes: SecretBytes) -> Result<()> {
        let done = self.write_memory(place, &bytes);
        self.moved.push_back(Event::Written(done));
        Ok(())
    }

    fn begin_read(&mut self, place: Place, bytes: usize) -> Result<()> {
        let mut read = SecretBytes::filled(bytes, 0);
        let done = self.read_memory(place, &mut read);
        self.moved.push_back(Event::Read(done.map(|()| read)));
        Ok(())
    }

    fn event(&mut self, limit: Duration) -> Result<Option<Event>> {
        if let Some((reply, _)) = self.take() {
            return Ok(Some(Event::Reply(reply)));
        }
        match self.moved.pop_front() {
            Some(Event::Written(Err(error)) | Event::Read(Err(error)))
                if !matches!(error, Error::Failed { .. }) =>
            {
                Err(error)
            }
            Some(event) => Ok(Some(event)),
            None => Ok(self.receive(limit)?.map(Event::Reply)),
        }
    }

    fn cycles(&self) -> Option<u64> {
        // SAFETY: a live card; reads only.
        Some(unsafe { (self.interface().pm_sim_cycles)(self.card.as_ptr()) })
    }
}

impl Drop for SimTransport {
    fn drop(&mut self) {
        // SAFETY: the only owner frees it once; a waveform is completed by it.
        unsafe { (self.interface().pm_sim_free)(self.card.as_ptr()) };
    }
}

/// Checks the length of the file. The loader maps a file without checking it, and an incomplete file would then end
/// this process. The section headers of an ELF file are at its end, so they must be within the file. The loader reports all
/// other errors.
fn check_size(path: &Path, file: &mut File) -> Result<()> {
    let io = |error: std::io::Error| open_error(path, error);
    let len = file.metadata().map_err(io)?.len();
    let mut header = [0; 64];
    let is_elf64 = |header: &[u8]| header.starts_with(b"\x7fELF\x02\x01");
    if file.read_exact(&mut header).is_err() || !is_elf64(&header) {
        return Ok(());
    }
    let sections = u64::from_le_bytes(header[40..48].try_into().expect("eight bytes"));
    let [size, count] = [58, 60].map(|at| u64::from(header[at]) | u64::from(header[at + 1]) << 8);
    let end = sections.saturating_add(size * count);
    if len < end {
        return Err(open_error(path, format!("truncated: {len} bytes of {end}; build it again")));
    }
    Ok(())
}

/// Formats an error with its causes, which include the loader's message.
fn with_causes(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

fn open_error(path: &Path, problem: impl ToString) -> Error {
    Error::Open { device: format!("sim:{}", path.display()), problem: problem.to_string() }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_file_that_is_no_library_is_refused_with_its_path() {
        let error = SimLibrary::load(Path::new("/dev/null")).err().unwrap().to_string();
        assert!(error.contains("sim:/dev/null"), "{error}");
        let error = SimLibrary::load(Path::new("/nowhere/card.so")).err().unwrap().to_string();
        assert!(error.contains("/nowhere/card.so") && error.contains("No such file"), "{error}");
    }

    #[test]
    fn a_library_that_was_cut_off_is_refused_before_it_is_mapped() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("cut.so");
        let this = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let load = |content: &[u8]| {
            std::fs::write(&file, content).unwrap();
            SimLibrary::load(&file).err().unwrap().to_string()
        };
        let cut = load(&this[..this.len() - 1]);
        let garbage = load(&[0x5a; 1000]);
        if this.starts_with(b"\x7fELF") {
            assert!(cut.contains(&format!("truncated: {} bytes", this.len() - 1)), "{cut}");
        }
        assert!(garbage.contains("dlopen failed: "), "the loader's own words: {garbage}");
        assert!(garbage.contains("cut.so: ") && !garbage.contains("/proc/"), "{garbage}");
    }

    #[test]
    fn a_library_that_other_users_can_change_is_refused_before_it_is_loaded() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("card.so");
        std::fs::write(&file, [0x5a; 1000]).unwrap();
        for path in [folder.path(), &file] {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o777)).unwrap();
        }
        let error = SimLibrary::load(&file).err().unwrap().to_string();
        assert!(error.contains("card.so is writable by other users (mode 777)"), "{error}");
        assert!(error.contains("chmod go-w"), "{error}");
    }
}
